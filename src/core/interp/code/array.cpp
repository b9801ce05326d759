// SPDX-License-Identifier: Apache-2.0
#include "core/interp/code/array.h"

#include <fmt/format.h>

#include <algorithm>

namespace skald::core::interp {

Dims operator+(const Dims& outer, const Dims& inner) {
  Dims both(outer.size() + inner.size());
  std::copy(outer.begin(), outer.end(), both.data());
  std::copy(inner.begin(), inner.end(), both.data() + outer.size());
  return both;
}

Dims Dims::without_first(int count) const {
  Dims rest(size_ - count);
  std::copy(begin() + count, end(), rest.data());
  return rest;
}

std::string shape_text(const Dims& shape) {
  std::string text;
  for (int64_t size : shape) text += fmt::format("[{}]", size);
  return text;
}

int64_t element_count(const Dims& shape) {
  // A zero anywhere makes the array empty, however large the other dimensions are.
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) return -1;
    empty = empty || size == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count)) return -1;
  return count;
}

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t stride = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    strides[d] = stride;
    // Only an empty array can have sizes that overflow here; its strides do not matter.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(shape[d], 1), &stride)) stride = 0;
  }
  return strides;
}

bool is_dense(const Array& array) {
  int64_t stride = 1;
  for (int d = array.rank() - 1; d >= 0; --d) {
    if (array.shape[d] == 0) return true;
    if (array.shape[d] == 1) continue;
    if (array.strides[d] != stride) return false;
    stride *= array.shape[d];
  }
  return true;
}

bool fits_block(const Array& array) {
  const int64_t size = array.elem_size();
  if (element_count(array.shape) == 0) return true;
  __int128 lowest = array.data - array.block->data;
  __int128 highest = lowest;
  for (int d = 0; d < array.rank(); ++d) {
    const __int128 reach = static_cast<__int128>(array.strides[d]) * (array.shape[d] - 1) * size;
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && highest + size <= array.block->bytes;
}

namespace {

// Might two different indices mean the same element?  May answer yes wrongly.
bool may_overlap_itself(const Array& array) {
  if (array.rank() == 1) return array.strides[0] == 0 && array.shape[0] > 1;
  if (is_dense(array)) return false;
  std::vector<std::pair<int64_t, int64_t>> dims;  // distance, size
  for (int d = 0; d < array.rank(); ++d)
    if (array.shape[d] > 1) dims.emplace_back(std::abs(array.strides[d]), array.shape[d]);
  std::sort(dims.begin(), dims.end());
  int64_t extent = 0;
  for (const auto& [distance, size] : dims) {
    if (distance <= extent) return true;
    extent += distance * (size - 1);
  }
  return false;
}

// Bytes along the innermost dimension, or deeper while both sides are dense.
void copy_dim(int d, const Array& dst, std::byte* to, const Array& src, const std::byte* from,
              int dense_from) {
  const int64_t size = dst.elem_size();
  if (d == dense_from) {
    int64_t bytes = size;
    for (int k = d; k < dst.rank(); ++k) bytes *= dst.shape[k];
    std::memmove(to, from, static_cast<size_t>(bytes));
    return;
  }
  const int64_t to_step = dst.step(d);
  const int64_t from_step = src.step(d);
  const int64_t count = dst.shape[d];
  if (d + 1 == dst.rank()) {
    for (int64_t i = 0; i < count; ++i)
      store_bits(to + i * to_step, static_cast<int>(size),
                 load_bits(from + i * from_step, static_cast<int>(size)));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    copy_dim(d + 1, dst, to + i * to_step, src, from + i * from_step, dense_from);
}

}  // namespace

bool is_writable(const Array& array) {
  const Block& block = *array.block.get();
  if (block.planned) return true;
  if (block.refs != 1 || (block.foreign && block.foreign.use_count() > 1)) return false;
  return !may_overlap_itself(array);
}

Array row_of(const Array& array, int64_t i) {
  return {array.block, array.data + i * array.step(0), array.elem, array.shape.without_first(1),
          array.strides.without_first(1)};
}

Array reshaped(const Array& array, const Dims& shape) {
  return {array.block, array.data, array.elem, shape, dense_strides(shape)};
}

void copy_elements(const Array& dst, const Array& src) {
  if (element_count(dst.shape) == 0) return;
  // From which dimension on are both dense?
  int dense_from = dst.rank();
  int64_t stride = 1;
  while (dense_from > 0) {
    const int d = dense_from - 1;
    const bool single = dst.shape[d] == 1;
    if (!single && (dst.strides[d] != stride || src.strides[d] != stride)) break;
    stride *= dst.shape[d];
    dense_from = d;
  }
  copy_dim(0, dst, dst.data, src, src.data, dense_from);
}

void fill_elements(const Array& dst, uint64_t bits) {
  const int size = dst.elem_size();
  // New blocks are zero, but a planned block may hold anything.
  if (bits == 0 && is_dense(dst)) {
    std::memset(dst.data, 0, static_cast<size_t>(element_count(dst.shape) * size));
    return;
  }
  for_each_element(dst, [&](std::byte* at) { store_bits(at, size, bits); });
}

}  // namespace skald::core::interp
