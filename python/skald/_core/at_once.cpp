// SPDX-License-Identifier: Apache-2.0
#include "at_once.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "axis_order.h"
#include "direct.h"
#include "little.h"
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

bool is_at_hand(const Node* node) {
  return node->buffer && node->buffer->data && !node->buffer->device && !node->is_compressed;
}

// The array, if its elements can be read as they are.
const ArrayObject* plain_array(PyObject* object) {
  if (Py_TYPE(object) != &array_type) return nullptr;
  const ArrayObject* array = raw_array(object);
  return array->selection || array->base->part || !is_at_hand(array->base->current) ? nullptr
                                                                                    : array;
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

// An array, or a number that takes part in each element.
struct Operand {
  const ArrayObject* array = nullptr;
  int64_t number = 0;

  bool read(PyObject* object, DType type) {
    if (Py_TYPE(object) != &array_type) return read_number(object, type, number);
    array = plain_array(object);
    return array && array->type() == type;
  }
  const std::byte* data(int size) const {
    return array ? array->base->current->data() + array->view.offset * size
                 : reinterpret_cast<const std::byte*>(&number);
  }
  bool is_one() const { return !array || array->view.rank() == 0; }
};

// The distance of elements, if they are one row; 0: they are not.
int64_t step_of(const View& view) {
  if (view.rank() == 1) return view.shape[0] == 1 ? 1 : view.strides[0];
  return view.is_dense() ? 1 : 0;
}

// An operation whose operands were read: what is computed, and for how many elements.
class Computation {
 public:
  // False: it must be recorded.  `own_shape`: the result has the shape of the first operand.
  bool begin(uint16_t op, PyObject* const* args, int count, bool own_shape) {
    const ArrayObject* first = plain_array(args[0]);
    const ArrayObject* second = count > 1 ? plain_array(args[1]) : nullptr;
    const ArrayObject* shaped = first && (first->view.rank() > 0 || !second) ? first : second;
    if (!shaped || shaped->view.rank() == 0 || (own_shape && shaped != first)) return false;
    type_ = shaped->type();
    loops_ = &loops_of(op, type_);
    if (!loops_->ours) return false;
    count_ = count;
    for (int i = 0; i < count; ++i)
      if (!operands_[i].read(args[i], type_)) return false;
    shape_ = &shaped->view.shape;
    if (first && second && !second->view.shape.empty() && !first->view.shape.empty() &&
        !(first->view.shape == second->view.shape)) {
      if (!broadcast_shapes(first->view.shape, second->view.shape, broadcast_)) return false;
      shape_ = &broadcast_;
    }
    if (own_shape && !(*shape_ == first->view.shape)) return false;
    elements_ = lazy::count_of(*shape_);
    return elements_ > 0 && elements_ <= lazy::kMostAtOnce && may_run_at_once();
  }

  DType result() const { return loops_->result; }
  const Dims& shape() const { return *shape_; }
  int64_t elements() const { return elements_; }
  int64_t bytes() const { return elements_ * lazy::item_size(loops_->result); }

  // Writes the results one after the other.  False: something would warn, or the axes do not lie in
  // the order of rows.
  bool run(std::byte* to) const {
    const int size = lazy::item_size(type_);
    std::byte* at[kMostInputs + 1] = {};
    int64_t steps[kMostInputs + 1] = {};
    bool is_row = true;
    for (int i = 0; i < count_; ++i) {
      const Operand& operand = operands_[i];
      at[i] = const_cast<std::byte*>(operand.data(size));
      if (operand.is_one()) continue;
      steps[i] = operand.array->view.shape == *shape_ ? step_of(operand.array->view) * size : 0;
      is_row = is_row && steps[i] != 0;
    }
    at[count_] = to;
    steps[count_] = lazy::item_size(loops_->result);
    const NoArithmeticFlags flags;
    if (is_row) {
      run_row(at, steps, elements_);
    } else if (!run_rows(to)) {
      return false;
    }
    return flags.hold();
  }

 private:
  void run_row(std::byte* const* at, const int64_t* steps, int64_t n) const {
    if (n > kFewForOurs && loops_->numpys.function) {
      loops_->numpys(at, steps, n);
    } else {
      loops_->ours(at, steps, at[count_], n);
    }
  }
  bool run_rows(std::byte* to) const {
    Input inputs[kMostOperands];
    for (int i = 0; i < count_; ++i) {
      inputs[i].type = type_;
      if (!operands_[i].array) continue;
      inputs[i].node = operands_[i].array->base->current;
      inputs[i].view = operands_[i].array->view.broadcast(*shape_);
    }
    // Results of transposed arrays lie as these do.
    if (order_of_inputs(inputs, count_, shape_->size())) return false;
    Walk walk(*shape_);
    for (int i = 0; i < count_; ++i) {
      const int size = lazy::item_size(type_);
      if (operands_[i].array) {
        walk.add(inputs[i]);
      } else {
        walk.add(operands_[i].data(size), nullptr, size);
      }
    }
    const View dense = View::dense(*shape_);
    walk.add(to, &dense, lazy::item_size(loops_->result));
    if (!walk.begin()) return false;
    walk.rows(
        [&](std::byte* const* at, const int64_t* steps, int64_t n) { run_row(at, steps, n); });
    return true;
  }

  const Loops* loops_ = nullptr;
  DType type_ = DType::kF64;
  int count_ = 0;
  Operand operands_[kMostOperands];
  const Dims* shape_ = nullptr;
  Dims broadcast_;
  int64_t elements_ = 0;
};

}  // namespace

bool may_run_at_once() {
  const PlanOptions& options = plan_options();
  return !is_recording() && lazy::pending().more() == 0 && options.evaluator == Evaluator::kAuto &&
         options.hot == 0 && options.is_cpu && !current_trace();
}

PyObject* compute_at_once(uint16_t op, PyObject* const* args, int count) {
  Computation computation;
  if (!computation.begin(op, args, count, false)) return nullptr;
  Buffer* buffer = lazy::new_buffer(computation.bytes());
  if (!buffer) return nullptr;
  if (!computation.run(static_cast<std::byte*>(buffer->data))) {
    buffer->drop();
    return nullptr;
  }
  ++stats.eager_nodes;
  return wrap_node(lazy::new_value(computation.result(), computation.shape(), buffer));
}

bool update_at_once(uint16_t op, ArrayObject* target, PyObject* value) {
  if (Py_TYPE(target) != &array_type || target->is_read_only || target->is_scalar ||
      !target->base->may_change())
    return false;
  PyObject* const args[] = {reinterpret_cast<PyObject*>(target), value};
  Computation computation;
  if (!computation.begin(op, args, 2, true)) return false;
  if (computation.result() != target->type() || !make_own(target->base)) return false;
  const Node* node = target->base->current;
  // Somewhere else first: what would warn must find the array as it was, and so must all that the
  // value reads of it.
  const Scratch scratch(computation.bytes());
  if (!scratch.data() || !computation.run(scratch.data())) return false;
  ++stats.eager_nodes;
  const View& view = target->view;
  const int size = lazy::item_size(node->type);
  std::byte* const to = node->data() + view.offset * size;
  if (view.is_dense()) {
    std::memcpy(to, scratch.data(), static_cast<size_t>(computation.bytes()));
  } else if (view.rank() == 1) {
    copy_apart(size, scratch.data(), size, to, view.strides[0] * size, computation.elements());
  } else {
    return copy_elements(node->type, scratch.data(), View::dense(view.shape), node->data(), view);
  }
  return true;
}

}  // namespace skald::python
