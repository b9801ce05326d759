// SPDX-License-Identifier: Apache-2.0
// The objects `add`, `sin` …: calls with out=, where=, dtype=; reduce, accumulate, outer, at.
#include <cstddef>
#include <cstring>

#include "kernels.h"
#include "reduce.h"
#include "ufunc.h"

namespace skald::python {

KnownOps ops;

std::vector<UfuncInfo>& ufuncs() {
  static auto* const table = new std::vector<UfuncInfo>;
  return *table;
}

int find_ufunc(const char* name) {
  const auto& table = ufuncs();
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

namespace {

UfuncInfo& info_of(PyObject* self) {
  return ufuncs()[reinterpret_cast<UfuncObject*>(self)->op];
}

// Only out= was given, or nothing: the array to write, or null.  False: leave it to the slow way.
bool simple_keywords(PyObject* const* values, PyObject* names, PyObject*& out) {
  out = nullptr;
  if (!names) return true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    PyObject* value = values[i];
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
      if (value == Py_None) continue;
      if (PyTuple_Check(value) && PyTuple_GET_SIZE(value) == 1) value = PyTuple_GET_ITEM(value, 0);
      if (value == Py_None) continue;
      if (!is_array(value)) return false;
      out = value;
    } else if (PyUnicode_CompareWithASCIIString(name, "where") == 0) {
      if (value != Py_True) return false;
    } else if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
      if (value != Py_None) return false;
    } else {
      return false;
    }
  }
  return true;
}

PyObject* keywords_dict(PyObject* const* values, PyObject* names) {
  PyObject* dict = PyDict_New();
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), values[i]);
  }
  return dict;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const UfuncInfo& info = info_of(self);
  const auto count = static_cast<int>(PyVectorcall_NARGS(flags));
  PyObject* out = nullptr;
  const bool simple = simple_keywords(args + count, names, out);
  if (simple && count == info.inputs && info.outputs == 1 && !info.is_generalised) {
    const uint16_t op = reinterpret_cast<UfuncObject*>(self)->op;
    return out ? record_ufunc_into(op, args, count, out) : record_ufunc(op, args, count);
  }
  if (simple && count == info.inputs + 1 && info.outputs == 1 && !out &&
      is_array(args[count - 1]) && !info.is_generalised) {
    return record_ufunc_into(reinterpret_cast<UfuncObject*>(self)->op, args, count - 1,
                             args[count - 1]);
  }
  Ref tuple(PyTuple_New(count < info.inputs ? count : info.inputs));
  for (int i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Ref::borrowed(args[i]).release());
  }
  Ref kwargs(keywords_dict(args + count, names));
  if (count > info.inputs) {
    Ref outs(PyTuple_New(info.outputs));
    for (int i = 0; i < info.outputs; ++i) {
      PyObject* item = info.inputs + i < count ? args[info.inputs + i] : Py_None;
      PyTuple_SET_ITEM(outs.get(), i, Ref::borrowed(item).release());
    }
    PyDict_SetItemString(kwargs.get(), "out", outs.get());
  }
  return fall_back(info.real, tuple.get(), kwargs.get(), info.name.c_str());
}

PyObject* method_by_numpy(PyObject* self, const char* method, PyObject* args, PyObject* kwargs) {
  const UfuncInfo& info = info_of(self);
  Ref function(PyObject_GetAttrString(info.real, method));
  if (!function) return nullptr;
  const std::string name = info.name + "." + method;
  return fall_back(function.get(), args, kwargs, name.c_str());
}

PyObject* reduce(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = reduce_method(reinterpret_cast<UfuncObject*>(self)->op, args, kwargs, 1);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  return method_by_numpy(self, "reduce", args, kwargs);
}
PyObject* accumulate(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = accumulate_method(reinterpret_cast<UfuncObject*>(self)->op, args, kwargs);
  if (result != Py_NotImplemented) return result;
  Py_DECREF(result);
  return method_by_numpy(self, "accumulate", args, kwargs);
}
PyObject* reduceat(PyObject* self, PyObject* args, PyObject* kwargs) {
  return method_by_numpy(self, "reduceat", args, kwargs);
}

PyObject* outer(PyObject* self, PyObject* args, PyObject* kwargs) {
  const UfuncInfo& info = info_of(self);
  if (PyTuple_GET_SIZE(args) != 2 || (kwargs && PyDict_Size(kwargs) > 0) || info.inputs != 2 ||
      info.outputs != 1 || info.is_generalised) {
    return method_by_numpy(self, "outer", args, kwargs);
  }
  Ref a(to_array(PyTuple_GET_ITEM(args, 0), nullptr)),
      b(to_array(PyTuple_GET_ITEM(args, 1), nullptr));
  if (!a || !b) return nullptr;
  if (!is_array(a.get()) || !is_array(b.get())) return method_by_numpy(self, "outer", args, kwargs);
  View view = as_array(a.get())->view;
  for (int i = 0; i < as_array(b.get())->view.rank(); ++i) {
    view.shape.push_back(1);
    view.strides.push_back(0);
  }
  Ref wide(wrap_view(as_array(a.get()), view));
  if (!wide) return nullptr;
  PyObject* const both[2] = {wide.get(), b.get()};
  return record_ufunc(reinterpret_cast<UfuncObject*>(self)->op, both, 2);
}

// Writes in place: the array is shared with NumPy meanwhile.
PyObject* at(PyObject* self, PyObject* args) {
  const UfuncInfo& info = info_of(self);
  if (PyTuple_GET_SIZE(args) < 2) {
    PyErr_SetString(PyExc_TypeError, "at() takes from 2 to 3 positional arguments");
    return nullptr;
  }
  if (PyTuple_GET_SIZE(args) == 3) {
    const int done = update_by_kernel(info.name, PyTuple_GET_ITEM(args, 0),
                                      PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2));
    if (done < 0) return nullptr;
    if (done > 0) Py_RETURN_NONE;
  }
  Ref function(PyObject_GetAttrString(info.real, "at"));
  Ref real_args(PyTuple_New(PyTuple_GET_SIZE(args)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    // NumPy does not ask whether the array may be written.
    const bool is_written = i == 0 && is_array(item) && !raw_array(item)->is_scalar;
    PyObject* made = is_written ? to_ndarray_shared(as_array(item)) : to_real(item, i == 0);
    if (!made) return nullptr;
    PyTuple_SET_ITEM(real_args.get(), i, made);
  }
  ++stats.fallbacks;
  return PyObject_CallObject(function.get(), real_args.get());
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(info_of(self).real, name);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<ufunc '%s'>", info_of(self).name.c_str());
}

PyMethodDef methods[] = {
    {"reduce", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(reduce)),
     METH_VARARGS | METH_KEYWORDS, "Combines elements along axes."},
    {"accumulate", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(accumulate)),
     METH_VARARGS | METH_KEYWORDS, "All partial results along an axis."},
    {"reduceat", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(reduceat)),
     METH_VARARGS | METH_KEYWORDS, "Reductions of slices."},
    {"outer", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(outer)),
     METH_VARARGS | METH_KEYWORDS, "All pairs."},
    {"at", at, METH_VARARGS, "In place, at indices that may repeat."},
    {nullptr, nullptr, 0, nullptr}};

template <class T>
void set_op(T& op, const char* name) {
  op = static_cast<T>(find_ufunc(name));
}

}  // namespace

PyTypeObject ufunc_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool fill_ufuncs() {
  ufunc_type.tp_name = "skald.ufunc";
  ufunc_type.tp_basicsize = sizeof(UfuncObject);
  ufunc_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  ufunc_type.tp_vectorcall_offset = offsetof(UfuncObject, call);
  ufunc_type.tp_call = PyVectorcall_Call;
  ufunc_type.tp_methods = methods;
  ufunc_type.tp_getattro = get_attribute;
  ufunc_type.tp_repr = repr;
  if (PyType_Ready(&ufunc_type) < 0) return false;
  // Looking at what is there already: asking for an attribute imports submodules.
  PyObject* names = PyModule_GetDict(real.numpy);
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(names, &at, &name, &value)) {
    Ref found = Ref::borrowed(value);
    if (!PyObject_TypeCheck(found.get(), reinterpret_cast<PyTypeObject*>(real.ufunc_type)))
      continue;
    Ref own(PyObject_GetAttrString(found.get(), "__name__"));
    const char* text = PyUnicode_AsUTF8(own.get());
    if (find_ufunc(text) >= 0) continue;
    UfuncInfo info;
    info.name = text;
    info.real = found.get();
    auto* real_ufunc = reinterpret_cast<PyUFuncObject*>(found.get());
    info.inputs = real_ufunc->nin;
    info.outputs = real_ufunc->nout;
    info.is_generalised = real_ufunc->core_enabled != 0;
    found.release();
    auto* object = PyObject_New(UfuncObject, &ufunc_type);
    object->op = static_cast<uint16_t>(ufuncs().size());
    object->call = call;
    info.object = reinterpret_cast<PyObject*>(object);
    ufuncs().push_back(info);
  }
  set_op(ops.add, "add"), set_op(ops.subtract, "subtract"), set_op(ops.multiply, "multiply");
  set_op(ops.true_divide, "divide"), set_op(ops.floor_divide, "floor_divide");
  set_op(ops.remainder, "remainder"), set_op(ops.power, "power");
  set_op(ops.left_shift, "left_shift"), set_op(ops.right_shift, "right_shift");
  set_op(ops.bitwise_and, "bitwise_and"), set_op(ops.bitwise_or, "bitwise_or");
  set_op(ops.bitwise_xor, "bitwise_xor"), set_op(ops.negative, "negative");
  set_op(ops.positive, "positive"), set_op(ops.absolute, "absolute"), set_op(ops.invert, "invert");
  set_op(ops.less, "less"), set_op(ops.less_equal, "less_equal"), set_op(ops.equal, "equal");
  set_op(ops.not_equal, "not_equal"), set_op(ops.greater, "greater");
  set_op(ops.greater_equal, "greater_equal"), set_op(ops.maximum, "maximum");
  set_op(ops.minimum, "minimum"), set_op(ops.square, "square"), set_op(ops.sqrt, "sqrt");
  set_op(ops.reciprocal, "reciprocal"), set_op(ops.logical_and, "logical_and");
  set_op(ops.logical_or, "logical_or"), set_op(ops.divmod, "divmod"), set_op(ops.matmul, "matmul");
  set_op(ops.conjugate, "conjugate");
  return true;
}

}  // namespace skald::python
