// SPDX-License-Identifier: Apache-2.0
#include "axis_order.h"

#include <algorithm>
#include <cstdlib>

#include "module.h"

namespace skald::python {

Dims AxisOrder::to_memory(const Dims& shape) const {
  Dims moved(rank);
  for (int i = 0; i < rank; ++i) moved[i] = shape[axes[i]];
  return moved;
}

View AxisOrder::to_memory(const View& view) const {
  View moved;
  moved.offset = view.offset;
  moved.shape = to_memory(view.shape);
  moved.strides = to_memory(view.strides);
  return moved;
}

View AxisOrder::from_memory(const View& view) const {
  View moved;
  moved.offset = view.offset;
  moved.shape.resize(rank);
  moved.strides.resize(rank);
  for (int i = 0; i < rank; ++i) {
    moved.shape[axes[i]] = view.shape[i];
    moved.strides[axes[i]] = view.strides[i];
  }
  return moved;
}

uint64_t AxisOrder::to_memory(uint64_t bits) const {
  uint64_t moved = 0;
  for (int i = 0; i < rank; ++i) moved |= (bits >> axes[i] & 1) << i;
  return moved;
}

AxisOrder AxisOrder::without(uint64_t bits) const {
  AxisOrder rest;
  for (int i = 0; i < rank; ++i) {
    if ((bits >> axes[i] & 1) != 0) continue;
    const uint64_t before = (uint64_t{1} << axes[i]) - 1;
    rest.axes[rest.rank++] = static_cast<uint8_t>(axes[i] - __builtin_popcountll(bits & before));
  }
  return rest;
}

namespace {

int64_t step_of(const View& view, int axis) {
  return view.shape[axis] == 1 ? 0 : std::abs(view.strides[axis]);
}

// Are the steps of all axes no smaller than those of later ones?
bool is_by_rows(const View& view) {
  int64_t before = 0;
  for (int i = view.rank(); i-- > 0;) {
    const int64_t step = step_of(view, i);
    if (step == 0) continue;
    if (step < before) return false;
    before = step;
  }
  return true;
}

// What a later axis says of an earlier one that lies inside of it now: 0, nothing; 1, it belongs
// inside, too; -1, it belongs outside.  Where operands differ, rows win.
int compare(const Input* inputs, int count, int later, int earlier) {
  int said = 0;
  for (int i = 0; i < count; ++i) {
    if (!inputs[i].node) continue;
    const int64_t a = step_of(inputs[i].view, later), b = step_of(inputs[i].view, earlier);
    if (a == 0 || b == 0) continue;
    if (b <= a)
      said = 1;
    else if (said == 0)
      said = -1;
  }
  return said;
}

}  // namespace

std::optional<AxisOrder> order_of_inputs(const Input* inputs, int count, int rank) {
  if (rank < 2 || rank > NPY_MAXDIMS) return std::nullopt;
  bool rows = true;
  for (int i = 0; i < count && rows; ++i) rows = !inputs[i].node || is_by_rows(inputs[i].view);
  if (rows) return std::nullopt;
  // The axes from the inside, put in their places one after the other.
  uint8_t inside[NPY_MAXDIMS];
  for (int i = 0; i < rank; ++i) inside[i] = static_cast<uint8_t>(rank - 1 - i);
  for (int i = 1; i < rank; ++i) {
    int place = i;
    for (int k = i; k-- > 0;) {
      const int said = compare(inputs, count, inside[i], inside[k]);
      if (said > 0) break;
      if (said < 0) place = k;
    }
    std::rotate(inside + place, inside + i, inside + i + 1);
  }
  AxisOrder order;
  order.rank = rank;
  bool same = true;
  for (int i = 0; i < rank; ++i) {
    order.axes[i] = inside[rank - 1 - i];
    same = same && order.axes[i] == i;
  }
  if (same) return std::nullopt;
  return order;
}

std::optional<AxisOrder> order_of_view(const View& view) {
  if (is_by_rows(view)) return std::nullopt;
  Input input;
  static Node some;
  input.node = &some;
  input.view = view;
  return order_of_inputs(&input, 1, view.rank());
}

AxisOrder by_columns(int rank) {
  AxisOrder order;
  order.rank = rank;
  for (int i = 0; i < rank; ++i) order.axes[i] = static_cast<uint8_t>(rank - 1 - i);
  return order;
}

std::optional<AxisOrder> reorder(Node* node) {
  // Chosen elements come in the order of their mask.
  for (int i = 0; i < node->input_count; ++i)
    if (node->inputs[i].node && node->inputs[i].node->is_masked) return std::nullopt;
  const auto order = order_of_inputs(node->inputs, node->input_count, node->shape.size());
  if (!order) return order;
  node->shape = order->to_memory(node->shape);
  for (int i = 0; i < node->input_count; ++i) {
    Input& input = node->inputs[i];
    if (input.node) input.view = order->to_memory(input.view);
  }
  return order;
}

PyObject* wrap_reordered(Node* node, const std::optional<AxisOrder>& order) {
  PyObject* result = wrap_node(node);
  if (result && order) raw_array(result)->view = order->from_memory(raw_array(result)->view);
  return result;
}

PyObject* copy_in_order(ArrayObject* array, DType type, char letter) {
  const View& view = array->view;
  std::optional<AxisOrder> order;
  const bool columns = letter == 'F' || (letter == 'A' && !view.is_dense() &&
                                         by_columns(view.rank()).to_memory(view).is_dense());
  if (columns && view.rank() > 1) order = by_columns(view.rank());
  if (letter == 'K') order = order_of_view(view);
  if (!order) return type == array->type() ? copy_array(array) : record_cast(array, type);
  Ref moved(wrap_view(array, order->to_memory(view)));
  if (!moved) return nullptr;
  PyObject* copy = type == array->type() ? copy_array(raw_array(moved.get()))
                                         : record_cast(raw_array(moved.get()), type);
  if (copy) raw_array(copy)->view = order->from_memory(raw_array(copy)->view);
  return copy;
}

char order_letter(PyObject* order, char if_none) {
  NPY_ORDER parsed = NPY_CORDER;
  if (!order || order == Py_None) return if_none;
  if (PyArray_OrderConverter(order, &parsed) == 0) return 0;
  return parsed == NPY_FORTRANORDER ? 'F'
         : parsed == NPY_ANYORDER   ? 'A'
         : parsed == NPY_KEEPORDER  ? 'K'
                                    : 'C';
}

}  // namespace skald::python
