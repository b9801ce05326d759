// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.h"

namespace skald::python {

// Adds `creator(kind, function)` to the module.
bool ready_creators(PyObject* module);

}  // namespace skald::python
