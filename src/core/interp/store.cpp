// SPDX-License-Identifier: Apache-2.0
// Moving values between slots, making arrays, and the places of stage MEMORY.
#include "core/interp/store.h"

#include <algorithm>

#include "core/interp/format.h"
#include "core/ir/backtrace.h"
#include "support/bug.h"

namespace skald::core::interp {

Store::Store(const Program& prog, const InterpOptions& options)
    : prog_(prog), options_(options), budget_(MemoryBudget::of_this_machine()) {
  // Who has little time cannot fill much memory either, and filling is not interrupted.
  constexpr double kBytesPerSecond = 1e9;
  if (options.time_limit > 0)
    budget_.limit =
        std::min(budget_.limit, static_cast<int64_t>(options.time_limit * kBytesPerSecond));
  if (options.memory_limit <= 0 || options.memory_limit > budget_.limit) return;
  budget_.limit = options.memory_limit;
  budget_.used = options.memory_used;
}

Dims dims_at(const std::vector<Slot>& slots, const Frame& f) {
  Dims dims(static_cast<int>(slots.size()));
  for (size_t k = 0; k < slots.size(); ++k) dims[static_cast<int>(k)] = int_at(slots[k], f);
  return dims;
}

Array take(const Use& use, Frame& f) {
  if (use.move) return std::move(f.arrays[use.slot]);
  return f.arrays[use.slot];
}

void put_across(Kind kind, Slot slot, Frame& to, const Use& from, Frame& f) {
  if (is_scalar_slot(kind))
    to.scalars[slot] = f.scalars[from.slot];
  else if (is_array_slot(kind))
    to.arrays[slot] = take(from, f);
}

void release(const std::vector<Binding>& params, Frame& f) {
  for (const Binding& param : params)
    if (param.kind == Kind::kArray) f.arrays[param.slot].block = {};
}

bool Store::carry(const Carry& carry, Frame& f) {
  const size_t count = carry.to.size();
  if (!carry.clash) {
    for (size_t k = 0; k < count; ++k) {
      const Binding& to = carry.to[k];
      if (carry.from[k].slot != to.slot || carry.from[k].kind != to.kind)
        put(to.kind, to.slot, carry.from[k], f);
    }
  } else {
    Few<uint64_t, 8> scalars(count);
    Few<Array, 4> arrays(count);
    for (size_t k = 0; k < count; ++k) {
      if (is_scalar_slot(carry.to[k].kind))
        scalars[k] = f.scalars[carry.from[k].slot];
      else if (is_array_slot(carry.to[k].kind))
        arrays[k] = take(carry.from[k], f);
    }
    for (size_t k = 0; k < count; ++k) {
      if (is_scalar_slot(carry.to[k].kind))
        f.scalars[carry.to[k].slot] = scalars[k];
      else if (is_array_slot(carry.to[k].kind))
        f.arrays[carry.to[k].slot] = std::move(arrays[k]);
    }
  }
  for (const Binding& to : carry.to)
    if (to.place && !bound(to, f)) return false;
  return true;
}

bool Store::allocate(Prim elem, const Dims& shape, Array& out) {
  const int64_t count = element_count(shape);
  int64_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(count, int64_t{prim_size(elem)}, &bytes))
    return fail(fmt::format("Out of memory: cannot allocate an array of shape {}{}.",
                            shape_text(shape), prim_name(elem)));
  BlockRef block = new_block(bytes, budget_);
  if (!block)
    return fail_for_memory(
        bytes, fmt::format(" for an array of shape {}{}", shape_text(shape), prim_name(elem)));
  std::byte* const data = block->data;
  out = {std::move(block), data, elem, shape, dense_strides(shape)};
  return true;
}

bool Store::placed(const Binding& dst, const Dims& shape, const Frame& f, Array& out) {
  const PlaceCode& place = *dst.place;
  const BlockRef& block = f.arrays[place.block].block;
  if (!block || block->freed)
    return fail(fmt::format("Memory plan: an array of shape {} is used after its block was freed.",
                            shape_text(shape)));
  const int64_t offset = int_at(place.offset, f);
  const int64_t size = prim_size(dst.elem);
  const int64_t count = element_count(shape);
  const bool inside = offset >= 0 && offset <= block->bytes / size;
  if (count < 0 || (count > 0 && !inside))
    return fail(fmt::format(
        "Memory plan: an array of shape {} at offset {} does not fit a block of {} bytes.",
        shape_text(shape), offset, block->bytes));
  Array array{block, block->data + (inside ? offset * size : 0), dst.elem, shape,
              place.strides.empty() ? dense_strides(shape) : dims_at(place.strides, f)};
  if (!fits_block(array))
    return fail(fmt::format(
        "Memory plan: an array of shape {} at offset {} does not fit a block of {} bytes.",
        shape_text(shape), offset, block->bytes));
  out = std::move(array);
  return true;
}

bool Store::output(const Binding& dst, const Dims& shape, const Frame& f, Array& out) {
  return dst.place ? placed(dst, shape, f, out) : allocate(dst.elem, shape, out);
}

bool Store::bound(const Binding& dst, Frame& f) {
  const Array& array = f.arrays[dst.slot];
  bool same = array.shape.size() == static_cast<int>(dst.dims.size());
  for (size_t k = 0; same && k < dst.dims.size(); ++k)
    same = array.shape[static_cast<int>(k)] == int_at(dst.dims[k], f);
  if (!same)
    return fail(fmt::format("Unchecked shape: an array of shape {} where {} is expected.",
                            shape_text(array.shape), shape_text(dims_at(dst.dims, f))));
  if (!dst.place) return true;
  return placed(dst, Dims(array.shape), f, f.arrays[dst.slot]);
}

bool Store::make_writable(Array& array) {
  if (is_writable(array)) return true;
  Array copy;
  if (!allocate(array.elem, array.shape, copy)) return false;
  copy_elements(copy, array);
  array = std::move(copy);
  return true;
}

bool Store::count_at(Slot slot, const Frame& f, int64_t& count) {
  count = int_at(slot, f);
  if (count >= 0) return true;
  return fail(fmt::format("Unchecked size: {} is negative.", count));
}

// ---- what went wrong

bool Store::fail(std::string message) {
  if (failed_) return false;
  error_.gave_up = message.starts_with("Out of memory");
  error_.message = std::move(message);
  failed_ = true;
  return false;
}

bool Store::fail_at_limit(std::string message, std::string_view code) {
  if (failed_) return false;
  fail(std::move(message));
  error_.gave_up = true;
  error_.code = code;
  return false;
}

bool Store::fail_for_memory(int64_t bytes, const std::string& what) {
  if (options_.memory_limit > 0 && budget_.limit == options_.memory_limit)
    return fail_at_limit(memory_limit_message(budget_.limit, bytes), "memory-limit");
  return fail(fmt::format("Out of memory: cannot allocate {} bytes{}.", bytes, what));
}

bool Store::locate(Loc loc, const std::vector<Loc>& calls) {
  // Code that the compiler made has no place; then the statement around it has.
  if (located_ || loc.index == 0) return false;
  located_ = true;
  // Of deep recursions the innermost calls are enough.
  constexpr size_t kMaxCalls = 64;
  std::vector<Loc> places = {loc};
  for (size_t n = 0; n < std::min(kMaxCalls, calls.size()); ++n)
    places.push_back(calls[calls.size() - 1 - n]);
  error_.backtrace = backtrace(prog_.locs, places);
  return false;
}

bool Store::fail_assert(const AssertCode& code, const Frame& f) {
  std::string message;
  for (const AssertCode::Part& part : code.message)
    message += part.value ? format_scalar(part.type, f.scalars[*part.value]) : part.text;
  return fail(std::move(message));
}

bool Store::fail_index(int64_t index, int64_t size) {
  return fail(fmt::format("Unchecked access outside an array: index {} in a dimension of size {}.",
                          index, size));
}

}  // namespace skald::core::interp
