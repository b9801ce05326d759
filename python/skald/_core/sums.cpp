// SPDX-License-Identifier: Apache-2.0
#include "sums.h"

#include <cstring>

#include "masks.h"
#include "no_flags.h"
#include "plan_cache.h"
#include "rows.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// What NumPy's sums begin with, which has a sign in some versions.
double numpys_zero() {
  static const double zero = [] {
    Ref sum(PyObject_CallMethod(ufuncs()[ops.add].real, "reduce", "([d])", -0.0));
    const double value = sum ? PyFloat_AsDouble(sum.get()) : 0.0;
    if (PyErr_Occurred()) PyErr_Clear();
    return value;
  }();
  return zero;
}

// Writes what a reduction begins with; false: it begins with the first element.
bool write_neutral(uint16_t op, DType type, std::byte* to) {
  Scalar neutral = {};
  const bool is_one = op == ops.multiply || op == ops.logical_and;
  if (op == ops.maximum || op == ops.minimum) return false;
  if (lazy::is_float(type)) {
    neutral.d = is_one ? 1.0 : numpys_zero();
  } else {
    neutral.i = is_one ? 1 : 0;
  }
  const uint64_t bits = scalar_bits(type, neutral);
  std::memcpy(to, &bits, static_cast<size_t>(lazy::item_size(type)));
  return true;
}

// NumPy goes through `n` elements in one row.
Done reduce_row(uint16_t op, DType type, std::byte* from, int64_t step, int64_t n, std::byte* to,
                bool quietly) {
  const bool known = op == ops.add || op == ops.multiply || op == ops.maximum ||
                     op == ops.minimum || op == ops.logical_and || op == ops.logical_or;
  const NumpyLoop loop = known ? numpy_loop(op, type, type) : NumpyLoop();
  const bool is_simple = lazy::is_float(type) || lazy::is_integer(type) || type == DType::kBool;
  if (!loop.function || !is_simple) return Done::kNo;
  if (!write_neutral(op, type, to)) {
    if (n == 0) return Done::kNo;
    std::memcpy(to, from, static_cast<size_t>(lazy::item_size(type)));
    from += step;
    --n;
  }
  if (n == 0) {
    // The sum of nothing has no sign.
    if (op == ops.add) std::memset(to, 0, static_cast<size_t>(lazy::item_size(type)));
    return Done::kYes;
  }
  std::byte* const at[kMostInputs + 1] = {to, from, to, nullptr};
  const int64_t steps[kMostInputs + 1] = {0, step, 0, 0};
  const NoFlags flags;
  while_others_go_on(n >= kManyElements, [&] { loop(at, steps, n); });
  return tell_flags(flags, "reduce", quietly);
}

// The distance of neighbours if NumPy goes through all elements in one row, else 0.
int64_t step_of_all(const View& view, int size) {
  if (view.is_dense()) return size;
  return view.rank() == 1 && view.strides[0] > 0 ? view.strides[0] * size : 0;
}

bool is_neutral(uint16_t op, const Input& input) {
  if (input.node || lazy::is_complex(input.type)) return false;
  const bool is_one = op == ops.multiply || op == ops.logical_and;
  Scalar neutral = {};
  if (is_one && lazy::is_float(input.type)) neutral.d = 1;
  if (is_one && !lazy::is_float(input.type)) neutral.i = 1;
  return scalar_bits(input.type, input.scalar) == scalar_bits(input.type, neutral);
}

// The chosen elements, one after the other; the caller owns a reference.  Null: there is no memory.
Buffer* chosen_elements(const Input& from, const Input& mask) {
  if (from.node->is_compressed) {
    from.node->buffer->retain();
    return from.node->buffer;
  }
  const int size = lazy::item_size(from.type);
  Buffer* buffer = lazy::new_buffer(count_chosen(shown(mask)) * size);
  if (buffer) compress(shown(mask), shown(from), size, static_cast<std::byte*>(buffer->data));
  return buffer;
}

}  // namespace

Done reduce_directly(Node* node, bool quietly) {
  const Input& input = node->inputs[0];
  const int64_t n = input.node ? input.view.count() : 0;
  if (n == 0 || node->count() != 1 || node->axes != (uint64_t{1} << input.view.rank()) - 1)
    return Done::kNo;
  int64_t value[2] = {};
  auto* const to = reinterpret_cast<std::byte*>(value);
  const int size = lazy::item_size(input.type);
  const int64_t step = step_of_all(input.view, size);
  Done done = Done::kNo;
  if (input.type == node->compute_type && node->type == node->compute_type && step != 0) {
    std::byte* const from = input.node->data() + input.view.offset * size;
    done = reduce_row(node->op, node->type, from, step, n, to, quietly);
  } else if (input.type == DType::kBool && node->type == DType::kI64 && node->op == ops.add &&
             node->compute_type == DType::kI64) {
    value[0] = count_chosen(shown(input));
    done = Done::kYes;
  }
  if (done != Done::kYes) return done;
  const int bytes = lazy::item_size(node->type);
  Buffer* buffer = lazy::new_buffer(bytes);
  if (!buffer) return Done::kNo;
  std::memcpy(buffer->data, value, static_cast<size_t>(bytes));
  lazy::set_value(node, buffer);
  return Done::kYes;
}

Done sum_chosen(Node* node, Node* sum) {
  const bool fits =
      node->kind == NodeKind::kElementwise && node->op == kWhereOp && !node->is_masked &&
      node->refs == 2 && node->is_pending() && sum->kind == NodeKind::kReduce &&
      sum->inputs[0].node == node && sum->count() == 1 && sum->type == node->type &&
      sum->compute_type == node->type && sum->axes == (uint64_t{1} << node->shape.size()) - 1;
  if (!fits || !is_neutral(sum->op, node->inputs[2])) return Done::kNo;
  const Input &mask = node->inputs[0], &from = node->inputs[1];
  const View& view = sum->inputs[0].view;
  if (!mask.node || !from.node || from.type != node->type || mask.type != DType::kBool ||
      !view.is_dense() || view.count() != node->count())
    return Done::kNo;
  if (!bring_home(from.node->buffer) || !bring_home(mask.node->buffer)) return Done::kFailed;
  Buffer* chosen = chosen_elements(from, mask);
  if (!chosen) return Done::kNo;
  const int size = lazy::item_size(node->type);
  int64_t value[2] = {};
  const Done done = reduce_row(sum->op, node->type, static_cast<std::byte*>(chosen->data), size,
                               chosen->bytes / size, reinterpret_cast<std::byte*>(value), false);
  chosen->drop();
  if (done != Done::kYes) return done;
  Buffer* buffer = lazy::new_buffer(size);
  if (!buffer) return Done::kNo;
  std::memcpy(buffer->data, value, static_cast<size_t>(size));
  lazy::set_value(sum, buffer);
  return Done::kYes;
}

}  // namespace skald::python
