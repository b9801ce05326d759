// SPDX-License-Identifier: Apache-2.0
// Recording elementwise operations: which types they work in, the shape, the node.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "at_once.h"
#include "axis_order.h"
#include "direct.h"
#include "little.h"
#include "plan_cache.h"
#include "plans.h"
#include "recording.h"
#include "selection.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// What an operand is for NumPy's rules of promotion: a type, or a Python scalar without one.
enum Code : uint8_t { kWeakInt = lazy::kDTypeCount, kWeakFloat, kWeakComplex, kNoCode };
constexpr int kMaxInputs = 4;

struct Resolved {
  bool known = false;  // all types are ours
  DType inputs[kMaxInputs];
  DType output;
};

struct Operand {
  PyObject* object = nullptr;
  Ref made;  // an array made from a list or the like
  Code code = kNoCode;
  ArrayObject* array() const { return is_array(object) ? raw_array(object) : nullptr; }
};

PyObject* weak_type(Code code) {
  PyTypeObject* type = code == kWeakInt     ? &PyLong_Type
                       : code == kWeakFloat ? &PyFloat_Type
                                            : &PyComplex_Type;
  return reinterpret_cast<PyObject*>(type);
}

// Asks NumPy.
Resolved resolve_slowly(const UfuncInfo& info, const Code* codes, int count) {
  Resolved resolved;
  Ref types(PyTuple_New(info.inputs + info.outputs));
  bool all_weak = true;
  for (int i = 0; i < info.inputs + info.outputs; ++i) {
    PyObject* type = Py_None;
    if (i < count) {
      const bool weak = codes[i] >= kWeakInt;
      all_weak = all_weak && weak;
      type = weak ? weak_type(codes[i])
                  : reinterpret_cast<PyObject*>(descr_of(static_cast<DType>(codes[i])));
    }
    Py_INCREF(type);
    PyTuple_SET_ITEM(types.get(), i, type);
  }
  if (all_weak) return resolved;
  Ref result(PyObject_CallMethod(info.real, "resolve_dtypes", "(O)", types.get()));
  if (!result) {
    PyErr_Clear();
    return resolved;
  }
  for (int i = 0; i < count; ++i) {
    PyObject* type = PyTuple_GET_ITEM(result.get(), i);
    if (!PyArray_DescrCheck(type) ||
        !core_type(reinterpret_cast<PyArray_Descr*>(type), resolved.inputs[i])) {
      return resolved;
    }
  }
  PyObject* output = PyTuple_GET_ITEM(result.get(), info.inputs);
  resolved.known = PyArray_DescrCheck(output) &&
                   core_type(reinterpret_cast<PyArray_Descr*>(output), resolved.output);
  return resolved;
}

const Resolved& resolve(uint16_t op, const Code* codes, int count) {
  static auto* const known = new std::unordered_map<uint64_t, Resolved>;
  uint64_t key = op;
  for (int i = 0; i < count; ++i) key = key << 8 | codes[i];
  auto it = known->find(key);
  if (it == known->end()) {
    it = known->emplace(key, resolve_slowly(ufuncs()[op], codes, count)).first;
  }
  return it->second;
}

// False: not something that we handle.  `constants`: scalars of NumPy need not become arrays.
bool classify(PyObject* object, Operand& operand, bool constants) {
  operand.object = object;
  if (is_array(object)) {
    const ArrayObject* array = raw_array(object);
    if (array->base->part) refresh_part(array->base);
    operand.code = static_cast<Code>(array->type());
    return true;
  }
  if (PyFloat_CheckExact(object)) {
    operand.code = kWeakFloat;
    return true;
  }
  if (PyBool_Check(object)) {
    operand.code = static_cast<Code>(DType::kBool);
    return true;
  }
  if (PyLong_CheckExact(object)) {
    operand.code = kWeakInt;
    return true;
  }
  if (PyComplex_CheckExact(object)) {
    operand.code = kWeakComplex;
    return true;
  }
  // The usual scalars of NumPy are constants that have a type.
  if (constants && PyArray_IsScalar(object, Double)) {
    operand.code = static_cast<Code>(DType::kF64);
    return true;
  }
  if (constants && PyArray_IsScalar(object, Long)) {
    operand.code = static_cast<Code>(DType::kI64);
    return true;
  }
  if (constants && PyArray_IsScalar(object, CDouble)) {
    operand.code = static_cast<Code>(DType::kC128);
    return true;
  }
  if (PyArray_IsScalar(object, Generic) || PyArray_Check(object) || PyList_Check(object) ||
      PyTuple_Check(object)) {
    operand.made = Ref(to_array(object, nullptr));
    if (!operand.made || !is_array(operand.made.get())) {
      PyErr_Clear();
      return false;
    }
    operand.object = operand.made.get();
    operand.code = static_cast<Code>(as_array(operand.object)->type());
    return true;
  }
  return false;
}

// x**2 and the like cost a multiplication, as in NumPy.
bool special_power(Operand* operands, uint16_t& op, int& count) {
  if (operands[1].array() || operands[1].code == kWeakComplex || !operands[0].array()) return false;
  double exponent = -1;
  if (PyLong_CheckExact(operands[1].object)) {
    exponent = PyLong_AsDouble(operands[1].object);
    PyErr_Clear();
  } else if (PyFloat_CheckExact(operands[1].object)) {
    exponent = PyFloat_AS_DOUBLE(operands[1].object);
  } else {
    return false;
  }
  const DType type = operands[0].array()->type();
  const bool floating = lazy::is_float(type) || lazy::is_complex(type);
  if (!floating && !(lazy::is_integer(type) && operands[1].code == kWeakInt && exponent == 2)) {
    return false;
  }
  if (exponent == 2) {
    op = ops.square;
  } else if (exponent == 0.5) {
    op = ops.sqrt;
  } else if (exponent == -1) {
    op = ops.reciprocal;
  } else if (exponent == 1) {
    op = ops.positive;
  } else {
    return false;
  }
  count = 1;
  return true;
}

PyObject* call_real(uint16_t op, PyObject* const* args, int count) {
  Ref tuple(PyTuple_New(count));
  for (int i = 0; i < count; ++i) {
    Py_INCREF(args[i]);
    PyTuple_SET_ITEM(tuple.get(), i, args[i]);
  }
  return fall_back(ufuncs()[op].real, tuple.get(), nullptr, ufuncs()[op].name.c_str());
}

// The NumPy error of shapes that do not match: NumPy sees arrays of these shapes without elements
// of their own.
PyObject* shape_error(uint16_t op, const Operand* operands, int count) {
  Ref tuple(PyTuple_New(count));
  for (int i = 0; i < count; ++i) {
    PyObject* stand_in = nullptr;
    if (ArrayObject* array = operands[i].array()) {
      static char zeros[16] = {};
      const Dims strides(array->view.rank(), 0);
      PyArray_Descr* descr = descr_of(array->type());
      Py_INCREF(descr);
      stand_in =
          PyArray_NewFromDescr(&PyArray_Type, descr, array->view.rank(), array->view.shape.data(),
                               const_cast<npy_intp*>(strides.data()), zeros, 0, nullptr);
    } else {
      stand_in = Ref::borrowed(operands[i].object).release();
    }
    if (!stand_in) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, stand_in);
  }
  PyObject* result = PyObject_CallObject(ufuncs()[op].real, tuple.get());
  if (result) {
    Py_DECREF(result);
    PyErr_SetString(PyExc_ValueError, "operands could not be broadcast together");
  }
  return nullptr;
}

}  // namespace

bool broadcast_shapes(const Dims& a, const Dims& b, Dims& result) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  result = longer;
  const int first = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const int64_t m = longer[first + i], n = shorter[i];
    if (m == n || n == 1) continue;
    if (m != 1) return false;
    result[first + i] = n;
  }
  return true;
}

PyObject* record_cast(ArrayObject* array, DType type) {
  Node* node = lazy::new_node(NodeKind::kCast, type, array->view.shape, 1);
  lazy::set_input(node, 0, array->base->current, array->view);
  run_if_little(node);
  PyObject* result = wrap_node(node);
  if (!settle_if_exported(array->base)) Py_CLEAR(result);
  return result;
}

template <class T>
static T first_of(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

// A scalar of NumPy, or an array of it without axes, is a constant: as an array it would be another
// one in each round of a loop.
static bool constant_from(const Operand& operand, DType type, Scalar& scalar) {
  if (!operand.made) return false;
  const ArrayObject* array = raw_array(operand.made.get());
  const Node* node = array->base->current;
  if (array->view.rank() != 0 || array->type() != type || !node->buffer || !node->buffer->data)
    return false;
  const std::byte* data = node->data() + array->view.offset * lazy::item_size(type);
  switch (type) {
    case DType::kBool: scalar.b = first_of<bool>(data); return true;
    case DType::kI32: scalar.i = first_of<int32_t>(data); return true;
    case DType::kI64: scalar.i = first_of<int64_t>(data); return true;
    case DType::kF32: scalar.c[0] = static_cast<double>(first_of<float>(data)); return true;
    case DType::kF64: scalar.c[0] = first_of<double>(data); return true;
    default: return false;
  }
}

// The node with these operands; null with an exception set.
static Node* make_node(uint16_t op, Operand* operands, int count, const Resolved& resolved,
                       const Dims& shape, bool& exported, bool is_masked = false) {
  Scalar scalars[kMaxInputs] = {};
  bool is_constant[kMaxInputs];
  for (int i = 0; i < count; ++i) {
    is_constant[i] =
        !operands[i].array() || constant_from(operands[i], resolved.inputs[i], scalars[i]);
    if (operands[i].array()) continue;
    if (!scalar_from(operands[i].object, resolved.inputs[i], scalars[i])) return nullptr;
  }
  Node* node =
      lazy::new_node(NodeKind::kElementwise, resolved.output, shape, is_masked ? count + 1 : count);
  node->op = op;
  node->compute_type = resolved.inputs[0];
  for (int i = 1; i < count; ++i) {
    node->is_plain = node->is_plain && (op == kWhereOp || resolved.inputs[i] == resolved.inputs[0]);
  }
  for (int i = 0; i < count; ++i) {
    if (!is_constant[i]) {
      const ArrayObject* array = operands[i].array();
      Input& input = node->inputs[i];
      Node* from = array->base->current;
      from->retain();
      input.node = from;
      input.type = from->type;
      if (array->view.shape == shape) {
        input.view = array->view;
      } else {
        input.view = array->view.broadcast(shape);
      }
      exported = exported || array->base->is_exported();
    } else {
      lazy::set_scalar(node, i, resolved.inputs[i], scalars[i]);
    }
  }
  return node;
}

// An integer to the power of a number that is negative: NumPy has the words for it.
static bool is_refused_power(uint16_t op, const Operand* operands, const Resolved& resolved) {
  if (op != ops.power || !lazy::is_integer(resolved.inputs[0]) || operands[1].array()) return false;
  Scalar exponent{};
  if (scalar_from(operands[1].object, DType::kI64, exponent)) return exponent.i < 0;
  PyErr_Clear();
  return false;
}

static PyObject* record(uint16_t op, Operand* operands, int count, PyObject* const* args,
                        const Selection* selection) {
  if (op == ops.power) special_power(operands, op, count);
  Code codes[kMaxInputs];
  Dims shape;
  bool has_array = false, all_scalar = true;
  for (int i = 0; i < count; ++i) {
    codes[i] = operands[i].code;
    const ArrayObject* array = operands[i].array();
    if (!array) continue;
    all_scalar = all_scalar && array->view.rank() == 0;
    if (!has_array) {
      shape = array->view.shape;
      has_array = true;
    } else if (!(shape == array->view.shape)) {
      const Dims before = shape;
      if (!broadcast_shapes(before, array->view.shape, shape)) {
        return shape_error(op, operands, count);
      }
    }
  }
  const Resolved& resolved = resolve(op, codes, count);
  if (!resolved.known || is_refused_power(op, operands, resolved))
    return call_real(op, args, ufuncs()[op].inputs);
  bool exported = false;
  Node* node = make_node(op, operands, count, resolved, shape, exported, selection != nullptr);
  if (!node) {
    PyErr_Clear();
    return call_real(op, args, ufuncs()[op].inputs);
  }
  if (selection) return wrap_selected(node, *selection);
  const auto order = reorder(node);
  run_if_little(node);
  if (node->is_pending()) note_for_rows(node);
  PyObject* result = wrap_reordered(node, order);
  if (!result) return nullptr;
  as_array(result)->is_scalar = all_scalar;
  if ((exported || plan_options().tells_errors) && !flush_all()) Py_CLEAR(result);
  return result;
}

PyObject* record_ufunc(uint16_t op, PyObject* const* args, int count) {
  if (PyObject* result = count <= 2 ? compute_at_once(op, args, count) : nullptr) return result;
  // Scalars alone are NumPy's business; these are the usual ones.
  const auto is_number = [](PyObject* object) {
    return Py_TYPE(object) == &PyDoubleArrType_Type || PyFloat_CheckExact(object);
  };
  if (std::all_of(args, args + count, is_number))
    return PyObject_Vectorcall(ufuncs()[op].real, args, static_cast<size_t>(count), nullptr);
  if (!flush_some()) return nullptr;
  if (op == ops.matmul) {
    PyObject* product = short_product(args[0], args[1]);
    if (product || PyErr_Occurred()) return product;
  }
  const Selection* const selection =
      plan_options().tells_errors ? nullptr : common_selection(args, count);
  Operand operands[kMaxInputs];
  bool has_array = false;
  for (int i = 0; i < count; ++i) {
    if (!classify(args[i], operands[i], true)) return call_real(op, args, count);
    has_array = has_array || operands[i].array();
  }
  if (!has_array)
    return PyObject_Vectorcall(ufuncs()[op].real, args, static_cast<size_t>(count), nullptr);
  if (has_array && op == ops.matmul && is_recording()) {
    Ref linear(PyImport_ImportModule("skald._linear"));
    return linear ? PyObject_CallMethod(linear.get(), "recorded_product", "OO", args[0], args[1])
                  : nullptr;
  }
  if (op == ops.matmul) {
    PyObject* product = record_product(args[0], args[1]);
    if (product || PyErr_Occurred()) return product;
  }
  if (!has_array || ufuncs()[op].outputs != 1 || ufuncs()[op].is_generalised) {
    return call_real(op, args, count);
  }
  return record(op, operands, count, args, selection);
}

// Both are selections by one mask, and no cast is needed that NumPy would refuse.
static bool can_replace(PyObject* value, ArrayObject* target) {
  PyObject* const both[] = {reinterpret_cast<PyObject*>(target), value};
  if (!is_array(value) || !raw_array(value)->selection || !common_selection(both, 2)) return false;
  return PyArray_CanCastTypeTo(descr_of(raw_array(value)->type()), descr_of(target->type()),
                               NPY_SAME_KIND_CASTING) != 0;
}

// An operation in place on a whole array reads what it replaces.
static void note_version(Node* node, const Node* old) {
  if (node->kind != NodeKind::kElementwise) return;
  for (int i = 0; i < node->input_count && i < UINT8_MAX; ++i) {
    const Input& input = node->inputs[i];
    if (input.node == old && old->type == node->type && old->shape == node->shape &&
        input.view == View::dense(old->shape))
      node->replaces = static_cast<uint8_t>(i + 1);
  }
}

// Does NumPy refuse the types?  Its own arrays without elements stand in, so that it says what is
// wrong.
static bool refuses_types(uint16_t op, PyObject* const* args, int count, DType result) {
  constexpr npy_intp kNone[] = {0};
  const auto empty = [&](DType type) { return PyArray_EMPTY(1, kNone, numpy_type(type), 0); };
  Ref tuple(PyTuple_New(count + 1));
  for (int i = 0; i <= count; ++i) {
    PyObject* const item = i == count          ? empty(result)
                           : is_array(args[i]) ? empty(as_array(args[i])->type())
                                               : Ref::borrowed(args[i]).release();
    if (!item) return true;
    PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  Ref done(PyObject_CallObject(ufuncs()[op].real, tuple.get()));
  if (!done && PyErr_ExceptionMatches(PyExc_TypeError)) return true;
  PyErr_Clear();
  return false;
}

PyObject* record_ufunc_into(uint16_t op, PyObject* const* args, int count, PyObject* out) {
  auto* target = raw_array(out);
  if (target->is_read_only || target->is_scalar) {
    PyErr_SetString(PyExc_ValueError, "output array is read-only");
    return nullptr;
  }
  if (count == 2 && args[0] == out && update_at_once(op, target, args[1]))
    return Ref::borrowed(out).release();
  Ref value(record_ufunc(op, args, count));
  if (!value) {
    // NumPy looks at types before it looks at shapes.
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
    PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &error, &trace);
    if (refuses_types(op, args, count, target->type())) {
      for (PyObject* each : {type, error, trace}) Py_XDECREF(each);
    } else {
      PyErr_Restore(type, error, trace);
    }
    return nullptr;
  }
  if (target->selection && can_replace(value.get(), target))
    return replace_selected(target, raw_array(value.get())) ? Ref::borrowed(out).release()
                                                            : nullptr;
  target = as_array(out);
  if (!is_array(value.get())) {
    value = Ref(to_array(value.get(), nullptr));
    if (!value) return nullptr;
  }
  DType from = target->type(), to = target->type();
  if (is_array(value.get())) from = as_array(value.get())->type();
  if (from != to && !PyArray_CanCastTypeTo(descr_of(from), descr_of(to), NPY_SAME_KIND_CASTING)) {
    if (!refuses_types(op, args, count, to))
      PyErr_SetString(PyExc_TypeError, "Cannot cast ufunc output");
    return nullptr;
  }
  Dims shape;
  if (!broadcast_shapes(as_array(value.get())->view.shape, target->view.shape, shape) ||
      !(shape == target->view.shape)) {
    PyErr_Format(
        PyExc_ValueError,
        "non-broadcastable output operand with shape %R doesn't match the broadcast shape %R",
        PyObject_GetAttrString(out, "shape"), PyObject_GetAttrString(value.get(), "shape"));
    return nullptr;
  }
  const Node* old = target->base->current;
  if (!assign_view(target, target->view, value.get(), nullptr)) return nullptr;
  note_version(target->base->current, old);
  return Ref::borrowed(out).release();
}

PyObject* record_where(PyObject* condition, PyObject* x, PyObject* y) {
  Operand operands[3];
  PyObject* const args[3] = {condition, x, y};
  bool has_array = false, known = true;
  for (int i = 0; i < 3; ++i) {
    if (is_array(args[i])) as_array(args[i]);
    known = known && classify(args[i], operands[i], false);
    has_array = has_array || (known && operands[i].array());
  }
  // The type is that of x + 0 * y, in NumPy's rules: those of `maximum` of numbers.
  Code codes[2] = {operands[1].code, operands[2].code};
  Resolved resolved;
  if (known && has_array) resolved = resolve(ops.maximum, codes, 2);
  Dims shape;
  for (int i = 0; i < 3 && resolved.known; ++i) {
    const Dims before = shape;
    if (operands[i].array()) {
      resolved.known = broadcast_shapes(before, operands[i].array()->view.shape, shape);
    }
  }
  if (!resolved.known || !operands[0].array()) {
    Ref tuple(PyTuple_Pack(3, condition, x, y));
    return fall_back(numpy_function("where"), tuple.get(), nullptr, "where");
  }
  Ref mask = Ref::borrowed(operands[0].object);
  if (as_array(mask.get())->type() != DType::kBool) {
    mask = Ref(record_cast(as_array(mask.get()), DType::kBool));
    if (!mask) return nullptr;
    operands[0].object = mask.get();
  }
  resolved.inputs[2] = resolved.inputs[1];
  resolved.inputs[1] = resolved.inputs[0];
  resolved.inputs[0] = DType::kBool;
  bool exported = false;
  Node* node = make_node(kWhereOp, operands, 3, resolved, shape, exported);
  if (!node) {
    PyErr_Clear();
    Ref tuple(PyTuple_Pack(3, condition, x, y));
    return fall_back(numpy_function("where"), tuple.get(), nullptr, "where");
  }
  PyObject* result = wrap_reordered(node, reorder(node));
  if (exported && !flush_all()) Py_CLEAR(result);
  return result;
}

}  // namespace skald::python
