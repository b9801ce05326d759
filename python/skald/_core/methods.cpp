// SPDX-License-Identifier: Apache-2.0
// Methods of skald.ndarray.
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "array_type.h"
#include "axis_order.h"
#include "fallback.h"
#include "index.h"
#include "module.h"
#include "protocols.h"
#include "reduce.h"
#include "ufunc.h"

namespace skald::python {

bool reshape_view(const View& from, const Dims& shape, View& to) {
  to.shape = shape;
  to.offset = from.offset;
  to.strides.resize(shape.size());
  if (count_of(shape) == 0) {
    to.strides = View::dense(shape).strides;
    return true;
  }
  // Groups of old axes and of new ones with the same number of elements; the old ones of a group
  // must be dense among themselves.
  Dims old_shape, old_strides;
  for (int i = 0; i < from.rank(); ++i) {
    if (from.shape[i] == 1) continue;
    old_shape.push_back(from.shape[i]);
    old_strides.push_back(from.strides[i]);
  }
  int old_at = 0, new_at = 0;
  while (old_at < old_shape.size() && new_at < shape.size()) {
    int old_end = old_at + 1, new_end = new_at + 1;
    int64_t old_count = old_shape[old_at], new_count = shape[new_at];
    while (old_count != new_count) {
      if (old_count < new_count) {
        old_count *= old_shape[old_end++];
      } else {
        new_count *= shape[new_end++];
      }
    }
    for (int i = old_at; i + 1 < old_end; ++i) {
      if (old_strides[i] != old_strides[i + 1] * old_shape[i + 1]) return false;
    }
    int64_t stride = old_strides[old_end - 1];
    for (int i = new_end - 1; i >= new_at; --i) {
      to.strides[i] = stride;
      stride *= shape[i];
    }
    old_at = old_end;
    new_at = new_end;
  }
  for (; new_at < shape.size(); ++new_at) to.strides[new_at] = 1;
  return true;
}

PyObject* reshape(ArrayObject* array, Dims shape) {
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (unknown >= 0) {
        PyErr_SetString(PyExc_ValueError, "can only specify one unknown dimension");
        return nullptr;
      }
      unknown = i;
    } else {
      known *= shape[i];
    }
  }
  const int64_t count = array->view.count();
  if (unknown >= 0 && known > 0 && count % known == 0) {
    shape[unknown] = count / known;
    known = count;
  }
  if (known != count || (unknown >= 0 && shape[unknown] < 0)) {
    PyErr_Format(PyExc_ValueError, "cannot reshape array of size %lld into shape %S",
                 static_cast<long long>(count), Ref(shape_text(shape)).get());
    return nullptr;
  }
  View view;
  if (reshape_view(array->view, shape, view)) return wrap_view(array, view);
  Ref copy(record_cast(array, array->type()));
  if (!copy || !reshape_view(as_array(copy.get())->view, shape, view)) return nullptr;
  as_array(copy.get())->view = view;
  return copy.release();
}

PyObject* empty_array(PyObject* shape, PyObject* dtype) {
  Dims dims;
  if (!parse_shape(shape, dims)) return nullptr;
  DType type = DType::kF64;
  bool known = true;
  if (dtype && dtype != Py_None && !parse_type(dtype, type, known)) return nullptr;
  double total = 8;
  for (const int64_t n : dims) {
    if (n < 0) {
      PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
      return nullptr;
    }
    total *= static_cast<double>(n);
  }
  if (!known || dims.size() > 64 || total > 4e12) {
    Ref tuple(shape_tuple(dims));
    return PyObject_CallFunction(numpy_function("zeros"), "OO", tuple.get(),
                                 dtype ? dtype : Py_None);
  }
  Node* node = lazy::new_node(NodeKind::kFill, type, dims, 0);
  node->op = lazy::kUndefined;
  node->scalar = {};
  std::memset(&node->scalar, 0, sizeof node->scalar);
  return wrap_node(node);
}

namespace {

// Positional arguments as one shape: reshape(2, 3) and reshape((2, 3)).
bool shape_arguments(PyObject* args, Dims& shape) {
  if (PyTuple_GET_SIZE(args) == 1) return parse_shape(PyTuple_GET_ITEM(args, 0), shape);
  return parse_shape(args, shape);
}

bool only_c_order(PyObject* kwargs) {
  if (!kwargs) return true;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(kwargs, &at, &key, &value)) {
    const bool order = PyUnicode_CompareWithASCIIString(key, "order") == 0;
    const bool plain =
        order && PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "C") == 0;
    if (!plain) return false;
  }
  return true;
}

PyObject* by_numpy(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  Ref function(real_array ? PyObject_GetAttrString(real_array.get(), name) : nullptr);
  if (!function) return nullptr;
  const std::string full = std::string("ndarray.") + name;
  return fall_back(function.get(), args, kwargs, full.c_str());
}

PyObject* method_reshape(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!only_c_order(kwargs) || PyTuple_GET_SIZE(args) == 0)
    return by_numpy(self, "reshape", args, kwargs);
  Dims shape;
  if (!shape_arguments(args, shape)) return nullptr;
  return reshape(as_array(self), shape);
}

PyObject* method_ravel(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!only_c_order(kwargs) || PyTuple_GET_SIZE(args) > 0)
    return by_numpy(self, "ravel", args, kwargs);
  return reshape(as_array(self), Dims(1, -1));
}

PyObject* method_flatten(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!only_c_order(kwargs) || PyTuple_GET_SIZE(args) > 0)
    return by_numpy(self, "flatten", args, kwargs);
  Ref copy(copy_array(as_array(self)));
  return copy ? reshape(as_array(copy.get()), Dims(1, -1)) : nullptr;
}

PyObject* method_transpose(PyObject* self, PyObject* args) {
  auto* array = as_array(self);
  const int rank = array->view.rank();
  Dims axes;
  if (PyTuple_GET_SIZE(args) == 0 ||
      (PyTuple_GET_SIZE(args) == 1 && PyTuple_GET_ITEM(args, 0) == Py_None)) {
    for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  } else if (!shape_arguments(args, axes)) {
    return nullptr;
  }
  View view = array->view;
  uint64_t seen = 0;
  for (int i = 0; i < axes.size() && axes.size() == rank; ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank || (seen >> axis & 1))
      return by_numpy(self, "transpose", args, nullptr);
    seen |= uint64_t{1} << axis;
    view.shape[i] = array->view.shape[static_cast<int>(axis)];
    view.strides[i] = array->view.strides[static_cast<int>(axis)];
  }
  if (axes.size() != rank) return by_numpy(self, "transpose", args, nullptr);
  return wrap_view(array, view);
}

PyObject* method_copy(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"order", nullptr};
  PyObject* order = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &order))
    return nullptr;
  const char letter = order_letter(order, 'C');
  return letter == 0 ? nullptr : copy_in_order(as_array(self), as_array(self)->type(), letter);
}
PyObject* method_deepcopy(PyObject* self, PyObject*) {
  return copy_in_order(as_array(self), as_array(self)->type(), 'K');
}

PyObject* method_astype(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "order", "casting", "subok", "copy", "device", nullptr};
  PyObject *dtype = nullptr, *order = nullptr, *casting = nullptr, *subok = nullptr,
           *copy = nullptr, *device = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOO", const_cast<char**>(names), &dtype,
                                   &order, &casting, &subok, &copy, &device)) {
    return nullptr;
  }
  auto* array = as_array(self);
  DType type;
  bool known = false;
  if (!parse_type(dtype, type, known)) return nullptr;
  NPY_CASTING rule = NPY_UNSAFE_CASTING;
  if (casting && !PyArray_CastingConverter(casting, &rule)) return nullptr;
  if (!known || !PyArray_CanCastTypeTo(descr_of(array->type()), descr_of(type), rule)) {
    return by_numpy(self, "astype", args, kwargs);
  }
  const int copies = copy ? PyObject_IsTrue(copy) : 1;
  if (copies < 0) return nullptr;
  const char letter = order_letter(order, 'K');
  if (letter == 0) return nullptr;
  const bool is_so = letter == 'K' || letter == 'A' || (letter == 'C' && array->view.is_dense());
  if (type == array->type() && !copies && is_so) return Ref::borrowed(self).release();
  return copy_in_order(array, type, letter);
}

PyObject* method_fill(PyObject* self, PyObject* value) {
  auto* array = as_array(self);
  if (array->is_read_only || array->is_scalar) {
    PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
    return nullptr;
  }
  if (!assign_view(array, array->view, value, nullptr)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* method_item(PyObject* self, PyObject* args) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  Ref function(real_array ? PyObject_GetAttrString(real_array.get(), "item") : nullptr);
  Ref real_args(function ? to_real(args, false) : nullptr);
  return real_args ? PyObject_CallObject(function.get(), real_args.get()) : nullptr;
}
PyObject* method_tolist(PyObject* self, PyObject*) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  return real_array ? PyObject_CallMethod(real_array.get(), "tolist", nullptr) : nullptr;
}
PyObject* method_complex(PyObject* self, PyObject*) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  return real_array ? PyObject_CallMethod(real_array.get(), "__complex__", nullptr) : nullptr;
}
PyObject* method_format(PyObject* self, PyObject* spec) {
  auto* array = as_array(self);
  Ref value(array->is_scalar ? to_numpy_scalar(array) : to_ndarray_read_only(array));
  return value ? PyObject_Format(value.get(), spec) : nullptr;
}

PyObject* reduction(PyObject* self, PyObject* args, PyObject* kwargs, uint16_t op, const char* name,
                    bool has_dtype) {
  // sum(axis, dtype, out, …) but max(axis, out, …).
  Ref full(
      PyTuple_New(1 + PyTuple_GET_SIZE(args) + (!has_dtype && PyTuple_GET_SIZE(args) > 1 ? 1 : 0)));
  PyTuple_SET_ITEM(full.get(), 0, Ref::borrowed(self).release());
  Py_ssize_t to = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    if (i == 1 && !has_dtype) PyTuple_SET_ITEM(full.get(), to++, Ref::borrowed(Py_None).release());
    PyTuple_SET_ITEM(full.get(), to++, Ref::borrowed(PyTuple_GET_ITEM(args, i)).release());
  }
  PyObject* result = reduce_method(op, full.get(), kwargs, 0);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  return by_numpy(self, name, args, kwargs);
}

#define SKALD_REDUCTION(name, op, has_dtype)                                  \
  PyObject* method_##name(PyObject* self, PyObject* args, PyObject* kwargs) { \
    return reduction(self, args, kwargs, ops.op, #name, has_dtype);           \
  }
SKALD_REDUCTION(sum, add, true)
SKALD_REDUCTION(prod, multiply, true)
SKALD_REDUCTION(max, maximum, false)
SKALD_REDUCTION(min, minimum, false)
SKALD_REDUCTION(all, logical_and, false)
SKALD_REDUCTION(any, logical_or, false)
#undef SKALD_REDUCTION

PyObject* scan(PyObject* self, PyObject* args, PyObject* kwargs, uint16_t op, const char* name) {
  static const char* names[] = {"axis", "dtype", "out", nullptr};
  PyObject *axis = Py_None, *dtype = Py_None, *out = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOO", const_cast<char**>(names), &axis, &dtype,
                                   &out)) {
    return nullptr;
  }
  Ref source = Ref::borrowed(self);
  if (axis == Py_None) source = Ref(reshape(as_array(self), Dims(1, -1)));
  if (!source) return nullptr;
  Ref zero(PyLong_FromLong(0));
  Ref all(PyTuple_Pack(4, source.get(), axis == Py_None ? zero.get() : axis, dtype, out));
  PyObject* result = accumulate_method(op, all.get(), nullptr);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  return by_numpy(self, name, args, kwargs);
}
PyObject* method_cumsum(PyObject* self, PyObject* args, PyObject* kwargs) {
  return scan(self, args, kwargs, ops.add, "cumsum");
}
PyObject* method_cumprod(PyObject* self, PyObject* args, PyObject* kwargs) {
  return scan(self, args, kwargs, ops.multiply, "cumprod");
}

PyObject* method_squeeze(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) > 0 || (kwargs && PyDict_Size(kwargs) > 0))
    return by_numpy(self, "squeeze", args, kwargs);
  auto* array = as_array(self);
  View view;
  view.offset = array->view.offset;
  for (int i = 0; i < array->view.rank(); ++i) {
    if (array->view.shape[i] == 1) continue;
    view.shape.push_back(array->view.shape[i]);
    view.strides.push_back(array->view.strides[i]);
  }
  return wrap_view(array, view);
}

PyObject* method_swapaxes(PyObject* self, PyObject* args) {
  int a = 0, b = 0;
  if (!PyArg_ParseTuple(args, "ii", &a, &b)) return nullptr;
  auto* array = as_array(self);
  const int rank = array->view.rank();
  if (a < -rank || a >= rank || b < -rank || b >= rank)
    return by_numpy(self, "swapaxes", args, nullptr);
  View view = array->view;
  a = a < 0 ? a + rank : a;
  b = b < 0 ? b + rank : b;
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
  return wrap_view(array, view);
}

#define SKALD_KEYWORDS(name) \
  reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(name)), METH_VARARGS | METH_KEYWORDS
PyMethodDef methods[] = {
    {"reshape", SKALD_KEYWORDS(method_reshape), "Another shape."},
    {"ravel", SKALD_KEYWORDS(method_ravel), "One axis."},
    {"flatten", SKALD_KEYWORDS(method_flatten), "A copy with one axis."},
    {"transpose", method_transpose, METH_VARARGS, "The axes in another order."},
    {"swapaxes", method_swapaxes, METH_VARARGS, "Two axes exchanged."},
    {"squeeze", SKALD_KEYWORDS(method_squeeze), "Without axes of one element."},
    {"copy", SKALD_KEYWORDS(method_copy), "A copy."},
    {"__copy__", method_deepcopy, METH_NOARGS, "A copy."},
    {"__deepcopy__", method_deepcopy, METH_O, "A copy."},
    {"astype", SKALD_KEYWORDS(method_astype), "As another type."},
    {"fill", method_fill, METH_O, "The same value everywhere."},
    {"item", method_item, METH_VARARGS, "An element as a Python scalar."},
    {"tolist", method_tolist, METH_NOARGS, "Nested lists."},
    {"sum", SKALD_KEYWORDS(method_sum), "The sum along axes."},
    {"prod", SKALD_KEYWORDS(method_prod), "The product along axes."},
    {"max", SKALD_KEYWORDS(method_max), "The largest along axes."},
    {"min", SKALD_KEYWORDS(method_min), "The smallest along axes."},
    {"all", SKALD_KEYWORDS(method_all), "Are all true?"},
    {"any", SKALD_KEYWORDS(method_any), "Is any true?"},
    {"cumsum", SKALD_KEYWORDS(method_cumsum), "Partial sums."},
    {"cumprod", SKALD_KEYWORDS(method_cumprod), "Partial products."},
    {"__array__", SKALD_KEYWORDS(method_array), "As numpy.ndarray."},
    {"__array_ufunc__", SKALD_KEYWORDS(method_array_ufunc), "NEP 13."},
    {"__array_function__", SKALD_KEYWORDS(method_array_function), "NEP 18."},
    {"__array_namespace__", SKALD_KEYWORDS(method_array_namespace), "The array API."},
    {"__dlpack__", SKALD_KEYWORDS(method_dlpack), "DLPack."},
    {"__dlpack_device__", method_dlpack_device, METH_NOARGS, "DLPack."},
    {"__complex__", method_complex, METH_NOARGS, "As a complex number."},
    {"__format__", method_format, METH_O, "As text."},
    {"__reduce__", method_reduce, METH_NOARGS, "For pickle."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "np.ndarray[shape, dtype] in annotations."},
    {"copy2numpy", method_copy_to_numpy, METH_NOARGS, "A copy as numpy.ndarray."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* array_methods() {
  return methods;
}

PyObject* copy_array(ArrayObject* array) {
  Node* node = array->base->current;
  const bool whole =
      array->view.offset == 0 && array->view.is_dense() && array->view.count() == node->count();
  if (whole && !array->base->is_exported()) {
    // Two bases share a version until one of them is written.
    node->retain();
    return wrap(lazy::new_base(node), View::dense(array->view.shape));
  }
  return record_cast(array, array->type());
}

}  // namespace skald::python
