// SPDX-License-Identifier: Apache-2.0
#include "served.h"

#include <unordered_map>
#include <utility>

#include "places.h"

namespace skald::python {

namespace {

struct Entry {
  PyObject *kind = nullptr, *what = nullptr;  // owned
  uint32_t place = 0;
  int64_t calls = 0, bytes = 0;
};
using Book = std::unordered_map<uint64_t, Entry>;
Book& book() {
  static auto* const entries = new Book;
  return *entries;
}

// `what` is interned: equal texts are one object.
void note(PyObject* kind, PyObject* what, int64_t bytes) {
  Py_INCREF(what);
  PyUnicode_InternInPlace(&what);
  const Ref text(what);
  const uint32_t place = place_in_script();
  const uint64_t key =
      (reinterpret_cast<uint64_t>(what) * 0x9fb21c651e98df25ULL) ^ (uint64_t{place} << 32 | place);
  Entry& entry = book()[key];
  if (!entry.kind) {
    entry.kind = Ref::borrowed(kind).release();
    entry.what = Ref::borrowed(what).release();
    entry.place = place;
  }
  ++entry.calls;
  entry.bytes += bytes;
}

// A new reference to the same value with real arrays in place of ours; adds up their bytes.
PyObject* real_value(PyObject* value, int64_t& bytes) {
  if (Py_TYPE(value) == &array_type) {
    ArrayObject* array = as_array(value);
    bytes += array->view.count() * lazy::item_size(array->type());
    return to_ndarray_read_only(array);
  }
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
    const bool is_tuple = PyTuple_CheckExact(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    Ref made(is_tuple ? PyTuple_New(count) : PyList_New(count));
    if (!made) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = real_value(PySequence_Fast_GET_ITEM(value, i), bytes);
      if (!item) return nullptr;
      if (is_tuple) {
        PyTuple_SET_ITEM(made.get(), i, item);
      } else {
        PyList_SET_ITEM(made.get(), i, item);
      }
    }
    return made.release();
  }
  if (PyDict_CheckExact(value)) {
    Ref made(PyDict_New());
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t at = 0;
    while (made && PyDict_Next(value, &at, &key, &item)) {
      Ref real_item(real_value(item, bytes));
      if (!real_item || PyDict_SetItem(made.get(), key, real_item.get()) < 0) return nullptr;
    }
    return made.release();
  }
  if (PySlice_Check(value)) {
    auto* slice = reinterpret_cast<PySliceObject*>(value);
    Ref start(real_value(slice->start, bytes)), stop(real_value(slice->stop, bytes));
    Ref step(real_value(slice->step, bytes));
    return start && stop && step ? PySlice_New(start.get(), stop.get(), step.get()) : nullptr;
  }
  return Ref::borrowed(value).release();
}

// The bytes from the first to after the last element.
std::pair<const char*, const char*> bounds(PyArrayObject* array) {
  const char *low = PyArray_BYTES(array), *high = low + PyArray_ITEMSIZE(array);
  if (PyArray_SIZE(array) == 0) return {low, low};
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    const npy_intp reach = (PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

// What was lent for reading must not be kept: a view of it is copied.
Ref owned(Ref result, PyObject* args) {
  if (!PyArray_CheckExact(result.get())) return result;
  auto* array = reinterpret_cast<PyArrayObject*>(result.get());
  if (!PyArray_BASE(array)) return result;
  const auto [low, high] = bounds(array);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* lent = PyTuple_GET_ITEM(args, i);
    if (!PyArray_CheckExact(lent)) continue;
    const auto [from, to] = bounds(reinterpret_cast<PyArrayObject*>(lent));
    if (low < to && from < high) return Ref(PyArray_NewCopy(array, NPY_CORDER));
  }
  return result;
}

}  // namespace

PyObject* serve(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 5 || !PyUnicode_Check(args[0]) || !PyUnicode_Check(args[1]) ||
      !PyTuple_Check(args[3]) || !PyDict_Check(args[4])) {
    PyErr_SetString(PyExc_TypeError, "serve(kind, what, function, arguments, keywords)");
    return nullptr;
  }
  PyObject* const given = args[3];
  int64_t bytes = 0;
  Ref real_args(PyTuple_New(PyTuple_GET_SIZE(given)));
  for (Py_ssize_t i = 0; real_args && i < PyTuple_GET_SIZE(given); ++i) {
    PyObject* made = real_value(PyTuple_GET_ITEM(given, i), bytes);
    if (!made) return nullptr;
    PyTuple_SET_ITEM(real_args.get(), i, made);
  }
  Ref keywords(PyDict_GET_SIZE(args[4]) > 0 ? real_value(args[4], bytes) : nullptr);
  if (!real_args || PyErr_Occurred()) return nullptr;
  if (PyUnicode_CompareWithASCIIString(args[0], "host") != 0) note(args[0], args[1], bytes);
  Ref result(PyObject_Call(args[2], real_args.get(), keywords.get()));
  if (!result) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
    PyObject* const ours = PyTuple_GET_ITEM(given, i);
    if (result.get() == PyTuple_GET_ITEM(real_args.get(), i) && ours != result.get())
      return Ref::borrowed(ours).release();
  }
  result = owned(std::move(result), real_args.get());
  if (!result) return nullptr;
  real_args = Ref();
  keywords = Ref();
  // Items of a list that others hold stay as they are.
  if (PyList_CheckExact(result.get()) && Py_REFCNT(result.get()) > 1)
    result = Ref(PyList_GetSlice(result.get(), 0, PyList_GET_SIZE(result.get())));
  return result ? adopt(result.get()) : nullptr;
}

PyObject* served_calls(PyObject*, PyObject*) {
  Ref rows(PyList_New(0));
  for (const auto& [key, entry] : book()) {
    Ref file(file_of(entry.place));
    Ref row(file ? Py_BuildValue("OOOiLL", entry.kind, entry.what, file.get(), line_of(entry.place),
                                 static_cast<long long>(entry.calls),
                                 static_cast<long long>(entry.bytes))
                 : nullptr);
    if (!row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
  }
  return rows.release();
}

PyObject* forget_served(PyObject*, PyObject*) {
  for (auto& [key, entry] : book()) {
    Py_DECREF(entry.kind);
    Py_DECREF(entry.what);
  }
  book().clear();
  Py_RETURN_NONE;
}

}  // namespace skald::python
