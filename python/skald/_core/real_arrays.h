// SPDX-License-Identifier: Apache-2.0
// Elements of nodes as real arrays, for the time that NumPy computes one node.
#pragma once

#include "common.h"
#include "refused.h"

namespace skald::python {

inline PyArrayObject* as_real(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

// Not kept beyond the evaluation of one node, so that nothing needs to own the memory.
inline PyObject* show(void* data, DType type, const View& view, bool writable) {
  const int size = lazy::item_size(type);
  Dims strides = view.strides;
  for (int i = 0; i < strides.size(); ++i) strides[i] *= size;
  PyArray_Descr* descr = descr_of(type);
  Py_INCREF(descr);
  return PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank(), const_cast<npy_intp*>(view.shape.data()), strides.data(),
      static_cast<char*>(data) + view.offset * size, writable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
}

inline PyObject* input_array(const Input& input) {
  if (input.node) return show(input.node->data(), input.type, input.view, false);
  Ref value(scalar_to_python(input.type, input.scalar));
  if (!value) return nullptr;
  PyArray_Descr* descr = descr_of(input.type);
  Py_INCREF(descr);
  return PyArray_FromAny(value.get(), descr, 0, 0, 0, nullptr);
}

// Memory for the result, and a real array that shows it.
struct Result {
  Buffer* buffer = nullptr;
  Ref array;
  explicit Result(const Node* node) {
    buffer = lazy::new_buffer(node->count() * lazy::item_size(node->type));
    if (!buffer) {
      set_no_memory(node);
      return;
    }
    array = Ref(show(buffer->data, node->type, View::dense(node->shape), true));
  }
  ~Result() {
    array = Ref();
    if (buffer) buffer->drop();
  }
  void give(Node* node) { lazy::set_value(node, std::exchange(buffer, nullptr)); }
};

}  // namespace skald::python
