// SPDX-License-Identifier: Apache-2.0
// What all files of the extension share: the array object, conversions between NumPy's world and
// the recorded graph, references to Python objects.
//
// Read next: array_type.cpp (the type), ufunc.cpp (recording), evaluate.cpp (running).
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL skald_numpy_api
#define PY_UFUNC_UNIQUE_SYMBOL skald_ufunc_api
#ifndef SKALD_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/ufuncobject.h>

#include <utility>

#include "frontend/lazy/graph.h"

namespace skald::python {

using lazy::Base;
using lazy::Buffer;
using lazy::Dims;
using lazy::DType;
using lazy::Input;
using lazy::Node;
using lazy::NodeKind;
using lazy::Scalar;
using lazy::View;

// An owned reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  static Ref borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

struct Selection;

// skald.ndarray
struct ArrayObject {
  PyObject_HEAD Base* base;
  View view;
  PyObject* weak_references;
  PyObject* parent;  // the array that this is a view of (ndarray.base), or null
  bool is_scalar;    // what NumPy would give as a scalar: cannot be changed
  bool is_read_only;
  Selection* selection;  // or null: the array are those elements of the view that a mask names

  DType type() const { return base->current->type; }
};

extern PyTypeObject array_type;
extern PyTypeObject ufunc_type;
inline bool is_array(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  // Only classes written in Python can be ours besides.
  return type == &array_type || ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 &&
                                 PyType_IsSubtype(Py_TYPE(object), &array_type) != 0);
}
// It may be a selection.
inline ArrayObject* raw_array(PyObject* object) {
  return reinterpret_cast<ArrayObject*>(object);
}
// Makes an array of a selection (selection.h).
void settle_selection(ArrayObject* array);
// A part of complex numbers gets the elements that they have now (parts.cpp).
void refresh_part(Base* base);
inline ArrayObject* as_array(PyObject* object) {
  auto* array = raw_array(object);
  if (array->selection) settle_selection(array);
  if (array->base->part) refresh_part(array->base);
  return array;
}

// ---- Types
// The number of a core type in NumPy.
int numpy_type(DType type);
// Borrowed.
PyArray_Descr* descr_of(DType type);
// False if it is not one of ours (object, strings, other byte order …).
bool core_type(PyArray_Descr* descr, DType& type);
// From anything that numpy.dtype takes; an error is set if that fails.  `known` says whether it is
// one of ours.
bool parse_type(PyObject* object, DType& type, bool& known);

// ---- Making arrays.  All give new references, null with an exception set.
// Takes over the references.
PyObject* wrap(Base* base, const View& view, PyTypeObject* type = &array_type);
PyObject* wrap_node(Node* node);
// The memory of an array whose fields are gone.
void free_object(ArrayObject* array);
// Another view of the base of `array`.
PyObject* wrap_view(ArrayObject* array, const View& view);
// From a real array: shares its memory if nobody else holds it, else copies.
PyObject* adopt_ndarray(PyObject* ndarray);
// From a real array that others see too: what is written is seen by both.  `owner`, or null: the
// array whose memory it is.  Where elements lie so that we cannot name them, it is a copy.
PyObject* share_ndarray(PyObject* ndarray, ArrayObject* owner);
// Containers too; things that are not arrays of ours are given back as they are.
PyObject* adopt(PyObject* object);
// A skald.ndarray from anything.  Gives a real ndarray if its type is not ours.
PyObject* to_array(PyObject* object, PyObject* dtype);
// A constant of that type from a scalar of Python or NumPy; false if it does not fit.
bool scalar_from(PyObject* object, DType type, Scalar& scalar);
PyObject* scalar_to_python(DType type, Scalar scalar);

// ---- Values
// After this the array has a buffer.
bool force(ArrayObject* array);
// A real array of the elements; read only: does not count as an export.
PyObject* to_ndarray_read_only(ArrayObject* array);
PyObject* to_ndarray_shared(ArrayObject* array);
PyObject* share_part(ArrayObject* array);
// The NumPy scalar of a 0-d array.
PyObject* to_numpy_scalar(ArrayObject* array);

// ---- Running
bool flush_all();
// If much is pending: what is worth being run before the rest is recorded.
bool flush_some();
// All that is pending, this node at least.
bool force_node(Node* node);
// Runs what is pending if the array's base is exported: others may change it at any time.
bool settle_if_exported(const Base* base);
// Calls real NumPy with real arrays in place of ours; counted.
PyObject* fall_back(PyObject* callable, PyObject* args, PyObject* kwargs, const char* name);
// Replaces our arrays, also in containers; `shared`: the arrays can be written.
PyObject* to_real(PyObject* object, bool shared);

// ---- Recording
PyObject* record_cast(ArrayObject* array, DType type);
bool assign_view(ArrayObject* array, const View& target, PyObject* value, PyObject* mask);
bool assign_node(Base* base, const View& target, Node* value, const View& value_view, Node* mask,
                 const View* mask_view);
bool assign_part(Base* base, const View& target, Node* value, const View& value_view, Node* mask,
                 const View* mask_view);
PyObject* part_of(PyObject* module, PyObject* args);
PyObject* count_in_bins(PyObject* module, PyObject* args);
bool broadcast_shapes(const Dims& a, const Dims& b, Dims& result);

// ---- The real NumPy
struct Real {
  PyObject *numpy, *copyto, *ufunc_type, *core;
};
extern Real real;
// numpy.NAME(…), borrowed.
PyObject* numpy_function(const char* name);

struct Stats {
  uint64_t forced = 0, flushes = 0, eager_nodes = 0, compiled_nodes = 0, compiled_runs = 0;
  uint64_t plans = 0, plan_hits = 0, fallbacks = 0, fallback_bytes = 0;
  uint64_t replayed = 0;             // rounds of loops without Python
  uint64_t loops = 0;                // of compiled_runs: loops of Python
  double planning = 0, running = 0;  // seconds
};
extern Stats stats;

}  // namespace skald::python
