// SPDX-License-Identifier: Apache-2.0
#include "elements.h"

#include <cstddef>
#include <cstring>

#include "plan_cache.h"
#include "recording.h"

namespace skald::python {

namespace {

// All of NumPy's scalars of our types have their value at the same place.
constexpr size_t kValueAt = offsetof(PyDoubleScalarObject, obval);
static_assert(offsetof(PyBoolScalarObject, obval) == kValueAt &&
              offsetof(PyUShortScalarObject, obval) == kValueAt &&
              offsetof(PyIntScalarObject, obval) == kValueAt &&
              offsetof(PyCDoubleScalarObject, obval) == kValueAt);

// Borrowed; they live as long as NumPy.
PyTypeObject* scalar_type_of(DType type) {
  static PyTypeObject* types[lazy::kDTypeCount] = {};
  PyTypeObject*& known = types[static_cast<size_t>(type)];
  if (!known) {
    known = reinterpret_cast<PyTypeObject*>(PyArray_TypeObjectFromType(numpy_type(type)));
  }
  return known;
}

// Adds what one index moves by; false: it is no Python int in bounds.
bool add_index(PyObject* item, int64_t size, int64_t stride, int64_t& place) {
  if (!PyLong_CheckExact(item)) return false;
  Py_ssize_t at = PyLong_AsSsize_t(item);
  if (at < 0) {
    if (at == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    at += size;
  }
  if (at < 0 || at >= size) return false;
  place += at * stride;
  return true;
}

}  // namespace

int64_t place_of(const View& view, PyObject* key) {
  const int rank = view.rank();
  int64_t place = view.offset;
  if (PyTuple_CheckExact(key)) {
    if (PyTuple_GET_SIZE(key) != rank) return -1;
    for (int i = 0; i < rank; ++i) {
      if (!add_index(PyTuple_GET_ITEM(key, i), view.shape[i], view.strides[i], place)) return -1;
    }
    return rank > 0 ? place : -1;
  }
  return rank == 1 && add_index(key, view.shape[0], view.strides[0], place) ? place : -1;
}

PyObject* element_at(const Node* node, int64_t place) {
  const int size = lazy::item_size(node->type);
  std::byte* const at = node->data() + place * size;
  if (node->type == DType::kBool) {
    return Ref::borrowed(*reinterpret_cast<npy_bool*>(at) ? PyArrayScalar_True
                                                          : PyArrayScalar_False)
        .release();
  }
  PyTypeObject* const type = scalar_type_of(node->type);
  PyObject* scalar = type ? type->tp_alloc(type, 0) : nullptr;
  if (scalar) {
    std::memcpy(reinterpret_cast<std::byte*>(scalar) + kValueAt, at, static_cast<size_t>(size));
  }
  return scalar;
}

bool write_element(const Base* base, int64_t place, PyObject* value) {
  const Node* node = base->current;
  Buffer* buffer = node->buffer;
  const bool ours = buffer && node->refs == 1 && buffer->refs == 1 && buffer->exports == 0 &&
                    buffer->writable && buffer->data && !buffer->device;
  if (!ours || !base->may_change() || current_trace()) return false;
  const auto size = static_cast<size_t>(lazy::item_size(node->type));
  std::byte* const to = node->data() + place * static_cast<int64_t>(size);
  // A scalar of NumPy of the same type, seldom of another one.
  if (Py_TYPE(value) == scalar_type_of(node->type)) {
    std::memcpy(to, reinterpret_cast<std::byte*>(value) + kValueAt, size);
    return true;
  }
  const bool is_number = PyFloat_Check(value) || PyLong_CheckExact(value);
  Scalar scalar = {};
  if (!is_number || lazy::is_complex(node->type) || !scalar_from(value, node->type, scalar))
    return false;
  const uint64_t bits = scalar_bits(node->type, scalar);
  std::memcpy(to, &bits, size);
  return true;
}

}  // namespace skald::python
