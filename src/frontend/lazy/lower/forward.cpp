// SPDX-License-Identifier: Apache-2.0
// What was written into a part of an array and is read from there again, is read from where it came
// from; a part that is then only written over need not be written.
//
//   a1 = a with [k] = x                    a2 = a with [k] = y
//   y  = a1[k] * a1[k - 1]          =>     y  = x * a[k - 1]
//   a2 = a1 with [k] = y
//
// Needs: a plan that is a loop; positions are numbers, or are known to differ (Plan::distinct).
// Keeps: order of nodes, outputs.
#include <algorithm>

#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

namespace {

class Forwarder {
 public:
  explicit Forwarder(Plan& plan) : plan_(plan) {}

  void run() {
    for (PlanNode& node : plan_.nodes) {
      for (size_t i = 0; i < node.inputs.size(); ++i) take_what_was_written(node, i);
    }
    for (PlanNode& node : plan_.nodes) {
      while (writes_over(node)) {
      }
    }
    drop_unused();
  }

 private:
  static bool is_plain_write(const PlanNode& node) {
    return node.kind == NodeKind::kAssign && node.inputs.size() == 2;
  }

  // The write that made the array of an input; null: there is none.
  const PlanNode* write_of(const PlanInput& input) const {
    if (input.source != SourceKind::kNode) return nullptr;
    const PlanNode& node = plan_.nodes[static_cast<size_t>(input.index)];
    return is_plain_write(node) ? &node : nullptr;
  }

  // The shape that an input is seen with; null: it is of another kind.
  static const std::vector<PlanNumber>* shape_of(const PlanNode& node, size_t input) {
    if (node.kind == NodeKind::kElementwise || node.kind == NodeKind::kCast) return &node.shape;
    return is_plain_write(node) && input == 1 ? &node.target_shape : nullptr;
  }

  // No element of the array is written twice.
  static bool is_one_to_one(const PlanNode& write) {
    if (write.target.form == ViewForm::kFlat) return false;
    for (size_t i = 0; i < write.target.axes.size(); ++i) {
      if (write.target.axes[i] < 0 && !write.target_shape[i].is_one()) return false;
    }
    return true;
  }

  void take_what_was_written(PlanNode& node, size_t input) {
    const std::vector<PlanNumber>* const shape = shape_of(node, input);
    if (!shape) return;
    PlanInput& from = node.inputs[input];
    while (const PlanNode* write = write_of(from)) {
      const PlanInput& value = write->inputs[1];
      if (value.type != write->type || *shape != write->target_shape ||
          !is_same_view(from, write->target) || !is_one_to_one(*write))
        return;
      from = PlanInput(value);
    }
  }

  bool differ(const PlanNumber& a, const PlanNumber& b) const {
    if (!a.is_symbol && !b.is_symbol) return a.value != b.value;
    if (!a.is_symbol || !b.is_symbol) return false;
    const std::pair pair(static_cast<int>(std::min(a.value, b.value)),
                         static_cast<int>(std::max(a.value, b.value)));
    return std::find(plan_.distinct.begin(), plan_.distinct.end(), pair) != plan_.distinct.end();
  }

  // Is there an axis of which both see one position, and not the same one?
  bool are_apart(const PlanInput& a, const PlanInput& b) const {
    if (a.form != ViewForm::kAxes || b.form != ViewForm::kAxes) return false;
    const auto goes_along = [](const PlanInput& view, size_t axis) {
      return std::find(view.axes.begin(), view.axes.end(), static_cast<int>(axis)) !=
             view.axes.end();
    };
    for (size_t k = 0; k < a.starts.size(); ++k) {
      if (!goes_along(a, k) && !goes_along(b, k) && differ(a.starts[k], b.starts[k])) return true;
    }
    return false;
  }

  // Is all that the write before `node` wrote written over by it, and seen by nobody else?  Then it
  // is left out.
  bool writes_over(PlanNode& node) {
    if (!is_plain_write(node)) return false;
    const PlanNode* const write = write_of(node.inputs[0]);
    if (!write || write->is_output || write->target_shape != node.target_shape ||
        !is_same_view(write->target, node.target))
      return false;
    const PlanInput old = write->inputs[0];
    const int64_t index = node.inputs[0].index;
    std::vector<PlanInput*> readers;
    for (PlanNode& each : plan_.nodes) {
      for (PlanInput& input : each.inputs) {
        if (input.source == SourceKind::kNode && input.index == index) readers.push_back(&input);
      }
    }
    for (const PlanInput* reader : readers) {
      if (reader != &node.inputs[0] && !are_apart(*reader, write->target)) return false;
    }
    for (PlanInput* reader : readers) {
      reader->source = old.source;
      reader->index = old.index;
    }
    return true;
  }

  void drop_unused() {
    std::vector<bool> needed(plan_.nodes.size(), false);
    for (size_t i = plan_.nodes.size(); i-- > 0;) {
      const PlanNode& node = plan_.nodes[i];
      const bool calls = node.kind == NodeKind::kCall || node.kind == NodeKind::kPart;
      if (!needed[i] && !node.is_output && !calls) continue;
      needed[i] = true;
      for (const PlanInput& input : node.inputs) {
        if (input.source == SourceKind::kNode) needed[static_cast<size_t>(input.index)] = true;
      }
    }
    std::vector<int64_t> number(plan_.nodes.size(), -1);
    std::vector<PlanNode> kept;
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (!needed[i]) continue;
      number[i] = static_cast<int64_t>(kept.size());
      kept.push_back(std::move(plan_.nodes[i]));
      for (PlanInput& input : kept.back().inputs) {
        if (input.source == SourceKind::kNode)
          input.index = number[static_cast<size_t>(input.index)];
      }
    }
    plan_.nodes = std::move(kept);
  }

  Plan& plan_;
};

}  // namespace

void forward_writes(Plan& plan) {
  // In long plans without loops each write may read the one before: values would be computed again
  // and again.
  if (plan.is_loop) Forwarder(plan).run();
}

}  // namespace skald::lazy
