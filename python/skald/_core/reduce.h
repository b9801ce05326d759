// SPDX-License-Identifier: Apache-2.0
// Reductions and scans.
#pragma once

#include "common.h"

namespace skald::python {

// reduce(array, axis=…, dtype=None, out=None, keepdims=False, initial=…, where=True).  Without an
// axis: all of them for methods of arrays (default_axes 0), the first one for ufunc.reduce (1).
// Gives NotImplemented if it must be left to NumPy.
PyObject* reduce_method(uint16_t op, PyObject* args, PyObject* kwargs, int default_axes);
PyObject* accumulate_method(uint16_t op, PyObject* args, PyObject* kwargs);

}  // namespace skald::python
