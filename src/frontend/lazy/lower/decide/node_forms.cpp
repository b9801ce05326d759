// SPDX-License-Identifier: Apache-2.0
// What nodes of a plan look like: which part of an array is written, and along which axes.
#include "frontend/lazy/lower/decide/node_forms.h"

#include <algorithm>

#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

bool tells_places(const PlanNode& node) {
  return node.target.form != ViewForm::kFlat ||
         (node.shape.size() == 2 && node.target.strides.size() == 1);
}

bool is_thin(const PlanNode& node) {
  if (node.target.form != ViewForm::kAxes) return false;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    const auto& axes = node.target.axes;
    const bool used = std::find(axes.begin(), axes.end(), static_cast<int>(k)) != axes.end();
    if (!used && !node.shape[k].is_one()) return true;
  }
  return false;
}

bool is_box(const PlanNode& node) {
  const PlanInput& target = node.target;
  return node.kind == NodeKind::kAssign && target.form == ViewForm::kAxes && !is_thin(node) &&
         !is_complex(node.type) &&
         std::all_of(target.axes.begin(), target.axes.end(), [](int axis) { return axis >= 0; }) &&
         std::is_sorted(target.axes.begin(), target.axes.end()) &&
         std::all_of(target.strides.begin(), target.strides.end(),
                     [](const PlanNumber& step) { return step == PlanNumber{false, 1}; });
}

std::vector<const PlanNode*> rolls_before_write(const Plan& plan, const PlanNode& write) {
  std::vector<const PlanNode*> rolls;
  if (write.kind != NodeKind::kAssign || write.inputs.size() != 2 || is_complex(write.type) ||
      write.target.form != ViewForm::kAxes)
    return rolls;
  const PlanInput* from = &write.inputs[1];
  while (from->source == SourceKind::kNode && from->form == ViewForm::kWhole) {
    const PlanNode& node = plan.nodes[static_cast<size_t>(from->index)];
    if (node.kind != NodeKind::kRoll || node.is_output || node.type != write.type) break;
    int readers = 0;
    for (const PlanNode& other : plan.nodes) {
      for (const PlanInput& input : other.inputs)
        readers += input.source == SourceKind::kNode && input.index == from->index ? 1 : 0;
    }
    if (readers != 1) break;
    rolls.push_back(&node);
    from = &node.inputs[0];
  }
  return rolls;
}

bool is_short_reduction(const PlanNode& node, Machine machine) {
  constexpr int64_t kShort = 16;
  if (node.kind != NodeKind::kReduce || node.shape.empty()) return false;
  const auto& shape = node.target_shape;
  // Processors read rows that lie in one piece in another way.
  if (machine == Machine::kHost && (node.axes >> (shape.size() - 1) & 1) != 0) return false;
  int64_t count = 1;
  for (size_t k = 0; k < shape.size(); ++k) {
    if ((node.axes >> k & 1) == 0) continue;
    if (shape[k].is_symbol || shape[k].value < 1) return false;
    count *= shape[k].value;
  }
  return count <= kShort;
}

int fixed_axis(const PlanNode& node) {
  if (node.kind != NodeKind::kAssign || node.target.form != ViewForm::kAxes) return -1;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    const auto& axes = node.target.axes;
    const bool used = std::find(axes.begin(), axes.end(), static_cast<int>(k)) != axes.end();
    if (!used && !node.shape[k].is_one() && !node.target.starts[k].is_symbol)
      return static_cast<int>(k);
  }
  return -1;
}

int along_axis(const PlanInput& input, int axis) {
  if (input.form == ViewForm::kWhole) return axis;
  if (input.form != ViewForm::kAxes) return -1;
  const PlanNumber& start = input.starts[static_cast<size_t>(axis)];
  if (start.is_symbol || start.value != 0) return -1;
  for (size_t i = 0; i < input.axes.size(); ++i) {
    if (input.axes[i] != axis) continue;
    return !input.strides[i].is_symbol && input.strides[i].value == 1 ? static_cast<int>(i) : -1;
  }
  return -1;
}

}  // namespace skald::lazy
