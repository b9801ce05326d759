// SPDX-License-Identifier: Apache-2.0
#include "frontend/lazy/lower/decide/node_uses.h"

#include <algorithm>

#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

namespace {

void add_use(std::vector<Uses>& uses, const Plan& plan, const PlanInput& input, int reader) {
  if (input.source != SourceKind::kNode) return;
  Uses& use = uses[static_cast<size_t>(input.index)];
  const PlanNode& source = plan.nodes[static_cast<size_t>(input.index)];
  ++use.readers;
  use.by.emplace_back(reader, &input);
  use.only_reader = reader;
  if (const PlanNode& node = plan.nodes[static_cast<size_t>(reader)];
      node.kind == NodeKind::kProduct) {
    const bool is_left = &input == &node.inputs[0];
    const bool again = (node.axes & (is_left ? 2U : 1U)) != 0 &&
                       !(is_left ? node.shape.back() : node.shape.front()).is_one();
    use.is_factor = use.is_factor || again;
  }
  use.read_flat = use.read_flat || (input.form == ViewForm::kFlat && source.shape.size() > 1);
  if (input.form == ViewForm::kAxes) {
    const PlanNode& node = plan.nodes[static_cast<size_t>(reader)];
    const auto& shape = node.kind == NodeKind::kAssign ? node.target_shape : node.shape;
    for (size_t i = 0; i < input.axes.size(); ++i) {
      const bool long_axis = node.kind == NodeKind::kReduce || node.kind == NodeKind::kProduct ||
                             i >= shape.size() || !shape[i].is_one();
      use.repeated = use.repeated || (input.axes[i] < 0 && long_axis);
    }
  }
  const auto same = [&](const PlanInput* other) { return is_same_view(*other, input); };
  if (std::none_of(use.views.begin(), use.views.end(), same)) use.views.push_back(&input);
}

}  // namespace

std::vector<Uses> uses_of_nodes(const Plan& plan) {
  std::vector<Uses> uses(plan.nodes.size());
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const PlanInput& input : plan.nodes[i].inputs)
      add_use(uses, plan, input, static_cast<int>(i));
  }
  return uses;
}

}  // namespace skald::lazy
