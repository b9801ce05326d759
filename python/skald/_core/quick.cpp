// SPDX-License-Identifier: Apache-2.0
// np.zeros, np.sum, np.dot and their like without Python, for the usual arguments; a function in
// Python has the rest.
#include "quick.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "direct.h"
#include "little.h"

namespace skald::python {

namespace {

enum class Kind : uint8_t {
  kZeros,
  kOnes,
  kEmpty,
  kFull,
  kZerosLike,
  kOnesLike,
  kEmptyLike,
  kDot,
  kRoll,
  kMethod,   // f(array, …) is array.f(…)
  kSmall,    // quick_small.cpp
  kGuarded,  // f(…), or another function if an argument is none of ours
};

struct QuickFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* dict;
  PyObject* function;  // for all other arguments
  PyObject* method;    // of kMethod; of kGuarded: the exception and the other function
  Kind kind;
};
QuickFunction* as_quick(PyObject* object) {
  return reinterpret_cast<QuickFunction*>(object);
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
  const QuickFunction* quick = as_quick(self);
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  Wanted wanted;
  Scalar scalar = {};
  bool good = read_call(quick->kind, args, count, names, wanted);
  const bool is_one = quick->kind == Kind::kOnes || quick->kind == Kind::kOnesLike;
  if (good && wanted.value) good = scalar_from(wanted.value, wanted.type, scalar);
  if (good && is_one) good = scalar_from(Py_True, wanted.type, scalar);
  if (!good) return PyObject_Vectorcall(quick->function, args, flags, names);
  Node* node = lazy::new_node(NodeKind::kFill, wanted.type, wanted.shape, 0);
  node->scalar = scalar;
  const bool is_open = quick->kind == Kind::kEmpty || quick->kind == Kind::kEmptyLike;
  node->op = is_open ? lazy::kUndefined : uint16_t{0};
  run_if_little(node);
  return wrap_node(node);
}

// A product that needs no more than the extension, as those of arrays of one type.
PyObject* dot(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  if (PyVectorcall_NARGS(flags) == 2 && !names) {
    PyObject* product = short_product(args[0], args[1]);
    if (!product && !PyErr_Occurred()) product = record_product(args[0], args[1]);
    if (product || PyErr_Occurred()) return product;
  }
  return PyObject_Vectorcall(as_quick(self)->function, args, flags, names);
}

// np.roll(array, shift, axis) of one axis.
bool read_roll(PyObject* const* args, Py_ssize_t count, PyObject* names, int64_t& shift,
               int64_t& axis) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (count < 2 || count + named != 3 || Py_TYPE(args[0]) != &array_type) return false;
  if (named > 0 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "axis") != 0)
    return false;
  if (!PyLong_CheckExact(args[1]) || !PyLong_CheckExact(args[2])) return false;
  int too_large = 0, beyond = 0;
  shift = PyLong_AsLongLongAndOverflow(args[1], &too_large);
  axis = PyLong_AsLongLongAndOverflow(args[2], &beyond);
  const View& view = as_array(args[0])->view;
  if (too_large != 0 || beyond != 0 || axis < -view.rank() || axis >= view.rank()) return false;
  if (axis < 0) axis += view.rank();
  const int64_t extent = view.shape[static_cast<int>(axis)];
  if (extent == 0) return false;
  shift %= extent;
  if (shift < 0) shift += extent;
  return true;
}

PyObject* roll(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  int64_t shift = 0, axis = 0;
  if (read_roll(args, PyVectorcall_NARGS(flags), names, shift, axis)) {
    if (shift > 0) return record_roll(as_array(args[0]), shift, static_cast<int>(axis));
    static PyObject* const copy = PyUnicode_InternFromString("copy");
    return PyObject_CallMethodNoArgs(args[0], copy);
  }
  return PyObject_Vectorcall(as_quick(self)->function, args, flags, names);
}

PyObject* call_method(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const bool is_ours = PyVectorcall_NARGS(flags) > 0 && is_array(args[0]);
  const QuickFunction* quick = as_quick(self);
  return PyObject_Vectorcall(is_ours ? quick->method : quick->function, args, flags, names);
}

PyObject* call_guarded(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const QuickFunction* quick = as_quick(self);
  PyObject* result = PyObject_Vectorcall(quick->function, args, flags, names);
  if (result || !PyErr_ExceptionMatches(PyTuple_GET_ITEM(quick->method, 0))) return result;
  PyErr_Clear();
  return PyObject_Vectorcall(PyTuple_GET_ITEM(quick->method, 1), args, flags, names);
}

void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(as_quick(self)->dict);
  Py_CLEAR(as_quick(self)->function);
  Py_CLEAR(as_quick(self)->method);
  Py_TYPE(self)->tp_free(self);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_quick(self)->dict);
  Py_VISIT(as_quick(self)->function);
  Py_VISIT(as_quick(self)->method);
  return 0;
}

// Pickled by name, as functions are.
PyObject* reduce_quick(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "__name__");
}
PyObject* show_quick(PyObject* self) {
  Ref name(PyObject_GetAttrString(self, "__name__"));
  return name ? PyUnicode_FromFormat("<function %U>", name.get()) : nullptr;
}

PyMethodDef quick_methods[] = {{"__reduce__", reduce_quick, METH_NOARGS, "For pickle."},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef quick_dict[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject quick_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* new_quick(PyObject* function, Kind kind) {
  PyObject* made = quick_type.tp_alloc(&quick_type, 0);
  if (!made) return nullptr;
  as_quick(made)->function = Ref::borrowed(function).release();
  as_quick(made)->kind = kind;
  return made;
}

PyObject* make_quick(PyObject*, PyObject* args) {
  const char* name = nullptr;
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "sO", &name, &function)) return nullptr;
  static constexpr std::string_view kNames[] = {
      "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "dot", "roll"};
  const auto* const known = std::find(std::begin(kNames), std::end(kNames), name);
  vectorcallfunc const small = small_function(name);
  const auto kind = small ? Kind::kSmall : static_cast<Kind>(known - std::begin(kNames));
  Ref method;
  if (kind == Kind::kMethod) {
    const std::string_view full = name;
    const char* short_name = full == "amin" ? "min" : full == "amax" ? "max" : name;
    method = Ref(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&array_type), short_name));
    if (!method) return nullptr;
  }
  PyObject* made = new_quick(function, kind);
  if (!made) return nullptr;
  as_quick(made)->call = small                   ? small
                         : kind == Kind::kMethod ? call_method
                         : kind == Kind::kDot    ? dot
                         : kind == Kind::kRoll   ? roll
                                                 : create;
  as_quick(made)->method = method.release();
  return made;
}

PyObject* make_guarded(PyObject*, PyObject* args) {
  PyObject *function = nullptr, *foreign = nullptr, *otherwise = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &function, &foreign, &otherwise)) return nullptr;
  PyObject* made = new_quick(function, Kind::kGuarded);
  if (!made) return nullptr;
  as_quick(made)->call = call_guarded;
  as_quick(made)->method = PyTuple_Pack(2, foreign, otherwise);
  return made;
}

PyMethodDef definitions[] = {
    {"quick", make_quick, METH_VARARGS, "quick(name, function)"},
    {"guarded", make_guarded, METH_VARARGS, "guarded(function, exception, other function)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* slow_function(PyObject* quick) {
  return as_quick(quick)->function;
}

PyObject* record_roll(const ArrayObject* array, int64_t shift, int axis) {
  Node* node = lazy::new_node(NodeKind::kRoll, array->type(), array->view.shape, 1);
  lazy::set_input(node, 0, array->base->current, array->view);
  node->axes = uint64_t{1} << axis;
  node->scalar.i = shift;
  PyObject* made = wrap_node(node);
  if (made && !settle_if_exported(array->base)) Py_CLEAR(made);
  return made;
}

bool ready_quick(PyObject* module) {
  quick_type.tp_name = "skald.quick";
  quick_type.tp_basicsize = sizeof(QuickFunction);
  quick_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC;
  quick_type.tp_vectorcall_offset = offsetof(QuickFunction, call);
  quick_type.tp_call = PyVectorcall_Call;
  quick_type.tp_dictoffset = offsetof(QuickFunction, dict);
  quick_type.tp_getset = quick_dict;
  quick_type.tp_methods = quick_methods;
  quick_type.tp_repr = show_quick;
  quick_type.tp_dealloc = destroy;
  quick_type.tp_traverse = traverse;
  if (PyType_Ready(&quick_type) < 0) return false;
  return PyModule_AddFunctions(module, definitions) == 0;
}

}  // namespace skald::python
