// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.h"

namespace skald::python {

// Adds `quick(name, function)` to the module.
bool ready_quick(PyObject* module);

}  // namespace skald::python
