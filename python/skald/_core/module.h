// SPDX-License-Identifier: Apache-2.0
// What the Python part of the package can set.
#pragma once

#include "common.h"

namespace skald::python {

struct ModuleState {
  PyObject* array_function = nullptr;   // handler(func, types, args, kwargs)
  PyObject* array_namespace = nullptr;  // a module
};
ModuleState& module_state();

PyObject* copy_array(ArrayObject* array);

// Further functions of the module.
bool ready_creation(PyObject* module);
bool ready_settings(PyObject* module);

}  // namespace skald::python
