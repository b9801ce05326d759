// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/lower/positions.h"

#include <string>

#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

using namespace core;

Operand Positions::number(const PlanNumber& n) const {
  if (n.is_symbol) return symbols_[static_cast<size_t>(n.value)];
  return const_i64(n.value);
}

Affine Positions::position(const PlanNumber& n) const {
  return n.is_symbol ? Affine::name(symbols_[static_cast<size_t>(n.value)])
                     : Affine::number(n.value);
}

std::vector<Operand> Positions::sizes(const Shape& shape) const {
  std::vector<Operand> list;
  for (const PlanNumber& n : shape) list.push_back(number(n));
  return list;
}

Type Positions::array_type(DType type, const Shape& shape) const {
  Type made{Type::kArray, prim_of(type), sizes(shape)};
  if (is_complex(type)) made.shape.push_back(const_i64(2));
  return made;
}

Operand Positions::operand(Scope& scope, const Affine& affine) {
  const std::string key = "i" + affine.key();
  if (const Parts* found = scope.find(key)) return found->front();
  Operand sum = const_i64(0);
  for (const auto& [id, coefficient] : affine.terms) {
    Operand term = Name{id};
    if (coefficient != 1) term = scope.b.size_mul(term, const_i64(coefficient));
    sum = scope.b.size_add(sum, term);
  }
  sum = scope.b.size_add(sum, const_i64(affine.constant));
  scope.known.emplace(key, Parts{sum});
  return sum;
}

// Σ step * index, where a step may be known only when the plan runs.
static Affine along(Builder& b, const Affine& index, const PlanNumber& step,
                    const Operand& step_operand, const Operand& index_operand) {
  Affine moved;
  if (!step.is_symbol) {
    moved.add(index, step.value);
    return moved;
  }
  const Operand product = b.size_mul(index_operand, step_operand);
  if (const Name* name = as_name(product)) return Affine::name(*name);
  return Affine::number(int_value(std::get<Const>(product)));
}

Indices Positions::source_indices(Scope& scope, const PlanInput& input, const Indices& at,
                                  size_t source_rank) {
  if (input.form == ViewForm::kWhole) return at;
  Indices indices;
  for (size_t k = 0; k < source_rank; ++k) indices.push_back(position(input.starts[k]));
  if (input.form == ViewForm::kDiagonal) {
    for (Affine& index : indices) index.add(at[0]);
    return indices;
  }
  for (size_t i = 0; i < input.axes.size(); ++i) {
    if (input.axes[i] < 0) continue;
    const Operand index =
        input.strides[i].is_symbol ? operand(scope, at[i]) : Operand(const_i64(0));
    indices[static_cast<size_t>(input.axes[i])].add(
        along(scope.b, at[i], input.strides[i], number(input.strides[i]), index));
  }
  return indices;
}

Affine Positions::flat_position(Scope& scope, const PlanInput& input, const Indices& at) {
  Affine flat = position(input.starts[0]);
  for (size_t i = 0; i < input.strides.size(); ++i) {
    const Operand index =
        input.strides[i].is_symbol ? operand(scope, at[i]) : Operand(const_i64(0));
    flat.add(along(scope.b, at[i], input.strides[i], number(input.strides[i]), index));
  }
  return flat;
}

Operand Positions::compared(Scope& scope, CmpOpKind op, const Affine& at, const Operand& with) {
  const Name* name = as_name(with);
  const std::string key =
      "c" + std::to_string(static_cast<int>(op)) + at.key() + "," +
      (name ? "n" + std::to_string(name->id) : std::to_string(int_value(std::get<Const>(with))));
  if (const Parts* found = scope.find(key)) return found->front();
  const Operand result = scope.b.cmpop(op, Prim::kI64, operand(scope, at), with);
  scope.known.emplace(key, Parts{result});
  return result;
}

Affine Positions::chosen(Scope& scope, const Operand& good, const Affine& there,
                         const Affine& here) {
  Affine away = there;
  away.add(here, -1);
  if (good == Operand{const_bool(true)} || (away.terms.empty() && away.constant == 0)) return there;
  const std::string key =
      "s" + std::to_string(as_name(good)->id) + "," + there.key() + "," + here.key();
  if (const Parts* found = scope.find(key)) return Affine::name(*as_name(found->front()));
  const Operand then = operand(scope, there), otherwise = operand(scope, here);
  const Name name = scope.b.let1(scalar_type(Prim::kI64), Select{good, then, otherwise}, "chosen");
  scope.known.emplace(key, Parts{name});
  return Affine::name(name);
}

}  // namespace skald::lazy
