// SPDX-License-Identifier: Apache-2.0
// Single elements, and elements chosen by other arrays: what scripts do most often besides slices.
#pragma once

#include "common.h"

namespace skald::python {

// The place in the base of the element that a key of Python ints names, one for each axis.
// -1: the key is something else, or out of bounds.
int64_t place_of(const View& view, PyObject* key);
// One element of an array whose value is at hand, as NumPy's scalar.
PyObject* element_at(const Node* node, int64_t place);
// Writes one element of an array that is at hand and that nobody else needs as it is.  False: it
// must be recorded, or the value is nothing simple.
bool write_element(const Base* base, int64_t place, PyObject* value);

// array[key] for an array of integers or a mask of the array's shape.  Null without an exception:
// left to NumPy, which also has the words for what is out of bounds.
PyObject* gather(ArrayObject* array, PyObject* key);
// array[mask] = value with one value for each element that the mask names.  False: left to NumPy.
bool scatter(ArrayObject* array, ArrayObject* mask, PyObject* value);

}  // namespace skald::python
