// SPDX-License-Identifier: Apache-2.0
// Elements chosen by arrays of integers and by masks, from arrays whose values are at hand.
#include <cstring>

#include "elements.h"
#include "plan_cache.h"
#include "recording.h"

namespace skald::python {

namespace {

// Calls `use(mask, element, n, element step in bytes)` for rows of a mask and an array of one shape;
// `use` gives how many elements of the row were chosen.
template <class Use>
int64_t for_rows(const std::byte* mask, const View& mask_view, std::byte* data, const View& view,
                 int64_t size, const Use& use) {
  const bool flat = mask_view.is_dense() && view.is_dense();
  const int rank = flat ? 1 : view.rank();
  const int last = rank - 1;
  const int64_t n = flat ? view.count() : view.shape[last];
  const int64_t mask_step = flat ? 1 : mask_view.strides[last];
  const int64_t step = (flat ? 1 : view.strides[last]) * size;
  Dims at(last);
  mask += mask_view.offset;
  data += view.offset * size;
  int64_t chosen = 0;
  for (;;) {
    chosen += use(mask, mask_step, data, step, n);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      const bool again = ++at[axis] == view.shape[axis];
      const int64_t way = again ? 1 - view.shape[axis] : 1;
      mask += way * mask_view.strides[axis];
      data += way * view.strides[axis] * size;
      if (!again) break;
      at[axis] = 0;
    }
    if (axis < 0) return chosen;
  }
}

// The lowest bit of each byte: is the byte true?
uint64_t eight_truths(const std::byte* mask) {
  constexpr uint64_t kAll = 0x0101010101010101ULL;
  uint64_t eight = 0;
  std::memcpy(&eight, mask, sizeof eight);
  // Bytes of masks may be other than one.
  if ((eight & ~kAll) != 0) eight |= eight >> 4, eight |= eight >> 2, eight |= eight >> 1;
  return eight & kAll;
}

int64_t count_row(const std::byte* mask, int64_t step, int64_t n) {
  int64_t count = 0, i = 0;
  for (; step == 1 && i + 8 <= n; i += 8)
    count += static_cast<int64_t>(eight_truths(mask + i) * 0x0101010101010101ULL >> 56);
  for (; i < n; ++i) count += mask[i * step] != std::byte{0} ? 1 : 0;
  return count;
}

// Calls `use(i, n)` for places one after the other that the mask names; masks are often nearly
// empty or nearly full.
template <class Use>
void for_chosen(const std::byte* mask, int64_t step, int64_t n, const Use& use) {
  int64_t i = 0;
  while (step == 1 && i + 8 <= n) {
    uint64_t eight = eight_truths(mask + i);
    if (eight == 0x0101010101010101ULL) {
      use(i, 8);
      eight = 0;
    }
    for (; eight != 0; eight &= eight - 1) use(i + __builtin_ctzll(eight) / 8, 1);
    i += 8;
  }
  for (; i < n; ++i) {
    if (mask[i * step] != std::byte{0}) use(i, 1);
  }
}

template <size_t size>
void compress(const ArrayObject* mask, const ArrayObject* array, std::byte* to) {
  for_rows(mask->base->current->data(), mask->view, array->base->current->data(), array->view, size,
           [&](const std::byte* which, int64_t step, const std::byte* from, int64_t apart, int64_t n) {
             for_chosen(which, step, n, [&](int64_t first, int64_t count) {
               if (count == 8 && apart == static_cast<int64_t>(size)) {
                 std::memcpy(to, from + first * apart, 8 * size);
                 to += 8 * size;
                 return;
               }
               for (int64_t i = first; i < first + count; ++i, to += size)
                 std::memcpy(to, from + i * apart, size);
             });
             return int64_t{0};
           });
}

template <size_t size>
void spread(const ArrayObject* mask, const View& view, std::byte* data, const std::byte* from,
            int64_t from_step) {
  for_rows(mask->base->current->data(), mask->view, data, view, size,
           [&](const std::byte* which, int64_t step, std::byte* to, int64_t apart, int64_t n) {
             for_chosen(which, step, n, [&](int64_t first, int64_t count) {
               for (int64_t i = first; i < first + count; ++i, from += from_step)
                 std::memcpy(to + i * apart, from, size);
             });
             return int64_t{0};
           });
}

int64_t count_chosen(const ArrayObject* mask) {
  std::byte* const data = mask->base->current->data();
  return for_rows(data, mask->view, data, mask->view, 1,
                  [](const std::byte* which, int64_t step, std::byte*, int64_t, int64_t n) {
                    return count_row(which, step, n);
                  });
}

// Calls `use.operator()<size>()` for the size of an element.
template <class Use>
void for_size(int size, const Use& use) {
  switch (size) {
    case 1: use.template operator()<1>(); break;
    case 2: use.template operator()<2>(); break;
    case 4: use.template operator()<4>(); break;
    case 8: use.template operator()<8>(); break;
    default: use.template operator()<16>(); break;
  }
}

PyObject* gather_by_mask(ArrayObject* array, ArrayObject* mask) {
  const int64_t count = count_chosen(mask);
  const int size = lazy::item_size(array->type());
  Buffer* buffer = lazy::new_buffer(count * size);
  if (!buffer) return PyErr_NoMemory();
  for_size(size, [&]<size_t bytes>() {
    compress<bytes>(mask, array, static_cast<std::byte*>(buffer->data));
  });
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
  if (buffer->exports > 0 || source->base->current->buffer == buffer ||
      mask->base->current->buffer == buffer || source->view.shape[0] != count_chosen(mask))
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
  for_size(size, [&]<size_t bytes>() {
    spread<bytes>(mask, array->view, node->data(),
                  source->base->current->data() + source->view.offset * size,
                  source->view.strides[0] * size);
  });
  return true;
}

}  // namespace skald::python
