// SPDX-License-Identifier: Apache-2.0
// Leaving things to real NumPy: our arrays become real ones, results become ours; counted.
#include "fallback.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "ufunc.h"

namespace skald::python {

namespace {

int64_t bytes_seen = 0;

PyObject* real_sequence(PyObject* object, bool shared) {
  const bool tuple = PyTuple_Check(object);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  bool changed = false;
  Ref result(tuple ? PyTuple_New(count) : PyList_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(object, i);
    PyObject* made = to_real(item, shared);
    if (!made) return nullptr;
    changed = changed || made != item;
    if (tuple) {
      PyTuple_SET_ITEM(result.get(), i, made);
    } else {
      PyList_SET_ITEM(result.get(), i, made);
    }
  }
  return changed ? result.release() : Ref::borrowed(object).release();
}

}  // namespace

std::map<std::string, FallbackCount>& fallback_counts() {
  static auto* const counts = new std::map<std::string, FallbackCount>;
  return *counts;
}

FallbackMode& fallback_mode() {
  static FallbackMode mode = [] {
    const char* text = std::getenv("SKALD_FALLBACK");
    if (text && std::strcmp(text, "warn") == 0) return FallbackMode::kWarn;
    if (text && std::strcmp(text, "error") == 0) return FallbackMode::kError;
    return FallbackMode::kQuiet;
  }();
  return mode;
}

bool count_fallback(const char* name, int64_t bytes) {
  ++stats.fallbacks;
  stats.fallback_bytes += static_cast<uint64_t>(bytes);
  auto& count = fallback_counts()[name];
  ++count.times;
  count.bytes += bytes;
  if (fallback_mode() == FallbackMode::kQuiet) return true;
  if (fallback_mode() == FallbackMode::kError) {
    PyErr_Format(PyExc_RuntimeError,
                 "skald: %s is left to NumPy (%lld bytes), and SKALD_FALLBACK=error forbids it",
                 name, static_cast<long long>(bytes));
    return false;
  }
  return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "skald: %s is left to NumPy (%lld bytes)", name,
                          static_cast<long long>(bytes)) == 0;
}

PyObject* to_real(PyObject* object, bool shared) {
  if (is_array(object)) {
    auto* array = as_array(object);
    bytes_seen += array->view.count() * lazy::item_size(array->type());
    if (array->is_scalar) return to_numpy_scalar(array);
    return shared && !array->is_read_only ? to_ndarray_shared(array) : to_ndarray_read_only(array);
  }
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) return real_sequence(object, shared);
  if (PyDict_CheckExact(object)) {
    Ref result(PyDict_New());
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(object, &at, &key, &value)) {
      Ref made(to_real(value, shared));
      if (!made || PyDict_SetItem(result.get(), key, made.get()) < 0) return nullptr;
    }
    return result.release();
  }
  if (Py_TYPE(object) == &ufunc_type) {
    return Ref::borrowed(ufuncs()[reinterpret_cast<UfuncObject*>(object)->op].real).release();
  }
  return Ref::borrowed(object).release();
}

PyObject* fall_back(PyObject* callable, PyObject* args, PyObject* kwargs, const char* name) {
  if (!callable) return nullptr;
  bytes_seen = 0;
  Ref real_args(to_real(args, false));
  if (!real_args) return nullptr;
  Ref real_kwargs;
  Ref out;
  if (kwargs && PyDict_Size(kwargs) > 0) {
    real_kwargs = Ref(PyDict_New());
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
      // What is written must be seen in our array.
      const bool is_out = PyUnicode_CompareWithASCIIString(key, "out") == 0;
      if (is_out) out = Ref::borrowed(value);
      Ref made(to_real(value, is_out));
      if (!made || PyDict_SetItem(real_kwargs.get(), key, made.get()) < 0) return nullptr;
    }
  }
  if (!count_fallback(name, bytes_seen)) return nullptr;
  Ref result(PyObject_Call(callable, real_args.get(), real_kwargs.get()));
  if (!result) return nullptr;
  if (out && out.get() != Py_None) {
    // The caller gets back the array it gave.
    if (PyTuple_Check(out.get()) && PyTuple_GET_SIZE(out.get()) == 1) {
      out = Ref::borrowed(PyTuple_GET_ITEM(out.get(), 0));
    }
    if (out.get() != Py_None && !PyTuple_Check(out.get())) return out.release();
  }
  real_args = Ref();
  return adopt(result.get());
}

}  // namespace skald::python
