// SPDX-License-Identifier: Apache-2.0
// The parts that the array type is put together from.
#pragma once

#include "common.h"

namespace skald::python {

bool ready_array_type();
// What subclasses and `isinstance` mean: before the type is ready, and after.
bool ready_array_metatype();
bool ready_array_new();
PyMethodDef* array_methods();
PyGetSetDef* array_attributes();
PyObject* array_attribute(PyObject* self, PyObject* name);

// Operators of NumPy's scalars know our arrays afterwards.
void ready_scalar_operators();

// Raises again what was raised when somebody asked for the array's buffer just now.
bool raise_unheard(PyObject* array);
// With undefined elements (zeros, in fact); a real array if the type is not ours.
PyObject* empty_array(PyObject* shape, PyObject* dtype);
// The array with another shape: a view where that is possible, else a copy; null with an exception.
PyObject* reshape(ArrayObject* array, Dims shape);
// False: the strides do not allow it without a copy.
bool reshape_view(const View& from, const Dims& shape, View& to);

}  // namespace skald::python
