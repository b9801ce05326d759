// SPDX-License-Identifier: Apache-2.0
// Functions of libraries that work on real arrays, called for arrays of ours, and the book about
// them.
#pragma once

#include "common.h"

namespace skald::python {

// serve(kind, what, function, arguments, keywords): function(…) of real arrays, and its results as
// arrays of ours.  Counted for the line of the script, but for the kind "host".
PyObject* serve(PyObject* module, PyObject* const* args, Py_ssize_t count);
// [(kind, what, file, line, calls, bytes)], and forgetting it.
PyObject* served_calls(PyObject* module, PyObject*);
PyObject* forget_served(PyObject* module, PyObject*);

}  // namespace skald::python
