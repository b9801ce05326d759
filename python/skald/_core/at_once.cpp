// SPDX-License-Identifier: Apache-2.0
#include "at_once.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "direct.h"
#include "no_flags.h"
#include "plan_cache.h"
#include "recording.h"
#include "rows.h"
#include "ufunc.h"

namespace skald::python {

namespace {

constexpr int kMostOperands = 2;
// NumPy's loops use wider instructions than ours, and cost a little to begin.
constexpr int64_t kFewForOurs = 128;

// The loops of an operation on one type.
struct Loops {
  Kernel ours = nullptr;
  NumpyLoop numpys;
  DType result = DType::kBool;
  bool asked = false;
};

Loops find_loops(uint16_t op, DType type) {
  Loops loops;
  loops.asked = true;
  loops.result = type;
  const bool compares = op == ops.less || op == ops.less_equal || op == ops.greater ||
                        op == ops.greater_equal || op == ops.equal || op == ops.not_equal;
  if (compares) loops.result = DType::kBool;
  const int inputs = ufuncs()[op].inputs;
  if (inputs > kMostOperands || ufuncs()[op].outputs != 1) return loops;
  loops.ours = kernel_of(op, type);
  loops.numpys = numpy_loop(op, type, loops.result);
  return loops;
}

const Loops& loops_of(uint16_t op, DType type) {
  static auto* const all = new std::vector<Loops>(ufuncs().size() * size_t{lazy::kDTypeCount});
  Loops& loops = (*all)[op * size_t{lazy::kDTypeCount} + static_cast<size_t>(type)];
  if (!loops.asked) loops = find_loops(op, type);
  return loops;
}

// A row of elements, or a number that takes part in each.
struct Operand {
  const std::byte* data = nullptr;
  int64_t step = 0;
  int64_t number = 0;
};

bool is_at_hand(const Node* node) {
  return node->buffer && node->buffer->data && !node->buffer->device && !node->is_compressed;
}

// The array, if its elements can be read as they are.
ArrayObject* plain_array(PyObject* object) {
  if (Py_TYPE(object) != &array_type) return nullptr;
  ArrayObject* array = raw_array(object);
  return array->selection || array->base->part || !is_at_hand(array->base->current) ? nullptr
                                                                                    : array;
}

// The distance of elements, if they are one row; 0: they are not.
int64_t step_of(const View& view) {
  if (view.rank() == 1) return view.shape[0] == 1 ? 1 : view.strides[0];
  return view.is_dense() ? 1 : 0;
}

bool read_array(const ArrayObject* array, const View& row, Operand& operand) {
  const int size = lazy::item_size(array->type());
  operand.data = array->base->current->data() + array->view.offset * size;
  if (array->view.rank() == 0) return true;
  if (!(array->view.shape == row.shape)) return false;
  operand.step = step_of(array->view) * size;
  return operand.step != 0;
}

bool set_number(double value, DType type, int64_t& bits) {
  if (type == DType::kF64) {
    std::memcpy(&bits, &value, sizeof value);
    return true;
  }
  const bool fits = std::fabs(value) <= std::numeric_limits<float>::max() || !std::isfinite(value);
  const auto narrow = static_cast<float>(value);
  std::memcpy(&bits, &narrow, sizeof narrow);
  return type == DType::kF32 && fits;
}

// Numbers of Python take the type of the array beside them; NumPy's must have it.
bool read_number(PyObject* object, DType type, int64_t& bits) {
  if (PyFloat_CheckExact(object)) return set_number(PyFloat_AS_DOUBLE(object), type, bits);
  if (Py_TYPE(object) == &PyDoubleArrType_Type)
    return type == DType::kF64 && set_number(PyArrayScalar_VAL(object, Double), type, bits);
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  bits = PyLong_AsLongLongAndOverflow(object, &overflow);
  // Every integer so small is a float of either kind.
  constexpr int64_t kExact = int64_t{1} << 24;
  if (overflow != 0) return false;
  if (type == DType::kI64) return true;
  return std::abs(bits) <= kExact && set_number(static_cast<double>(bits), type, bits);
}

bool read_operand(PyObject* object, DType type, const View& row, Operand& operand) {
  if (Py_TYPE(object) == &array_type) {
    const ArrayObject* array = plain_array(object);
    return array && array->type() == type && read_array(array, row, operand);
  }
  return read_number(object, type, operand.number);
}

// `count` results one after the other; NumPy's flags are not looked at.
void run(const Loops& loops, const Operand* operands, int inputs, std::byte* to, int64_t count) {
  std::byte* at[kMostInputs + 1] = {};
  int64_t steps[kMostInputs + 1] = {};
  for (int i = 0; i < inputs; ++i) {
    const std::byte* from = operands[i].data
                                ? operands[i].data
                                : reinterpret_cast<const std::byte*>(&operands[i].number);
    at[i] = const_cast<std::byte*>(from);
    steps[i] = operands[i].step;
  }
  at[inputs] = to;
  steps[inputs] = lazy::item_size(loops.result);
  if (count > kFewForOurs && loops.numpys.function) {
    loops.numpys(at, steps, count);
  } else {
    loops.ours(at, steps, to, count);
  }
}

bool is_few(int64_t count) {
  return count > 0 && count <= lazy::kFewElements;
}

}  // namespace

bool may_run_at_once() {
  const PlanOptions& options = plan_options();
  return !is_recording() && lazy::pending().more() == 0 && options.evaluator == Evaluator::kAuto &&
         options.hot == 0 && options.is_cpu && !current_trace();
}

PyObject* compute_at_once(uint16_t op, PyObject* const* args, int count) {
  const ArrayObject* first = plain_array(args[0]);
  const ArrayObject* second = count > 1 ? plain_array(args[1]) : nullptr;
  const ArrayObject* shaped = first && (first->view.rank() > 0 || !second) ? first : second;
  if (!shaped || shaped->view.rank() == 0) return nullptr;
  const View& row = shaped->view;
  const DType type = shaped->type();
  const Loops& loops = loops_of(op, type);
  const int64_t elements = row.count();
  Operand operands[kMostOperands];
  if (!loops.ours || !is_few(elements)) return nullptr;
  for (int i = 0; i < count; ++i) {
    if (!read_operand(args[i], type, row, operands[i])) return nullptr;
  }
  if (!may_run_at_once()) return nullptr;
  Buffer* buffer = lazy::new_buffer(elements * lazy::item_size(loops.result));
  if (!buffer) return nullptr;
  const NoArithmeticFlags flags;
  run(loops, operands, count, static_cast<std::byte*>(buffer->data), elements);
  if (!flags.hold()) {
    buffer->drop();
    return nullptr;
  }
  ++stats.eager_nodes;
  return wrap_node(lazy::new_value(loops.result, row.shape, buffer));
}

bool update_at_once(uint16_t op, ArrayObject* target, PyObject* value) {
  const View& row = target->view;
  const int64_t elements = row.count();
  if (Py_TYPE(target) != &array_type || target->is_read_only || target->is_scalar ||
      row.rank() == 0 || !is_few(elements) || !target->base->may_change())
    return false;
  const ArrayObject* array = plain_array(reinterpret_cast<PyObject*>(target));
  if (!array) return false;
  const Node* node = array->base->current;
  const Buffer* buffer = node->buffer;
  const Loops& loops = loops_of(op, node->type);
  const bool ours =
      node->refs == 1 && buffer->refs == 1 && buffer->exports == 0 && buffer->writable;
  Operand operands[kMostOperands];
  if (!ours || !loops.ours || loops.result != node->type || !read_array(array, row, operands[0]) ||
      !read_operand(value, node->type, row, operands[1]) || !may_run_at_once())
    return false;
  // Somewhere else first: what would warn must find the array as it was, and so must all that the
  // value reads of it.
  alignas(64) std::byte results[lazy::kFewElements * 16];
  const NoArithmeticFlags flags;
  run(loops, operands, 2, results, elements);
  if (!flags.hold()) return false;
  const int size = lazy::item_size(node->type);
  std::byte* const to = const_cast<std::byte*>(operands[0].data);
  if (operands[0].step == size) {
    std::memcpy(to, results, static_cast<size_t>(elements * size));
  } else {
    copy_apart(size, results, size, to, operands[0].step, elements);
  }
  ++stats.eager_nodes;
  return true;
}

}  // namespace skald::python
