// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.h"

namespace skald::python {

// `array` moved along an axis by 0 < shift < its extent.
PyObject* record_roll(const ArrayObject* array, int64_t shift, int axis);

// np.array, np.arange and np.concatenate for what is small (quick_small.cpp).  Null: another name.
vectorcallfunc small_function(const char* name);
// What does all other calls of a function that is quick for some.
PyObject* slow_function(PyObject* quick);

// Adds `quick(name, function)` and `guarded(function, exception, other)` to the module.
bool ready_quick(PyObject* module);

}  // namespace skald::python
