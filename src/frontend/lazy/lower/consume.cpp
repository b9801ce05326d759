// SPDX-License-Identifier: Apache-2.0
// Which arrays are consumed by what is written into a part of them, and what is stored before.
#include <algorithm>
#include <unordered_map>

#include "frontend/lazy/lower/lowering.h"

namespace skald::lazy {

using namespace core;

namespace {

// What happens before the array of node `before` is written.
class Before {
 public:
  Before(const Plan& plan, const std::vector<bool>& stored, int before)
      : plan_(plan), stored_(stored), before_(before) {}

  // Has all that reads through `reader` happened?
  bool is_done(int reader) {
    if (reader == before_) return true;
    if (stored_[static_cast<size_t>(reader)]) return reader < before_;
    if (const auto known = done_.find(reader); known != done_.end()) return known->second;
    bool all = true;
    for (size_t i = static_cast<size_t>(reader) + 1; all && i < plan_.nodes.size(); ++i) {
      for (const PlanInput& input : plan_.nodes[i].inputs) {
        const bool reads = input.source == SourceKind::kNode && input.index == reader;
        all = all && (!reads || is_done(static_cast<int>(i)));
      }
    }
    return done_[reader] = all;
  }

  // Is what is written computed from what `reader` reads, and not stored on the way?
  bool takes_from(int reader) {
    if (reader == before_) return true;
    if (stored_[static_cast<size_t>(reader)]) return false;
    if (const auto known = taken_.find(reader); known != taken_.end()) return known->second;
    bool some = false;
    for (int i = reader + 1; !some && i <= before_; ++i) {
      for (const PlanInput& input : plan_.nodes[static_cast<size_t>(i)].inputs) {
        const bool reads = input.source == SourceKind::kNode && input.index == reader;
        some = some || (reads && takes_from(i));
      }
    }
    return taken_[reader] = some;
  }

 private:
  const Plan& plan_;
  const std::vector<bool>& stored_;
  int before_;
  std::unordered_map<int, bool> done_, taken_;
};

}  // namespace

// What reads an array before a part of it is written, and is needed afterwards: if it is smaller,
// it is stored, so that the array need not be copied.
void keep_what_was_read(const Plan& plan, Decisions& decided) {
  std::vector<bool>& stored = decided.stored;
  for (size_t w = 0; w < plan.nodes.size(); ++w) {
    const PlanNode& writer = plan.nodes[w];
    if (writer.kind != NodeKind::kAssign || !is_thin(writer) || decided.moved[w]) continue;
    const PlanInput& old = writer.inputs[0];
    for (size_t r = 0; r < w; ++r) {
      const PlanNode& reader = plan.nodes[r];
      const bool is_plain = reader.kind == NodeKind::kElementwise || reader.kind == NodeKind::kCast;
      if (stored[r] || !is_plain || reader.shape.size() >= writer.shape.size()) continue;
      const auto reads = [&](const PlanInput& input) {
        return input.source == old.source && input.index == old.index;
      };
      if (std::any_of(reader.inputs.begin(), reader.inputs.end(), reads) &&
          !Before(plan, stored, static_cast<int>(w)).is_done(static_cast<int>(r)))
        stored[r] = true;
    }
  }
}

// Nobody reads the old array later, and its memory is ours.
bool Lowering::may_consume(int index) const {
  const PlanNode& writer = plan_.nodes[static_cast<size_t>(index)];
  const PlanInput& old = writer.inputs[0];
  bool is_source = false;  // of what is written
  Before before(plan_, decided_.stored, index);
  for (size_t i = 0; i < plan_.nodes.size(); ++i) {
    for (const PlanInput& other : plan_.nodes[i].inputs) {
      if (other.source != old.source || other.index != old.index) continue;
      is_source = is_source || (&other != &old && before.takes_from(static_cast<int>(i)));
      // What is called may give the array back.
      if (plan_.nodes[i].kind == NodeKind::kCall) return false;
      if (!before.is_done(static_cast<int>(i))) return false;
    }
  }
  // What is written is computed from the old array, so it is stored twice: good for thin parts.
  bool thin = writer.target.form != ViewForm::kAxes;
  std::vector<bool> used(writer.shape.size(), false);
  for (const int axis : writer.target.axes) {
    if (axis >= 0) used[static_cast<size_t>(axis)] = true;
  }
  for (size_t k = 0; k < used.size(); ++k) thin = thin || (!used[k] && !writer.shape[k].is_one());
  if (is_source && !thin) return false;
  if (old.source == SourceKind::kExternal)
    return plan_.externals[static_cast<size_t>(old.index)].is_exclusive;
  const PlanNode& source = plan_.nodes[static_cast<size_t>(old.index)];
  return !source.is_output && source.kind != NodeKind::kPart;
}

}  // namespace skald::lazy
