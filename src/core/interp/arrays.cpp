// SPDX-License-Identifier: Apache-2.0
// Making, slicing and updating arrays.
#include "core/interp/array_ops.h"
#include "core/interp/format.h"
#include "support/bug.h"

namespace skald::core::interp {

// ---- indexing ----------------------------------------------------------------------------------

// Moves `at` from the beginning of the array to the element.
template <class Byte>
bool ArrayOps::find_element(const SliceCode& code, const Array& array, Byte*& at, Frame& f) {
  for (size_t k = 0; k < code.dims.size(); ++k) {
    const int d = static_cast<int>(k);
    const int64_t index = int_at(code.dims[k].start, f);
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(array.shape[d]))
      return store_.fail_index(index, array.shape[d]);
    at += index * array.step(d);
  }
  return true;
}

bool ArrayOps::index_all(const SliceCode& code, Frame& f) {
  const Array& array = f.arrays[code.array.slot];
  const std::byte* at = array.data;
  if (!find_element(code, array, at, f)) return false;
  f.scalars[code.dst.slot] = load_bits(at, array.elem_size());
  return true;
}

bool ArrayOps::slice_of(const Array& array, const std::vector<DimCode>& dims, const Frame& f,
                        Array& out) {
  int kept = array.rank();
  for (const DimCode& dim : dims) kept -= dim.is_index ? 1 : 0;
  Dims shape(kept), strides(kept);
  std::byte* at = array.data;
  int to = 0;
  // An empty slice may start anywhere.
  bool empty = false;
  for (const DimCode& dim : dims) empty = empty || (!dim.is_index && int_at(dim.count, f) == 0);
  for (int d = 0; d < array.rank(); ++d) {
    if (d >= static_cast<int>(dims.size())) {
      shape[to] = array.shape[d];
      strides[to++] = array.strides[d];
      continue;
    }
    const DimCode& dim = dims[static_cast<size_t>(d)];
    const int64_t start = int_at(dim.start, f);
    const int64_t size = array.shape[d];
    const bool start_inside = static_cast<uint64_t>(start) < static_cast<uint64_t>(size);
    if (dim.is_index) {
      if (!start_inside && !empty) return store_.fail_index(start, size);
      if (!empty) at += start * array.step(d);
      continue;
    }
    const int64_t count = int_at(dim.count, f);
    const int64_t stride = int_at(dim.stride, f);
    if (count < 0) return store_.fail(fmt::format("Unchecked slice of negative length {}.", count));
    if (count > 0 && !empty) {
      const __int128 last = static_cast<__int128>(count - 1) * stride + start;
      if (!start_inside) return store_.fail_index(start, size);
      if (last < 0 || last >= size) return store_.fail_index(static_cast<int64_t>(last), size);
      at += start * array.step(d);
    }
    shape[to] = count;
    strides[to++] = count > 1 ? stride * array.strides[d] : array.strides[d];
  }
  out = {array.block, at, array.elem, std::move(shape), std::move(strides)};
  return true;
}

bool ArrayOps::flat_slice_of(const Array& array, const FlatCode& code, const Frame& f, Array& out) {
  const int rank = static_cast<int>(code.dims.size());
  Dims shape(rank), strides(rank);
  __int128 lowest = int_at(code.offset, f);
  __int128 highest = lowest;
  bool empty = false;
  for (int d = 0; d < rank; ++d) {
    const DimCode& dim = code.dims[static_cast<size_t>(d)];
    shape[d] = int_at(dim.count, f);
    const int64_t stride = int_at(dim.stride, f);
    if (shape[d] < 0)
      return store_.fail(fmt::format("Unchecked slice of negative length {}.", shape[d]));
    empty = empty || shape[d] == 0;
    const __int128 reach = static_cast<__int128>(shape[d] - 1) * stride;
    (reach < 0 ? lowest : highest) += reach;
    strides[d] = shape[d] > 1 ? stride * array.strides[0] : 0;
  }
  if (empty) {
    out = {array.block, array.data, array.elem, std::move(shape), std::move(strides)};
    return true;
  }
  const int64_t size = array.shape[0];
  if (lowest < 0 || lowest >= size) return store_.fail_index(static_cast<int64_t>(lowest), size);
  if (highest < 0 || highest >= size) return store_.fail_index(static_cast<int64_t>(highest), size);
  std::byte* const at = array.data + int_at(code.offset, f) * array.step(0);
  out = {array.block, at, array.elem, std::move(shape), std::move(strides)};
  return true;
}

bool ArrayOps::slice(const SliceCode& code, Frame& f) {
  const Array array = take(code.array, f);
  return slice_of(array, code.dims, f, f.arrays[code.dst.slot]);
}

bool ArrayOps::flat_index(const FlatCode& code, Frame& f) {
  const Array array = take(code.array, f);
  return flat_slice_of(array, code, f, f.arrays[code.dst.slot]);
}

// ---- updates -----------------------------------------------------------------------------------

bool ArrayOps::store_into(const Array& part, const Use& value, Frame& f) {
  if (value.kind == Kind::kScalar) {
    store_bits(part.data, part.elem_size(), f.scalars[value.slot]);
    return true;
  }
  const Array& source = f.arrays[value.slot];
  if (source.shape != part.shape)
    return store_.fail(
        fmt::format("Unchecked shape: a value of shape {} written where {} is expected.",
                    shape_text(source.shape), shape_text(part.shape)));
  // Only blocks of stage MEMORY can hold both: the value is what was there before.
  if (source.block.get() == part.block.get() && source.data != part.data) {
    Array before;
    if (!store_.allocate(source.elem, source.shape, before)) return false;
    copy_elements(before, source);
    copy_elements(part, before);
    return true;
  }
  copy_elements(part, source);
  return true;
}

bool ArrayOps::update(const SliceCode& code, Frame& f) {
  Array array = take(code.array, f);
  if (!store_.make_writable(array)) return false;
  if (code.value.kind == Kind::kScalar && static_cast<int>(code.dims.size()) == array.rank()) {
    // One element.
    std::byte* at = array.data;
    if (!find_element(code, array, at, f)) return false;
    store_bits(at, array.elem_size(), f.scalars[code.value.slot]);
  } else {
    Array part;
    if (!slice_of(array, code.dims, f, part)) return false;
    if (!store_into(part, code.value, f)) return false;
  }
  f.arrays[code.dst.slot] = std::move(array);
  return true;
}

bool ArrayOps::flat_update(const FlatCode& code, Frame& f) {
  Array array = take(code.array, f);
  if (!store_.make_writable(array)) return false;
  Array part;
  if (!flat_slice_of(array, code, f, part)) return false;
  if (!store_into(part, code.value, f)) return false;
  f.arrays[code.dst.slot] = std::move(array);
  return true;
}

bool ArrayOps::write_at(const Array& out, int64_t bytes, int outer, const Use& from, Frame& f) {
  if (from.kind == Kind::kScalar) {
    store_bits(out.data + bytes, out.elem_size(), f.scalars[from.slot]);
    return true;
  }
  const Array part{out.block, out.data + bytes, out.elem, out.shape.without_first(outer),
                   out.strides.without_first(outer)};
  if (!store_into(part, from, f)) return false;
  if (from.move) f.arrays[from.slot].block = {};
  return true;
}

// ---- new arrays --------------------------------------------------------------------------------

bool ArrayOps::array_lit(const ArrayLitCode& code, Frame& f) {
  Dims outer(1);
  outer[0] = static_cast<int64_t>(code.elems.size());
  Array out;
  if (!store_.output(code.dst, outer + dims_at(code.row_dims, f), f, out)) return false;
  for (size_t k = 0; k < code.elems.size(); ++k)
    if (!write_at(out, static_cast<int64_t>(k) * out.step(0), 1, code.elems[k], f)) return false;
  f.arrays[code.dst.slot] = std::move(out);
  return true;
}

bool ArrayOps::concat(const ConcatCode& code, Frame& f) {
  SKALD_CHECK(!code.arrays.empty(), "interpreter: concat of nothing");
  Dims shape = f.arrays[code.arrays[0].slot].shape;
  shape[code.dim] = int_at(code.size, f);
  int64_t sum = 0;
  for (const Use& use : code.arrays) {
    const Array& part = f.arrays[use.slot];
    sum += part.shape[code.dim];
    for (int d = 0; d < shape.size(); ++d)
      if (d != code.dim && part.shape[d] != shape[d])
        return store_.fail(fmt::format("Unchecked shape: concatenation of {} and {}.",
                                       shape_text(shape), shape_text(part.shape)));
  }
  if (sum != shape[code.dim])
    return store_.fail(
        fmt::format("Unchecked shape: concatenation to size {} of {} rows.", shape[code.dim], sum));
  Array out;
  if (!store_.output(code.dst, shape, f, out)) return false;
  Array part = out;
  for (const Use& use : code.arrays) {
    const Array& source = f.arrays[use.slot];
    part.shape[code.dim] = source.shape[code.dim];
    copy_elements(part, source);
    part.data += source.shape[code.dim] * out.step(code.dim);
  }
  part = {};
  f.arrays[code.dst.slot] = std::move(out);
  return true;
}

bool ArrayOps::iota(const IotaCode& code, Frame& f) {
  Dims shape(1);
  if (!store_.count_at(code.count, f, shape[0])) return false;
  Array out;
  if (!store_.output(code.dst, shape, f, out)) return false;
  uint64_t value = f.scalars[code.start];
  const uint64_t step = f.scalars[code.step];
  for_each_element(out, [&](std::byte* at) {
    store_bits(at, out.elem_size(), value);
    value = code.add(value, step);
  });
  f.arrays[code.dst.slot] = std::move(out);
  return true;
}

bool ArrayOps::replicate(const ShapeCode& code, Frame& f) {
  Dims outer = dims_at(code.shape, f);
  Array out;
  if (code.value.kind == Kind::kScalar) {
    if (!store_.output(code.dst, outer, f, out)) return false;
    fill_elements(out, f.scalars[code.value.slot]);
  } else {
    const Array& value = f.arrays[code.value.slot];
    if (!store_.output(code.dst, outer + value.shape, f, out)) return false;
    // The value, seen with the new dimensions: all of them have stride 0.
    Array spread{value.block, value.data, value.elem, out.shape,
                 Dims(outer.size()) + value.strides};
    copy_elements(out, spread);
  }
  f.arrays[code.dst.slot] = std::move(out);
  return true;
}

bool ArrayOps::scratch(const ShapeCode& code, Frame& f) {
  return store_.output(code.dst, dims_at(code.shape, f), f, f.arrays[code.dst.slot]);
}

bool ArrayOps::reshape(const ShapeCode& code, Frame& f) {
  Array array = take(code.value, f);
  const Dims shape = dims_at(code.shape, f);
  const int64_t count = element_count(shape);
  if (count < 0 || count != element_count(array.shape))
    return store_.fail(fmt::format("Unchecked shape: an array of shape {} reshaped to {}.",
                                   shape_text(array.shape), shape_text(shape)));
  if (shape == array.shape) {
    f.arrays[code.dst.slot] = std::move(array);
    return true;
  }
  if (!is_dense(array)) {
    Array dense;
    if (!store_.allocate(array.elem, array.shape, dense)) return false;
    copy_elements(dense, array);
    array = std::move(dense);
  }
  f.arrays[code.dst.slot] = reshaped(array, shape);
  return true;
}

bool ArrayOps::rearrange(const RearrangeCode& code, Frame& f) {
  Array array = take(code.array, f);
  Dims shape(array.rank()), strides(array.rank());
  for (int d = 0; d < array.rank(); ++d) {
    shape[d] = array.shape[code.perm[static_cast<size_t>(d)]];
    strides[d] = array.strides[code.perm[static_cast<size_t>(d)]];
  }
  array.shape = std::move(shape);
  array.strides = std::move(strides);
  f.arrays[code.dst.slot] = std::move(array);
  return true;
}

bool ArrayOps::copy(const CopyCode& code, Frame& f) {
  Array array = take(code.array, f);
  // Nobody can tell an array that is not used any more from a copy of it.
  const bool ours = !code.dst.place && !array.block->planned && is_writable(array);
  if (!ours) {
    Array out;
    if (!store_.output(code.dst, array.shape, f, out)) return false;
    copy_elements(out, array);
    array = std::move(out);
  }
  f.arrays[code.dst.slot] = std::move(array);
  return true;
}

// ---- blocks ------------------------------------------------------------------------------------

bool ArrayOps::alloc(const AllocCode& code, Frame& f) {
  const int64_t bytes = int_at(code.bytes, f);
  BlockRef block = new_block(bytes, store_.budget());
  if (!block) return store_.fail_for_memory(bytes, "");
  block->planned = true;
  // Whoever reads what nobody wrote shall notice.
  std::memset(block->data, 0xa5, static_cast<size_t>(block->bytes));
  Array holder;
  holder.block = std::move(block);
  f.arrays[code.dst] = std::move(holder);
  return true;
}

// Gives back one reference: the results of branches, loops and calls may name the block of another
// name, which stays valid.
bool ArrayOps::free_block(Slot slot, Frame& f) {
  const BlockRef block = std::exchange(f.arrays[slot].block, {});
  if (!block) return store_.fail("Memory plan: a block is freed twice.");
  for (const Array& other : f.arrays)
    if (other.block.get() == block.get() && other.data == nullptr) return true;
  if (block->constant) return true;
  block->freed = true;
  // Whoever still reads it shall notice.
  if (block->planned) std::memset(block->data, 0xdd, static_cast<size_t>(block->bytes));
  return true;
}

void ArrayOps::trace(const TraceCode& code, const Frame& f) {
  if (!store_.options().trace) return;
  const std::string value = code.value.kind == Kind::kArray
                                ? format_array(f.arrays[code.value.slot])
                                : format_typed(code.type, f.scalars[code.value.slot]);
  store_.options().trace(fmt::format("{}: {}", code.tag, value));
}

}  // namespace skald::core::interp
