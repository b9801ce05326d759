// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/transfer.h"

namespace skald::runtime {

namespace {

Result<Unit> must_be_of(const Device& device, const Value& value) {
  if (value.data.block() != nullptr && device.owns(value.data.block())) return Unit{};
  return Failure(
      fmt::format("a value of type {} is not on this device", type_text(value.type, value.shape)));
}

}  // namespace

Result<Value> allocate_on_device(Device& device, Prim type, std::vector<int64_t> shape) {
  const Result<int64_t> bytes = byte_size(type, shape);
  if (!bytes) return bytes.failure();
  bool refused = false;
  SkaldBlock* block = device.allocate(*bytes, &refused);
  if (refused) return Failure(device.memory().budget()->refusal(*bytes));
  if (block == nullptr)
    return Failure(fmt::format("out of memory on the device: cannot allocate {} bytes", *bytes));
  return Value{type, std::move(shape), Buffer::take(block)};
}

bool is_on_device(const Value& value) {
  return is_device_block(value.data.block());
}

Result<Value> upload(Device& device, const Value& value) {
  if (value.rank() == 0) return value;
  const std::unique_lock held = device.hold();
  if (is_on_device(value)) return Failure("a value to upload is on a device already");
  Result<Value> there = allocate_on_device(device, value.type, value.shape);
  if (!there) return there;
  const int64_t bytes = value.data.bytes();
  if (bytes > 0) device.write(there->data.block(), 0, value.data.data(), bytes);
  if (device.has_problem()) return Failure(device.take_problem());
  return there;
}

Result<Unit> read_value(Device& device, const Value& value, void* to) {
  const std::unique_lock held = device.hold();
  if (Result<Unit> ours = must_be_of(device, value); !ours) return ours;
  const int64_t bytes = value.data.bytes();
  if (bytes > 0) device.read(value.data.block(), 0, to, bytes);
  if (device.has_problem()) return Failure(device.take_problem());
  return Unit{};
}

Result<Value> download(Device& device, const Value& value) {
  if (value.rank() == 0) return value;
  Result<Value> here = Value::allocate(value.type, value.shape);
  if (!here) return here;
  if (Result<Unit> read = read_value(device, value, here->data.data()); !read)
    return read.failure();
  return here;
}

Result<Value> part_on_device(Device& device, const Value& value, int64_t offset,
                             std::vector<int64_t> shape) {
  const Result<int64_t> bytes = byte_size(value.type, shape);
  if (!bytes) return bytes.failure();
  const std::unique_lock held = device.hold();
  if (Result<Unit> ours = must_be_of(device, value); !ours) return ours.failure();
  if (offset < 0 || offset > value.data.bytes() || *bytes > value.data.bytes() - offset)
    return Failure("a part that is not inside its array");
  if (offset == 0)
    return Value{value.type, std::move(shape),
                 Buffer::take(device.memory().first_part(value.data.block(), *bytes))};
  Result<Value> part = allocate_on_device(device, value.type, std::move(shape));
  if (!part) return part;
  if (*bytes > 0) device.copy(part->data.block(), 0, value.data.block(), offset, *bytes);
  if (device.has_problem()) return Failure(device.take_problem());
  return part;
}

Result<Value> copy_on_device(Device& device, const Value& value) {
  if (value.rank() == 0) return value;
  const std::unique_lock held = device.hold();
  if (Result<Unit> ours = must_be_of(device, value); !ours) return ours.failure();
  Result<Value> copy = allocate_on_device(device, value.type, value.shape);
  if (!copy) return copy;
  const int64_t bytes = value.data.bytes();
  if (bytes > 0) device.copy(copy->data.block(), 0, value.data.block(), 0, bytes);
  if (device.has_problem()) return Failure(device.take_problem());
  return copy;
}

Result<Buffer> first_part_on_device(Device& device, const Buffer& whole, int64_t bytes) {
  if (whole.block() == nullptr || !device.owns(whole.block()))
    return Failure("a block is not on this device");
  return Buffer::take(device.memory().first_part(whole.block(), bytes));
}

}  // namespace skald::runtime
