// SPDX-License-Identifier: Apache-2.0
// What is written into a thin part of an array from another place of it, as at the walls of a
// basin. Who reads that part may as well read at the other place, and the array need not be
// written:
//
//   h[0, :] = h[1, :]                 x = h[i == 0 ? 1 : i, j]
//   v[:, 0] = -v[:, 1]        =>      y = v[i, j == 0 ? 1 : j],  j == 0 ? -y : y
//   u[:, 0] = 4                       z = j == 0 ? 4 : u[i, j]
#include <algorithm>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

std::optional<MovedWrite> moved_write(const Plan& plan, const PlanNode& write) {
  constexpr size_t kMostOperations = 2;
  const auto& axes = write.target.axes;
  if (write.kind != NodeKind::kAssign || write.inputs.size() != 2 || is_complex(write.type) ||
      !is_thin(write) || std::any_of(axes.begin(), axes.end(), [](int axis) { return axis < 0; }) ||
      std::any_of(write.target.strides.begin(), write.target.strides.end(),
                  [](const PlanNumber& step) { return step != PlanNumber{false, 1}; }))
    return std::nullopt;
  const auto is_array = [](const PlanInput& input) {
    return input.source == SourceKind::kNode || input.source == SourceKind::kExternal;
  };
  const PlanInput& old = write.inputs[0];
  MovedWrite moved;
  const PlanInput* from = &write.inputs[1];
  while (is_array(*from)) {
    if (is_complex(from->type) || (from->form != ViewForm::kAxes && from->form != ViewForm::kWhole))
      return std::nullopt;
    moved.from = from;
    if (from->source == old.source && from->index == old.index) return moved;
    if (from->source != SourceKind::kNode || moved.through.size() == kMostOperations)
      return std::nullopt;
    const PlanNode& node = plan.nodes[static_cast<size_t>(from->index)];
    if ((node.kind != NodeKind::kElementwise && node.kind != NodeKind::kCast) || node.is_output ||
        is_complex(node.compute_type))
      return std::nullopt;
    const auto arrays = std::count_if(node.inputs.begin(), node.inputs.end(), is_array);
    if (arrays != 1) return std::nullopt;
    moved.through.push_back(static_cast<int>(from->index));
    from = &*std::find_if(node.inputs.begin(), node.inputs.end(), is_array);
  }
  // A constant.
  if (moved.from) return std::nullopt;
  return moved;
}

// Is `at` in the thin part?  An index is compared with what does not depend on it.
Operand Lowering::in_part(Scope& scope, const PlanNode& write, const Indices& at,
                          Indices& value_at) {
  const PlanInput& target = write.target;
  Builder& b = scope.b;
  Operand good = const_bool(true);
  value_at.assign(target.axes.size(), Affine::number(0));
  for (size_t k = 0; k < at.size(); ++k) {
    const auto along = std::find(target.axes.begin(), target.axes.end(), static_cast<int>(k));
    const Operand start = number(target.starts[k]);
    if (along == target.axes.end()) {
      good = b.logical_and(good, compared(scope, CmpOpKind::kEq, at[k], start));
      continue;
    }
    const auto axis = static_cast<size_t>(along - target.axes.begin());
    value_at[axis] = at[k];
    value_at[axis].add(position(target.starts[k]), -1);
    if (target.starts[k] == PlanNumber{false, 0} && write.target_shape[axis] == write.shape[k])
      continue;
    const Operand end = top_.b.size_add(start, number(write.target_shape[axis]));
    if (target.starts[k] != PlanNumber{false, 0}) {
      const Operand before = compared(scope, CmpOpKind::kLt, at[k], start);
      good = b.logical_and(good, b.logical_not(before));
    }
    good = b.logical_and(good, compared(scope, CmpOpKind::kLt, at[k], end));
  }
  return good;
}

Parts Lowering::moved(Scope& scope, const PlanNode& write, const Indices& at) {
  const MovedWrite moved = *moved_write(plan_, write);
  Indices value_at;
  const Operand good = in_part(scope, write, at, value_at);
  if (good == Operand{const_bool(false)}) return input(scope, write.inputs[0], at, write.type);
  const PlanInput* from = &write.inputs[1];
  Indices where = at;
  if (moved.from) {
    Indices there = value_at;
    const auto array_of = [&](int index) {
      const PlanNode& node = plan_.nodes[static_cast<size_t>(index)];
      return &*std::find_if(node.inputs.begin(), node.inputs.end(), [](const PlanInput& input) {
        return input.source == SourceKind::kNode || input.source == SourceKind::kExternal;
      });
    };
    for (const int index : moved.through) {
      const size_t rank = plan_.nodes[static_cast<size_t>(index)].shape.size();
      there = source_indices(scope, *from, there, rank);
      from = array_of(index);
    }
    there = source_indices(scope, *from, there, at.size());
    for (size_t k = 0; k < at.size(); ++k) where[k] = chosen(scope, good, there[k], at[k]);
  }
  const Parts read = input(scope, write.inputs[0], where, write.type);
  if (moved.from && moved.through.empty()) return read;
  Parts made = moved.from ? read : input(scope, *from, value_at, write.type);
  DType type = write.type;
  for (auto index = moved.through.rbegin(); index != moved.through.rend(); ++index) {
    const PlanNode& node = plan_.nodes[static_cast<size_t>(*index)];
    made = applied(scope, node, type, made);
    type = node.type;
  }
  made = converted(scope.b, type, write.type, std::move(made));
  return {scope.b.let1(scalar_type(prim_of(write.type)), Select{good, made[0], read[0]})};
}

// An operation with one array among its inputs, of which the element is known.
Parts Lowering::applied(Scope& scope, const PlanNode& node, DType type, const Parts& element) {
  if (node.kind == NodeKind::kCast) return converted(scope.b, type, node.type, element);
  const bool chooses = op_name_(node.op) == "where";
  std::vector<Parts> args;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const PlanInput& from = node.inputs[i];
    const DType wanted = chooses ? (i == 0 ? DType::kBool : node.type) : node.compute_type;
    const bool is_element =
        from.source == SourceKind::kNode || from.source == SourceKind::kExternal;
    args.push_back(is_element ? converted(scope.b, type, wanted, element)
                              : input(scope, from, {}, wanted));
  }
  return operated(scope, node, args);
}

}  // namespace skald::lazy
