// SPDX-License-Identifier: Apache-2.0
// Between NumPy's objects and ours: types, scalars, arrays with their memory.
#include <cstring>

#include "common.h"
#include "plans.h"
#include "real_arrays.h"

namespace skald::python {

namespace {

constexpr int kNumpyTypes[lazy::kDTypeCount] = {
    NPY_BOOL,  NPY_INT8,   NPY_UINT8, NPY_INT16, NPY_UINT16, NPY_INT32,  NPY_UINT32,
    NPY_INT64, NPY_UINT64, NPY_HALF,  NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};

// Keeps a buffer alive, and counts as an export, as long as a real array shows it.
void drop_export(PyObject* capsule) {
  auto* buffer = static_cast<Buffer*>(PyCapsule_GetPointer(capsule, "skald.export"));
  --buffer->exports;
  buffer->drop();
}
void drop_reader(PyObject* capsule) {
  static_cast<Buffer*>(PyCapsule_GetPointer(capsule, "skald.reader"))->drop();
}

PyObject* real_view(Node* node, const View& view, bool writable, bool exported) {
  const int size = lazy::item_size(node->type);
  Dims strides = view.strides;
  for (int i = 0; i < strides.size(); ++i) strides[i] *= size;
  PyArray_Descr* descr = descr_of(node->type);
  Py_INCREF(descr);
  PyObject* result = PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank(), const_cast<npy_intp*>(view.shape.data()), strides.data(),
      node->data() + view.offset * size, writable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
  if (!result) return nullptr;
  node->buffer->retain();
  if (exported) ++node->buffer->exports;
  PyObject* keeper = exported ? PyCapsule_New(node->buffer, "skald.export", drop_export)
                              : PyCapsule_New(node->buffer, "skald.reader", drop_reader);
  if (!keeper || PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(result), keeper) < 0) {
    Py_DECREF(result);
    return nullptr;
  }
  return result;
}

}  // namespace

int numpy_type(DType type) {
  return kNumpyTypes[static_cast<int>(type)];
}

PyArray_Descr* descr_of(DType type) {
  static PyArray_Descr* known[lazy::kDTypeCount] = {};
  auto& descr = known[static_cast<int>(type)];
  if (!descr) descr = PyArray_DescrFromType(numpy_type(type));
  return descr;
}

bool core_type(PyArray_Descr* descr, DType& type) {
  if (!PyArray_ISNBO(descr->byteorder)) return false;
  switch (descr->type_num) {
    case NPY_BOOL: type = DType::kBool; return true;
    case NPY_BYTE: type = DType::kI8; return true;
    case NPY_UBYTE: type = DType::kU8; return true;
    case NPY_SHORT: type = DType::kI16; return true;
    case NPY_USHORT: type = DType::kU16; return true;
    case NPY_INT: type = DType::kI32; return true;
    case NPY_UINT: type = DType::kU32; return true;
    case NPY_LONG:
    case NPY_LONGLONG: type = DType::kI64; return true;
    case NPY_ULONG:
    case NPY_ULONGLONG: type = DType::kU64; return true;
    case NPY_HALF: type = DType::kF16; return true;
    case NPY_FLOAT: type = DType::kF32; return true;
    case NPY_DOUBLE: type = DType::kF64; return true;
    case NPY_CFLOAT: type = DType::kC64; return true;
    case NPY_CDOUBLE: type = DType::kC128; return true;
    default: return false;
  }
}

bool parse_type(PyObject* object, DType& type, bool& known) {
  PyArray_Descr* descr = nullptr;
  if (!PyArray_DescrConverter(object, &descr)) return false;
  known = core_type(descr, type);
  Py_DECREF(descr);
  return true;
}

namespace {

// Arrays come and go with each operation: memory of some is kept.
struct KeptArrays {
  static constexpr int kMost = 256;
  ArrayObject* memory[kMost];
  int count = 0;
};
KeptArrays& kept_arrays() {
  static KeptArrays kept;
  return kept;
}

ArrayObject* new_object(PyTypeObject* type) {
  KeptArrays& kept = kept_arrays();
  if (type != &array_type || kept.count == 0) return raw_array(type->tp_alloc(type, 0));
  ArrayObject* array = kept.memory[--kept.count];
  return raw_array(PyObject_Init(reinterpret_cast<PyObject*>(array), type));
}

}  // namespace

void free_object(ArrayObject* array) {
  KeptArrays& kept = kept_arrays();
  if (Py_TYPE(array) == &array_type && kept.count < KeptArrays::kMost) {
    kept.memory[kept.count++] = array;
  } else {
    Py_TYPE(array)->tp_free(reinterpret_cast<PyObject*>(array));
  }
}

PyObject* wrap(Base* base, const View& view, PyTypeObject* type) {
  ArrayObject* array = new_object(type);
  if (!array) {
    base->drop();
    return nullptr;
  }
  array->base = base;
  new (&array->view) View(view);
  array->weak_references = nullptr;
  array->parent = nullptr;
  array->is_scalar = false;
  array->is_read_only = false;
  array->selection = nullptr;
  return reinterpret_cast<PyObject*>(array);
}

PyObject* wrap_node(Node* node) {
  const View view = View::dense(node->shape);
  return wrap(lazy::new_base(node), view);
}

PyObject* wrap_view(ArrayObject* array, const View& view) {
  array->base->retain();
  PyObject* result = wrap(array->base, view);
  if (!result) return nullptr;
  auto* made = as_array(result);
  made->is_read_only = array->is_read_only;
  made->parent = array->parent ? array->parent : reinterpret_cast<PyObject*>(array);
  Py_INCREF(made->parent);
  return result;
}

PyObject* adopt_ndarray(PyObject* ndarray) {
  auto* source = reinterpret_cast<PyArrayObject*>(ndarray);
  DType type;
  if (!core_type(PyArray_DESCR(source), type)) {
    Py_INCREF(ndarray);
    return ndarray;
  }
  const bool own = Py_REFCNT(ndarray) == 1 && PyArray_CHKFLAGS(source, NPY_ARRAY_OWNDATA) &&
                   PyArray_IS_C_CONTIGUOUS(source) && PyArray_ISWRITEABLE(source) &&
                   PyArray_ISALIGNED(source) && !PyObject_TypeCheck(ndarray, &array_type);
  Dims shape(PyArray_NDIM(source));
  for (int i = 0; i < shape.size(); ++i) shape[i] = PyArray_DIM(source, i);
  if (!own) {
    // Our memory begins at a line of the cache, which is worth much to BLAS.
    Buffer* buffer = lazy::new_buffer(PyArray_SIZE(source) * lazy::item_size(type));
    if (!buffer) return PyErr_NoMemory();
    Node* node = lazy::new_value(type, shape, buffer);
    Ref copy(show(buffer->data, type, View::dense(shape), true));
    if (copy && PyArray_CopyInto(as_real(copy.get()), source) == 0) return wrap_node(node);
    node->drop();
    return nullptr;
  }
  auto* buffer = new Buffer;
  buffer->data = PyArray_DATA(source);
  buffer->bytes = PyArray_NBYTES(source);
  buffer->release = [](void*, void* array) { Py_DECREF(static_cast<PyObject*>(array)); };
  buffer->argument = Ref::borrowed(ndarray).release();
  return wrap_node(lazy::new_value(type, shape, buffer));
}

PyObject* share_ndarray(PyObject* ndarray, ArrayObject* owner) {
  auto* source = reinterpret_cast<PyArrayObject*>(ndarray);
  DType type;
  const bool known = core_type(PyArray_DESCR(source), type);
  const int64_t size = known ? lazy::item_size(type) : 1;
  bool fits = known && PyArray_ISALIGNED(source) && PyArray_SIZE(source) > 0;
  View view;
  int64_t lowest = 0, highest = 0;
  for (int i = 0; i < PyArray_NDIM(source); ++i) {
    const int64_t stride = PyArray_STRIDE(source, i), extent = PyArray_DIM(source, i);
    fits = fits && stride % size == 0;
    view.shape.push_back(extent);
    view.strides.push_back(stride / size);
    (stride < 0 ? lowest : highest) += (extent - 1) * (stride / size);
  }
  if (!fits) return adopt_ndarray(ndarray);
  view.offset = -lowest;
  auto* buffer = new Buffer;
  buffer->data = static_cast<char*>(PyArray_DATA(source)) + lowest * size;
  buffer->bytes = (highest - lowest + 1) * size;
  buffer->writable = PyArray_ISWRITEABLE(source);
  buffer->exports = 1;
  buffer->release = [](void*, void* array) { Py_DECREF(static_cast<PyObject*>(array)); };
  buffer->argument = Ref::borrowed(ndarray).release();
  PyObject* made =
      wrap(lazy::new_base(lazy::new_value(type, Dims(1, highest - lowest + 1), buffer)), view);
  if (!made) return nullptr;
  as_array(made)->is_read_only = !buffer->writable;
  if (owner) {
    PyObject* const first = owner->parent ? owner->parent : reinterpret_cast<PyObject*>(owner);
    as_array(made)->parent = Ref::borrowed(first).release();
  }
  return made;
}

PyObject* adopt(PyObject* object) {
  if (PyArray_Check(object)) {
    return PyArray_CheckExact(object) ? adopt_ndarray(object) : Ref::borrowed(object).release();
  }
  if (PyList_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
      // The list must not hold the array while it is looked at.
      Ref item = Ref::borrowed(PyList_GET_ITEM(object, i));
      Py_INCREF(Py_None);
      PyList_SetItem(object, i, Py_None);
      PyObject* adopted = adopt(item.get());
      if (!adopted) return nullptr;
      PyList_SetItem(object, i, adopted);
    }
    return Ref::borrowed(object).release();
  }
  if (PyTuple_Check(object)) {
    bool has_array = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      has_array = has_array || PyArray_CheckExact(PyTuple_GET_ITEM(object, i));
    }
    if (!has_array) return Ref::borrowed(object).release();
    Ref items(PyTuple_New(PyTuple_GET_SIZE(object)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      PyObject* adopted = adopt(PyTuple_GET_ITEM(object, i));
      if (!adopted) return nullptr;
      PyTuple_SET_ITEM(items.get(), i, adopted);
    }
    if (PyTuple_CheckExact(object)) return items.release();
    // A named tuple.
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    Ref make(PyObject_GetAttrString(type, "_make"));
    if (make) return PyObject_CallOneArg(make.get(), items.get());
    PyErr_Clear();
    return Ref::borrowed(object).release();
  }
  return Ref::borrowed(object).release();
}

PyObject* to_array(PyObject* object, PyObject* dtype) {
  if (dtype == Py_None) dtype = nullptr;
  if (is_array(object)) {
    if (!dtype) return Ref::borrowed(object).release();
    DType type;
    bool known = false;
    if (!parse_type(dtype, type, known)) return nullptr;
    if (!known) {
      Ref real_array(to_ndarray_read_only(as_array(object)));
      return real_array ? PyObject_CallMethod(real_array.get(), "astype", "O", dtype) : nullptr;
    }
    if (type == as_array(object)->type()) return Ref::borrowed(object).release();
    return record_cast(as_array(object), type);
  }
  PyArray_Descr* descr = nullptr;
  if (dtype && !PyArray_DescrConverter(dtype, &descr)) return nullptr;
  Ref made;
  if (PyList_Check(object) || PyTuple_Check(object)) {
    Ref plain(to_real(object, false));
    if (!plain) {
      Py_XDECREF(descr);
      return nullptr;
    }
    made = Ref(PyArray_FromAny(plain.get(), descr, 0, 0, 0, nullptr));
  } else {
    made = Ref(PyArray_FromAny(object, descr, 0, 0, 0, nullptr));
  }
  if (!made) return nullptr;
  if (!PyArray_CheckExact(made.get())) return made.release();
  return adopt_ndarray(made.get());
}

bool force(ArrayObject* array) {
  if (array->base->current->is_pending()) {
    ++stats.forced;
    if (!force_node(array->base->current)) return false;
  }
  return bring_home(array->base->current->buffer);
}

PyObject* to_ndarray_read_only(ArrayObject* array) {
  if (!force(array)) return nullptr;
  return real_view(array->base->current, array->view, false, false);
}

PyObject* to_ndarray_shared(ArrayObject* array) {
  // Everything recorded so far must not see what others will write.
  if (array->base->part) return share_part(array);
  if (!force(array)) return nullptr;
  Base* base = array->base;
  ++base->shown;
  Node* node = base->current;
  if (node->buffer->exports == 0) {
    if (lazy::pending().size() > 0 && (!flush_all() || !bring_home(base->current->buffer)))
      return nullptr;
    node = base->current;
    node->buffer->forget_device();
    if (node->refs > 1 || node->buffer->refs > 1 || !node->buffer->writable) {
      const int64_t bytes = node->count() * lazy::item_size(node->type);
      Buffer* copy = lazy::new_buffer(bytes);
      if (!copy) return PyErr_NoMemory();
      std::memcpy(copy->data, node->data(), static_cast<size_t>(bytes));
      base->set(lazy::new_value(node->type, node->shape, copy));
      node = base->current;
    }
  }
  return real_view(node, array->view, !array->is_read_only, true);
}

PyObject* to_numpy_scalar(ArrayObject* array) {
  Ref real_array(to_ndarray_read_only(array));
  if (!real_array) return nullptr;
  auto* source = reinterpret_cast<PyArrayObject*>(real_array.get());
  return PyArray_ToScalar(PyArray_DATA(source), source);
}

}  // namespace skald::python
