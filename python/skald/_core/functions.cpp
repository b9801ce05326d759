// SPDX-License-Identifier: Apache-2.0
// Recorded functions as core functions, and their derivatives.
//
// The core function of a recording has as parameters the numbers of its plan (sizes), its constants
// and the arrays it needs: arguments, and arrays from outside ("captured").
#include <algorithm>
#include <memory>
#include <string>

#include "calls.h"
#include "frontend/lazy/plan.h"
#include "plan_cache.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

namespace {

struct CoreFunction {
  int64_t callee = -1;
  std::vector<int64_t> sizes;
  std::vector<CallInput> inputs;     // constants, then arrays; those of arguments are left open
  std::vector<int> argument_params;  // the parameter that each argument is, or -1
  std::vector<int> outputs;          // of the core function, for each result
  std::vector<CallOutput> output_types;
  PyObject* recording = nullptr;  // keeps the captured arrays
};
constexpr const char* kFunctionName = "skald.function";

CoreFunction* function_of(PyObject* capsule) {
  return static_cast<CoreFunction*>(PyCapsule_GetPointer(capsule, kFunctionName));
}

std::string op_text(const Node* node) {
  switch (node->kind) {
    case NodeKind::kOpaque:
    case NodeKind::kPart: return "a function that NumPy runs";
    case NodeKind::kElementwise:
    case NodeKind::kReduce:
    case NodeKind::kScan:
      return node->op < ufuncs().size() ? "np." + ufuncs()[node->op].name : "np.where";
    default: return "an operation";
  }
}

bool all_can_be_compiled(const Recorded& recorded) {
  for (const Node* node : recorded.nodes) {
    if (node_can_be_compiled(node)) continue;
    Ref shape(PyTuple_New(node->shape.size()));
    for (int i = 0; i < node->shape.size(); ++i)
      PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(node->shape[i]));
    PyErr_Format(PyExc_TypeError,
                 "the function cannot be compiled, and so not be differentiated: %s of type %S "
                 "and shape %S is left to NumPy",
                 op_text(node).c_str(), descr_of(node->type), shape.get());
    return false;
  }
  return true;
}

// make_function(recorded): all results must be whole arrays of their own.
PyObject* make_function(PyObject*, PyObject* capsule) {
  Recorded* recorded = recorded_of(capsule);
  if (!recorded || !engine_api()) {
    if (recorded) PyErr_SetString(PyExc_RuntimeError, engine_problem().c_str());
    return nullptr;
  }
  if (!all_can_be_compiled(*recorded)) return nullptr;
  std::vector<Node*> results;
  for (const RecordedResult& result : recorded->results) results.push_back(result.node);
  lazy::PlanWriter writer;
  writer.write_function(recorded->nodes, results);
  auto function = std::make_unique<CoreFunction>();
  std::string message;
  function->callee = engine_api()->callees->from_plan(writer.code, engine_op_names(), message);
  if (function->callee < 0) {
    PyErr_Format(PyExc_RuntimeError, "skald: %s", message.c_str());
    return nullptr;
  }
  function->sizes = writer.symbols;
  const lazy::Plan plan = lazy::read_plan(writer.code);
  for (size_t i = 0; i < writer.scalars.size(); ++i) {
    CallInput& input = function->inputs.emplace_back();
    input.type = plan.scalars[i];
    input.scalar = writer.scalars[i];
  }
  function->argument_params.assign(recorded->arguments.size(), -1);
  for (Node* node : writer.externals) {
    const auto argument = std::find(recorded->arguments.begin(), recorded->arguments.end(), node);
    if (argument != recorded->arguments.end()) {
      function->argument_params[static_cast<size_t>(argument - recorded->arguments.begin())] =
          static_cast<int>(function->inputs.size());
    }
    CallInput& input = function->inputs.emplace_back();
    input.node = node;
    input.view = View::dense(node->shape);
    input.type = node->type;
  }
  for (Node* node : writer.outputs) function->output_types.push_back({node->type, node->shape});
  for (Node* node : results) {
    const auto at = std::find(writer.outputs.begin(), writer.outputs.end(), node);
    if (at == writer.outputs.end()) {
      PyErr_SetString(PyExc_RuntimeError, "a result is not computed by the function");
      return nullptr;
    }
    function->outputs.push_back(static_cast<int>(at - writer.outputs.begin()));
  }
  function->recording = Ref::borrowed(capsule).release();
  return PyCapsule_New(function.release(), kFunctionName, [](PyObject* made) {
    CoreFunction* owned = function_of(made);
    Py_XDECREF(owned->recording);
    delete owned;
  });
}

PyObject* int_list(const std::vector<int>& numbers) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), PyLong_FromLong(numbers[i]));
  return list;
}

// function_info(function): its number, the parameter of each argument, the output of each result,
// how many outputs there are.
PyObject* function_info(PyObject*, PyObject* capsule) {
  const CoreFunction* function = function_of(capsule);
  if (!function) return nullptr;
  Ref params(int_list(function->argument_params)), outputs(int_list(function->outputs));
  return Py_BuildValue("(LOOi)", static_cast<long long>(function->callee), params.get(),
                       outputs.get(), static_cast<int>(function->output_types.size()));
}

bool read_ints(PyObject* list, std::vector<int>& numbers) {
  Ref items(PySequence_Fast(list, "numbers"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i)
    numbers.push_back(static_cast<int>(PyLong_AsLong(PySequence_Fast_GET_ITEM(items.get(), i))));
  return items && !PyErr_Occurred();
}

// derive(number, mode, params, results): the number of the derivative.
PyObject* derive(PyObject*, PyObject* args) {
  long long of = 0;
  const char* mode = nullptr;
  PyObject *param_list = nullptr, *result_list = nullptr;
  std::vector<int> params, results;
  if (!PyArg_ParseTuple(args, "LsOO", &of, &mode, &param_list, &result_list) ||
      !read_ints(param_list, params) || !read_ints(result_list, results)) {
    return nullptr;
  }
  std::string message;
  int64_t made = -1;
  Py_BEGIN_ALLOW_THREADS made = engine_api()->callees->derive(of, mode, params, results, message);
  Py_END_ALLOW_THREADS if (made < 0) {
    PyErr_Format(PyExc_TypeError, "the function cannot be differentiated: %s", message.c_str());
    return nullptr;
  }
  return PyLong_FromLongLong(made);
}

// call_function(function, number, arguments, more, outputs or None): a call of the function itself
// or of a derivative, which takes more arrays behind the function's own.  The outputs are the
// function's (None), or all that the derivative has.
PyObject* call_function(PyObject*, PyObject* args) {
  PyObject *capsule = nullptr, *arrays = nullptr, *more = nullptr, *output_list = nullptr;
  long long callee = 0;
  if (!PyArg_ParseTuple(args, "OLO!O!O", &capsule, &callee, &PyTuple_Type, &arrays, &PyTuple_Type,
                        &more, &output_list)) {
    return nullptr;
  }
  const CoreFunction* function = function_of(capsule);
  if (!function) return nullptr;
  std::vector<CallInput> inputs = function->inputs;
  const auto set = [](CallInput& input, PyObject* array) {
    input.node = as_array(array)->base->current;
    input.view = as_array(array)->view;
    input.type = input.node->type;
  };
  for (size_t i = 0; i < function->argument_params.size(); ++i) {
    const int param = function->argument_params[i];
    if (param >= 0)
      set(inputs[static_cast<size_t>(param)], PyTuple_GET_ITEM(arrays, static_cast<Py_ssize_t>(i)));
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(more); ++i)
    set(inputs.emplace_back(), PyTuple_GET_ITEM(more, i));
  std::vector<CallOutput> outputs = function->output_types;
  if (output_list != Py_None) {
    outputs.clear();
    if (!parse_outputs(output_list, outputs)) return nullptr;
  }
  return record_call(callee, function->sizes, inputs, outputs);
}

PyMethodDef function_functions[] = {
    {"make_function", make_function, METH_O, "make_function(recorded)"},
    {"function_info", function_info, METH_O, "(number, parameters, outputs, output count)"},
    {"derive", derive, METH_VARARGS, "derive(number, mode, params, results)"},
    {"call_function", call_function, METH_VARARGS,
     "call_function(function, number, arguments, more, outputs)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool ready_functions(PyObject* module) {
  return PyModule_AddFunctions(module, function_functions) == 0;
}

}  // namespace skald::python
