// SPDX-License-Identifier: Apache-2.0
// Programs of our own where NumPy's loops would do (skald/_kernels.py).
#pragma once

#include <string>

#include "common.h"

namespace skald::python {

// array[places] for integers along the first axis, as a node.  Null without an exception: not now.
PyObject* take_by_kernel(ArrayObject* array, ArrayObject* places);
// The ufunc `name`.at(array, places, values).  -1: an exception, 0: not now, 1: done.
int update_by_kernel(const std::string& name, PyObject* array, PyObject* places, PyObject* values);

}  // namespace skald::python
