// SPDX-License-Identifier: Apache-2.0
// Elements chosen by arrays of integers and by masks, from arrays whose values are at hand.
#include <cstring>
#include <type_traits>

#include "elements.h"
#include "kernels.h"
#include "masks.h"
#include "plan_cache.h"
#include "recording.h"

namespace skald::python {

namespace {

PyObject* gather_by_mask(ArrayObject* array, ArrayObject* mask) {
  const int64_t count = count_chosen(shown(mask));
  const int size = lazy::item_size(array->type());
  Buffer* buffer = lazy::new_buffer(count * size);
  if (!buffer) return PyErr_NoMemory();
  compress(shown(mask), shown(array), size, static_cast<std::byte*>(buffer->data));
  return wrap_node(lazy::new_value(array->type(), Dims(1, count), buffer));
}

// Integers in memory, one after the other.
struct Indices {
  DType type;
  const std::byte* data;
  Dims shape;
};

template <class Index, size_t size>
bool take(const std::byte* from, int64_t step, int64_t extent, const Indices& indices,
          int64_t row_bytes, std::byte* to) {
  const auto* places = reinterpret_cast<const Index*>(indices.data);
  const auto bytes = static_cast<size_t>(row_bytes);
  const int64_t count = lazy::count_of(indices.shape);
  for (int64_t i = 0; i < count; ++i) {
    auto at = static_cast<int64_t>(places[i]);
    if (at < 0 && std::is_signed_v<Index>) at += extent;
    if (at < 0 || at >= extent) return false;
    std::memcpy(to + i * row_bytes, from + at * step, size > 0 ? size : bytes);
  }
  return true;
}

// `size`: bytes of a row, known while compiling; 0: `row_bytes`.
template <size_t size>
bool take_by_type(const std::byte* from, int64_t step, int64_t extent, const Indices& indices,
                  int64_t row_bytes, std::byte* to) {
  switch (indices.type) {
    case DType::kI8: return take<int8_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kU8: return take<uint8_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kI16: return take<int16_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kU16: return take<uint16_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kI32: return take<int32_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kU32: return take<uint32_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kI64: return take<int64_t, size>(from, step, extent, indices, row_bytes, to);
    case DType::kU64: return take<uint64_t, size>(from, step, extent, indices, row_bytes, to);
    default: return false;
  }
}

// The elements of a row of the array lie one after the other.
bool has_dense_rows(const View& view) {
  View row = view;
  row.shape.erase(0);
  row.strides.erase(0);
  return row.is_dense();
}

PyObject* gather_by_indices(ArrayObject* array, const Indices& indices) {
  const int size = lazy::item_size(array->type());
  Dims shape = indices.shape;
  int64_t row_bytes = size;
  for (int i = 1; i < array->view.rank(); ++i) {
    shape.push_back(array->view.shape[i]);
    row_bytes *= array->view.shape[i];
  }
  Buffer* buffer = lazy::new_buffer(lazy::count_of(shape) * size);
  if (!buffer) return PyErr_NoMemory();
  const std::byte* from = array->base->current->data() + array->view.offset * size;
  const int64_t step = array->view.strides[0] * size, extent = array->view.shape[0];
  auto* to = static_cast<std::byte*>(buffer->data);
  bool good = false;
  if (row_bytes == size) {
    for_size(size, [&]<size_t bytes>() {
      good = take_by_type<bytes>(from, step, extent, indices, row_bytes, to);
    });
  } else {
    good = take_by_type<0>(from, step, extent, indices, row_bytes, to);
  }
  if (!good) {
    buffer->drop();
    return nullptr;
  }
  return wrap_node(lazy::new_value(array->type(), shape, buffer));
}

// What an array of the real NumPy holds, if these are integers in the usual order.
bool real_indices(PyObject* key, Indices& indices) {
  auto* array = reinterpret_cast<PyArrayObject*>(key);
  if (!core_type(PyArray_DESCR(array), indices.type) || !lazy::is_integer(indices.type) ||
      !PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array) || PyArray_NDIM(array) == 0)
    return false;
  for (int i = 0; i < PyArray_NDIM(array); ++i) indices.shape.push_back(PyArray_DIM(array, i));
  indices.data = reinterpret_cast<const std::byte*>(PyArray_DATA(array));
  return true;
}

}  // namespace

PyObject* gather(ArrayObject* array, PyObject* key) {
  if (array->is_scalar || is_recording() || current_trace() || array->view.count() == 0)
    return nullptr;
  const bool has_rows = array->view.rank() > 0 && has_dense_rows(array->view);
  Indices indices = {};
  if (PyArray_CheckExact(key)) {
    if (!has_rows || !real_indices(key, indices) || !force(array)) return nullptr;
    return gather_by_indices(array, indices);
  }
  if (!is_array(key)) return nullptr;
  auto* chooser = as_array(key);
  indices.type = chooser->type();
  indices.shape = chooser->view.shape;
  const bool is_mask = indices.type == DType::kBool && chooser->view.rank() > 0 &&
                       indices.shape == array->view.shape && !indices.shape.empty();
  const bool is_list = lazy::is_integer(indices.type) && has_rows && chooser->view.rank() > 0 &&
                       chooser->view.is_dense();
  if (!is_mask && !is_list) return nullptr;
  if (is_list) {
    PyObject* const taken = take_by_kernel(array, chooser);
    if (taken || PyErr_Occurred()) return taken;
  }
  if (!force(array) || !force(chooser)) return nullptr;
  if (is_mask) return gather_by_mask(array, chooser);
  indices.data =
      chooser->base->current->data() + chooser->view.offset * lazy::item_size(indices.type);
  return gather_by_indices(array, indices);
}

bool scatter(ArrayObject* array, ArrayObject* mask, PyObject* value) {
  if (!is_array(value) || is_recording() || current_trace()) return false;
  auto* source = as_array(value);
  if (source->view.rank() != 1 || source->type() != array->type() || array->view.count() == 0)
    return false;
  if (!force(array) || !force(mask) || !force(source)) return false;
  Base* base = array->base;
  Node* node = base->current;
  Buffer* buffer = node->buffer;
  if (!base->may_change() || buffer->exports > 0 || source->base->current->buffer == buffer ||
      mask->base->current->buffer == buffer || source->view.shape[0] != count_chosen(shown(mask)))
    return false;
  const int size = lazy::item_size(array->type());
  if (node->refs > 1 || buffer->refs > 1 || !buffer->writable) {
    Buffer* copy = lazy::new_buffer(node->count() * size);
    if (!copy) return false;
    std::memcpy(copy->data, node->data(), static_cast<size_t>(node->count() * size));
    base->set(lazy::new_value(node->type, node->shape, copy));
    node = base->current;
  }
  node->buffer->forget_device();
  spread(shown(mask), {node->data(), array->view}, size,
         source->base->current->data() + source->view.offset * size,
         source->view.strides[0] * size);
  return true;
}

}  // namespace skald::python
