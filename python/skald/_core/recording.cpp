// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "index.h"

namespace skald::python {

namespace {

PyObject* value_error = nullptr;

struct Recording {
  lazy::Pending list;
  lazy::Pending* outer = nullptr;
  Recording* before = nullptr;
  int purposes = 0;              // its own and those around it
  std::vector<Node*> arguments;  // owned
  std::vector<Base*> bases;      // of the arguments; owned
};
// Other threads go on as if nothing was recorded.
Recording*& innermost() {
  static thread_local Recording* recording = nullptr;
  return recording;
}

void free_recording(Recording* recording) {
  for (Base* base : recording->bases) base->drop();
  for (Node* node : recording->arguments) node->drop();
  delete recording;
}

// begin_recording([(shape, dtype), …], purpose): arrays that stand for the arguments.
PyObject* begin_recording(PyObject*, PyObject* args) {
  PyObject* specs = nullptr;
  int purpose = 0;
  if (!PyArg_ParseTuple(args, "Oi", &specs, &purpose)) return nullptr;
  Ref items(PySequence_Fast(specs, "arguments"));
  if (!items) return nullptr;
  auto* recording = new Recording;
  recording->purposes = purpose | recording_purposes();
  Ref arrays(PyTuple_New(PySequence_Fast_GET_SIZE(items.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays.get()); ++i) {
    PyObject *shape = nullptr, *dtype = nullptr;
    Dims dims;
    DType type;
    bool known = false;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "OO", &shape, &dtype) ||
        !parse_shape(shape, dims) || !parse_type(dtype, type, known) || !known) {
      free_recording(recording);
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an argument has no type of ours");
      return nullptr;
    }
    Node* node = lazy::new_node(NodeKind::kArgument, type, dims, 0);
    lazy::pending().remove(node);
    node->retain();
    recording->arguments.push_back(node);
    Base* base = lazy::new_base(node);
    base->retain();
    recording->bases.push_back(base);
    PyTuple_SET_ITEM(arrays.get(), i, wrap(base, View::dense(dims)));
  }
  recording->outer = lazy::set_pending(&recording->list);
  recording->before = std::exchange(innermost(), recording);
  return arrays.release();
}

// ---- What belongs to the function

class Sorting {
 public:
  Sorting(Recording& recording, Recorded& recorded) : recording_(recording), recorded_(recorded) {}

  void sort() {
    std::vector<Node*> all;
    for (Node* node = recording_.list.first(); node; node = node->next) all.push_back(node);
    // In the order they were recorded, so inputs are known before their readers.
    for (Node* node : all) {
      bool depends = false;
      for_each_input(node, [&](Node* from) {
        depends = depends || from->kind == NodeKind::kArgument || dependent_.contains(from);
      });
      if (depends) dependent_.insert(node);
    }
    std::unordered_set<Node*> results;
    for (const RecordedResult& result : recorded_.results) results.insert(result.node);
    // Somebody else holds it: it is an array like others if it can have a value.
    for (Node* node : all) {
      if (node->holders > 0 && !results.contains(node) && !dependent_.contains(node)) keep(node);
    }
    for (Node* node : results) need(node);
    for (Node* node : all) {
      recording_.list.remove(node);
      if (kept_.contains(node) || (!dependent_.contains(node) && !needed_.contains(node))) {
        recording_.outer->append(node);
      } else if (needed_.contains(node)) {
        node->retain();
        recorded_.nodes.push_back(node);
      }
    }
  }

 private:
  template <class F>
  void for_each_input(Node* node, const F& f) {
    for (int i = 0; i < node->input_count; ++i) {
      if (node->inputs[i].node) f(node->inputs[i].node);
    }
  }
  void keep(Node* node) {
    if (node->list != &recording_.list || !kept_.insert(node).second) return;
    for_each_input(node, [&](Node* from) { keep(from); });
  }
  void need(Node* first) {
    std::vector<Node*> open{first};
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      if (!needed_.insert(node).second) continue;
      if (node->list != &recording_.list || kept_.contains(node)) {
        if (node->kind != NodeKind::kArgument) {
          node->retain();
          recorded_.captured.push_back(node);
        }
        continue;
      }
      for_each_input(node, [&](Node* from) { open.push_back(from); });
    }
  }

  Recording& recording_;
  Recorded& recorded_;
  std::unordered_set<Node*> dependent_, kept_, needed_;
};

constexpr const char* kRecordedName = "skald.recorded";

// Templates and arguments have this stamp and know their number: from 0, or from -1 down.  They are
// in no plan that is run, which would need the fields.
constexpr uint64_t kTemplate = ~uint64_t{0};

void number_templates(const Recorded& recorded) {
  int32_t number = 0;
  for (Node* node : recorded.nodes) {
    node->plan_stamp = kTemplate;
    node->plan_index = number++;
  }
  number = 0;
  for (Node* node : recorded.arguments) {
    node->plan_stamp = kTemplate;
    node->plan_index = --number;
  }
}

// The recorded function, with these arrays as its results; None: an exception came out of it.
PyObject* end_recording(PyObject*, PyObject* results) {
  Recording* recording = innermost();
  if (!recording) {
    PyErr_SetString(PyExc_RuntimeError, "nothing is being recorded");
    return nullptr;
  }
  innermost() = recording->before;
  lazy::set_pending(recording->outer);
  auto* recorded = new Recorded;
  for (Node* node : recording->arguments) {
    node->retain();
    recorded->arguments.push_back(node);
  }
  bool written = false;
  for (size_t i = 0; i < recording->bases.size(); ++i)
    written = written || recording->bases[i]->current != recording->arguments[i];
  if (results != Py_None) {
    Ref items(PySequence_Fast(results, "results"));
    for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      auto* array = as_array(PySequence_Fast_GET_ITEM(items.get(), i));
      recorded->results.push_back({array->base->current, array->view, array->is_scalar});
    }
  }
  Sorting(*recording, *recorded).sort();
  number_templates(*recorded);
  free_recording(recording);
  if (results == Py_None) {
    delete recorded;
    Py_RETURN_NONE;
  }
  if (written) {
    delete recorded;
    PyErr_SetString(value_error, "the function writes into an argument; let it write into a copy");
    return nullptr;
  }
  return PyCapsule_New(recorded, kRecordedName, [](PyObject* capsule) {
    delete static_cast<Recorded*>(PyCapsule_GetPointer(capsule, kRecordedName));
  });
}

// ---- Recording the same nodes again for other arguments

class Replaying {
 public:
  explicit Replaying(const Recorded& recorded) : recorded_(recorded) {}
  ~Replaying() {
    for (Node* node : made_) node->drop();
  }

  bool bind(PyObject* arrays) {
    if (!PyTuple_Check(arrays) ||
        PyTuple_GET_SIZE(arrays) != static_cast<Py_ssize_t>(recorded_.arguments.size())) {
      PyErr_SetString(PyExc_TypeError, "a tuple of as many arrays as arguments is needed");
      return false;
    }
    for (size_t i = 0; i < recorded_.arguments.size(); ++i) {
      PyObject* object = PyTuple_GET_ITEM(arrays, static_cast<Py_ssize_t>(i));
      const Node* argument = recorded_.arguments[i];
      if (!is_array(object) || as_array(object)->type() != argument->type ||
          !(as_array(object)->view.shape == argument->shape)) {
        PyErr_SetString(PyExc_TypeError, "an argument has another type or shape than was recorded");
        return false;
      }
      auto* array = as_array(object);
      Node* node = array->base->current;
      exported_ = exported_ || array->base->is_exported();
      if (array->view.offset != 0 || !(array->view.shape == node->shape) ||
          !array->view.is_dense()) {
        // Views of views need not be views: the argument becomes an array of its own.
        Node* own = lazy::new_node(NodeKind::kCast, node->type, array->view.shape, 1);
        lazy::set_input(own, 0, node, array->view);
        made_.push_back(own);
        node = own;
      }
      arguments_.push_back(node);
    }
    return true;
  }

  PyObject* run() {
    copies_.reserve(recorded_.nodes.size());
    for (const Node* node : recorded_.nodes) copies_.push_back(copy(node));
    Ref results(PyTuple_New(static_cast<Py_ssize_t>(recorded_.results.size())));
    std::unordered_map<Node*, Base*> bases;
    for (size_t i = 0; i < recorded_.results.size(); ++i) {
      const RecordedResult& result = recorded_.results[i];
      Node* node = copy_of(result.node);
      Base*& base = bases[node];
      if (base) {
        base->retain();
      } else {
        node->retain();
        base = lazy::new_base(node);
      }
      PyObject* array = wrap(base, result.view);
      if (!array) return nullptr;
      as_array(array)->is_scalar = result.is_scalar;
      PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), array);
    }
    return exported_ && !flush_all() ? nullptr : results.release();
  }

 private:
  Node* copy_of(Node* node) const {
    if (node->plan_stamp != kTemplate) return node;
    const int32_t number = node->plan_index;
    return number < 0 ? arguments_[static_cast<size_t>(-number - 1)]
                      : copies_[static_cast<size_t>(number)];
  }
  Node* copy(const Node* from) {
    Node* node = lazy::new_node(from->kind, from->type, from->shape, from->input_count);
    node->compute_type = from->compute_type;
    node->op = from->op;
    node->keeps_axes = from->keeps_axes;
    node->is_plain = from->is_plain;
    node->scalar = from->scalar;
    node->step = from->step;
    node->axes = from->axes;
    if (from->kind == NodeKind::kAssign || from->kind == NodeKind::kCall)
      node->target = from->target;
    if (from->payload)
      node->payload = Ref::borrowed(static_cast<PyObject*>(from->payload)).release();
    node->drop_payload = from->drop_payload;
    for (int i = 0; i < from->input_count; ++i) {
      const Input& input = from->inputs[i];
      if (!input.node) {
        lazy::set_scalar(node, i, input.type, input.scalar);
        continue;
      }
      Node* source = copy_of(input.node);
      exported_ = exported_ || (source->buffer && source->buffer->exports > 0);
      lazy::set_input(node, i, source, input.view);
    }
    made_.push_back(node);
    return node;
  }

  const Recorded& recorded_;
  std::vector<Node*> arguments_, copies_;
  std::vector<Node*> made_;  // owned
  bool exported_ = false;
};

PyObject* replay(PyObject*, PyObject* args) {
  PyObject *capsule = nullptr, *arrays = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &capsule, &arrays)) return nullptr;
  const Recorded* recorded = recorded_of(capsule);
  if (!recorded) return nullptr;
  Replaying replaying(*recorded);
  return replaying.bind(arrays) ? replaying.run() : nullptr;
}

// signature(arguments): a key that equal calls share, and the arrays among the arguments; None
// where an argument is neither an array of ours nor a plain number, text or None.
PyObject* signature(PyObject*, PyObject* arguments) {
  std::string key(1, static_cast<char>(recording_purposes()));
  const auto add = [&](const void* data, size_t bytes) {
    key.append(static_cast<const char*>(data), bytes);
  };
  const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
  Ref arrays(PyList_New(0)), others(PyList_New(0));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(arguments, i);
    if (Py_TYPE(item) == &array_type) {
      const View& view = as_array(item)->view;
      key.push_back('a');
      key.push_back(static_cast<char>(as_array(item)->type()));
      key.push_back(static_cast<char>(view.rank()));
      add(view.shape.data(), sizeof(int64_t) * static_cast<size_t>(view.rank()));
      if (PyList_Append(arrays.get(), item) < 0) return nullptr;
    } else if (PyFloat_CheckExact(item)) {
      // By its bits: 0.0 and -0.0 are equal otherwise, and NaNs never.
      const double value = PyFloat_AS_DOUBLE(item);
      key.push_back('f');
      add(&value, sizeof value);
    } else if (PyBool_Check(item) || item == Py_None || PyLong_CheckExact(item) ||
               PyUnicode_CheckExact(item)) {
      key.push_back(PyBool_Check(item)        ? 'b'
                    : item == Py_None         ? 'n'
                    : PyLong_CheckExact(item) ? 'i'
                                              : 's');
      if (PyList_Append(others.get(), item) < 0) return nullptr;
    } else {
      Py_RETURN_NONE;
    }
  }
  Ref bytes(PyBytes_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size())));
  Ref rest(PyList_AsTuple(others.get())), tuple(PyList_AsTuple(arrays.get()));
  if (!bytes || !rest || !tuple) return nullptr;
  return Py_BuildValue("((OO)O)", bytes.get(), rest.get(), tuple.get());
}

PyObject* get_purposes(PyObject*, PyObject*) {
  return PyLong_FromLong(recording_purposes());
}

// A new node with the elements of an array.
PyObject* own(PyObject*, PyObject* array) {
  if (!is_array(array)) {
    PyErr_SetString(PyExc_TypeError, "an array of ours is needed");
    return nullptr;
  }
  return record_cast(as_array(array), as_array(array)->type());
}

PyMethodDef recording_functions[] = {
    {"begin_recording", begin_recording, METH_VARARGS,
     "begin_recording([(shape, dtype), …], purpose)"},
    {"own", own, METH_O, "A new node with the elements of an array."},
    {"end_recording", end_recording, METH_O, "end_recording(results or None)"},
    {"signature", signature, METH_O, "signature(arguments): (key, arrays), or None"},
    {"replay", replay, METH_VARARGS, "replay(recorded, arrays)"},
    {"recording", get_purposes, METH_NOARGS,
     "For what functions are recorded now, as bits; 0: none is."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

Recorded::~Recorded() {
  for (const auto* list : {&nodes, &arguments, &captured}) {
    for (Node* node : *list) node->drop();
  }
}

Recorded* recorded_of(PyObject* capsule) {
  return static_cast<Recorded*>(PyCapsule_GetPointer(capsule, kRecordedName));
}

bool is_recording() {
  return lazy::own_lists > 0 && innermost() != nullptr;
}

int recording_purposes() {
  return is_recording() ? innermost()->purposes : 0;
}

bool refuse_value() {
  PyErr_SetString(value_error,
                  is_recording()
                      ? "a value is needed that depends on the arguments of a function which is "
                        "being recorded (skald.jit, skald.grad), and these have none yet"
                      : "this array was made while a function was recorded and left it otherwise "
                        "than as a result; it has no value");
  return false;
}

bool ready_recording(PyObject* module) {
  value_error = PyErr_NewExceptionWithDoc(
      "skald.RecordedValueError", "The value of an array was needed while a function was recorded.",
      PyExc_TypeError, nullptr);
  return value_error && PyModule_AddFunctions(module, recording_functions) == 0 &&
         PyModule_AddObjectRef(module, "RecordedValueError", value_error) == 0;
}

}  // namespace skald::python
