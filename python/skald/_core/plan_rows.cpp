// SPDX-License-Identifier: Apache-2.0
#include "plan_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "calls.h"
#include "compiler.h"
#include "plans.h"
#include "rows.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// What NumPy needs for an element, about, and what calling a program costs.
constexpr double kElement = 0.8e-9, kCall = 2e-5;
// What running a node costs besides, in elements: by an inner loop, and by a call of NumPy.
constexpr int64_t kLoopCosts = 200, kCallCosts = 1400;
// Nodes of less work each are run in the time that a plan of them takes to be found.
constexpr double kLittleWork = 450;

// Can the compiler take this operation?  Asked once for each.
bool op_can_be_compiled(uint16_t op, DType type) {
  static std::vector<int8_t> known(ufuncs().size() * lazy::kDTypeCount, -1);
  if (op >= kWhereOp) return true;
  int8_t& answer = known[op * size_t{lazy::kDTypeCount} + static_cast<size_t>(type)];
  if (answer < 0) answer = engine_api()->can_lower(ufuncs()[op].name.c_str(), type) ? 1 : 0;
  return answer == 1;
}

bool input_fits(const Input& input) {
  return !input.node || (input.view.count() > 0 && !input.node->is_orphan());
}

// Complex numbers to powers that are products of few.
bool is_small_power(const Node* node) {
  const Input& exponent = node->inputs[1];
  const auto& value = exponent.scalar.c;
  return !exponent.node && value[1] == 0 && value[0] == std::floor(value[0]) &&
         lazy::is_literal(DType::kF64, exponent.scalar);
}

// The product of two matrices of which one has few rows or columns: bound by memory, as that with
// a vector is, and so better off with what is around it.
bool is_thin_product(const Node* node) {
  constexpr int64_t kFewTerms = 4, kFew = 16;
  const int64_t least = std::min(node->shape[0], node->shape[1]);
  return least == 1 || (least <= kFew && node->inputs[1].view.shape[0] <= kFewTerms);
}

bool kind_can_be_compiled(const Node* node) {
  switch (node->kind) {
    case NodeKind::kElementwise:
      return node->is_plain && op_can_be_compiled(node->op, node->compute_type) &&
             (node->op != ops.power || !lazy::is_complex(node->compute_type) ||
              is_small_power(node));
    case NodeKind::kReduce:
    case NodeKind::kScan:
      return op_can_be_compiled(node->op, node->compute_type) &&
             (!lazy::is_complex(node->compute_type) || node->op == ops.add ||
              node->op == ops.multiply);
    case NodeKind::kCast:
    case NodeKind::kFill:
    case NodeKind::kRandom:
    case NodeKind::kRoll: return true;
    case NodeKind::kIota: return !lazy::is_complex(node->type);
    // Two matrices are the business of BLAS; what reads a matrix once is bound by memory, and goes
    // with what is around it.
    case NodeKind::kProduct:
      return (lazy::is_float(node->type) || lazy::is_complex(node->type)) &&
             (node->axes != 3 || is_thin_product(node));
    case NodeKind::kAssign: {
      // Memory that others see must be written itself.
      const Buffer* old = node->inputs[0].node->buffer;
      return node->target.count() > 0 && !(old && old->exports > 0);
    }
    case NodeKind::kCall:
    case NodeKind::kPart: return call_can_be_compiled(node);
    default: return false;
  }
}

bool can_be_compiled(const Node* node) {
  if (node->count() == 0) return false;
  for (int i = 0; i < node->input_count; ++i) {
    if (!input_fits(node->inputs[i])) return false;
  }
  return kind_can_be_compiled(node);
}

// So many times as long as for an addition of floats does NumPy need for an element.
int64_t weight_of(const Node* node) {
  constexpr int64_t kPart = 2, kQuotient = 5, kFunction = 40, kRealFunction = 5;
  const bool is_operation = node->kind == NodeKind::kElementwise && node->op < kWhereOp;
  if (!lazy::is_complex(node->compute_type) && !lazy::is_complex(node->type))
    return is_operation && !kernel_of(node->op, DType::kF64) ? kRealFunction : 1;
  if (!is_operation) return kPart;
  for (const uint16_t op : {ops.true_divide, ops.reciprocal, ops.power})
    if (node->op == op) return kQuotient;
  static const int functions[] = {find_ufunc("exp"), find_ufunc("log"), find_ufunc("sqrt"),
                                  find_ufunc("sin"), find_ufunc("cos")};
  const bool is_function =
      std::find(std::begin(functions), std::end(functions), node->op) != std::end(functions);
  return is_function ? kFunction : kPart;
}

// Seconds that BLAS needs for a product, about.
double product_seconds(const Node* node) {
  constexpr double kRead = 0.3e-9;
  const Input *a = node->inputs, *b = node->inputs + 1;
  return kRead * static_cast<double>(a->view.count() + b->view.count());
}

// Elements that a node reads or writes, whichever says more of its time.
int64_t elements_of(const Node* node) {
  switch (node->kind) {
    case NodeKind::kReduce: return node->inputs[0].view.count();
    // BLAS is as fast: only what is around a product gains.
    case NodeKind::kProduct: return node->count();
    case NodeKind::kAssign: return node->target.count();
    case NodeKind::kCall: return call_elements(node);
    default: return node->count();
  }
}

bool is_direct(const Node* node) {
  switch (node->kind) {
    case NodeKind::kElementwise:
    case NodeKind::kCast:
    case NodeKind::kFill:
    case NodeKind::kAssign: return true;
    case NodeKind::kReduce: return node->shape.empty();
    default: return false;
  }
}

float work_of(const Node* node) {
  const int64_t costs = is_direct(node) ? kLoopCosts : kCallCosts;
  return static_cast<float>(elements_of(node) * weight_of(node) + costs);
}

// The row that was seen last, by the numbers of its nodes: if its first ones have run, the others
// need not be looked at again.
struct Known {
  uint64_t first = 1, last = 0;
  double work_per_node = 0, products_per_node = 0;
};
Known& last_known() {
  static Known known;
  return known;
}

bool some_failed = false;

// A node that was fit for programs stays so, unless what it reads could not be computed.
bool is_noted(const Node* node) {
  return node->work > 0 && !some_failed;
}

}  // namespace

Row::Row(Node* first) : end(first) {
  Known& known = last_known();
  if (first->id >= known.first && first->id <= known.last) {
    for (; end && end->id <= known.last; end = end->next) ++length;
    work = known.work_per_node * static_cast<double>(length);
    products = known.products_per_node * static_cast<double>(length);
    return;
  }
  known = {};
  for (; end && (is_noted(end) || can_be_compiled(end)); end = end->next, ++length) {
    work += static_cast<double>(is_noted(end) ? end->work : work_of(end));
    if (end->kind == NodeKind::kProduct) products += product_seconds(end);
    known.last = end->id;
  }
  if (length == 0) return;
  known.first = first->id;
  known.work_per_node = work / static_cast<double>(length);
  known.products_per_node = products / static_cast<double>(length);
}

void Row::cut(Node* first, int64_t count) {
  const double part = static_cast<double>(count) / static_cast<double>(length);
  work *= part;
  products *= part;
  length = count;
  end = first;
  for (int64_t i = 0; i < count; ++i) end = end->next;
}

Needed Row::needed() const {
  const double savable = kElement * work;
  return {savable + products, savable};
}

Ahead up_to_product(const Node* first) {
  Ahead ahead;
  const Node* node = first;
  do {
    ++ahead.count;
    ahead.seconds += kElement * static_cast<double>(work_of(node));
    node = node->next;
  } while (node && node->kind != NodeKind::kProduct);
  return ahead;
}

bool Row::is_little() const {
  return kElement * work < kCall || work < kLittleWork * static_cast<double>(length);
}

bool node_can_be_compiled(const Node* node) {
  if (lazy::is_complex(node->type) || node->count() == 0) return false;
  for (int i = 0; i < node->input_count; ++i) {
    const Input& input = node->inputs[i];
    if (lazy::is_complex(input.type) || (input.node && input.view.count() == 0)) return false;
  }
  return kind_can_be_compiled(node);
}

void forget_row() {
  last_known() = {};
}

void forget_rows() {
  forget_row();
  some_failed = true;
}

void note_for_rows(Node* node) {
  if (compiler_is_loaded() && can_be_compiled(node)) node->work = work_of(node);
}

}  // namespace skald::python
