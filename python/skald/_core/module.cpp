// SPDX-License-Identifier: Apache-2.0
// skald._core: the module, and functions that record operations.
#define SKALD_IMPORTS_NUMPY
#include "module.h"

#include "array_type.h"
#include "calls.h"
#include "direct.h"
#include "fallback.h"
#include "fork.h"
#include "index.h"
#include "plan_cache.h"
#include "quick.h"
#include "recording.h"
#include "selection.h"
#include "served.h"
#include "ufunc.h"

namespace skald::python {

Real real;

ModuleState& module_state() {
  static ModuleState state;
  return state;
}

PyObject* numpy_function(const char* name) {
  // NumPy keeps it alive.
  Ref found(PyObject_GetAttrString(real.numpy, name));
  return found.get();
}

namespace {

PyObject* product(PyObject*, PyObject* args) {
  PyObject *a = nullptr, *b = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &a, &b)) return nullptr;
  PyObject* made = short_product(a, b);
  if (!made && !PyErr_Occurred()) made = record_product(a, b);
  if (made || PyErr_Occurred()) return made;
  Py_RETURN_NONE;
}

PyObject* roll(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  long long shift = 0;
  int axis = 0;
  if (!PyArg_ParseTuple(args, "O!Li", &array_type, &object, &shift, &axis)) return nullptr;
  const ArrayObject* array = as_array(object);
  if (axis < 0 || axis >= array->view.rank() || shift <= 0 || shift >= array->view.shape[axis]) {
    PyErr_SetString(PyExc_ValueError, "roll: bad axis or shift");
    return nullptr;
  }
  return record_roll(array, shift, axis);
}

PyObject* view(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *shape = nullptr, *strides = nullptr;
  long long offset = 0;
  if (!PyArg_ParseTuple(args, "O!OO|L", &array_type, &object, &shape, &strides, &offset))
    return nullptr;
  View made;
  if (!parse_shape(shape, made.shape) || !parse_shape(strides, made.strides)) return nullptr;
  if (made.shape.size() != made.strides.size()) {
    PyErr_SetString(PyExc_ValueError, "as many strides as sizes are needed");
    return nullptr;
  }
  auto* source = as_array(object);
  made.offset = source->view.offset + offset;
  int64_t lowest = made.offset, highest = made.offset;
  for (int i = 0; i < made.rank(); ++i) {
    const int64_t reach = (made.shape[i] - 1) * made.strides[i];
    (reach < 0 ? lowest : highest) += reach;
  }
  if (made.count() > 0 && (lowest < 0 || highest >= source->base->current->count())) {
    PyErr_SetString(PyExc_ValueError, "the view does not lie inside the array's memory");
    return nullptr;
  }
  return wrap_view(source, made);
}

PyObject* where(PyObject*, PyObject* args) {
  PyObject *condition = nullptr, *x = nullptr, *y = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &condition, &x, &y)) return nullptr;
  return record_where(condition, x, y);
}

PyObject* copy_to(PyObject*, PyObject* args) {
  PyObject *target = nullptr, *value = nullptr, *casting = nullptr, *mask = Py_True;
  if (!PyArg_ParseTuple(args, "O!O|OO", &array_type, &target, &value, &casting, &mask))
    return nullptr;
  NPY_CASTING rule = NPY_SAME_KIND_CASTING;
  if (casting && casting != Py_None && !PyArray_CastingConverter(casting, &rule)) return nullptr;
  auto* array = as_array(target);
  Ref made;
  Scalar scalar;
  if (!scalar_from(value, array->type(), scalar)) {
    made = Ref(to_array(value, nullptr));
    if (!made) return nullptr;
    value = made.get();
    if (is_array(value) &&
        !PyArray_CanCastTypeTo(descr_of(as_array(value)->type()), descr_of(array->type()), rule)) {
      PyErr_Format(PyExc_TypeError, "Cannot cast array data from %R to %R according to the rule",
                   descr_of(as_array(value)->type()), descr_of(array->type()));
      return nullptr;
    }
  }
  Ref mask_array;
  if (mask != Py_True) {
    Ref bool_type(Ref::borrowed(reinterpret_cast<PyObject*>(descr_of(DType::kBool))));
    mask_array = Ref(to_array(mask, bool_type.get()));
    if (!mask_array) return nullptr;
  }
  if (!assign_view(array, array->view, value, mask_array.get())) return nullptr;
  Py_RETURN_NONE;
}

PyObject* to_numpy(PyObject*, PyObject* object) {
  return is_array(object) ? to_ndarray_shared(as_array(object)) : Ref::borrowed(object).release();
}
PyObject* read_only(PyObject*, PyObject* object) {
  return is_array(object) ? to_ndarray_read_only(as_array(object))
                          : Ref::borrowed(object).release();
}

PyObject* fallback(PyObject*, PyObject* args) {
  PyObject *callable = nullptr, *call_args = nullptr, *call_kwargs = nullptr;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "OOOs", &callable, &call_args, &call_kwargs, &name)) return nullptr;
  return fall_back(callable, call_args, call_kwargs == Py_None ? nullptr : call_kwargs, name);
}

PyObject* opaque(PyObject*, PyObject* args) {
  PyObject *callable = nullptr, *inputs = nullptr, *outputs = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &callable, &inputs, &outputs)) return nullptr;
  Ref in(PySequence_Fast(inputs, "inputs")), out(PySequence_Fast(outputs, "outputs"));
  if (!in || !out) return nullptr;
  const auto count = static_cast<int>(PySequence_Fast_GET_SIZE(in.get()));
  Node* node = lazy::new_node(NodeKind::kOpaque, DType::kU8, Dims(1, 0), count);
  node->payload = Ref::borrowed(callable).release();
  node->drop_payload = [](void* payload) { Py_DECREF(static_cast<PyObject*>(payload)); };
  bool exported = false;
  for (int i = 0; i < count; ++i) {
    Ref item(to_array(PySequence_Fast_GET_ITEM(in.get(), i), nullptr));
    if (!item || !is_array(item.get())) {
      node->drop();
      if (item) PyErr_SetString(PyExc_TypeError, "an input is not an array of ours");
      return nullptr;
    }
    exported = exported || as_array(item.get())->base->is_exported();
    lazy::set_input(node, i, as_array(item.get())->base->current, as_array(item.get())->view);
  }
  Ref results(PyTuple_New(PySequence_Fast_GET_SIZE(out.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(results.get()); ++i) {
    PyObject *shape = nullptr, *dtype = nullptr;
    Dims dims;
    DType type;
    bool known = false;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(out.get(), i), "OO", &shape, &dtype) ||
        !parse_shape(shape, dims) || !parse_type(dtype, type, known) || !known) {
      node->drop();
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "a result has a type that is not ours");
      return nullptr;
    }
    Node* part = lazy::new_node(NodeKind::kPart, type, dims, 1);
    part->op = static_cast<uint16_t>(i);
    lazy::set_input(part, 0, node, View());
    PyTuple_SET_ITEM(results.get(), i, wrap_node(part));
  }
  node->drop();
  if (exported && !flush_all()) return nullptr;
  return results.release();
}

PyObject* loop(PyObject*, PyObject* args) {
  PyObject *func = nullptr, *rounds = nullptr, *call_args = nullptr, *call_kwargs = nullptr;
  if (!PyArg_ParseTuple(args, "OOO!|O", &func, &rounds, &PyTuple_Type, &call_args, &call_kwargs))
    return nullptr;
  int64_t count = -1;
  if (rounds != Py_None) {
    count = PyNumber_AsSsize_t(rounds, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    if (count < 0) count = 0;
  }
  return do_while(func, count, call_args, call_kwargs == Py_None ? nullptr : call_kwargs);
}

PyObject* count(PyObject*, PyObject* object) {
  PyObject* result = is_array(object) ? count_selected(raw_array(object)) : nullptr;
  return result || PyErr_Occurred() ? result : Ref::borrowed(Py_None).release();
}
PyObject* is_array_function(PyObject*, PyObject* object) {
  return PyBool_FromLong(is_array(object));
}

PyObject* set_method(PyObject*, PyObject* args) {
  PyObject *name = nullptr, *function = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &name, &function)) return nullptr;
  if (PyDict_SetItem(array_type.tp_dict, name, function) < 0) return nullptr;
  PyType_Modified(&array_type);
  Py_RETURN_NONE;
}
PyObject* set_array_function(PyObject*, PyObject* handler) {
  Py_XDECREF(module_state().array_function);
  module_state().array_function = Ref::borrowed(handler).release();
  Py_RETURN_NONE;
}
PyObject* set_namespace(PyObject*, PyObject* module) {
  Py_XDECREF(module_state().array_namespace);
  module_state().array_namespace = Ref::borrowed(module).release();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"product", product, METH_VARARGS, "of two vectors or matrices of one type, or None"},
    {"part", part_of, METH_VARARGS, "part(array, imaginary), or None"},
    {"count_in_bins", count_in_bins, METH_VARARGS, "count_in_bins(values, edges, weights or None), of real arrays of floats"},
    {"roll", roll, METH_VARARGS, "roll(array, shift, axis), 0 < shift < extent"},
    {"view", view, METH_VARARGS, "view(array, shape, strides, offset) in elements"},
    {"where", where, METH_VARARGS, "where(condition, x, y)"},
    {"copyto", copy_to, METH_VARARGS, "copyto(target, value, casting, where)"},
    {"to_numpy", to_numpy, METH_O, "A real array that shares the memory."},
    {"readonly", read_only, METH_O, "A real array that must not be written."},
    {"fallback", fallback, METH_VARARGS, "fallback(callable, args, kwargs, name)"},
    {"serve", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(serve)), METH_FASTCALL,
     "serve(kind, what, function, arguments, keywords)"},
    {"served_calls", served_calls, METH_NOARGS, "What was served, from where and how often."},
    {"forget_served", forget_served, METH_NOARGS, "Counts from zero."},
    {"opaque", opaque, METH_VARARGS, "opaque(callable, inputs, outputs)"},
    {"do_while", loop, METH_VARARGS, "do_while(func, rounds, args, kwargs)"},
    {"count_selected", count, METH_O,
     "How many elements a selection has, or None: it is something else."},
    {"is_array", is_array_function, METH_O, "Is it a skald.ndarray?"},
    {"set_method", set_method, METH_VARARGS, "set_method(name, function)"},
    {"set_array_function", set_array_function, METH_O, "Who handles __array_function__."},
    {"set_namespace", set_namespace, METH_O, "What __array_namespace__ gives."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "skald._core",
                          "Lazy arrays.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

bool import_numpy() {
  if (_import_array() < 0 || _import_umath() < 0) return false;
  real.numpy = PyImport_ImportModule("numpy");
  if (!real.numpy) return false;
  real.copyto = PyObject_GetAttrString(real.numpy, "copyto");
  real.ufunc_type = PyObject_GetAttrString(real.numpy, "ufunc");
  return real.copyto && real.ufunc_type;
}

}  // namespace
}  // namespace skald::python

PyMODINIT_FUNC PyInit__core() {
  using namespace skald::python;
  if (!import_numpy() || !fill_ufuncs() || !ready_array_type()) return nullptr;
  ready_scalar_operators();
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  Ref table(PyDict_New());
  for (const UfuncInfo& info : ufuncs())
    PyDict_SetItemString(table.get(), info.name.c_str(), info.object);
  PyModule_AddObject(module, "ufuncs", table.release());
  PyModule_AddObject(module, "ndarray",
                     Ref::borrowed(reinterpret_cast<PyObject*>(&array_type)).release());
  PyModule_AddObject(module, "ufunc",
                     Ref::borrowed(reinterpret_cast<PyObject*>(&ufunc_type)).release());
  PyModule_AddObject(module, "numpy", Ref::borrowed(real.numpy).release());
  if (!ready_settings(module)) return nullptr;
  Ref at_exit(PyImport_ImportModule("atexit")),
      stop_function(PyObject_GetAttrString(module, "_stop"));
  if (!at_exit || !stop_function) return nullptr;
  Ref registered(PyObject_CallMethod(at_exit.get(), "register", "O", stop_function.get()));
  const bool ready = ready_calls(module) && ready_recording(module) && ready_functions(module) &&
                     ready_quick(module) && ready_creation(module) &&
                     ready_for_forks();
  return registered && ready ? module : nullptr;
}
