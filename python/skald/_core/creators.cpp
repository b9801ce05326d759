// SPDX-License-Identifier: Apache-2.0
// np.zeros and its like without Python, for the usual arguments; a function in Python has the rest.
#include "creators.h"

#include <cstddef>
#include <cstring>
#include <iterator>

namespace skald::python {

namespace {

enum class Kind : uint8_t { kZeros, kOnes, kEmpty, kFull, kZerosLike, kOnesLike, kEmptyLike };

struct Creator {
  PyObject_HEAD vectorcallfunc call;
  PyObject* dict;
  PyObject* function;  // for all other arguments
  Kind kind;
};
Creator* as_creator(PyObject* object) {
  return reinterpret_cast<Creator*>(object);
}

// An exact integer that is no size is left to the function, which has the words.
bool add_extent(PyObject* object, Dims& shape) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  const int64_t extent = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0 || extent < 0 || extent > (int64_t{1} << 40)) return false;
  shape.push_back(extent);
  return true;
}

bool plain_shape(PyObject* object, Dims& shape) {
  if (!PyTuple_CheckExact(object)) return add_extent(object, shape);
  if (PyTuple_GET_SIZE(object) > 8) return false;
  int64_t bytes = 16;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    if (!add_extent(PyTuple_GET_ITEM(object, i), shape)) return false;
    if (__builtin_mul_overflow(bytes, shape[shape.size() - 1], &bytes)) return false;
  }
  return true;
}

bool plain_type(PyObject* object, DType& type) {
  if (object == Py_None || object == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    type = DType::kF64;
    return true;
  }
  if (object == reinterpret_cast<PyObject*>(&PyDoubleArrType_Type)) {
    type = DType::kF64;
    return true;
  }
  if (PyArray_DescrCheck(object)) return core_type(reinterpret_cast<PyArray_Descr*>(object), type);
  bool known = false;
  if (!PyType_Check(object)) return false;
  if (parse_type(object, type, known) && known) return true;
  PyErr_Clear();
  return false;
}

bool number_type(PyObject* value, DType& type) {
  if (PyFloat_CheckExact(value) || PyArray_IsScalar(value, Double)) {
    type = DType::kF64;
  } else if (PyBool_Check(value)) {
    type = DType::kBool;
  } else if (PyLong_CheckExact(value)) {
    type = DType::kI64;
  } else {
    return false;
  }
  return true;
}

struct Wanted {
  Dims shape;
  DType type = DType::kF64;
  PyObject* value = nullptr;  // of kFull
};

// False: the function in Python must do it.
bool read_call(Kind kind, PyObject* const* args, Py_ssize_t count, PyObject* names, Wanted& to) {
  const bool is_like = kind >= Kind::kZerosLike;
  const Py_ssize_t needed = kind == Kind::kFull ? 2 : 1;
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (count < needed || count + named > needed + 1) return false;
  PyObject* dtype = nullptr;
  if (count > needed) dtype = args[needed];
  if (named > 0) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype") != 0) return false;
    dtype = args[count];
  }
  if (is_like) {
    if (!is_array(args[0])) return false;
    const ArrayObject* array = as_array(args[0]);
    if (!array->view.is_dense()) return false;
    to.shape = array->view.shape;
    to.type = array->type();
    return !dtype || dtype == Py_None || plain_type(dtype, to.type);
  }
  if (kind == Kind::kFull) {
    to.value = args[1];
    if (!number_type(to.value, to.type)) return false;
    if (dtype && dtype != Py_None && !plain_type(dtype, to.type)) return false;
  } else if (dtype && !plain_type(dtype, to.type)) {
    return false;
  }
  return plain_shape(args[0], to.shape);
}

PyObject* create(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const Creator* creator = as_creator(self);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  Wanted wanted;
  Scalar scalar = {};
  bool good = read_call(creator->kind, args, count, names, wanted);
  const bool is_one = creator->kind == Kind::kOnes || creator->kind == Kind::kOnesLike;
  if (good && wanted.value) good = scalar_from(wanted.value, wanted.type, scalar);
  if (good && is_one) good = scalar_from(Py_True, wanted.type, scalar);
  if (!good) return PyObject_Vectorcall(creator->function, args, flags, names);
  Node* node = lazy::new_node(NodeKind::kFill, wanted.type, wanted.shape, 0);
  node->scalar = scalar;
  const bool is_open = creator->kind == Kind::kEmpty || creator->kind == Kind::kEmptyLike;
  node->op = is_open ? lazy::kUndefined : uint16_t{0};
  return wrap_node(node);
}

void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(as_creator(self)->dict);
  Py_CLEAR(as_creator(self)->function);
  Py_TYPE(self)->tp_free(self);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_creator(self)->dict);
  Py_VISIT(as_creator(self)->function);
  return 0;
}

// Pickled by name, as functions are.
PyObject* reduce_creator(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "__name__");
}
PyObject* show_creator(PyObject* self) {
  Ref name(PyObject_GetAttrString(self, "__name__"));
  return name ? PyUnicode_FromFormat("<function %U>", name.get()) : nullptr;
}

PyMethodDef creator_methods[] = {{"__reduce__", reduce_creator, METH_NOARGS, "For pickle."},
                                 {nullptr, nullptr, 0, nullptr}};
PyGetSetDef creator_dict[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject creator_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* make_creator(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &name, &function)) return nullptr;
  static constexpr const char* kNames[] = {"zeros",      "ones",      "empty",     "full",
                                           "zeros_like", "ones_like", "empty_like"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (std::strcmp(name, kNames[i]) != 0) continue;
    PyObject* made = creator_type.tp_alloc(&creator_type, 0);
    if (!made) return nullptr;
    as_creator(made)->call = create;
    as_creator(made)->function = Ref::borrowed(function).release();
    as_creator(made)->kind = static_cast<Kind>(i);
    return made;
  }
  PyErr_Format(PyExc_ValueError, "there is no creator %s", name);
  return nullptr;
}
PyMethodDef make_definition = {"creator", make_creator, METH_VARARGS, "creator(name, function)"};

}  // namespace

bool ready_creators(PyObject* module) {
  creator_type.tp_name = "skald.creator";
  creator_type.tp_basicsize = sizeof(Creator);
  creator_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
  creator_type.tp_vectorcall_offset = offsetof(Creator, call);
  creator_type.tp_call = PyVectorcall_Call;
  creator_type.tp_dictoffset = offsetof(Creator, dict);
  creator_type.tp_getset = creator_dict;
  creator_type.tp_methods = creator_methods;
  creator_type.tp_repr = show_creator;
  creator_type.tp_dealloc = destroy;
  creator_type.tp_traverse = traverse;
  if (PyType_Ready(&creator_type) < 0) return false;
  PyObject* make = PyCFunction_New(&make_definition, nullptr);
  return make && PyModule_AddObject(module, "creator", make) == 0;
}

}  // namespace skald::python
