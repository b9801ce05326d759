// SPDX-License-Identifier: Apache-2.0
// Core functions as nodes (NodeKind::kCall): recorded by record_call, compiled as a part of the
// plan around them, or run alone where NumPy runs the rest.
#include "calls.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "evaluate.h"
#include "index.h"
#include "plan_cache.h"

namespace skald::python {

namespace {

PyObject* program_error = nullptr;

// "entry `step` of heat.fut", by the number of the function.
std::map<int64_t, std::string>& descriptions() {
  static auto* const known = new std::map<int64_t, std::string>;
  return *known;
}

const lazy::CalleeApi* callee_api() {
  const lazy::EngineApi* api = engine_api();
  if (!api) PyErr_SetString(PyExc_RuntimeError, engine_problem().c_str());
  return api ? api->callees : nullptr;
}

void raise_program_error(int64_t callee, const std::string& message) {
  const auto it = descriptions().find(callee);
  const std::string text = it == descriptions().end() ? message : it->second + ": " + message;
  PyErr_SetString(program_error, text.c_str());
}

// ---- Running one call alone

// The arguments of a call in memory, dense.
struct LentInputs {
  lazy::EngineCall call;
  std::vector<std::unique_ptr<uint64_t>> scalars;
  std::vector<Ref> copies;

  void add_scalar(DType type, const Scalar& scalar) {
    scalars.push_back(std::make_unique<uint64_t>(scalar_bits(type, scalar)));
    lazy::EngineArray& array = call.arrays.emplace_back();
    array.data = scalars.back().get();
    array.bytes = lazy::item_size(type);
    array.type = type;
  }
  bool add_array(Node* node, const View& view) {
    const int size = lazy::item_size(node->type);
    std::byte* data = node->data() + view.offset * size;
    if (!view.is_dense()) {
      Dims strides = view.strides;
      for (int i = 0; i < strides.size(); ++i) strides[i] *= size;
      PyArray_Descr* descr = descr_of(node->type);
      Py_INCREF(descr);
      Ref shown(PyArray_NewFromDescr(&PyArray_Type, descr, view.rank(),
                                     const_cast<npy_intp*>(view.shape.data()), strides.data(), data,
                                     0, nullptr));
      Ref dense(shown ? PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(shown.get()), NPY_CORDER)
                      : nullptr);
      if (!dense) return false;
      data = static_cast<std::byte*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(dense.get())));
      copies.push_back(std::move(dense));
    }
    lazy::EngineArray& array = call.arrays.emplace_back();
    array.data = data;
    array.bytes = view.count() * size;
    array.type = node->type;
    array.shape.assign(view.shape.begin(), view.shape.end());
    return true;
  }
};

bool run_alone(int64_t callee, LentInputs& lent) {
  const lazy::CalleeApi* api = callee_api();
  if (!api) return false;
  std::string message;
  bool good = false;
  Py_BEGIN_ALLOW_THREADS good =
      api->call(callee, plan_options().backend.c_str(), lent.call, message);
  Py_END_ALLOW_THREADS for (lazy::EngineArray& array : lent.call.arrays) {
    if (array.device) engine_api()->drop_device(array.device);
  }
  if (!good) raise_program_error(callee, message);
  return good;
}

Buffer* take_buffer(lazy::EngineArray& array) {
  auto* buffer = new Buffer;
  buffer->data = array.data;
  buffer->bytes = array.bytes;
  buffer->release = std::exchange(array.release, nullptr);
  buffer->argument = array.argument;
  return buffer;
}

void release_results(lazy::EngineCall& call) {
  for (lazy::EngineArray& array : call.results) {
    if (array.release) array.release(array.data, array.argument);
  }
}

bool is_part_of(const Node* part, const Node* call) {
  return part && part->kind == NodeKind::kPart && part->inputs[0].node == call;
}

// ---- Arguments from Python

// An array, or a pair of a number and a dtype.
bool parse_input(PyObject* object, CallInput& input) {
  if (is_array(object)) {
    input.node = as_array(object)->base->current;
    input.view = as_array(object)->view;
    input.type = input.node->type;
    return true;
  }
  PyObject *value = nullptr, *dtype = nullptr;
  bool known = false;
  if (!PyArg_ParseTuple(object, "OO", &value, &dtype) || !parse_type(dtype, input.type, known))
    return false;
  if (known && scalar_from(value, input.type, input.scalar)) return true;
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a number does not fit its type");
  return false;
}

bool parse_call(PyObject* args, int64_t& callee, std::vector<int64_t>& sizes,
                std::vector<CallInput>& inputs, PyObject** outputs) {
  long long id = 0;
  PyObject *size_list = nullptr, *input_list = nullptr;
  if (!PyArg_ParseTuple(args, "LO!O!|O", &id, &PyTuple_Type, &size_list, &PyList_Type, &input_list,
                        outputs)) {
    return false;
  }
  callee = id;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(size_list); ++i) {
    sizes.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(size_list, i)));
    if (PyErr_Occurred()) return false;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(input_list); ++i) {
    if (!parse_input(PyList_GET_ITEM(input_list, i), inputs.emplace_back())) return false;
  }
  return true;
}

PyObject* call(PyObject*, PyObject* args) {
  int64_t callee = 0;
  std::vector<int64_t> sizes;
  std::vector<CallInput> inputs;
  std::vector<CallOutput> outputs;
  PyObject* output_list = nullptr;
  if (!parse_call(args, callee, sizes, inputs, &output_list) ||
      !parse_outputs(output_list, outputs)) {
    return nullptr;
  }
  return record_call(callee, sizes, inputs, outputs);
}

// Runs it now; all results, sizes included.
PyObject* call_now(PyObject*, PyObject* args) {
  int64_t callee = 0;
  std::vector<int64_t> sizes;
  std::vector<CallInput> inputs;
  PyObject* unused = nullptr;
  if (!parse_call(args, callee, sizes, inputs, &unused)) return nullptr;
  LentInputs lent;
  lent.call.symbols = sizes;
  for (const CallInput& input : inputs) {
    if (!input.node) {
      lent.add_scalar(input.type, input.scalar);
      continue;
    }
    // The caller's list holds the array, so the node stays.
    if ((input.node->is_pending() && !force_node(input.node)) || !bring_home(input.node->buffer) ||
        !lent.add_array(input.node, input.view)) {
      return nullptr;
    }
  }
  if (!run_alone(callee, lent)) return nullptr;
  Ref results(PyTuple_New(static_cast<Py_ssize_t>(lent.call.results.size())));
  for (size_t i = 0; i < lent.call.results.size(); ++i) {
    lazy::EngineArray& array = lent.call.results[i];
    Dims shape;
    for (const int64_t n : array.shape) shape.push_back(n);
    Node* node = lazy::new_value(array.type, shape, take_buffer(array));
    PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), wrap_node(node));
  }
  return results.release();
}

// ---- Loading

PyObject* values_of(const std::vector<lazy::CalleeValue>& values) {
  Ref list(PyList_New(0));
  for (const lazy::CalleeValue& value : values) {
    Ref dims(PyList_New(0));
    for (const lazy::CalleeDim& dim : value.shape) {
      Ref pair(Py_BuildValue("(OL)", dim.is_param ? Py_True : Py_False,
                             static_cast<long long>(dim.value)));
      PyList_Append(dims.get(), pair.get());
    }
    Ref item(Py_BuildValue("(OOO)", descr_of(value.type), value.is_unique ? Py_True : Py_False,
                           dims.get()));
    PyList_Append(list.get(), item.get());
  }
  return list.release();
}

PyObject* sources_of(const std::vector<lazy::CalleeSource>& sources) {
  Ref list(PyList_New(0));
  for (const lazy::CalleeSource& source : sources) {
    Ref item(Py_BuildValue("(sssOi)", source.name.c_str(), source.type.c_str(),
                           source.layout.c_str(), source.is_unique ? Py_True : Py_False,
                           source.count));
    PyList_Append(list.get(), item.get());
  }
  return list.release();
}

// load(path, text or None, language): the entry points as tuples, and warnings.
PyObject* load_program(PyObject*, PyObject* args) {
  const char *path = nullptr, *text = nullptr, *language = nullptr;
  if (!PyArg_ParseTuple(args, "szs", &path, &text, &language)) return nullptr;
  const lazy::CalleeApi* api = callee_api();
  if (!api) return nullptr;
  std::vector<lazy::CalleeInfo> entries;
  std::string message;
  const std::string own = text ? text : "";
  bool good = false;
  Py_BEGIN_ALLOW_THREADS good = api->load(path, text ? &own : nullptr, language, entries, message);
  Py_END_ALLOW_THREADS if (!good) {
    PyErr_SetString(PyExc_SyntaxError, message.c_str());
    return nullptr;
  }
  Ref list(PyList_New(0));
  for (const lazy::CalleeInfo& info : entries) {
    descriptions()[info.id] = "entry `" + info.name + "` of " + path;
    Ref params(values_of(info.params)), results(values_of(info.results));
    Ref source_params(sources_of(info.source_params)),
        source_results(sources_of(info.source_results));
    Ref item(Py_BuildValue("(LsiiOOOO)", static_cast<long long>(info.id), info.name.c_str(),
                           info.sizes, info.result_sizes, params.get(), results.get(),
                           source_params.get(), source_results.get()));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return Py_BuildValue("(Os)", list.get(), message.c_str());
}

PyObject* show_callee(PyObject*, PyObject* id) {
  const lazy::CalleeApi* api = callee_api();
  const long long number = PyLong_AsLongLong(id);
  if (!api || PyErr_Occurred()) return nullptr;
  return PyUnicode_FromString(api->show(number).c_str());
}

}  // namespace

bool parse_outputs(PyObject* list, std::vector<CallOutput>& outputs) {
  Ref items(PySequence_Fast(list, "outputs"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject *shape = nullptr, *dtype = nullptr;
    CallOutput& output = outputs.emplace_back();
    bool known = false;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "OO", &shape, &dtype) ||
        !parse_shape(shape, output.shape) || !parse_type(dtype, output.type, known)) {
      return false;
    }
    if (!known) {
      PyErr_SetString(PyExc_TypeError, "a result has a type that is not ours");
      return false;
    }
  }
  return true;
}

PyObject* record_call(int64_t callee, const std::vector<int64_t>& sizes,
                      const std::vector<CallInput>& inputs,
                      const std::vector<CallOutput>& outputs) {
  if (inputs.size() > 30000) {
    PyErr_SetString(PyExc_ValueError, "a function has too many arguments and constants");
    return nullptr;
  }
  Node* node = lazy::new_node(NodeKind::kCall, DType::kU8, Dims(), static_cast<int>(inputs.size()));
  node->axes = static_cast<uint64_t>(callee);
  node->target.shape = Dims();
  for (const int64_t size : sizes) node->target.shape.push_back(size);
  bool exported = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const CallInput& input = inputs[i];
    if (!input.node) {
      lazy::set_scalar(node, static_cast<int>(i), input.type, input.scalar);
      continue;
    }
    exported = exported || (input.node->buffer && input.node->buffer->exports > 0);
    lazy::set_input(node, static_cast<int>(i), input.node, input.view);
  }
  Ref results(PyTuple_New(static_cast<Py_ssize_t>(outputs.size())));
  for (size_t i = 0; i < outputs.size(); ++i) {
    Node* part = lazy::new_node(NodeKind::kPart, outputs[i].type, outputs[i].shape, 1);
    part->op = static_cast<uint16_t>(i);
    lazy::set_input(part, 0, node, View());
    PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), wrap_node(part));
  }
  node->drop();
  if (exported && !flush_all()) return nullptr;
  return results.release();
}

bool evaluate_call(Node* node) {
  LentInputs lent;
  lent.call.symbols.assign(node->target.shape.begin(), node->target.shape.end());
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (!input.node) {
      lent.add_scalar(input.type, input.scalar);
    } else if (!lent.add_array(input.node, input.view)) {
      return false;
    }
  }
  const auto callee = static_cast<int64_t>(node->axes);
  const bool good = run_alone(callee, lent);
  // Parts follow their call in the list; one that has its value leaves it.
  Node* next = node->next;
  while (is_part_of(next, node)) {
    Node* const part = next;
    next = part->next;
    node->retain();
    if (good && part->op < lent.call.results.size()) {
      lazy::set_value(part, take_buffer(lent.call.results[part->op]));
    } else {
      give_up(part);
    }
    --node->refs;
  }
  release_results(lent.call);
  if (!good) return false;
  auto* done = new Buffer;
  done->data = done;
  lazy::set_value(node, done);
  return good;
}

int64_t call_elements(const Node* node) {
  int64_t elements = 0;
  for (int i = 0; i < node->input_count; ++i) {
    if (node->inputs[i].node) elements += node->inputs[i].view.count();
  }
  return elements;
}

bool call_can_be_compiled(const Node* node) {
  if (node->kind == NodeKind::kPart) {
    const Node* from = node->inputs[0].node;
    return from->kind == NodeKind::kCall && from->is_pending() && node->count() > 0;
  }
  for (const Node* part = node->next; is_part_of(part, node); part = part->next) {
    if (part->count() == 0) return false;
  }
  return true;
}

PyMethodDef call_functions[] = {
    {"call", call, METH_VARARGS, "call(function, sizes, inputs, outputs)"},
    {"call_now", call_now, METH_VARARGS, "call_now(function, sizes, inputs)"},
    {"load_program", load_program, METH_VARARGS, "load_program(path, text, language)"},
    {"show_function", show_callee, METH_O, "The core of a function that can be called."},
    {nullptr, nullptr, 0, nullptr},
};

bool ready_calls(PyObject* module) {
  program_error = PyErr_NewExceptionWithDoc(
      "skald.ProgramError", "A loaded program stopped; the text has the place in its source.",
      PyExc_RuntimeError, nullptr);
  return program_error && PyModule_AddFunctions(module, call_functions) == 0 &&
         PyModule_AddObjectRef(module, "ProgramError", program_error) == 0;
}

}  // namespace skald::python
