// SPDX-License-Identifier: Apache-2.0
// Does a loop run in lanes, in how many, and what becomes of the iterations that do not fill them?
//
//   for (i = begin; i + lanes <= end; i += lanes) the body in all lanes
//   for (; i < end; i += few)                     the body in `few` lanes, masked
//
// `few` lanes are one register, so that short loops are not slowed down by lanes that do nothing.
// Of cheap bodies the second loop runs while all of the few lanes are used, and scalar code does
// the rest.  Of large bodies the last group runs again some of what the one before has done, where
// that does not matter, or scalar code does all of the rest, which is quick to compile; of those
// that loops or functions make expensive there is only the masked loop.
//
// Rows that are updated where they are (update_in_place.cpp) have a masked group before the others,
// so that these begin where registers do, and a masked one at the end, if masks cost nothing.
//
// Loops with borders are cut into stretches, each of which has groups as above.
#include <fmt/format.h>

#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/passes/vectorise/vectorise.h"
#include "imp/simd/plan_parts.h"

namespace skald::imp {

namespace {

// Larger bodies exist once as vector code.
constexpr int kTwiceStatements = 250;
// Of larger ones without loops and functions, what is left after whole groups is scalar code.
constexpr int kLargeStatements = 64;
// Of smaller ones the last few iterations run as scalar code.
constexpr int kCheapBody = 24;
// The processor has few places where lines that go past the caches are put together.
constexpr size_t kMostStreams = 4;
constexpr int kLineBytes = 64;

// Is the body so large that one vector version of it must do?
bool is_rest_scalar(const LaneWork& work) {
  return work.statements > kLargeStatements && !work.has_loop && !work.has_function;
}

// Are single iterations as scalar code cheaper than a vector that is not full?
bool is_cheap_body(const LaneWork& work) {
  return work.statements <= kCheapBody && !work.has_loop && !work.has_function;
}

bool is_closed(const For& loop) {
  return core::as_const(loop.begin) != nullptr && core::as_const(loop.end) != nullptr;
}

class LanePlanner {
 public:
  LanePlanner(const For& loop, LoopPlace& place, const Device& device)
      : loop_(loop), place_(place), device_(device), machine_(device.registers) {}

  LoopDecision decide();
  LoopDecision decide_inside();

 private:
  bool can_repeat(const LanesAnalysis& analysis);
  std::vector<Border> all_borders(const LanesAnalysis& analysis) const;
  std::unique_ptr<LanePlan> new_plan(const LaneChoice& choice, const LanesAnalysis& analysis);
  void add_groups(LanePlan& plan, const LanesAnalysis& analysis, const LaneChoice& choice,
                  const RowStore& update);
  void add_stretches(LanePlan& plan, const LanesAnalysis& inside, const LaneChoice& choice,
                     const std::vector<Border>& borders);
  void align(LanePlan& plan, const RowStore& row) const;
  bool may_run_again(const LanesAnalysis& analysis) const;
  std::vector<Name> streamable_results(const LanesAnalysis& analysis, int lanes) const;
  bool only_collects() const;
  bool accumulates() const;
  bool is_scratch(Name block) const {
    const auto type = place_.types.find(block);
    return type != place_.types.end() && type->second.space == Space::kScratch;
  }
  int few_of(const LanePlan& plan, const LaneChoice& choice) const {
    return std::min(choice.lanes, std::max(2, choice.bytes / plan.mask_bytes));
  }

  const For& loop_;
  LoopPlace& place_;
  const Device& device_;
  const machine::VectorRegisters& machine_;
};

// After a failing check scalar code repeats the group.
bool LanePlanner::can_repeat(const LanesAnalysis& analysis) {
  for (const Name written : analysis.written_before_check())
    for (const Name read : analysis.read())
      if (place_.classes.may_overlap(written, read)) return false;
  return true;
}

// What is linear after an extension or a clamp may be compared with a border as well.
std::vector<Border> LanePlanner::all_borders(const LanesAnalysis& analysis) const {
  const auto makes_linear = [](const Border& border) { return border.kind != Border::kCompares; };
  std::vector<Border> borders = analysis.borders();
  for (size_t before = 0; before < borders.size() && std::ranges::any_of(borders, makes_linear);) {
    before = borders.size();
    std::vector<Border> more = LanesAnalysis(loop_, borders).borders();
    if (more.size() > before) borders = std::move(more);
  }
  return borders;
}

std::string told(const LaneChoice& choice, const char* how) {
  return fmt::format("runs in {} lanes, registers of {} bits{}{}{}{}", choice.lanes,
                     8 * choice.bytes, *choice.why != '\0' ? " because " : "", choice.why, how,
                     choice.first_stage > 0 ? ", in two stages" : "");
}

LoopDecision LanePlanner::decide() {
  auto all = std::make_unique<LanesAnalysis>(loop_);
  if (!all->obstacle().empty()) return {.why = all->obstacle()};
  if (!can_repeat(*all)) return {.why = "after a failing check it could not be repeated"};
  const char* const does_not_pay = "lanes do not pay";
  if (const std::vector<Border> borders = all_borders(*all);
      !borders.empty() && !is_closed(loop_)) {
    auto inside = std::make_unique<LanesAnalysis>(loop_, borders);
    const LaneChoice choice = choose_lanes(loop_, *inside, machine_);
    if (choice.lanes == 0) return {.analysis = std::move(all), .why = does_not_pay};
    std::unique_ptr<LanePlan> plan = new_plan(choice, *inside);
    add_stretches(*plan, *inside, choice, borders);
    return {std::move(plan), std::move(inside), told(choice, ", with borders apart"), choice.cost};
  }
  // A row; pieces of a loop that threads share begin at cache lines anyway.
  RowStore update;
  if (const Name* first = core::as_name(loop_.begin);
      machine_.bit_masks && machine_.wide_bytes > 0 &&
      (first == nullptr || !place_.piece_begins.contains(*first)))
    update = update_in_place(loop_, *all);
  const LaneChoice choice = choose_lanes(loop_, *all, machine_, update.store != nullptr);
  if (choice.lanes == 0) return {.analysis = std::move(all), .why = does_not_pay};
  std::unique_ptr<LanePlan> plan = new_plan(choice, *all);
  add_groups(*plan, *all, choice, update);
  return {std::move(plan), std::move(all), told(choice, ""), choice.cost};
}

LoopDecision LanePlanner::decide_inside() {
  const LanesAnalysis all(loop_);
  if (!is_closed(loop_) || !all.obstacle().empty() || !can_repeat(all)) return {};
  const std::vector<Border> borders = all_borders(all);
  if (borders.empty()) return {};
  auto inside = std::make_unique<LanesAnalysis>(loop_, borders);
  const LaneChoice choice = choose_lanes(loop_, *inside, machine_);
  if (choice.lanes == 0) return {};
  std::unique_ptr<LanePlan> plan = new_plan(choice, *inside);
  add_groups(*plan, *inside, choice, {});
  if (plan->groups.front().last != LaneGroups::kOnce) return {};
  for (const Border& border : borders)
    plan->borders.push_back(mark_of(border, *inside->definition(border.name)));
  return {std::move(plan), std::move(inside), told(choice, ", where no border is"), choice.cost};
}

std::unique_ptr<LanePlan> LanePlanner::new_plan(const LaneChoice& choice,
                                                const LanesAnalysis& analysis) {
  auto plan = std::make_unique<LanePlan>();
  plan->register_bytes = choice.bytes;
  plan->mask_bytes = common_width(analysis.work());
  plan->inexact = analysis.work().has_function;
  plan->first_stage = static_cast<int>(choice.first_stage);
  plan->fetch_ahead = core::as_const(loop_.end) == nullptr ? only_collects() : accumulates();
  return plan;
}

void LanePlanner::align(LanePlan& plan, const RowStore& row) const {
  if (row.store == nullptr) return;
  for (size_t k = 0; k < loop_.body.stmts.size(); ++k)
    if (as<Store>(loop_.body.stmts[k]) == row.store) plan.align_store = static_cast<int>(k);
}

void LanePlanner::add_groups(LanePlan& plan, const LanesAnalysis& analysis,
                             const LaneChoice& choice, const RowStore& update) {
  const LaneWork& work = analysis.work();
  const int lanes = choice.lanes, few = few_of(plan, choice);
  if (is_closed(loop_) &&
      core::int_value(*core::as_const(loop_.end)) - core::int_value(*core::as_const(loop_.begin)) ==
          lanes) {
    plan.groups = {{lanes, LaneGroups::kOnce}};
  } else if (update.store != nullptr) {
    align(plan, update);
    plan.align_lanes = few;
    plan.groups = {{lanes, LaneGroups::kWhole}};
    if (few < lanes) plan.groups.push_back({few, LaneGroups::kWhole});
    plan.groups.push_back({few, LaneGroups::kMasked});
  } else if (is_cheap_body(work)) {
    plan.streamed = streamable_results(analysis, lanes);
    plan.groups = {{lanes, LaneGroups::kWhole}};
    if (few < lanes) plan.groups.push_back({few, LaneGroups::kWhole});
  } else if (is_rest_scalar(work)) {
    plan.groups = {{lanes, may_run_again(analysis) ? LaneGroups::kAgain : LaneGroups::kWhole}};
  } else if (work.statements <= kTwiceStatements) {
    plan.groups = {{lanes, LaneGroups::kWhole}, {few, LaneGroups::kMasked}};
  } else {
    plan.groups = {{lanes, LaneGroups::kMasked}};
  }
}

void LanePlanner::add_stretches(LanePlan& plan, const LanesAnalysis& inside,
                                const LaneChoice& choice, const std::vector<Border>& borders) {
  const LaneWork& work = inside.work();
  const int lanes = choice.lanes, few = few_of(plan, choice);
  const bool large = is_rest_scalar(work), cheap = is_cheap_body(work);
  const bool again = may_run_again(inside);
  for (const Border& border : borders)
    plan.borders.push_back(mark_of(border, *inside.definition(border.name)));
  // Stretches mostly begin one after a border.  A few iterations run twice, so that the stores of
  // wide registers do not touch two cache lines each.
  if (again && !large && choice.bytes > machine_.bytes) {
    align(plan, contiguous_store(loop_, inside));
    plan.align_lanes = plan.align_store < 0 ? 0 : few;
  }
  // Large bodies exist once as vector code.
  plan.groups = {{lanes, again && large ? LaneGroups::kAgain : LaneGroups::kWhole}};
  if (again && !large)
    plan.groups.push_back({few, LaneGroups::kAgain});
  else if (cheap && !large && few < lanes)
    plan.groups.push_back({few, LaneGroups::kWhole});
  if (!cheap && !large && (!again || work.has_function || work.has_loop))
    plan.groups.push_back({few, LaneGroups::kMasked});
}

// Could an iteration that runs twice do the same both times?  Not if it changes what it reads.
// Names that may lead to the same memory are compared when the loop begins.
bool LanePlanner::may_run_again(const LanesAnalysis& analysis) const {
  if (analysis.collects()) return false;
  const Accessed accessed = accessed_by(loop_.body);
  for (const Name w : accessed.written)
    for (const Name r : accessed.read)
      if (w == r && !analysis.is_private(w)) return false;
  return true;
}

// The results of a cheap loop over all points of a kernel that may go past the caches: one element
// for each point, one after the other.
std::vector<Name> LanePlanner::streamable_results(const LanesAnalysis& analysis, int lanes) const {
  const bool all_points = place_.range_begin && loop_.begin == Operand{place_.range_begin};
  if (!device_.streams || !all_points || !may_run_again(analysis)) return {};
  std::vector<Name> results;
  for (const Stmt& stmt : loop_.body.stmts) {
    const auto* store = as<Store>(stmt);
    if (store == nullptr || analysis.is_private(store->block)) continue;
    const bool whole_lines = lanes * prim_size(store->type) % kLineBytes == 0;
    if (store->index != Operand{loop_.var} || !whole_lines) return {};
    results.push_back(store->block);
  }
  if (results.size() > kMostStreams) results.clear();
  return results;
}

// Does the loop do nothing but fill arrays on the side?  Then something else is done with these
// next, and meanwhile the machine would stop fetching what the loop reads.
bool LanePlanner::only_collects() const {
  bool stores = false;
  for (const Stmt& stmt : loop_.body.stmts) {
    const auto* store = as<Store>(stmt);
    const auto* collect = as<Collect>(stmt);
    if (store == nullptr && collect == nullptr && as<Let>(stmt) == nullptr &&
        as<Load>(stmt) == nullptr)
      return false;
    if (store != nullptr && !is_scratch(store->block)) return false;
    stores |= store != nullptr || collect != nullptr;
  }
  return stores;
}

// Does the loop add up a long stretch in lanes?  The machine does not fetch as much ahead of one
// stream of loads as memory can bring.
bool LanePlanner::accumulates() const {
  if (!place_.in_chunks) return false;
  for (const Stmt& stmt : loop_.body.stmts) {
    const auto* store = as<Store>(stmt);
    if (store == nullptr) continue;
    const bool updates = std::ranges::any_of(loop_.body.stmts, [&](const Stmt& other) {
      const auto* load = as<Load>(other);
      return load != nullptr && load->block == store->block && load->index == store->index;
    });
    if (!updates) return false;
  }
  return only_collects();
}

}  // namespace

LoopDecision decide_lanes(const For& loop, LoopPlace& place, const Device& device) {
  return LanePlanner(loop, place, device).decide();
}

LoopDecision decide_inside(const For& loop, LoopPlace& place, const Device& device) {
  return LanePlanner(loop, place, device).decide_inside();
}

}  // namespace skald::imp
