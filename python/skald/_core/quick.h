// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.h"

namespace skald::python {

// `array` moved along an axis by 0 < shift < its extent.
PyObject* record_roll(const ArrayObject* array, int64_t shift, int axis);

// Adds `quick(name, function)` to the module.
bool ready_quick(PyObject* module);

}  // namespace skald::python
