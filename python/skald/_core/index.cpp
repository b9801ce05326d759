// SPDX-License-Identifier: Apache-2.0
// array[…] and array[…] = …: views for integers, slices, None and …; the rest is NumPy's.
#include "index.h"

#include <cstring>
#include <string>

#include "axis_order.h"
#include "elements.h"
#include "little.h"
#include "plan_cache.h"
#include "recording.h"
#include "selection.h"

namespace skald::python {

namespace {

enum class Parsed { kBasic, kAdvanced, kError };

struct BasicIndex {
  View view;
  int axis = 0;  // of the array: the next one that is not used
  bool all_integers = true;
};

Parsed add_integer(BasicIndex& index, const View& from, PyObject* item) {
  const Py_ssize_t at = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (at == -1 && PyErr_Occurred()) return Parsed::kError;
  const int64_t size = from.shape[index.axis];
  if (at < -size || at >= size) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %lld", at,
                 index.axis, static_cast<long long>(size));
    return Parsed::kError;
  }
  index.view.offset += (at < 0 ? at + size : at) * from.strides[index.axis];
  ++index.axis;
  return Parsed::kBasic;
}

Parsed add_slice(BasicIndex& index, const View& from, PyObject* item) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(item, &start, &stop, &step) < 0) return Parsed::kError;
  const int64_t size = from.shape[index.axis], stride = from.strides[index.axis];
  const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  if (count > 0) index.view.offset += start * stride;
  index.view.shape.push_back(count);
  index.view.strides.push_back(stride * step);
  ++index.axis;
  index.all_integers = false;
  return Parsed::kBasic;
}

bool is_integer_index(PyObject* item) {
  if (PyLong_CheckExact(item)) return true;
  if (PyBool_Check(item)) return false;
  if (is_array(item)) {
    const auto* array = as_array(item);
    return array->view.rank() == 0 && lazy::is_integer(array->type());
  }
  if (PyArray_Check(item)) return false;
  if (PyArray_IsScalar(item, Bool)) return false;
  return PyIndex_Check(item) != 0;
}

bool is_basic(PyObject* item) {
  return PySlice_Check(item) || item == Py_None || item == Py_Ellipsis || is_integer_index(item);
}

Parsed parse(const View& from, PyObject* key, BasicIndex& index) {
  const bool tuple = PyTuple_Check(key);
  const Py_ssize_t count = tuple ? PyTuple_GET_SIZE(key) : 1;
  int used = 0, ellipses = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = tuple ? PyTuple_GET_ITEM(key, i) : key;
    if (!is_basic(item)) return Parsed::kAdvanced;
    if (item == Py_Ellipsis) {
      ++ellipses;
    } else if (item != Py_None) {
      ++used;
    }
  }
  if (ellipses > 1 || used > from.rank()) {
    if (ellipses > 1) {
      PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
    } else {
      PyErr_Format(PyExc_IndexError,
                   "too many indices for array: array is %d-dimensional, but %d were indexed",
                   from.rank(), used);
    }
    return Parsed::kError;
  }
  index.view.offset = from.offset;
  const int skipped = from.rank() - used;
  if (ellipses > 0) index.all_integers = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = tuple ? PyTuple_GET_ITEM(key, i) : key;
    Parsed parsed = Parsed::kBasic;
    if (item == Py_None) {
      index.view.shape.push_back(1);
      index.view.strides.push_back(0);
      index.all_integers = false;
    } else if (item == Py_Ellipsis) {
      for (int j = 0; j < skipped; ++j, ++index.axis) {
        index.view.shape.push_back(from.shape[index.axis]);
        index.view.strides.push_back(from.strides[index.axis]);
      }
    } else if (PySlice_Check(item)) {
      parsed = add_slice(index, from, item);
    } else {
      parsed = add_integer(index, from, item);
    }
    if (parsed != Parsed::kBasic) return parsed;
  }
  for (; index.axis < from.rank(); ++index.axis) {
    index.view.shape.push_back(from.shape[index.axis]);
    index.view.strides.push_back(from.strides[index.axis]);
    index.all_integers = false;
  }
  return Parsed::kBasic;
}

// A boolean array of the same shape as the array.
ArrayObject* whole_mask(ArrayObject* array, PyObject* key) {
  if (!is_array(key)) return nullptr;
  auto* mask = as_array(key);
  return mask->type() == DType::kBool && mask->view.shape == array->view.shape ? mask : nullptr;
}

int set_by_numpy(ArrayObject* array, PyObject* key, PyObject* value) {
  Ref target(to_ndarray_shared(array));
  Ref real_key(target ? to_real(key, false) : nullptr);
  Ref real_value(real_key ? to_real(value, false) : nullptr);
  if (!real_value) return -1;
  ++stats.fallbacks;
  return PyObject_SetItem(target.get(), real_key.get(), real_value.get());
}

}  // namespace

PyObject* get_item(ArrayObject* array, PyObject* key) {
  const int64_t place = array->is_scalar || is_recording() ? -1 : place_of(array->view, key);
  if (place >= 0) return force(array) ? element_at(array->base->current, place) : nullptr;
  BasicIndex index;
  const Parsed parsed = parse(array->view, key, index);
  if (parsed == Parsed::kError) return nullptr;
  if (parsed == Parsed::kBasic) {
    const bool is_recorded = is_recording() && array->base->current->is_pending();
    if (index.all_integers && !array->is_scalar && !is_recorded) {
      if (!force(array)) return nullptr;
      return element_at(array->base->current, index.view.offset);
    }
    PyObject* result = wrap_view(array, index.view);
    if (!result || !index.all_integers) return result;
    // A function that is recorded goes on with an array without axes.
    if (is_recorded) {
      Ref element(result);
      return record_cast(as_array(result), array->type());
    }
    PyObject* scalar = to_numpy_scalar(as_array(result));
    Py_DECREF(result);
    return scalar;
  }
  PyObject* const selected = select(array, key);
  if (selected || PyErr_Occurred()) return selected;
  PyObject* const gathered = gather(array, key);
  if (gathered || PyErr_Occurred()) return gathered;
  Ref source(to_ndarray_read_only(array));
  Ref real_key(source ? to_real(key, false) : nullptr);
  Ref item(real_key ? PyObject_GetItem(source.get(), real_key.get()) : nullptr);
  if (!item) return nullptr;
  ++stats.fallbacks;
  source = Ref();
  return adopt(item.get());
}

int set_item(ArrayObject* array, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  if (array->is_read_only || array->is_scalar) {
    if (array->is_scalar) {
      PyErr_SetString(PyExc_TypeError, "'numpy.generic' object does not support item assignment");
    } else {
      PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
    }
    return -1;
  }
  const int64_t place = place_of(array->view, key);
  if (place >= 0 && write_element(array->base, place, value)) return 0;
  BasicIndex index;
  const Parsed parsed = parse(array->view, key, index);
  if (parsed == Parsed::kError) return -1;
  if (parsed == Parsed::kBasic) {
    // a[i] += x ends with a[i] = a[i].
    if (Py_TYPE(value) == &array_type && raw_array(value)->base == array->base &&
        !raw_array(value)->selection && raw_array(value)->view == index.view)
      return 0;
    // One element takes a scalar; NumPy has the words if it is something else.
    const bool is_list = is_array(value)
                             ? as_array(value)->view.rank() > 0
                             : PyList_Check(value) || PyTuple_Check(value) || PyArray_Check(value);
    if (index.all_integers && is_list) return set_by_numpy(array, key, value);
    if (index.all_integers && write_element(array->base, index.view.offset, value)) return 0;
    return assign_view(array, index.view, value, nullptr) ? 0 : -1;
  }
  if (const int done = assign_by_mask(array, key, value); done != 0) return done > 0 ? 0 : -1;
  ArrayObject* mask = whole_mask(array, key);
  const bool single = !is_array(value) ? !PySequence_Check(value) && !PyArray_Check(value)
                                       : as_array(value)->view.rank() == 0;
  if (mask && single) {
    return assign_view(array, array->view, value, key) ? 0 : -1;
  }
  if (mask && scatter(array, mask, value)) return 0;
  if (PyErr_Occurred()) return -1;
  return set_by_numpy(array, key, value);
}

bool assign_node(Base* base, const View& target, Node* value, const View& value_view, Node* mask,
                 const View* mask_view) {
  // Chosen elements come in the order of their mask.
  const auto order = value->is_masked ? std::nullopt : order_of_view(target);
  if (order) {
    const View moved = mask ? order->to_memory(*mask_view) : View();
    return assign_node(base, order->to_memory(target), value, order->to_memory(value_view), mask,
                       mask ? &moved : nullptr);
  }
  if (base->part) return assign_part(base, target, value, value_view, mask, mask_view);
  // a[i] += x ends with a[i] = a[i].
  if (value == base->current && !mask && value_view == target) return true;
  if (!mask && write_if_little(base, target, value, value_view)) return true;
  Node* old = base->current;
  const bool exported = base->is_exported();
  const bool whole = !exported && !mask && target.offset == 0 && target.count() == old->count() &&
                     target.is_dense();
  Node* node = nullptr;
  if (whole && value->type == old->type && value_view.offset == 0 && value_view.is_dense() &&
      value_view.count() == value->count() && value_view.shape == old->shape &&
      !(value->buffer && value->buffer->exports > 0)) {
    value->retain();
    node = value;
  } else if (whole && target.shape == old->shape) {
    node = lazy::new_node(NodeKind::kCast, old->type, old->shape, 1);
    lazy::set_input(node, 0, value, value_view);
  } else {
    node = lazy::new_node(NodeKind::kAssign, old->type, old->shape, mask ? 3 : 2);
    node->target = target;
    lazy::set_input(node, 0, old, View::dense(old->shape));
    lazy::set_input(node, 1, value, value_view);
    if (mask) lazy::set_input(node, 2, mask, *mask_view);
  }
  const bool settle = exported || (value->buffer && value->buffer->exports > 0) ||
                      (mask && mask->buffer && mask->buffer->exports > 0);
  base->set(node);
  return !settle || flush_all();
}

bool assign_view(ArrayObject* array, const View& target, PyObject* value, PyObject* mask) {
  Ref made;
  if (is_array(value)) {
    made = Ref::borrowed(value);
  } else {
    // A Python scalar must fit the type, a NumPy one need not.
    Scalar scalar = {};
    if (scalar_from(value, array->type(), scalar)) {
      Input number;
      number.type = array->type();
      number.scalar = scalar;
      if (!mask && target.count() > 0 && write_if_little(array->base, target, number)) return true;
      Node* fill = lazy::new_node(NodeKind::kFill, array->type(), Dims(), 0);
      fill->scalar = scalar;
      made = Ref(wrap_node(fill));
    } else {
      PyArray_Descr* descr = nullptr;
      if (!PyArray_Check(value) && !PyArray_IsScalar(value, Generic)) {
        descr = descr_of(array->type());
        Py_INCREF(descr);
      }
      Ref plain(to_real(value, false));
      Ref real_value(plain ? PyArray_FromAny(plain.get(), descr, 0, 0, 0, nullptr) : nullptr);
      if (!real_value) return false;
      made = Ref(adopt_ndarray(real_value.get()));
      if (made && !is_array(made.get())) {
        // Other types: NumPy casts, or says why not.
        Ref cast(PyArray_EMPTY(PyArray_NDIM(reinterpret_cast<PyArrayObject*>(made.get())),
                               PyArray_DIMS(reinterpret_cast<PyArrayObject*>(made.get())),
                               numpy_type(array->type()), 0));
        if (!cast || PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(cast.get()),
                                      reinterpret_cast<PyArrayObject*>(made.get())) < 0) {
          return false;
        }
        made = Ref(adopt_ndarray(cast.get()));
      }
    }
    if (!made) return false;
  }
  auto* source = as_array(made.get());
  View view = source->view;
  // Leading axes of one element may be dropped.
  while (view.rank() > target.rank() && view.shape[0] == 1) {
    view.shape.erase(0);
    view.strides.erase(0);
  }
  Dims shape;
  if (!broadcast_shapes(view.shape, target.shape, shape) || !(shape == target.shape)) {
    Ref from(shape_text(source->view.shape)), to(shape_text(target.shape));
    PyErr_Format(PyExc_ValueError, "could not broadcast input array from shape %S into shape %S",
                 from.get(), to.get());
    return false;
  }
  view = view.broadcast(target.shape);
  if (target.count() == 0) return true;
  if (!mask) {
    return assign_node(array->base, target, source->base->current, view, nullptr, nullptr);
  }
  const View mask_view = as_array(mask)->view.broadcast(target.shape);
  return assign_node(array->base, target, source->base->current, view,
                     as_array(mask)->base->current, &mask_view);
}

PyObject* shape_tuple(const Dims& shape) {
  PyObject* tuple = PyTuple_New(shape.size());
  for (int i = 0; tuple && i < shape.size(); ++i) {
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(shape[i]));
  }
  return tuple;
}

PyObject* shape_text(const Dims& shape) {
  // As NumPy writes them: lengths that are not said are left out in front.
  std::string text;
  for (int i = 0; i < shape.size(); ++i) {
    if (text.empty() && shape[i] < 0) continue;
    text += (text.empty() ? "(" : ",") + (shape[i] < 0 ? "newaxis" : std::to_string(shape[i]));
  }
  if (text.empty()) text = "(";
  text += shape.size() == 1 && shape[0] >= 0 ? ",)" : ")";
  return PyUnicode_FromString(text.c_str());
}

bool parse_shape(PyObject* object, Dims& shape) {
  shape.resize(0);
  if (PyIndex_Check(object) && !(is_array(object) && as_array(object)->view.rank() > 0)) {
    const Py_ssize_t n = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) return false;
    shape.push_back(n);
    return true;
  }
  Ref items(PySequence_Fast(object, "expected a sequence of integers or a single integer"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    const Py_ssize_t n = PyNumber_AsSsize_t(item, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) return false;
    shape.push_back(n);
  }
  return true;
}

}  // namespace skald::python
