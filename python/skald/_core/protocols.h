// SPDX-License-Identifier: Apache-2.0
// Methods by which other libraries take our arrays.
#pragma once

#include "common.h"

namespace skald::python {

PyObject* method_array(PyObject* self, PyObject* args, PyObject* kwargs);
// Somebody called numpy.add(ours, …): it stays lazy.
PyObject* method_array_ufunc(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* method_array_function(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* method_array_namespace(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* method_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* method_dlpack_device(PyObject* self, PyObject* args);
PyObject* method_copy_to_numpy(PyObject* self, PyObject* args);
PyObject* method_reduce(PyObject* self, PyObject* args);

}  // namespace skald::python
