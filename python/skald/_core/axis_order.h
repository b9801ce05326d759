// SPDX-License-Identifier: Apache-2.0
// In which order the axes of a result lie in memory: as those of the operands do, by the rule of
// NumPy's iterator.  Nodes are by rows always, so the node of such a result has its axes exchanged,
// and the array shows it the other way round.
#pragma once

#include <optional>

#include "common.h"

namespace skald::python {

// axes[i]: the axis that lies i-th, the one with the largest steps first.
struct AxisOrder {
  uint8_t axes[NPY_MAXDIMS];
  int rank = 0;

  // From the order of the script to that of memory, and back.
  Dims to_memory(const Dims& shape) const;
  View to_memory(const View& view) const;
  View from_memory(const View& view) const;
  // A set of axes, as bits.
  uint64_t to_memory(uint64_t bits) const;
  // The order of those axes that are not in the set.
  AxisOrder without(uint64_t bits) const;
};

// Of a result that is computed from these inputs, which have its rank; nothing: by rows.
std::optional<AxisOrder> order_of_inputs(const Input* inputs, int count, int rank);
std::optional<AxisOrder> order_of_view(const View& view);
AxisOrder by_columns(int rank);
// Exchanges axes of an elementwise node that was just made as its inputs want it.
std::optional<AxisOrder> reorder(Node* node);
// The array of a node whose axes were exchanged.
PyObject* wrap_reordered(Node* node, const std::optional<AxisOrder>& order);
// By NumPy's letters K, A, C and F.
PyObject* copy_in_order(ArrayObject* array, DType type, char order);
// From an argument; 0: an exception is set.
char order_letter(PyObject* order, char if_none);

}  // namespace skald::python
