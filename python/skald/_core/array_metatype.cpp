// SPDX-License-Identifier: Apache-2.0
// The type of skald.ndarray: what `class Image(np.ndarray)` and `isinstance(x, np.ndarray)` mean.
//
// Subclasses are NumPy's: a class statement with our type among its bases makes a subclass of
// numpy.ndarray, whose arrays NumPy handles with its own rules (__array_finalize__, attributes,
// views). So the arrays that a script meets are ours or NumPy's, and both are instances of
// np.ndarray to it.
#include <string_view>

#include "array_type.h"
#include "common.h"

namespace skald::python {

namespace {

PyObject* ours() {
  return reinterpret_cast<PyObject*>(&array_type);
}
PyObject* numpys() {
  return reinterpret_cast<PyObject*>(&PyArray_Type);
}

PyObject* make_subclass(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  PyObject *name = nullptr, *bases = nullptr, *attributes = nullptr;
  if (!PyArg_ParseTuple(args, "OO!O", &name, &PyTuple_Type, &bases, &attributes)) return nullptr;
  Ref real_bases(PyTuple_New(PyTuple_GET_SIZE(bases)));
  if (!real_bases) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    PyTuple_SET_ITEM(real_bases.get(), i,
                     Ref::borrowed(base == ours() ? numpys() : base).release());
  }
  Ref call(PyTuple_Pack(3, name, real_bases.get(), attributes));
  return call ? PyObject_Call(reinterpret_cast<PyObject*>(&PyType_Type), call.get(), kwargs)
              : nullptr;
}

PyObject* is_instance(PyObject* type, PyObject* value) {
  if (type != ours())
    return PyBool_FromLong(PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(type)));
  return PyBool_FromLong(is_array(value) || PyArray_Check(value));
}

PyObject* is_subclass(PyObject* type, PyObject* value) {
  if (!PyType_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "issubclass() arg 1 must be a class");
    return nullptr;
  }
  PyTypeObject* given = reinterpret_cast<PyTypeObject*>(value);
  return PyBool_FromLong(PyType_IsSubtype(given, reinterpret_cast<PyTypeObject*>(type)) ||
                         (type == ours() && PyType_IsSubtype(given, &PyArray_Type)));
}

// `np.ndarray.__array_finalize__(self, other)` and its like are called by subclasses.
PyObject* get_attribute(PyObject* type, PyObject* name) {
  PyObject* found = PyType_Type.tp_getattro(type, name);
  if (found || type != ours() || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text || std::string_view(text).substr(0, 8) != "__array_") return nullptr;
  PyErr_Clear();
  return PyObject_GetAttr(numpys(), name);
}

// `np.ndarray.__new__(cls, shape, …)`: of a subclass, NumPy's.
PyObject* make_array(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* type = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!type || !PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "ndarray.__new__(): the first argument must be a class");
    return nullptr;
  }
  Ref rest(PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)));
  if (!rest) return nullptr;
  if (type == ours()) return array_type.tp_new(&array_type, rest.get(), kwargs);
  if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &PyArray_Type)) {
    PyErr_Format(PyExc_TypeError, "ndarray.__new__(%s): %s is not a subtype of ndarray",
                 reinterpret_cast<PyTypeObject*>(type)->tp_name,
                 reinterpret_cast<PyTypeObject*>(type)->tp_name);
    return nullptr;
  }
  return PyArray_Type.tp_new(reinterpret_cast<PyTypeObject*>(type), rest.get(), kwargs);
}

PyMethodDef metatype_methods[] = {
    {"__instancecheck__", is_instance, METH_O, "Arrays of ours, and NumPy's."},
    {"__subclasscheck__", is_subclass, METH_O, "Subclasses are NumPy's."},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef new_method = {"__new__",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(make_array)),
                          METH_VARARGS | METH_KEYWORDS, "Makes an array of a class."};

PyTypeObject array_metatype = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

bool ready_array_metatype() {
  array_metatype.tp_name = "skald.ndarray_type";
  array_metatype.tp_flags = Py_TPFLAGS_DEFAULT;
  array_metatype.tp_base = &PyType_Type;
  array_metatype.tp_new = make_subclass;
  array_metatype.tp_getattro = get_attribute;
  array_metatype.tp_methods = metatype_methods;
  if (PyType_Ready(&array_metatype) < 0) return false;
  Py_SET_TYPE(&array_type, &array_metatype);
  return true;
}

bool ready_array_new() {
  Ref function(PyCFunction_New(&new_method, nullptr));
  Ref shared(function ? PyStaticMethod_New(function.get()) : nullptr);
  return shared && PyDict_SetItemString(array_type.tp_dict, "__new__", shared.get()) == 0;
}

}  // namespace skald::python
