// SPDX-License-Identifier: Apache-2.0
// Which results are stored, and which are computed where they are used.
#include <algorithm>
#include <map>
#include <set>

#include "frontend/lazy/lower/decide/node_forms.h"
#include "frontend/lazy/lower/decide/node_uses.h"
#include "frontend/lazy/lower/decide/read_places.h"
#include "frontend/lazy/lower/lower.h"
#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

namespace {

int64_t short_length(const PlanNode& node) {
  int64_t count = 1;
  for (size_t k = 0; k < node.target_shape.size(); ++k)
    if ((node.axes >> k & 1) != 0) count *= node.target_shape[k].value;
  return count;
}

// Computing something again may cost so many additions for each element.
constexpr int kCheapAgain = 160;
constexpr int kRandomCost = 40;
// What costs less is computed where the roll wants it.
constexpr int kWorthPushing = 24;

int own_cost(const PlanNode& node, const OpName& op_name) {
  switch (node.kind) {
    case NodeKind::kElementwise: return cost_of(op_name(node.op), node.compute_type);
    case NodeKind::kRandom: return kRandomCost;
    case NodeKind::kAssign:
    case NodeKind::kRoll: return 3;
    default: return 1;
  }
}

class Decider {
 public:
  Decider(const Plan& plan, const OpName& op_name, Thrift thrift, Machine machine)
      : plan_(plan),
        op_name_(op_name),
        thrift_(thrift),
        machine_(machine),
        uses_(uses_of_nodes(plan)),
        stored_(plan.nodes.size(), false),
        cost_(plan.nodes.size(), 0),
        known_(plan.nodes.size()),
        moved_(plan.nodes.size(), false) {
    if (machine == Machine::kDevice && thrift == Thrift::kOfBytes) find_moved();
  }

  Decisions run() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) decide(i);
    std::vector<bool> pushed(plan_.nodes.size(), false);
    if (machine_ == Machine::kDevice) {
      for (size_t i = 0; i < plan_.nodes.size(); ++i) pushed[i] = is_pushed(i);
      const std::vector<bool> moved = pushed;
      for (size_t i = 0; i < plan_.nodes.size(); ++i) pushed[i] = moved[i] || is_beside(i, moved);
    }
    store_what_is_repeated();
    return {stored_, pushed, moved_};
  }

 private:
  // Thin writes into an array that is there, one after the other, and then a large part of it is
  // written with what is computed from them: that makes a new array, so the thin ones need not be
  // written before.
  void find_moved() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      const PlanNode& node = plan_.nodes[i];
      if (node.is_output || !moved_write(plan_, node)) continue;
      const auto old = static_cast<size_t>(node.inputs[0].index);
      moved_[i] = node.inputs[0].source == SourceKind::kExternal || plan_.nodes[old].is_output ||
                  moved_[old];
    }
    for (size_t i = plan_.nodes.size(); i-- > 0;) moved_[i] = moved_[i] && is_written_anew(i);
  }

  bool is_written_anew(size_t index) const {
    int next = -1;
    for (const auto& [reader, input] : uses_[index].by) {
      const PlanNode& node = plan_.nodes[static_cast<size_t>(reader)];
      if (node.kind != NodeKind::kAssign || input != &node.inputs[0]) continue;
      if (next >= 0) return false;
      next = reader;
    }
    if (next < 0) return false;
    const PlanNode& write = plan_.nodes[static_cast<size_t>(next)];
    return moved_[static_cast<size_t>(next)] ||
           (is_box(write) && write.inputs.size() == 2 && leads_to(index, write.inputs[1]));
  }

  // Is the input computed from this node?
  bool leads_to(size_t index, const PlanInput& input) const {
    if (input.source != SourceKind::kNode) return false;
    std::vector<bool> reached(plan_.nodes.size(), false);
    reached[index] = true;
    for (size_t i = index + 1; i <= static_cast<size_t>(input.index); ++i) {
      for (const PlanInput& from : plan_.nodes[i].inputs)
        reached[i] = reached[i] ||
                     (from.source == SourceKind::kNode && reached[static_cast<size_t>(from.index)]);
    }
    return reached[static_cast<size_t>(input.index)];
  }

  bool is_pushed(size_t index) {
    const std::vector<const PlanNode*> rolls = rolls_before_write(plan_, plan_.nodes[index]);
    if (!stored_[index] || rolls.empty()) return false;
    const PlanInput& from = rolls.back()->inputs[0];
    if (from.source != SourceKind::kNode || stored_[static_cast<size_t>(from.index)] ||
        cost_[static_cast<size_t>(from.index)] < kWorthPushing)
      return false;
    pushed_rolls_.insert(rolls.begin(), rolls.end());
    return true;
  }

  // What moves nothing is computed together with what does.
  bool is_beside(size_t index, const std::vector<bool>& pushed) const {
    const PlanNode& node = plan_.nodes[index];
    if (!stored_[index] || node.kind != NodeKind::kAssign || node.inputs.size() != 2 ||
        node.target.form != ViewForm::kAxes || node.inputs[1].source != SourceKind::kNode)
      return false;
    const auto value = static_cast<size_t>(node.inputs[1].index);
    if (stored_[value] || cost_[value] < kWorthPushing) return false;
    for (size_t i = 0; i < pushed.size(); ++i) {
      const PlanNode& other = plan_.nodes[i];
      if (pushed[i] && other.target_shape == node.target_shape && other.type == node.type)
        return true;
    }
    return false;
  }

  void decide(size_t index) {
    const PlanNode& node = plan_.nodes[index];
    const Uses& use = uses_[index];
    // In the middle of an array nothing is moved.
    cost_[index] = moved_[index] ? 0 : own_cost(node, op_name_);
    for (const PlanInput& input : node.inputs) {
      if (moved_[index] && &input != node.inputs.data()) continue;
      if (input.source == SourceKind::kExternal) cost_[index] += 1;
      if (input.source != SourceKind::kNode) continue;
      const auto from = static_cast<size_t>(input.index);
      cost_[index] += stored_[from] ? 1 : cost_[from];
    }
    bool keep = node.is_output || use.read_flat;
    const bool is_short = is_short_reduction(node, machine_);
    if (is_short) cost_[index] *= short_length(node);
    switch (is_short ? NodeKind::kElementwise : node.kind) {
      case NodeKind::kReduce: {
        // A sum of sums is one sum.
        const bool inner =
            use.readers == 1 && !use.repeated &&
            plan_.nodes[static_cast<size_t>(use.only_reader)].kind == NodeKind::kReduce;
        keep = keep || !inner;
        break;
      }
      case NodeKind::kScan:
      case NodeKind::kProduct:
      case NodeKind::kCall:
      case NodeKind::kPart: keep = true; break;
      case NodeKind::kAssign:
        keep = keep || thrift_ == Thrift::kOfCode || !(moved_[index] || can_be_selected(index));
        break;
      case NodeKind::kFill:
      case NodeKind::kIota: break;
      default: {
        const int again = static_cast<int>(use.views.size()) - 1;
        keep = keep || (use.repeated && cost_[index] > 12) || (use.is_factor && cost_[index] > 3) ||
               (again > 0 && again * cost_[index] > kCheapAgain);
      }
    }
    stored_[index] = keep;
  }

  // Does every reader know at which position of the axis it reads, so that it knows whose value it
  // gets?  Those that go along the axis may be computed on the fly themselves.
  bool readers_know(size_t index, int axis) {
    auto& known = known_[index];
    const auto [it, is_new] = known.emplace(axis, false);
    if (!is_new) return it->second;
    bool all = !plan_.nodes[index].is_output;
    for (const auto& [reader, input] : uses_[index].by) {
      if (!all) break;
      all = reader_knows(static_cast<size_t>(reader), *input, axis);
    }
    return known[axis] = all;
  }

  bool reader_knows(size_t reader, const PlanInput& input, int axis) {
    const PlanNode& node = plan_.nodes[reader];
    const auto place = static_cast<size_t>(axis);
    const bool one_place =
        input.form == ViewForm::kAxes && !input.starts[place].is_symbol &&
        std::find(input.axes.begin(), input.axes.end(), axis) == input.axes.end();
    if (one_place) return true;
    if (node.kind == NodeKind::kAssign && &input == &node.inputs[0])
      return readers_know(reader, axis);
    const int own = along_axis(input, axis);
    if (own < 0) return false;
    switch (node.kind) {
      case NodeKind::kElementwise:
      case NodeKind::kCast: return readers_know(reader, own);
      case NodeKind::kRoll: return (node.axes >> own & 1) == 0 && readers_know(reader, own);
      case NodeKind::kAssign: {
        if (node.target.form == ViewForm::kWhole) return readers_know(reader, own);
        if (node.target.form != ViewForm::kAxes) return false;
        const int there = node.target.axes[static_cast<size_t>(own)];
        return there >= 0 && along_axis(node.target, there) == own && readers_know(reader, there);
      }
      default: return false;
    }
  }

  // A part that is written into something that is computed on the fly.
  bool can_be_selected(size_t index) {
    const PlanNode& node = plan_.nodes[index];
    const PlanInput& old = node.inputs[0];
    if (old.source != SourceKind::kNode || stored_[static_cast<size_t>(old.index)]) return false;
    if (!tells_places(node)) return false;
    if (node.target.form == ViewForm::kFlat || node.target.form == ViewForm::kDiagonal ||
        !is_thin(node))
      return true;
    const int axis = fixed_axis(node);
    if (axis < 0) return false;
    // Where it is not known which part is read, asking costs less than storing all if it is asked
    // for one row of many.
    return readers_know(index, axis) || is_one_row(index, axis);
  }

  // The only part of the axis that is written since the array was computed.
  bool is_one_row(size_t index, int axis) const {
    const PlanNode& node = plan_.nodes[index];
    const PlanNode& old = plan_.nodes[static_cast<size_t>(node.inputs[0].index)];
    if (node.shape.size() < 2 || fixed_axis(old) == axis) return false;
    for (const auto& [reader, input] : uses_[index].by) {
      const PlanNode& next = plan_.nodes[static_cast<size_t>(reader)];
      const bool goes_on = next.kind == NodeKind::kAssign && input == &next.inputs[0];
      if (next.kind == NodeKind::kReduce || next.kind == NodeKind::kScan) return false;
      if (goes_on && (next.is_output || fixed_axis(next) == axis)) return false;
    }
    return !node.is_output;
  }

  // What is read at several places through other nodes: their readers' places count.  Consumers
  // first, as something that is stored is computed at one place.
  void store_what_is_repeated() {
    std::vector<std::set<Place>> places(plan_.nodes.size());
    const ReadPlaces read(pushed_rolls_, [&](const PlanNode& node) {
      return moved_[static_cast<size_t>(&node - plan_.nodes.data())];
    });
    for (size_t i = plan_.nodes.size(); i-- > 0;) {
      const PlanNode& node = plan_.nodes[i];
      for (const auto& [reader, input] : uses_[i].by) {
        for (const Place& place : places[static_cast<size_t>(reader)])
          read.add(places[i], plan_.nodes[static_cast<size_t>(reader)], *input, place);
      }
      const bool may_be = is_short_reduction(node, machine_) ||
                          node.kind == NodeKind::kElementwise || node.kind == NodeKind::kCast ||
                          node.kind == NodeKind::kRoll || node.kind == NodeKind::kAssign ||
                          node.kind == NodeKind::kRandom;
      if (may_be && !moved_[i] && times_again(places[i]) * cost_[i] > kCheapAgain)
        stored_[i] = true;
      if (stored_[i]) places[i] = {Place{}};
    }
  }

  const Plan& plan_;
  const OpName& op_name_;
  Thrift thrift_;
  Machine machine_;
  std::vector<Uses> uses_;
  std::vector<bool> stored_;
  std::vector<int64_t> cost_;
  std::vector<std::map<int, bool>> known_;  // answers of readers_know
  std::set<const PlanNode*> pushed_rolls_;
  std::vector<bool> moved_;
};

}  // namespace

Decisions decide_stored(const Plan& plan, const OpName& op_name, Thrift thrift, Machine machine) {
  return Decider(plan, op_name, thrift, machine).run();
}

}  // namespace skald::lazy
