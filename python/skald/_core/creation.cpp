// SPDX-License-Identifier: Apache-2.0
// Functions of the module that make arrays.
#include "array_type.h"
#include "index.h"
#include "module.h"

namespace skald::python {

namespace {

PyObject* array(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"object", "dtype", "copy", "ndmin", nullptr};
  PyObject *object = nullptr, *dtype = nullptr, *copy = Py_True;
  int least_rank = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOi", const_cast<char**>(names), &object,
                                   &dtype, &copy, &least_rank)) {
    return nullptr;
  }
  Ref made(to_array(object, dtype));
  if (!made || !is_array(made.get())) return made.release();
  const int copies = PyObject_IsTrue(copy);
  if (made.get() == object && copies) made = Ref(copy_array(as_array(made.get())));
  if (!made) return nullptr;
  View view = as_array(made.get())->view;
  if (view.rank() >= least_rank) return made.release();
  while (view.rank() < least_rank) {
    view.shape.insert(0, 1);
    view.strides.insert(0, 0);
  }
  return wrap_view(as_array(made.get()), view);
}

PyObject* as_array_function(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *dtype = nullptr;
  if (!PyArg_ParseTuple(args, "O|O", &object, &dtype)) return nullptr;
  return to_array(object, dtype);
}

PyObject* adopt_function(PyObject*, PyObject* object) {
  // The caller's frame and argument list hold it too, so a fresh array is one that owns its memory
  // and that nobody but the caller sees; that cannot be told here, so it is shared by a new array.
  return adopt(object);
}

PyObject* share(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *owner = nullptr;
  if (!PyArg_ParseTuple(args, "O|O!", &object, &array_type, &owner)) return nullptr;
  if (!PyArray_CheckExact(object)) return adopt(object);
  return share_ndarray(object, owner ? as_array(owner) : nullptr);
}

PyObject* empty(PyObject*, PyObject* args) {
  PyObject *shape = nullptr, *dtype = nullptr;
  if (!PyArg_ParseTuple(args, "O|O", &shape, &dtype)) return nullptr;
  return empty_array(shape, dtype);
}

PyObject* full(PyObject*, PyObject* args) {
  PyObject *shape = nullptr, *value = nullptr, *dtype = nullptr;
  if (!PyArg_ParseTuple(args, "OO|O", &shape, &value, &dtype)) return nullptr;
  Ref type;
  if (!dtype || dtype == Py_None) {
    Ref given(is_array(value) ? PyObject_GetAttrString(value, "dtype") : nullptr);
    if (!given) {
      PyErr_Clear();
      Ref real_value(PyArray_FromAny(value, nullptr, 0, 0, 0, nullptr));
      if (!real_value) return nullptr;
      given = Ref(PyObject_GetAttrString(real_value.get(), "dtype"));
    }
    type = given;
    dtype = type.get();
  }
  Ref made(empty_array(shape, dtype));
  if (!made) return nullptr;
  if (!is_array(made.get())) {
    PyObject* const pair[] = {made.get(), value};
    Ref done(PyObject_Vectorcall(real.copyto, pair, 2, nullptr));
    return done ? made.release() : nullptr;
  }
  auto* target = as_array(made.get());
  Scalar scalar = {};
  if (scalar_from(value, target->type(), scalar)) {
    target->base->current->scalar = scalar;
    target->base->current->op = 0;
    return made.release();
  }
  if (!assign_view(target, target->view, value, nullptr)) return nullptr;
  return made.release();
}

PyObject* arange(PyObject*, PyObject* args) {
  PyObject *start = nullptr, *step = nullptr, *dtype = nullptr;
  long long count = 0;
  if (!PyArg_ParseTuple(args, "OOLO", &start, &step, &count, &dtype)) return nullptr;
  DType type;
  bool known = false;
  if (!parse_type(dtype, type, known)) return nullptr;
  Scalar first = {}, by = {};
  if (!known || lazy::is_complex(type) || type == DType::kBool || type == DType::kF16 ||
      !scalar_from(start, type, first) || !scalar_from(step, type, by)) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  Node* node = lazy::new_node(NodeKind::kIota, type, Dims(1, count < 0 ? 0 : count), 0);
  node->scalar = first;
  node->step = by;
  return wrap_node(node);
}

PyObject* random_node(PyObject* args, DType type) {
  unsigned long long key = 0, counter = 0;
  PyObject* shape = nullptr;
  if (!PyArg_ParseTuple(args, "KKO", &key, &counter, &shape)) return nullptr;
  Dims dims;
  if (!parse_shape(shape, dims)) return nullptr;
  Node* node = lazy::new_node(NodeKind::kRandom, type, dims, 0);
  node->scalar.u = counter;
  node->step.u = key;
  return wrap_node(node);
}
PyObject* random_bits(PyObject*, PyObject* args) {
  return random_node(args, DType::kU64);
}
PyObject* random_uniform(PyObject*, PyObject* args) {
  return random_node(args, DType::kF64);
}

#define SKALD_KEYWORD_FUNCTION(name) \
  reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(name)), METH_VARARGS | METH_KEYWORDS
PyMethodDef creation_functions[] = {
    {"array", SKALD_KEYWORD_FUNCTION(array), "array(object, dtype=None, copy=True, ndmin=0)"},
    {"asarray", as_array_function, METH_VARARGS, "asarray(object, dtype=None)"},
    {"adopt", adopt_function, METH_O, "Real arrays as ours."},
    {"share", share, METH_VARARGS, "An array of ours in the memory of a real one."},
    {"empty", empty, METH_VARARGS, "empty(shape, dtype)"},
    {"zeros", empty, METH_VARARGS, "zeros(shape, dtype)"},
    {"full", full, METH_VARARGS, "full(shape, value, dtype)"},
    {"arange", arange, METH_VARARGS, "arange(start, step, count, dtype)"},
    {"random_bits", random_bits, METH_VARARGS, "random_bits(key, counter, shape)"},
    {"random_uniform", random_uniform, METH_VARARGS, "random_uniform(key, counter, shape)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool ready_creation(PyObject* module) {
  return PyModule_AddFunctions(module, creation_functions) == 0;
}

}  // namespace skald::python
