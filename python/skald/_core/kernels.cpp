// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

namespace skald::python {

namespace {

// For fewer elements it is not worth asking.
constexpr int64_t kLeast = 4096;

PyObject* call_kernels(const char* function, PyObject* args) {
  Ref module(PyImport_ImportModule("skald._kernels"));
  Ref callee(module && args ? PyObject_GetAttrString(module.get(), function) : nullptr);
  return callee ? PyObject_CallObject(callee.get(), args) : nullptr;
}

// The places may be a tuple, of which one array has as many elements as all together.
bool has_many(PyObject* places) {
  if (is_array(places)) return as_array(places)->view.count() >= kLeast;
  if (!PyTuple_CheckExact(places)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(places); ++i) {
    if (has_many(PyTuple_GET_ITEM(places, i))) return true;
  }
  return false;
}

}  // namespace

PyObject* take_by_kernel(ArrayObject* array, ArrayObject* places) {
  if (places->view.count() < kLeast) return nullptr;
  Ref args(Py_BuildValue("(OO)", array, places));
  Ref taken(call_kernels("take", args.get()));
  return taken && taken.get() != Py_None ? taken.release() : nullptr;
}

int update_by_kernel(const std::string& name, PyObject* array, PyObject* places, PyObject* values) {
  if (!is_array(array) || !has_many(places)) return 0;
  Ref args(Py_BuildValue("(sOOO)", name.c_str(), array, places, values));
  Ref done(call_kernels("update_at", args.get()));
  return done ? PyObject_IsTrue(done.get()) : -1;
}

}  // namespace skald::python
