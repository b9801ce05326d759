// SPDX-License-Identifier: Apache-2.0
// Moving values between slots, making arrays, and the places of stage MEMORY.
#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

Dims Machine::dims_at(const std::vector<Slot>& slots, const Frame& f) {
  Dims dims(static_cast<int>(slots.size()));
  for (size_t k = 0; k < slots.size(); ++k) dims[static_cast<int>(k)] = int_at(slots[k], f);
  return dims;
}

Array Machine::take(const Use& use, Frame& f) {
  if (use.move) return std::move(f.arrays[use.slot]);
  return f.arrays[use.slot];
}

void Machine::put_across(Kind kind, Slot slot, Frame& to, const Use& from, Frame& f) {
  if (is_scalar_slot(kind))
    to.scalars[slot] = f.scalars[from.slot];
  else if (is_array_slot(kind))
    to.arrays[slot] = take(from, f);
}

void Machine::release(const std::vector<Binding>& params, Frame& f) {
  for (const Binding& param : params)
    if (param.kind == Kind::kArray) f.arrays[param.slot].block = {};
}

bool Machine::carry(const Carry& carry, Frame& f) {
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

bool Machine::allocate(Prim elem, const Dims& shape, Array& out) {
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

bool Machine::placed(const Binding& dst, const Dims& shape, const Frame& f, Array& out) {
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

bool Machine::output(const Binding& dst, const Dims& shape, const Frame& f, Array& out) {
  return dst.place ? placed(dst, shape, f, out) : allocate(dst.elem, shape, out);
}

bool Machine::bound(const Binding& dst, Frame& f) {
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

bool Machine::make_writable(Array& array) {
  if (is_writable(array)) return true;
  Array copy;
  if (!allocate(array.elem, array.shape, copy)) return false;
  copy_elements(copy, array);
  array = std::move(copy);
  return true;
}

bool Machine::count_at(Slot slot, const Frame& f, int64_t& count) {
  count = int_at(slot, f);
  if (count >= 0) return true;
  return fail(fmt::format("Unchecked size: {} is negative.", count));
}

}  // namespace skald::core::interp
