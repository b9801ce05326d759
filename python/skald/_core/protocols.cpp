// SPDX-License-Identifier: Apache-2.0
#include "protocols.h"

#include <unordered_map>

#include "array_type.h"
#include "fallback.h"
#include "module.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// The usual call of NumPy's function, which `x * a` with one of its scalars is; null without an
// exception: another one.
PyObject* plain_ufunc_call(PyObject* args, PyObject* kwargs) {
  static auto* const known = [] {
    auto* map = new std::unordered_map<PyObject*, uint16_t>;
    for (size_t i = 0; i < ufuncs().size(); ++i)
      map->emplace(ufuncs()[i].real, static_cast<uint16_t>(i));
    return map;
  }();
  if (kwargs && PyDict_GET_SIZE(kwargs) > 0) return nullptr;
  const auto found = known->find(PyTuple_GET_ITEM(args, 0));
  if (found == known->end()) return nullptr;
  const Py_ssize_t count = PyTuple_GET_SIZE(args) - 2;
  if (count != ufuncs()[found->second].inputs) return nullptr;
  if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(args, 1), "__call__") != 0) return nullptr;
  return record_ufunc(found->second, &PyTuple_GET_ITEM(args, 2), static_cast<int>(count));
}

PyObject* forward(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  Ref shared(to_ndarray_shared(as_array(self)));
  Ref function(shared ? PyObject_GetAttrString(shared.get(), name) : nullptr);
  return function ? PyObject_Call(function.get(), args, kwargs) : nullptr;
}

}  // namespace

PyObject* method_array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &dtype, &copy)) {
    return nullptr;
  }
  if (raise_unheard(self)) return nullptr;
  auto* array = as_array(self);
  Ref shared(array->is_scalar ? to_ndarray_read_only(array) : to_ndarray_shared(array));
  if (!shared) return nullptr;
  Ref call_kwargs(Py_BuildValue("{sOsO}", "dtype", dtype, "copy",
                                copy == Py_None && array->is_scalar ? Py_True : copy));
  Ref call_args(PyTuple_Pack(1, shared.get()));
  return PyObject_Call(numpy_function("asarray"), call_args.get(), call_kwargs.get());
}

PyObject* method_array_ufunc(PyObject*, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) < 2) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const plain = plain_ufunc_call(args, kwargs);
  if (plain || PyErr_Occurred()) return plain;
  Ref name(PyObject_GetAttrString(PyTuple_GET_ITEM(args, 0), "__name__"));
  if (!name) return nullptr;
  const int op = find_ufunc(PyUnicode_AsUTF8(name.get()));
  PyObject* method = PyTuple_GET_ITEM(args, 1);
  Ref rest(PyTuple_GetSlice(args, 2, PyTuple_GET_SIZE(args)));
  if (op < 0 || ufuncs()[static_cast<size_t>(op)].real != PyTuple_GET_ITEM(args, 0)) {
    Ref function(PyObject_GetAttr(PyTuple_GET_ITEM(args, 0), method));
    return fall_back(function.get(), rest.get(), kwargs, PyUnicode_AsUTF8(name.get()));
  }
  Ref function(PyUnicode_CompareWithASCIIString(method, "__call__") == 0
                   ? Ref::borrowed(ufuncs()[static_cast<size_t>(op)].object)
                   : Ref(PyObject_GetAttr(ufuncs()[static_cast<size_t>(op)].object, method)));
  return function ? PyObject_Call(function.get(), rest.get(), kwargs) : nullptr;
}

PyObject* method_array_function(PyObject*, PyObject* args, PyObject* kwargs) {
  if (PyObject* handler = module_state().array_function)
    return PyObject_Call(handler, args, kwargs);
  PyObject *function = nullptr, *types = nullptr, *call_args = nullptr, *call_kwargs = nullptr;
  if (!PyArg_ParseTuple(args, "OOOO", &function, &types, &call_args, &call_kwargs)) return nullptr;
  Ref name(PyObject_GetAttrString(function, "__name__"));
  if (!name) return nullptr;
  return fall_back(function, call_args, call_kwargs, PyUnicode_AsUTF8(name.get()));
}

PyObject* method_array_namespace(PyObject*, PyObject*, PyObject*) {
  PyObject* found = module_state().array_namespace;
  if (found) return Ref::borrowed(found).release();
  return PyImport_ImportModule("skald");
}

PyObject* method_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  return forward(self, "__dlpack__", args, kwargs);
}
PyObject* method_dlpack_device(PyObject*, PyObject*) {
  return Py_BuildValue("(ii)", 1, 0);
}
PyObject* method_copy_to_numpy(PyObject* self, PyObject*) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  return real_array ? PyObject_CallMethod(real_array.get(), "copy", nullptr) : nullptr;
}
PyObject* method_reduce(PyObject* self, PyObject*) {
  Ref copy(method_copy_to_numpy(self, nullptr));
  Ref module(PyImport_ImportModule("skald._core"));
  Ref function(module ? PyObject_GetAttrString(module.get(), "array") : nullptr);
  return copy && function ? Py_BuildValue("(O(O))", function.get(), copy.get()) : nullptr;
}

}  // namespace skald::python
