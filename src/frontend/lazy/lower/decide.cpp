// SPDX-License-Identifier: Apache-2.0
// Which results are stored, and which are computed where they are used.
#include <algorithm>

#include "frontend/lazy/lower/lower.h"
#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

bool is_thin(const PlanNode& node) {
  if (node.target.form != ViewForm::kAxes) return false;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    const auto& axes = node.target.axes;
    const bool used = std::find(axes.begin(), axes.end(), static_cast<int>(k)) != axes.end();
    if (!used && node.shape[k].is_symbol) return true;
  }
  return false;
}

namespace {

// Computing something again may cost so many additions for each element.
constexpr int kCheapAgain = 160;
constexpr int kRandomCost = 40;

struct Uses {
  std::vector<const PlanInput*> views;
  int readers = 0;
  bool read_flat = false;  // at positions that are no tuple of indices
  bool repeated = false;   // along an axis
  int only_reader = -1;
};

bool same_view(const PlanInput& a, const PlanInput& b) {
  return a.form == b.form && a.axes == b.axes && a.strides == b.strides && a.starts == b.starts;
}

void add_use(std::vector<Uses>& uses, const Plan& plan, const PlanInput& input, int reader) {
  if (input.source != SourceKind::kNode) return;
  Uses& use = uses[static_cast<size_t>(input.index)];
  const PlanNode& source = plan.nodes[static_cast<size_t>(input.index)];
  ++use.readers;
  use.only_reader = reader;
  use.read_flat = use.read_flat || (input.form == ViewForm::kFlat && source.shape.size() > 1);
  if (input.form == ViewForm::kAxes) {
    const PlanNode& node = plan.nodes[static_cast<size_t>(reader)];
    const auto& shape = node.kind == NodeKind::kAssign ? node.target_shape : node.shape;
    for (size_t i = 0; i < input.axes.size(); ++i) {
      const bool long_axis =
          node.kind == NodeKind::kReduce || i >= shape.size() || shape[i].is_symbol;
      use.repeated = use.repeated || (input.axes[i] < 0 && long_axis);
    }
  }
  const auto same = [&](const PlanInput* other) { return same_view(*other, input); };
  if (std::none_of(use.views.begin(), use.views.end(), same)) use.views.push_back(&input);
}

int own_cost(const PlanNode& node, const OpName& op_name) {
  switch (node.kind) {
    case NodeKind::kElementwise: return cost_of(op_name(node.op));
    case NodeKind::kRandom: return kRandomCost;
    case NodeKind::kAssign: return 3;
    default: return 1;
  }
}

// The axis at one position of which an assignment writes, if that is a number of the plan; or -1.
int fixed_axis(const PlanNode& node) {
  if (node.kind != NodeKind::kAssign || node.target.form != ViewForm::kAxes) return -1;
  for (size_t k = 0; k < node.shape.size(); ++k) {
    const auto& axes = node.target.axes;
    const bool used = std::find(axes.begin(), axes.end(), static_cast<int>(k)) != axes.end();
    if (!used && node.shape[k].is_symbol && !node.target.starts[k].is_symbol)
      return static_cast<int>(k);
  }
  return -1;
}
// Is the array only read at known positions of the axis, so that every reader knows whose value it
// gets?
bool readers_know(const Plan& plan, size_t index, int axis) {
  if (plan.nodes[index].is_output) return false;
  for (size_t r = index + 1; r < plan.nodes.size(); ++r) {
    const PlanNode& reader = plan.nodes[r];
    for (size_t i = 0; i < reader.inputs.size(); ++i) {
      const PlanInput& input = reader.inputs[i];
      if (input.source != SourceKind::kNode || input.index != static_cast<int64_t>(index)) continue;
      if (reader.kind == NodeKind::kAssign && i == 0) {
        if (fixed_axis(reader) != axis || !readers_know(plan, r, axis)) return false;
        continue;
      }
      if (input.form != ViewForm::kAxes || input.starts[static_cast<size_t>(axis)].is_symbol)
        return false;
      if (std::find(input.axes.begin(), input.axes.end(), axis) != input.axes.end()) return false;
    }
  }
  return true;
}

// A part that is written into something that is computed on the fly.
bool can_be_selected(const Plan& plan, const std::vector<bool>& stored, size_t index) {
  const PlanNode& node = plan.nodes[index];
  const PlanInput& old = node.inputs[0];
  if (old.source != SourceKind::kNode || stored[static_cast<size_t>(old.index)]) return false;
  if (node.target.form == ViewForm::kFlat)
    return node.shape.size() == 2 && node.target.strides.size() == 1;
  if (node.target.form == ViewForm::kDiagonal || !is_thin(node)) return true;
  const int axis = fixed_axis(node);
  return axis >= 0 && readers_know(plan, index, axis);
}

}  // namespace

std::vector<bool> decide_stored(const Plan& plan, const OpName& op_name, Thrift thrift) {
  std::vector<Uses> uses(plan.nodes.size());
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const PlanInput& input : plan.nodes[i].inputs)
      add_use(uses, plan, input, static_cast<int>(i));
  }
  std::vector<bool> stored(plan.nodes.size(), false);
  std::vector<int> cost(plan.nodes.size(), 0);
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    const Uses& use = uses[i];
    cost[i] = own_cost(node, op_name);
    for (const PlanInput& input : node.inputs) {
      if (input.source == SourceKind::kExternal) cost[i] += 1;
      if (input.source != SourceKind::kNode) continue;
      cost[i] +=
          stored[static_cast<size_t>(input.index)] ? 1 : cost[static_cast<size_t>(input.index)];
    }
    bool keep = node.is_output || use.read_flat;
    switch (node.kind) {
      case NodeKind::kReduce: {
        // A sum of sums is one sum.
        const bool inner =
            use.readers == 1 && !use.repeated &&
            plan.nodes[static_cast<size_t>(use.only_reader)].kind == NodeKind::kReduce;
        keep = keep || !inner;
        break;
      }
      case NodeKind::kScan: keep = true; break;
      case NodeKind::kAssign:
        keep = keep || thrift == Thrift::kOfCode || !can_be_selected(plan, stored, i);
        break;
      case NodeKind::kFill:
      case NodeKind::kIota: break;
      default: {
        const int again = static_cast<int>(use.views.size()) - 1;
        keep =
            keep || (use.repeated && cost[i] > 12) || (again > 0 && again * cost[i] > kCheapAgain);
      }
    }
    stored[i] = keep;
  }
  return stored;
}

}  // namespace skald::lazy
