// SPDX-License-Identifier: Apache-2.0
// Sums of products of factors that do not all depend on all indices.
//
//   sum_kl a[x,k] * b[y,l] * c[z,k,l]   →   t[y,z,k] = sum_l b[y,l] * c[z,k,l]
//                                           sum_k a[x,k] * t[y,z,k]
//
// Written with broadcasting, such a sum has one loop for each index; a factor that does not depend
// on an index that is summed goes out of that sum, and what is left depends on fewer indices.  The
// partial sums are stored, so this is done only where they have no more axes than the factors or
// the result.
#include <algorithm>
#include <bit>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

namespace contraction {

// One factor: an array of the plan read at variables, or a partial sum.
struct Factor {
  const PlanInput* input = nullptr;
  std::vector<int>
      variables;  // one for each axis that it is read along; -1: the axis has one element
  std::vector<Name> partial;  // one array for each part
  uint32_t depends = 0;       // on these variables
};

constexpr size_t kMostVariables = 16;

class Collector {
 public:
  Collector(const Plan& plan, const OpName& op_name, const std::vector<bool>& stored, DType type)
      : plan_(plan), op_name_(op_name), stored_(stored), type_(type) {}

  int new_variable(const PlanNumber& size) {
    sizes.push_back(size);
    return size.is_symbol || size.value != 1 ? static_cast<int>(sizes.size()) - 1 : -1;
  }

  // The factors of a sum at `kept`, a variable for each axis of its result.
  void add_sum(const PlanNode& node, const std::vector<int>& kept) {
    std::vector<int> variables(node.target_shape.size(), -1);
    size_t next = 0;
    for (size_t i = 0; i < variables.size(); ++i) {
      const bool reduces = (node.axes >> i & 1) != 0;
      if (reduces) variables[i] = new_variable(node.target_shape[i]);
      if (reduces && variables[i] >= 0) summed |= 1U << variables[i];
      if (!reduces) variables[i] = kept[next];
      if (!reduces || node.keeps_axes) ++next;
    }
    add(node.inputs[0], variables);
  }

  bool is_sum(const PlanNode& node) const {
    return node.kind == NodeKind::kReduce && op_name_(node.op) == "add" &&
           node.compute_type == type_ && node.type == type_;
  }

  std::vector<Factor> factors;
  std::vector<PlanNumber> sizes;  // of each variable
  uint32_t summed = 0;

 private:
  // The variables of the axes of what the view shows; false: it is no plain view.
  bool through(const PlanInput& input, const PlanNode& node, const std::vector<int>& variables,
               std::vector<int>& source) const {
    if (input.form == ViewForm::kWhole) {
      source = variables;
      return true;
    }
    if (input.form != ViewForm::kAxes) return false;
    source.assign(node.shape.size(), -1);
    for (const PlanNumber& start : input.starts) {
      if (start.is_symbol || start.value != 0) return false;
    }
    std::vector<bool> seen(node.shape.size(), false);
    for (size_t i = 0; i < input.axes.size(); ++i) {
      if (input.axes[i] < 0) continue;
      if (input.strides[i].is_symbol || input.strides[i].value != 1) return false;
      source[static_cast<size_t>(input.axes[i])] = variables[i];
      seen[static_cast<size_t>(input.axes[i])] = true;
    }
    for (size_t k = 0; k < seen.size(); ++k) {
      if (!seen[k] && (node.shape[k].is_symbol || node.shape[k].value != 1)) return false;
    }
    return true;
  }

  void add(const PlanInput& input, const std::vector<int>& variables) {
    std::vector<int> source;
    if (input.source == SourceKind::kNode && !stored_[static_cast<size_t>(input.index)]) {
      const PlanNode& node = plan_.nodes[static_cast<size_t>(input.index)];
      if (node.type == type_ && through(input, node, variables, source)) {
        const bool multiplies = node.kind == NodeKind::kElementwise && node.compute_type == type_ &&
                                op_name_(node.op) == "multiply";
        if (multiplies) {
          for (const PlanInput& factor : node.inputs) add(factor, source);
          return;
        }
        if (is_sum(node) && sizes.size() + node.target_shape.size() <= kMostVariables)
          return add_sum(node, source);
      }
    }
    Factor factor{.input = &input, .variables = variables};
    const bool is_scalar =
        input.source != SourceKind::kNode && input.source != SourceKind::kExternal;
    for (size_t i = 0; !is_scalar && i < variables.size(); ++i) {
      const bool repeats = input.form == ViewForm::kAxes && input.axes[i] < 0;
      if (variables[i] >= 0 && !repeats) factor.depends |= 1U << variables[i];
    }
    factors.push_back(std::move(factor));
  }

  const Plan& plan_;
  const OpName& op_name_;
  const std::vector<bool>& stored_;
  DType type_;
};

// Sums one variable after the other, that first whose factors depend on the fewest.
struct Step {
  uint32_t variable = 0;  // a bit
  std::vector<size_t> factors;
  uint32_t depends = 0;  // on these, the summed one among them
};

static Step next_step(const std::vector<Factor>& factors, const std::vector<bool>& gone,
                      uint32_t summed) {
  Step best;
  for (uint32_t rest = summed; rest != 0; rest &= rest - 1) {
    Step step{.variable = rest & -rest};
    for (size_t i = 0; i < factors.size(); ++i) {
      if (gone[i] || (factors[i].depends & step.variable) == 0) continue;
      step.factors.push_back(i);
      step.depends |= factors[i].depends;
    }
    if (best.variable == 0 || std::popcount(step.depends) < std::popcount(best.depends))
      best = step;
  }
  return best;
}

// Is the longest loop shorter than the one over all variables, and no partial sum too large?
static bool is_worth_it(std::vector<Factor> factors, uint32_t summed, uint32_t results) {
  uint32_t all = summed | results;
  int largest = std::popcount(results);
  for (const Factor& factor : factors) {
    all |= factor.depends;
    largest = std::max(largest, std::popcount(factor.depends));
  }
  std::vector<bool> gone(factors.size(), false);
  while (summed != 0) {
    const Step step = next_step(factors, gone, summed);
    if (step.factors.empty()) return false;
    summed &= ~step.variable;
    const uint32_t loops = summed == 0 ? step.depends | results : step.depends;
    if (std::popcount(loops) >= std::popcount(all)) return false;
    if (summed != 0 && std::popcount(step.depends) - 1 > largest) return false;
    for (const size_t i : step.factors) gone[i] = true;
    factors.push_back({.depends = step.depends & ~step.variable});
    gone.push_back(false);
  }
  return true;
}

}  // namespace contraction

using namespace contraction;

// A sum while it is taken apart.
struct Contraction {
  const Collector& sum;
  std::vector<Factor> factors;
  std::vector<bool> gone;
};

Parts Lowering::product(Scope& scope, const Contraction& sum, const std::vector<size_t>& chosen,
                        const Indices& at, DType type) {
  Parts result;
  for (const size_t i : chosen) {
    const Factor& factor = sum.factors[i];
    Indices place;
    for (const int variable : factor.variables)
      place.push_back(variable < 0 ? Affine::number(0) : at[static_cast<size_t>(variable)]);
    Parts value;
    if (factor.input) {
      value = input(scope, *factor.input, place, type);
    } else {
      Stored partial{.value = factor.partial[0]};
      if (is_complex(type)) partial.imag = factor.partial[1];
      value = read(scope, partial, place, type);
    }
    result = result.empty() ? std::move(value) : lower_product(scope.b, type, result, value);
  }
  return result;
}

// The sum of the step's product over its variable, at the other ones.
Parts Lowering::sum_of_step(Scope& scope, const Contraction& sum, const std::vector<size_t>& chosen,
                            int variable, Indices at, DType type) {
  const Body body = [&](Scope& inner, const Indices& place) {
    Indices all = at;
    all[static_cast<size_t>(variable)] = place[0];
    return product(inner, sum, chosen, all, type);
  };
  return sum_over(scope, number(sum.sum.sizes[static_cast<size_t>(variable)]), "add", type, body);
}

bool Lowering::contracted(const PlanNode& node, Parts& made) {
  const DType type = node.type;
  Collector collector(plan_, op_name_, decided_.stored, type);
  if (!(is_float(type) || is_complex(type)) || !collector.is_sum(node) ||
      node.shape.size() + node.target_shape.size() > kMostVariables)
    return false;
  std::vector<int> kept;
  uint32_t results = 0;
  for (const PlanNumber& n : node.shape) {
    kept.push_back(collector.new_variable(n));
    if (kept.back() >= 0) results |= 1U << kept.back();
  }
  collector.add_sum(node, kept);
  if (collector.summed == 0 || collector.sizes.size() > kMostVariables ||
      !is_worth_it(collector.factors, collector.summed, results))
    return false;
  Contraction sum{.sum = collector,
                  .factors = collector.factors,
                  .gone = std::vector<bool>(collector.factors.size(), false)};
  uint32_t summed = collector.summed;
  for (;;) {
    const Step step = next_step(sum.factors, sum.gone, summed);
    summed &= ~step.variable;
    const int variable = std::countr_zero(step.variable);
    if (summed == 0) {
      made = last_sum(node, sum, step.factors, variable, kept);
      return true;
    }
    Factor partial;
    Shape shape;
    partial.depends = step.depends & ~step.variable;
    for (uint32_t rest = partial.depends; rest != 0; rest &= rest - 1) {
      partial.variables.push_back(std::countr_zero(rest));
      shape.push_back(collector.sizes[static_cast<size_t>(partial.variables.back())]);
    }
    const Parts stored = nest(shape, type, [&](Scope& scope, const Indices& place) {
      Indices at(collector.sizes.size());
      for (size_t i = 0; i < place.size(); ++i)
        at[static_cast<size_t>(partial.variables[i])] = place[i];
      return sum_of_step(scope, sum, step.factors, variable, at, type);
    });
    for (const Operand& part : stored) {
      if (!as_name(part)) return false;
      partial.partial.push_back(*as_name(part));
    }
    for (const size_t i : step.factors) sum.gone[i] = true;
    sum.factors.push_back(std::move(partial));
    sum.gone.push_back(false);
  }
}

// The result itself: the last sum, times the factors that no sum depends on.
Parts Lowering::last_sum(const PlanNode& node, const Contraction& sum,
                         const std::vector<size_t>& chosen, int variable,
                         const std::vector<int>& kept) {
  const DType type = node.type;
  std::vector<size_t> outside;
  for (size_t i = 0; i < sum.factors.size(); ++i) {
    if (!sum.gone[i] && std::find(chosen.begin(), chosen.end(), i) == chosen.end())
      outside.push_back(i);
  }
  return nest(node.shape, type, [&](Scope& scope, const Indices& place) {
    Indices at(sum.sum.sizes.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] >= 0) at[static_cast<size_t>(kept[i])] = place[i];
    }
    Parts inner = sum_of_step(scope, sum, chosen, variable, at, type);
    if (outside.empty()) return inner;
    return lower_product(scope.b, type, product(scope, sum, outside, at, type), inner);
  });
}

}  // namespace skald::lazy
