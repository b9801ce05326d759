// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/entry_call.h"

namespace skald::runtime {

int64_t slot_count(std::span<const ValueType> types) {
  int64_t count = 0;
  for (const ValueType& type : types) count += 1 + type.rank;
  return count;
}

std::vector<int64_t> pack_slots(std::span<const Value> values) {
  std::vector<int64_t> slots;
  for (const Value& value : values) {
    if (value.rank() == 0) {
      slots.push_back(static_cast<int64_t>(value.element_bits(0)));
      continue;
    }
    slots.push_back(reinterpret_cast<intptr_t>(value.data.block()));
    slots.insert(slots.end(), value.shape.begin(), value.shape.end());
  }
  return slots;
}

Result<Buffer> first_part_on_host(const Buffer& whole, int64_t bytes) {
  return whole.part(0, bytes);
}

Result<std::vector<Value>> unpack_slots(std::span<const ValueType> types,
                                        std::span<const int64_t> slots,
                                        const FirstPart& first_part) {
  SKALD_CHECK(static_cast<int64_t>(slots.size()) == slot_count(types), "{} result slots for {}",
              slots.size(), slot_count(types));
  // First take all references, so that none is lost if one of the values fails.
  std::vector<Value> values;
  size_t next = 0;
  for (const ValueType& type : types) {
    Value value{.type = type.type};
    if (type.rank > 0) {
      value.data = Buffer::take(reinterpret_cast<SkaldBlock*>(slots[next]));
      value.shape.assign(&slots[next] + 1, &slots[next] + 1 + type.rank);
    }
    next += 1 + static_cast<size_t>(type.rank);
    values.push_back(std::move(value));
  }
  next = 0;
  for (Value& value : values) {
    if (value.rank() == 0) {
      Result<Value> scalar = Value::scalar(value.type, static_cast<uint64_t>(slots[next]));
      if (!scalar) return scalar.failure();
      value = std::move(*scalar);
    } else {
      const Result<int64_t> bytes = byte_size(value.type, value.shape);
      SKALD_CHECK(static_cast<bool>(bytes), "a result of type {}",
                  type_text(value.type, value.shape));
      // A block may be larger than the array in it.
      if (value.data.bytes() != *bytes) {
        Result<Buffer> data = first_part(value.data, *bytes);
        if (!data) return data.failure();
        value.data = std::move(*data);
      }
    }
    next += 1 + value.shape.size();
  }
  return values;
}

}  // namespace skald::runtime
