// SPDX-License-Identifier: Apache-2.0
// `a[mask]`, put off.  What is computed from the elements that a mask names is recorded for all
// elements, in masked nodes (graph.h); if it is written back by the same mask, or summed, no array
// of them is ever made, and all of it can be part of a plan.  How many elements there are is known
// only when the mask has a value: whoever needs an array of the right length gets one by as_array,
// which settles the selection.
#pragma once

#include "common.h"

namespace skald::python {

// A place in the script where elements are selected: how often that was put off, and how often an
// array of them was needed all the same.
struct SelectingPlace {
  int64_t visits = 0, put_off = 0, settled = 0;
};

struct Selection {
  Node* mask;                       // owned
  View mask_view;                   // of the shape of the array that was indexed
  int trailing;                     // so many axes of that array the mask does not have
  bool is_dense;                    // known to name a good part of the elements
  SelectingPlace* place = nullptr;  // or null: not known
};

// array[key], or null without an exception if it cannot or should not be put off.
PyObject* select(ArrayObject* array, PyObject* key);
// array[key] = value for a mask, if no values need to be counted.  1: done; 0: left to others.
int assign_by_mask(ArrayObject* array, PyObject* key, PyObject* value);
// The selection that all operands share; scalars, and arrays that repeat for each element that is
// named, may be among them.  Null: there is none, and no operand is a selection any more.
const Selection* common_selection(PyObject* const* args, int count);
// An array for a masked node, whose reference is taken over, and to which the mask is added.
PyObject* wrap_selected(Node* node, const Selection& selection);
// Gives a selection other values.
bool replace_selected(ArrayObject* target, const ArrayObject* value);
// The sum, product … of all chosen elements; null without an exception: left to others.
PyObject* reduce_selected(uint16_t op, ArrayObject* array, PyObject* dtype);
// How many there are, as an array without axes; null without an exception: it is no selection.
PyObject* count_selected(ArrayObject* array);
void drop_selection(ArrayObject* array);

}  // namespace skald::python
