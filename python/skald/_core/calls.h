// SPDX-License-Identifier: Apache-2.0
// Calls of core functions as nodes: entry points of loaded programs, and derivatives.
#pragma once

#include <vector>

#include "common.h"

namespace skald::python {

// An argument: an array's current version through a view, or a constant.
struct CallInput {
  Node* node = nullptr;  // not owned; null: the constant
  View view;
  DType type = DType::kF64;
  Scalar scalar = {};
};
struct CallOutput {
  DType type = DType::kF64;
  Dims shape;
};

// A tuple of lazy arrays, one for each output; the last ones of the function's results if there are
// fewer.
PyObject* record_call(int64_t callee, const std::vector<int64_t>& sizes,
                      const std::vector<CallInput>& inputs, const std::vector<CallOutput>& outputs);
// Reads [(shape, dtype), …]; false: an exception is set.
bool parse_outputs(PyObject* list, std::vector<CallOutput>& outputs);

// Runs a pending call alone, and gives its parts their values.
bool evaluate_call(Node* node);
// How many elements it is given: it reads each at least once.
int64_t call_elements(const Node* node);
// Together with its parts, as far as they are still wanted.
bool call_can_be_compiled(const Node* node);

extern PyMethodDef call_functions[];
bool ready_calls(PyObject* module);

}  // namespace skald::python
