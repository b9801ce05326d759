// SPDX-License-Identifier: Apache-2.0
#include "masks.h"

#include <algorithm>
#include <cstring>

#include "real_arrays.h"
#include "ufunc.h"

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
  if (step == 0) return mask[0] != std::byte{0} ? n : 0;
  int64_t count = 0, i = 0;
  while (step == 1 && i + 8 <= n) {
    // Each byte counts its own places, as long as it can.
    constexpr int64_t kMost = 255, kHalf = 0x00ff00ff00ff00ff;
    const int64_t end = std::min(n - 7, i + 8 * kMost);
    uint64_t counts = 0;
    for (; i < end; i += 8) counts += eight_truths(mask + i);
    counts = (counts & kHalf) + (counts >> 8 & kHalf);
    count += static_cast<int64_t>(counts * 0x0001000100010001ULL >> 48);
  }
  for (; i < n; ++i) count += mask[i * step] != std::byte{0} ? 1 : 0;
  return count;
}

// Calls `use(i, n)` for places one after the other that the mask names; masks are often nearly
// empty or nearly full.
template <class Use>
void for_chosen(const std::byte* mask, int64_t step, int64_t n, const Use& use) {
  if (step == 0 && mask[0] == std::byte{0}) return;
  if (step == 0) return use(0, n);
  int64_t i = 0;
  while (step == 1 && i + 8 <= n) {
    uint64_t eight = eight_truths(mask + i);
    if (eight == 0x0101010101010101ULL) {
      const int64_t first = i;
      do i += 8;
      while (i + 8 <= n && eight_truths(mask + i) == 0x0101010101010101ULL);
      use(first, i - first);
      continue;
    }
    for (; eight != 0; eight &= eight - 1) use(i + __builtin_ctzll(eight) / 8, 1);
    i += 8;
  }
  for (; i < n; ++i) {
    if (mask[i * step] != std::byte{0}) use(i, 1);
  }
}

template <size_t size>
void compress_elements(const Shown& mask, const Shown& source, std::byte* to) {
  for_rows(mask.data, mask.view, source.data, source.view, size,
           [&](const std::byte* which, int64_t step, const std::byte* from, int64_t apart, int64_t n) {
             for_chosen(which, step, n, [&](int64_t first, int64_t count) {
               if (count >= 8 && apart == static_cast<int64_t>(size)) {
                 std::memcpy(to, from + first * apart, static_cast<size_t>(count) * size);
                 to += static_cast<size_t>(count) * size;
                 return;
               }
               for (int64_t i = first; i < first + count; ++i, to += size)
                 std::memcpy(to, from + i * apart, size);
             });
             return int64_t{0};
           });
}

template <size_t size>
void spread_elements(const Shown& mask, const Shown& target, const std::byte* from,
                     int64_t from_step) {
  for_rows(mask.data, mask.view, target.data, target.view, size,
           [&](const std::byte* which, int64_t step, std::byte* to, int64_t apart, int64_t n) {
             for_chosen(which, step, n, [&](int64_t first, int64_t count) {
               for (int64_t i = first; i < first + count; ++i, from += from_step)
                 std::memcpy(to + i * apart, from, size);
             });
             return int64_t{0};
           });
}

// An input of a masked node as NumPy sees it: the chosen elements, or the only one there is.
PyObject* chosen_array(const Input& input, const Input& mask, int64_t count, Buffer*& memory) {
  if (!input.node) return input_array(input);
  const View few = View::dense(Dims(1, count));
  if (input.node->is_compressed) return show(input.node->data(), input.type, few, false);
  bool is_one = true;
  for (const int64_t stride : input.view.strides) is_one = is_one && stride == 0;
  if (is_one) {
    View one;
    one.offset = input.view.offset;
    return show(input.node->data(), input.type, one, false);
  }
  const int size = lazy::item_size(input.type);
  memory = lazy::new_buffer(count * size);
  if (!memory) return PyErr_NoMemory();
  compress(shown(mask), shown(input), size, static_cast<std::byte*>(memory->data));
  return show(memory->data, input.type, few, false);
}

// Buffers that are dropped when the node was computed.
struct Memory {
  Buffer* buffers[5] = {};
  ~Memory() {
    for (Buffer* buffer : buffers) {
      if (buffer) buffer->drop();
    }
  }
};

}  // namespace

int64_t count_chosen(const Shown& mask) {
  return for_rows(mask.data, mask.view, mask.data, mask.view, 1,
                  [](const std::byte* which, int64_t step, std::byte*, int64_t, int64_t n) {
                    return count_row(which, step, n);
                  });
}

void compress(const Shown& mask, const Shown& from, int size, std::byte* to) {
  for_size(size, [&]<size_t bytes>() { compress_elements<bytes>(mask, from, to); });
}

void spread(const Shown& mask, const Shown& to, int size, const std::byte* from, int64_t step) {
  for_size(size, [&]<size_t bytes>() { spread_elements<bytes>(mask, to, from, step); });
}

const Input* mask_of(const Node* node) {
  if (node->is_masked) return &node->inputs[node->input_count - 1];
  if (node->kind == NodeKind::kAssign && node->input_count == 3) return &node->inputs[2];
  const bool chooses = node->kind == NodeKind::kElementwise && node->op == kWhereOp;
  return chooses ? &node->inputs[0] : nullptr;
}

bool run_masked(Node* node) {
  const int count = node->input_count - 1;
  const Input& mask = node->inputs[count];
  const int64_t chosen = count_chosen(shown(mask));
  Memory memory;
  Ref args[5];
  PyObject* list[5];
  for (int i = 0; i < count; ++i) {
    args[i] = Ref(chosen_array(node->inputs[i], mask, chosen, memory.buffers[i]));
    if (!args[i]) return false;
    list[i] = args[i].get();
  }
  Buffer*& buffer = memory.buffers[count];
  const bool is_copy = node->kind == NodeKind::kCast && node->type == node->inputs[0].type;
  if (is_copy && memory.buffers[0]) {
    std::swap(buffer, memory.buffers[0]);
  } else {
    buffer = lazy::new_buffer(chosen * lazy::item_size(node->type));
    if (!buffer) return PyErr_NoMemory() != nullptr;
    Ref result(show(buffer->data, node->type, View::dense(Dims(1, chosen)), true));
    if (!result) return false;
    if (node->kind == NodeKind::kCast) {
      if (PyArray_CopyInto(as_real(result.get()), as_real(list[0])) < 0) return false;
    } else {
      static PyObject* const names = Py_BuildValue("(s)", "out");
      list[count] = result.get();
      Ref done(
          PyObject_Vectorcall(ufuncs()[node->op].real, list, static_cast<size_t>(count), names));
      if (!done) return false;
    }
  }
  node->is_compressed = true;
  ++lazy::compressed_nodes();
  lazy::set_value(node, std::exchange(buffer, nullptr));
  return true;
}

bool expand_inputs(const Node* node) {
  const Input* mask = lazy::compressed_nodes() > 0 ? mask_of(node) : nullptr;
  if (!mask) return true;
  for (int i = 0; i < node->input_count; ++i) {
    Node* from = node->inputs[i].node;
    if (!from || !from->is_compressed) continue;
    const int size = lazy::item_size(from->type);
    Buffer* all = lazy::new_buffer(from->count() * size);
    if (!all) return PyErr_NoMemory() != nullptr;
    std::memset(all->data, 0, static_cast<size_t>(all->bytes));
    const View view = View::dense(from->shape);
    spread(shown(*mask), {static_cast<std::byte*>(all->data), view}, size, from->data(), size);
    from->buffer->drop();
    from->buffer = all;
    from->byte_offset = 0;
    from->is_compressed = false;
    --lazy::compressed_nodes();
  }
  return true;
}

}  // namespace skald::python
