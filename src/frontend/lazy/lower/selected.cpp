// SPDX-License-Identifier: Apache-2.0
// Elements of arrays into a part of which something was written.
#include <algorithm>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

// Is `at` in the part that is written?  `value_at`: where in the value.
Operand Lowering::inside(Scope& scope, const PlanNode& node, const Indices& at, Indices& value_at) {
  Builder& b = scope.b;
  Operand good = const_bool(true);
  const auto within = [&](const Operand& i, const Operand& count) {
    good = b.logical_and(good, b.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), i));
    good = b.logical_and(good, b.cmpop(CmpOpKind::kLt, Prim::kI64, i, count));
  };
  const PlanInput& target = node.target;
  if (target.form == ViewForm::kFlat) {
    // With one axis, in a matrix: position = offset + k * stride.
    const Operand flat =
        b.size_add(b.size_mul(operand(scope, at[0]), number(node.shape[1])), operand(scope, at[1]));
    const Operand from = b.size_sub(flat, number(target.starts[0]));
    const Operand stride = number(target.strides[0]);
    const Operand k = b.binop(BinOpKind::kQuot, Prim::kI64, from, stride);
    good = b.cmpop(CmpOpKind::kEq, Prim::kI64, b.size_mul(k, stride), from);
    within(k, number(node.target_shape[0]));
    value_at = {Affine::name(b.let1(scalar_type(Prim::kI64), Value{k}))};
    return good;
  }
  if (target.form == ViewForm::kDiagonal) {
    Affine row = at[0], column = at[1];
    row.add(position(target.starts[0]), -1);
    column.add(position(target.starts[1]), -1);
    const Operand k = operand(scope, row);
    good = b.cmpop(CmpOpKind::kEq, Prim::kI64, k, operand(scope, column));
    within(k, number(node.target_shape[0]));
    value_at = {row};
    return good;
  }
  value_at.assign(node.target_shape.size(), Affine::number(0));
  if (target.form == ViewForm::kWhole) {
    value_at = at;
    return good;
  }
  std::vector<bool> used(at.size(), false);
  for (const int axis : target.axes) {
    if (axis >= 0) used[static_cast<size_t>(axis)] = true;
  }
  // Positions that are known decide alone.
  for (size_t k = 0; k < at.size(); ++k) {
    if (used[k]) continue;
    Affine moved = at[k];
    moved.add(position(target.starts[k]), -1);
    if (moved.terms.empty() && moved.constant != 0) return const_bool(false);
    good = b.logical_and(good,
                         b.cmpop(CmpOpKind::kEq, Prim::kI64, operand(scope, moved), const_i64(0)));
  }
  for (size_t i = 0; i < target.axes.size(); ++i) {
    if (target.axes[i] < 0) continue;
    const auto axis = static_cast<size_t>(target.axes[i]);
    Affine moved = at[axis];
    moved.add(position(target.starts[axis]), -1);
    const bool all_of_it = target.starts[axis] == PlanNumber{false, 0} &&
                           target.strides[i] == PlanNumber{false, 1} &&
                           node.target_shape[i] == node.shape[axis];
    if (all_of_it) {
      value_at[i] = moved;
      continue;
    }
    if (!target.strides[i].is_symbol && target.strides[i].value == 1) {
      within(operand(scope, moved), number(node.target_shape[i]));
      value_at[i] = moved;
      continue;
    }
    const Operand from = operand(scope, moved), step = number(target.strides[i]);
    const Operand k = b.binop(BinOpKind::kQuot, Prim::kI64, from, step);
    good = b.logical_and(good, b.cmpop(CmpOpKind::kEq, Prim::kI64, b.size_mul(k, step), from));
    within(k, number(node.target_shape[i]));
    value_at[i] = Affine::name(b.let1(scalar_type(Prim::kI64), Value{k}));
  }
  return good;
}

// The value that is written at `at`, which is known to be a place that is written: where the target
// shows one position of an axis, `at` is that position, so that what is computed there has one
// name.
Parts Lowering::value_of_write(Scope& scope, const PlanNode& node, const Indices& at,
                               const Indices& value_at) {
  const PlanInput& from = node.inputs[1];
  const bool is_array = from.source == SourceKind::kNode || from.source == SourceKind::kExternal;
  if (!is_array || from.form != ViewForm::kAxes || node.target.form != ViewForm::kAxes)
    return input(scope, from, value_at, node.type);
  const auto index = static_cast<size_t>(from.index);
  const Shape& shape =
      from.source == SourceKind::kNode ? plan_.nodes[index].shape : plan_.externals[index].shape;
  Indices indices = source_indices(scope, from, value_at, shape.size());
  const auto runs_along = [](const PlanInput& view, size_t axis) {
    const auto& axes = view.axes;
    return std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
  };
  for (size_t k = 0; k < std::min(shape.size(), node.shape.size()); ++k) {
    const bool is_same = shape[k] == node.shape[k] && from.starts[k] == node.target.starts[k];
    if (is_same && !runs_along(from, k) && !runs_along(node.target, k)) indices[k] = at[k];
  }
  PlanInput whole = from;
  whole.form = ViewForm::kWhole;
  return input(scope, whole, indices, node.type);
}

// The written value where something was written, else the old one.
Parts Lowering::selected(Scope& scope, const PlanNode& node, const Indices& at) {
  Indices value_at;
  Operand good = inside(scope, node, at, value_at);
  if (const Const* known = as_const(good)) {
    if (*known == const_bool(false)) return input(scope, node.inputs[0], at, node.type);
    if (node.inputs.size() < 3) return input(scope, node.inputs[1], value_at, node.type);
  }
  const Type type = scalar_type(prim_of(node.type));
  const auto choose = [&](Scope& where, const Operand& cond, const Parts& then, const Parts& rest) {
    Parts chosen;
    for (size_t i = 0; i < then.size(); ++i)
      chosen.push_back(where.b.let1(type, Select{cond, then[i], rest[i]}));
    return chosen;
  };
  // The old value exists everywhere, and is wanted nearly everywhere if a thin part is written.
  Parts old;
  if (is_thin(node) && node.inputs.size() < 3) old = input(scope, node.inputs[0], at, node.type);
  // Each branch has a scope of its own, as positions may be out of bounds in the other.
  Scope then(prog_, &scope), otherwise(prog_, &scope);
  Parts written = value_of_write(then, node, at, value_at);
  if (then.b.stmts().empty() && node.inputs.size() < 3) {
    // A constant is written, or what the old value needs too: no branch is needed.
    if (old.empty()) old = input(scope, node.inputs[0], at, node.type);
    return choose(scope, good, written, old);
  }
  if (old.empty()) old = input(otherwise, node.inputs[0], at, node.type);
  if (node.inputs.size() == 3) {
    const Operand mask = input(then, node.inputs[2], value_at, DType::kBool)[0];
    const Parts kept = input(then, node.inputs[0], at, node.type);
    written = choose(then, mask, written, kept);
  }
  If branch{
      .cond = good, .then_body = then.b.finish(written), .else_body = otherwise.b.finish(old)};
  return as_parts(scope.b.let(std::vector<Type>(old.size(), type), std::move(branch)));
}

}  // namespace skald::lazy
