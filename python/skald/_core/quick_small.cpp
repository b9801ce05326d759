// SPDX-License-Identifier: Apache-2.0
// np.array of a list, np.arange of a number and np.concatenate, where little is made: NumPy makes
// it at once.
#include <cstring>

#include "quick.h"

namespace skald::python {

namespace {

// Arrays of more elements are worth recording (SMALL in _engine.py).
constexpr int64_t kSmall = 4096;

PyObject* leave(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  return PyObject_Vectorcall(slow_function(self), args, flags, names);
}

// Its items, or the first ones inside of it, are plain numbers.
bool holds_numbers(PyObject* list) {
  PyObject* item = list;
  while (PyList_CheckExact(item)) {
    if (PyList_GET_SIZE(item) == 0) return false;
    item = PyList_GET_ITEM(item, 0);
  }
  return PyFloat_CheckExact(item) || PyLong_CheckExact(item) || PyBool_Check(item) ||
         PyComplex_CheckExact(item) || PyArray_IsScalar(item, Generic);
}

PyObject* array(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const bool plain = PyVectorcall_NARGS(flags) == 1 && !names && PyList_CheckExact(args[0]);
  return plain && holds_numbers(args[0]) ? to_array(args[0], nullptr)
                                         : leave(self, args, flags, names);
}

PyObject* arange(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const bool plain = count >= 1 && count <= 2 && !names && PyLong_CheckExact(args[0]) &&
                     PyLong_CheckExact(args[count - 1]);
  if (!plain) return leave(self, args, flags, names);
  int overflow = 0, too = 0;
  const int64_t start = count == 2 ? PyLong_AsLongLongAndOverflow(args[0], &overflow) : 0;
  const int64_t stop = PyLong_AsLongLongAndOverflow(args[count - 1], &too);
  if (overflow != 0 || too != 0 || stop > kSmall || start < -kSmall)
    return leave(self, args, flags, names);
  Ref made(PyArray_Arange(static_cast<double>(start), static_cast<double>(stop), 1, NPY_INT64));
  return made ? adopt_ndarray(made.get()) : nullptr;
}

// concatenate(arrays[, axis]) of arrays of ours that are small and at hand, of one type.
bool are_small(PyObject* parts) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(parts);
  int64_t elements = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* part = PySequence_Fast_GET_ITEM(parts, i);
    if (Py_TYPE(part) != &array_type || raw_array(part)->selection) return false;
    const ArrayObject* array = as_array(part);
    const Node* node = array->base->current;
    if (!node->buffer || !node->buffer->data) return false;
    elements += array->view.count();
  }
  return count > 0 && elements <= kSmall;
}

PyObject* concatenate(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  const bool has_axis = count + named == 2;
  const bool is_axis =
      named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "axis") == 0;
  const bool plain = count >= 1 && count + named <= 2 && is_axis &&
                     (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0])) &&
                     (!has_axis || PyLong_CheckExact(args[1]));
  if (!plain || !are_small(args[0])) return leave(self, args, flags, names);
  const long axis = has_axis ? PyLong_AsLong(args[1]) : 0;
  if (axis > NPY_MAXDIMS || axis < -NPY_MAXDIMS) {
    PyErr_Clear();
    return leave(self, args, flags, names);
  }
  const Py_ssize_t parts = PySequence_Fast_GET_SIZE(args[0]);
  Ref list(PyTuple_New(parts));
  for (Py_ssize_t i = 0; list && i < parts; ++i) {
    PyObject* part = to_ndarray_read_only(as_array(PySequence_Fast_GET_ITEM(args[0], i)));
    if (!part) return nullptr;
    PyTuple_SET_ITEM(list.get(), i, part);
  }
  Ref made(list ? PyArray_Concatenate(list.get(), static_cast<int>(axis)) : nullptr);
  return made ? adopt_ndarray(made.get()) : nullptr;
}

}  // namespace

vectorcallfunc small_function(const char* name) {
  if (std::strcmp(name, "array") == 0) return array;
  if (std::strcmp(name, "arange") == 0) return arange;
  if (std::strcmp(name, "concatenate") == 0) return concatenate;
  return nullptr;
}

}  // namespace skald::python
