// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include "axis_order.h"
#include "index.h"
#include "little.h"
#include "selection.h"
#include "ufunc.h"

namespace skald::python {

namespace {

PyObject* not_ours() {
  return Ref::borrowed(Py_NotImplemented).release();
}

bool same_name(uint16_t op, const char* name) {
  return ufuncs()[op].name == name;
}

// The type in which NumPy reduces, and that of the result; false: NumPy must decide.
bool reduce_types(uint16_t op, DType input, PyObject* dtype, DType& compute, DType& result) {
  if (dtype && dtype != Py_None) {
    bool known = false;
    if (!parse_type(dtype, compute, known)) return false;
    if (!known) return false;
    result = compute;
    if (same_name(op, "logical_and") || same_name(op, "logical_or") ||
        same_name(op, "logical_xor")) {
      return false;
    }
    return true;
  }
  compute = result = input;
  if (op == ops.add || op == ops.multiply) {
    // Small integers and booleans are summed in the type of a long.
    if (input == DType::kBool || (lazy::is_signed(input) && lazy::item_size(input) < 8)) {
      compute = result = DType::kI64;
    } else if (lazy::is_integer(input) && !lazy::is_signed(input) && lazy::item_size(input) < 8) {
      compute = result = DType::kU64;
    }
    return true;
  }
  if (op == ops.maximum || op == ops.minimum) return true;
  if (op == ops.logical_and || op == ops.logical_or) {
    result = DType::kBool;
    compute = DType::kBool;
    return !lazy::is_complex(input);
  }
  if (op == ops.bitwise_and || op == ops.bitwise_or || op == ops.bitwise_xor) {
    return lazy::is_integer(input) || input == DType::kBool;
  }
  return false;
}

// Axes as bits; false with an exception.
bool parse_axes(PyObject* object, int rank, uint64_t& axes) {
  axes = 0;
  Dims list;
  if (PyTuple_Check(object)) {
    if (!parse_shape(object, list)) return false;
  } else {
    const Py_ssize_t axis = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (axis == -1 && PyErr_Occurred()) return false;
    list.push_back(axis);
  }
  for (const int64_t given : list) {
    const int64_t axis = given < 0 ? given + rank : given;
    // 0-d arrays: axis 0 and -1 are fine.
    if (rank == 0 && (given == 0 || given == -1) && list.size() == 1) return true;
    if (axis < 0 || axis >= rank) {
      Ref exceptions(PyImport_ImportModule("numpy.exceptions"));
      Ref type(exceptions ? PyObject_GetAttrString(exceptions.get(), "AxisError") : nullptr);
      if (!type) return false;
      Ref error(PyObject_CallFunction(type.get(), "Li", static_cast<long long>(given), rank));
      if (error) PyErr_SetObject(type.get(), error.get());
      return false;
    }
    if (axes >> axis & 1) {
      PyErr_SetString(PyExc_ValueError, "duplicate value in 'axis'");
      return false;
    }
    axes |= uint64_t{1} << axis;
  }
  return true;
}

}  // namespace

PyObject* record_reduce(uint16_t op, ArrayObject* array, uint64_t axes, PyObject* dtype,
                        bool keep_axes) {
  DType compute, result;
  if (!reduce_types(op, array->type(), dtype, compute, result)) {
    return PyErr_Occurred() ? nullptr : not_ours();
  }
  Dims shape;
  bool empty = false;
  std::optional<AxisOrder> order;
  if (array->view.rank() - __builtin_popcountll(axes) > 1) order = order_of_view(array->view);
  const View view = order ? order->to_memory(array->view) : array->view;
  if (order) {
    const AxisOrder rest = keep_axes ? *order : order->without(axes);
    axes = order->to_memory(axes);
    order = rest;
  }
  for (int i = 0; i < view.rank(); ++i) {
    if (axes >> i & 1) {
      empty = empty || view.shape[i] == 0;
      if (keep_axes) shape.push_back(1);
    } else {
      shape.push_back(view.shape[i]);
    }
  }
  // The smallest of nothing: NumPy has the words for it.
  if (empty && (op == ops.maximum || op == ops.minimum)) return not_ours();
  Node* node = lazy::new_node(NodeKind::kReduce, result, shape, 1);
  node->op = op;
  node->compute_type = compute;
  node->axes = axes;
  node->keeps_axes = keep_axes;
  lazy::set_input(node, 0, array->base->current, view);
  run_if_little(node);
  PyObject* made = wrap_reordered(node, order);
  if (made) as_array(made)->is_scalar = shape.empty() && !keep_axes;
  if (made && !settle_if_exported(array->base)) Py_CLEAR(made);
  return made;
}

PyObject* record_scan(uint16_t op, ArrayObject* array, int axis, PyObject* dtype) {
  DType compute, result;
  if (!reduce_types(op, array->type(), dtype, compute, result)) {
    return PyErr_Occurred() ? nullptr : not_ours();
  }
  if (op == ops.logical_and || op == ops.logical_or) return not_ours();
  const auto order = order_of_view(array->view);
  const View view = order ? order->to_memory(array->view) : array->view;
  Node* node = lazy::new_node(NodeKind::kScan, result, view.shape, 1);
  node->op = op;
  node->compute_type = compute;
  node->axes = order ? order->to_memory(uint64_t{1} << axis) : uint64_t{1} << axis;
  lazy::set_input(node, 0, array->base->current, view);
  PyObject* made = wrap_reordered(node, order);
  if (made && !settle_if_exported(array->base)) Py_CLEAR(made);
  return made;
}

PyObject* reduce_method(uint16_t op, PyObject* args, PyObject* kwargs, int default_axes) {
  static const char* names[] = {"array",    "axis",    "dtype", "out",
                                "keepdims", "initial", "where", nullptr};
  PyObject *source = nullptr, *axis = nullptr, *dtype = nullptr, *out = nullptr, *keep = nullptr,
           *initial = nullptr, *where = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOOO", const_cast<char**>(names), &source,
                                   &axis, &dtype, &out, &keep, &initial, &where)) {
    PyErr_Clear();
    return not_ours();
  }
  static PyObject* const no_value = PyObject_GetAttrString(real.numpy, "_NoValue");
  if (initial == no_value) initial = nullptr;
  if (keep == no_value) keep = nullptr;
  if (where == no_value) where = nullptr;
  if (out && PyTuple_Check(out) && PyTuple_GET_SIZE(out) == 1) out = PyTuple_GET_ITEM(out, 0);
  if (initial || (where && where != Py_True) || (out && out != Py_None && !is_array(out))) {
    return not_ours();
  }
  Ref made(to_array(source, nullptr));
  if (!made) return nullptr;
  if (!is_array(made.get())) return not_ours();
  if (axis == no_value) axis = nullptr;
  if (raw_array(made.get())->selection && (axis ? axis == Py_None : default_axes == 0) &&
      (!keep || keep == Py_False) && (!out || out == Py_None)) {
    PyObject* total = reduce_selected(op, raw_array(made.get()), dtype);
    if (total || PyErr_Occurred()) return total;
  }
  auto* array = as_array(made.get());
  const int rank = array->view.rank();
  uint64_t axes = 0;
  if (!axis && default_axes == 1) {
    if (rank == 0) return not_ours();
    axes = 1;
  } else if (!axis || axis == Py_None) {
    axes = rank >= 64 ? ~uint64_t{0} : (uint64_t{1} << rank) - 1;
  } else if (!parse_axes(axis, rank, axes)) {
    return nullptr;
  }
  const int keep_axes = keep ? PyObject_IsTrue(keep) : 0;
  if (keep_axes < 0) return nullptr;
  Ref result(record_reduce(op, array, axes, dtype, keep_axes != 0));
  if (!result || result.get() == Py_NotImplemented || !out || out == Py_None)
    return result.release();
  if (!(as_array(out)->view.shape == as_array(result.get())->view.shape)) {
    return not_ours();
  }
  if (!assign_view(as_array(out), as_array(out)->view, result.get(), nullptr)) return nullptr;
  return Ref::borrowed(out).release();
}

PyObject* accumulate_method(uint16_t op, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"array", "axis", "dtype", "out", nullptr};
  PyObject *source = nullptr, *axis = nullptr, *dtype = nullptr, *out = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOO", const_cast<char**>(names), &source, &axis,
                                   &dtype, &out)) {
    PyErr_Clear();
    return not_ours();
  }
  if (out && out != Py_None) return not_ours();
  Ref made(to_array(source, nullptr));
  if (!made) return nullptr;
  if (!is_array(made.get()) || as_array(made.get())->view.rank() == 0) return not_ours();
  auto* array = as_array(made.get());
  uint64_t axes = 1;
  if (axis && axis != Py_None && !parse_axes(axis, array->view.rank(), axes)) return nullptr;
  if (axes == 0 || (axes & (axes - 1)) != 0) return not_ours();
  return record_scan(op, array, __builtin_ctzll(axes), dtype);
}

}  // namespace skald::python
