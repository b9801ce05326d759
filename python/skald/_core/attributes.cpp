// SPDX-License-Identifier: Apache-2.0
// shape, dtype, T … of skald.ndarray; what is not found is looked for in numpy.ndarray.
#include "array_type.h"
#include "fallback.h"
#include "index.h"
#include "ufunc.h"

namespace skald::python {

namespace {

PyObject* get_shape(PyObject* self, void*) {
  return shape_tuple(as_array(self)->view.shape);
}

int set_shape(PyObject* self, PyObject* value, void*) {
  Dims shape;
  auto* array = as_array(self);
  if (!value || !parse_shape(value, shape)) return -1;
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      unknown = i;
    } else {
      known *= shape[i];
    }
  }
  if (unknown >= 0 && known > 0) shape[unknown] = array->view.count() / known;
  View view;
  if (count_of(shape) != array->view.count()) {
    PyErr_Format(PyExc_ValueError, "cannot reshape array of size %lld into shape %S",
                 static_cast<long long>(array->view.count()), Ref(shape_text(shape)).get());
    return -1;
  }
  if (!reshape_view(array->view, shape, view)) {
    PyErr_SetString(PyExc_AttributeError,
                    "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
                    "with the desired shape.");
    return -1;
  }
  array->view = view;
  return 0;
}

PyObject* get_strides(PyObject* self, void*) {
  auto* array = as_array(self);
  Dims strides = array->view.strides;
  for (int i = 0; i < strides.size(); ++i) strides[i] *= lazy::item_size(array->type());
  return shape_tuple(strides);
}

int set_strides(PyObject* self, PyObject* value, void*) {
  auto* array = as_array(self);
  Dims strides;
  if (!value || !parse_shape(value, strides)) return -1;
  if (strides.size() != array->view.rank()) {
    PyErr_Format(PyExc_ValueError, "strides must be same length as shape (%d)", array->view.rank());
    return -1;
  }
  const int size = lazy::item_size(array->type());
  int64_t lowest = array->view.offset, highest = array->view.offset;
  for (int i = 0; i < strides.size(); ++i) {
    if (strides[i] % size != 0) {
      PyErr_SetString(PyExc_ValueError, "strides must be multiples of the size of an element");
      return -1;
    }
    strides[i] /= size;
    const int64_t reach = (array->view.shape[i] - 1) * strides[i];
    (reach < 0 ? lowest : highest) += reach;
  }
  if (array->view.count() > 0 && (lowest < 0 || highest >= array->base->current->count())) {
    PyErr_SetString(PyExc_ValueError, "strides is not compatible with available memory");
    return -1;
  }
  array->view.strides = strides;
  return 0;
}

PyObject* get_dtype(PyObject* self, void*) {
  return Ref::borrowed(reinterpret_cast<PyObject*>(descr_of(raw_array(self)->type()))).release();
}
PyObject* get_ndim(PyObject* self, void*) {
  return PyLong_FromLong(as_array(self)->view.rank());
}
PyObject* get_size(PyObject* self, void*) {
  return PyLong_FromLongLong(as_array(self)->view.count());
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromLong(lazy::item_size(as_array(self)->type()));
}
PyObject* get_nbytes(PyObject* self, void*) {
  auto* array = as_array(self);
  return PyLong_FromLongLong(array->view.count() * lazy::item_size(array->type()));
}
PyObject* get_transposed(PyObject* self, void*) {
  auto* array = as_array(self);
  View view = array->view;
  const int rank = view.rank();
  for (int i = 0; i < rank; ++i) {
    view.shape[i] = array->view.shape[rank - 1 - i];
    view.strides[i] = array->view.strides[rank - 1 - i];
  }
  return wrap_view(array, view);
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  auto* array = as_array(self);
  View view = array->view;
  const int rank = view.rank();
  if (rank < 2) {
    PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
    return nullptr;
  }
  std::swap(view.shape[rank - 1], view.shape[rank - 2]);
  std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  return wrap_view(array, view);
}
PyObject* get_base(PyObject* self, void*) {
  PyObject* parent = as_array(self)->parent;
  return Ref::borrowed(parent ? parent : Py_None).release();
}
PyObject* get_is_scalar(PyObject* self, void*) {
  return PyBool_FromLong(as_array(self)->is_scalar);
}
PyObject* get_is_pending(PyObject* self, void*) {
  return PyBool_FromLong(as_array(self)->base->current->is_pending());
}
PyObject* get_read_only(PyObject* self, void*) {
  return PyBool_FromLong(as_array(self)->is_read_only);
}
int set_read_only(PyObject* self, PyObject* value, void*) {
  const int truth = value ? PyObject_IsTrue(value) : -1;
  if (truth < 0) return -1;
  as_array(self)->is_read_only = truth != 0;
  return 0;
}
PyObject* get_device(PyObject*, void*) {
  return PyUnicode_FromString("cpu");
}

// The elements as another type, in the same memory, which is shared from now on.
PyObject* get_real(PyObject* self, void*) {
  if (!lazy::is_complex(as_array(self)->type())) return Ref::borrowed(self).release();
  static const int op = find_ufunc("real");
  (void)op;
  Ref args(PyTuple_Pack(1, self));
  return fall_back(numpy_function("real"), args.get(), nullptr, "real");
}
PyObject* get_imag(PyObject* self, void*) {
  Ref args(PyTuple_Pack(1, self));
  return fall_back(numpy_function("imag"), args.get(), nullptr, "imag");
}
PyObject* get_data(PyObject* self, void*) {
  Ref shared(to_ndarray_shared(as_array(self)));
  return shared ? PyObject_GetAttrString(shared.get(), "data") : nullptr;
}

PyGetSetDef attributes[] = {
    {"shape", get_shape, set_shape, "Sizes of the axes.", nullptr},
    {"strides", get_strides, set_strides, "Bytes from one element to the next, for each axis.",
     nullptr},
    {"dtype", get_dtype, nullptr, "Type of the elements.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"T", get_transposed, nullptr, "The axes in reverse order.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "The last two axes exchanged.", nullptr},
    {"base", get_base, nullptr, "The array this is a view of, or None.", nullptr},
    {"real", get_real, nullptr, "Real parts.", nullptr},
    {"imag", get_imag, nullptr, "Imaginary parts.", nullptr},
    {"data", get_data, nullptr, "The memory.", nullptr},
    {"device", get_device, nullptr, "Where the elements are for the array API.", nullptr},
    {"_is_scalar", get_is_scalar, nullptr, "NumPy would give a scalar.", nullptr},
    {"_is_pending", get_is_pending, nullptr, "Not yet computed.", nullptr},
    {"_read_only", get_read_only, set_read_only, "May not be written.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

bool is_in_place(PyObject* name) {
  for (const char* known : {"sort", "partition", "put", "resize", "setfield", "byteswap"}) {
    if (PyUnicode_CompareWithASCIIString(name, known) == 0) return true;
  }
  return false;
}

// A method of numpy.ndarray, called with a real array in our place.
PyObject* call_real_method(PyObject* bound, PyObject* args, PyObject* kwargs) {
  PyObject* self = PyTuple_GET_ITEM(bound, 0);
  PyObject* name = PyTuple_GET_ITEM(bound, 1);
  auto* array = as_array(self);
  Ref real_array;
  if (is_in_place(name)) {
    real_array = Ref(to_ndarray_shared(array));
  } else {
    real_array = Ref(array->is_scalar ? to_numpy_scalar(array) : to_ndarray_read_only(array));
  }
  Ref function(real_array ? PyObject_GetAttr(real_array.get(), name) : nullptr);
  if (!function) return nullptr;
  const std::string full = std::string("ndarray.") + PyUnicode_AsUTF8(name);
  real_array = Ref();
  return fall_back(function.get(), args, kwargs, full.c_str());
}
PyMethodDef real_method = {"method",
                           reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call_real_method)),
                           METH_VARARGS | METH_KEYWORDS, "A method of numpy.ndarray."};

}  // namespace

PyGetSetDef* array_attributes() {
  return attributes;
}

PyObject* array_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text || (text[0] == '_' && std::string(text) != "__format__")) return nullptr;
  PyErr_Clear();
  Ref real_attribute(PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyArray_Type), name));
  if (!real_attribute) {
    PyErr_Clear();
    PyErr_Format(PyExc_AttributeError, "'numpy.ndarray' object has no attribute '%U'", name);
    return nullptr;
  }
  if (PyCallable_Check(real_attribute.get())) {
    Ref bound(PyTuple_Pack(2, self, name));
    return PyCFunction_New(&real_method, bound.get());
  }
  Ref real_array(to_ndarray_read_only(as_array(self)));
  Ref value(real_array ? PyObject_GetAttr(real_array.get(), name) : nullptr);
  return value ? adopt(value.get()) : nullptr;
}

}  // namespace skald::python
