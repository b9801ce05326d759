// SPDX-License-Identifier: Apache-2.0
// Elements chosen by arrays of integers and by masks, from arrays whose values are at hand.
#include <cstring>

#include "elements.h"
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

template <class Index, size_t size>
bool take(const std::byte* from, int64_t step, int64_t extent, const Index* indices, int64_t count,
          std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = indices[i];
    if (at < 0) at += extent;
    if (at < 0 || at >= extent) return false;
    std::memcpy(to + i * static_cast<int64_t>(size), from + at * step, size);
  }
  return true;
}

PyObject* gather_by_indices(ArrayObject* array, ArrayObject* key) {
  const int size = lazy::item_size(array->type());
  const int64_t count = key->view.count();
  Buffer* buffer = lazy::new_buffer(count * size);
  if (!buffer) return PyErr_NoMemory();
  const std::byte* from = array->base->current->data() + array->view.offset * size;
  const std::byte* indices =
      key->base->current->data() + key->view.offset * lazy::item_size(key->type());
  const int64_t step = array->view.strides[0] * size, extent = array->view.shape[0];
  auto* to = static_cast<std::byte*>(buffer->data);
  bool good = false;
  for_size(size, [&]<size_t bytes>() {
    good = key->type() == DType::kI64
               ? take<int64_t, bytes>(from, step, extent, reinterpret_cast<const int64_t*>(indices),
                                      count, to)
               : take<int32_t, bytes>(from, step, extent, reinterpret_cast<const int32_t*>(indices),
                                      count, to);
  });
  if (!good) {
    buffer->drop();
    return nullptr;
  }
  return wrap_node(lazy::new_value(array->type(), key->view.shape, buffer));
}

}  // namespace

PyObject* gather(ArrayObject* array, PyObject* key) {
  if (!is_array(key) || array->is_scalar || is_recording() || current_trace()) return nullptr;
  auto* chooser = as_array(key);
  const DType type = chooser->type();
  const bool is_mask =
      type == DType::kBool && chooser->view.rank() > 0 && chooser->view.shape == array->view.shape;
  const bool is_list = (type == DType::kI64 || type == DType::kI32) && array->view.rank() == 1 &&
                       chooser->view.rank() > 0 && chooser->view.is_dense();
  if ((!is_mask && !is_list) || array->view.count() == 0 || chooser->view.count() == 0)
    return nullptr;
  if (!force(array) || !force(chooser)) return nullptr;
  return is_mask ? gather_by_mask(array, chooser) : gather_by_indices(array, chooser);
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
