// SPDX-License-Identifier: Apache-2.0
// Indexing, and shapes as Python sees them.
#pragma once

#include "common.h"

namespace skald::python {

PyObject* get_item(ArrayObject* array, PyObject* key);
int set_item(ArrayObject* array, PyObject* key, PyObject* value);
PyObject* shape_tuple(const Dims& shape);
// As NumPy writes shapes in messages: (3,4).
PyObject* shape_text(const Dims& shape);
// From an integer or a sequence of them.
bool parse_shape(PyObject* object, Dims& shape);

}  // namespace skald::python
