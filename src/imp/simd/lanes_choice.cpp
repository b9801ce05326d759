// SPDX-License-Identifier: Apache-2.0
// How many lanes.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

// Larger bodies are not worth the time to compile them several times over.
constexpr int kMostStatements = 1500;
// Bodies up to so many statements have four or two registers for each value.  Straight ones have
// them if all values fit: more elements of each array at a time hide the latency of operations and
// use more of a cache line before it may be lost to another array.
constexpr int kSmallBody = 16, kMediumBody = 64;
constexpr int kMediumStraightBody = 128, kLargeStraightBody = 400;
// What comes after a division must be worth having it done for two registers first.
constexpr size_t kLeastSecondStage = 32;

// Wide registers are for loops that compute.  One access to memory outside takes as long as so many
// operations, and what is done lane by lane is no faster in them.
constexpr double kOperationsPerAccess = 3, kMostPerLane = 0.25;

// The same work as a machine sees it.
LaneWork on_machine(LaneWork work, const machine::VectorRegisters& machine) {
  if (machine.long_operations)
    work.varying[3] += work.long_vector;
  else
    work.per_lane += work.long_lane;
  // As instructions they are quicker in wide registers; so they are no reason for narrow ones.
  (machine.gathers ? work.gather_lane : work.gather_instruction) = 0;
  work.per_lane += work.gather_lane;
  // Without an instruction: looked up for some lanes at a time, or lane by lane.
  constexpr double kLookUp = 0.5, kOneByOne = 3;
  if (machine.packed_bytes == 0)
    work.per_lane += (machine.shuffles ? kLookUp : kOneByOne) * work.collected;
  return work;
}

struct Width {
  int bytes;
  const char* why;
};

Width choose_width(const For& loop, const LaneWork& work, const machine::VectorRegisters& machine,
                   bool aligned) {
  const int wide_bytes =
      work.has_function ? std::max(machine.wide_bytes, machine.function_bytes) : machine.wide_bytes;
  if (wide_bytes <= machine.bytes) return {machine.bytes, ""};
  if (machine.always_wide) return {wide_bytes, "as asked for"};
  // The instruction takes as long for half of the elements.
  if (work.collected > 0 && machine.packed_bytes > 0)
    return {wide_bytes, "it moves elements together"};
  if (work.per_lane > kMostPerLane * work.operations)
    return {machine.bytes, "much is done lane by lane"};
  // Half as many instructions, and no access to two cache lines.
  if (aligned) return {wide_bytes, "it updates a row where it is"};
  const double computed = work.computed + work.bools * common_width(work);
  if (computed == 0 || computed < kOperationsPerAccess * work.accesses)
    return {machine.bytes, "it mostly loads and stores"};
  const Const* begin = core::as_const(loop.begin);
  const Const* end = core::as_const(loop.end);
  if (begin != nullptr && end != nullptr &&
      (core::int_value(*end) - core::int_value(*begin)) * common_width(work) < wide_bytes)
    return {machine.bytes, "it has few iterations"};
  return {wide_bytes, "it mostly computes"};
}

// Of a group of `lanes` iterations, in scalar instructions.
double vector_cost(const LaneWork& work, int lanes, int vector_bytes) {
  double cost = work.uniform + (work.per_lane + work.gather_instruction) * lanes;
  for (size_t k = 0; k < work.varying.size(); ++k) {
    const double registers = std::ceil(static_cast<double>(lanes << k) / vector_bytes);
    cost += work.varying[k] * registers;
  }
  const double mask_bytes = static_cast<double>(lanes * common_width(work));
  return cost + work.bools * std::ceil(mask_bytes / vector_bytes);
}

// How many vectors are alive at the same time in a straight body, as it is written.
class LiveVectors {
 public:
  LiveVectors(const Body& body, const LanesAnalysis& analysis) : analysis_(analysis) {
    walk(body);
    std::vector<int> change(static_cast<size_t>(position_) + 2);
    for (const auto& [name, range] : ranges_) {
      ++change[static_cast<size_t>(range.first)];
      --change[static_cast<size_t>(range.second)];
    }
    for (int alive = 0; const int step : change) most_ = std::max(most_, alive += step);
  }
  int most() const { return most_; }
  // After so many statements of a body without inner ones.
  int after(size_t statements) const {
    const int position = static_cast<int>(statements);
    return static_cast<int>(std::ranges::count_if(ranges_, [&](const auto& entry) {
      return entry.second.first <= position && position < entry.second.second;
    }));
  }

 private:
  void walk(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      ++position_;
      // What is only stored from here on could be stored as soon as it is there.
      if (as<Store>(stmt) != nullptr) continue;
      for_each_use(stmt, [&](const Operand& operand) {
        const Name* name = core::as_name(operand);
        if (name == nullptr) return;
        if (const auto found = ranges_.find(*name); found != ranges_.end())
          found->second.second = position_;
      });
      for_each_binder(stmt, [&](Name name, const Type&, BinderScope) {
        if (analysis_.shape(name) == Shape::kVarying) ranges_[name] = {position_, position_};
      });
      for_each_body(stmt, [&](const Body& inner) { walk(inner); });
    }
  }

  const LanesAnalysis& analysis_;
  std::unordered_map<Name, std::pair<int, int>> ranges_;  // from the definition to the last use
  int position_ = 0;
  int most_ = 0;
};

// The statements up to the last division or root, if much comes after it; else 0.  Of bodies with
// nothing but operators, loads and stores.
size_t until_last_division(const Body& body, const LanesAnalysis& analysis) {
  size_t last = 0;
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    const Stmt& stmt = body.stmts[k];
    const auto* let = as<Let>(stmt);
    if (let == nullptr && as<Load>(stmt) == nullptr && as<Store>(stmt) == nullptr) return 0;
    if (let == nullptr || analysis.shape(let->name) != Shape::kVarying || !is_float(let->type))
      continue;
    const auto* binary = std::get_if<core::BinOp>(&let->exp);
    const auto* unary = std::get_if<core::UnOp>(&let->exp);
    if ((binary != nullptr && binary->op == core::BinOpKind::kDiv) ||
        (unary != nullptr && unary->op == core::UnOpKind::kSqrt))
      last = k + 1;
  }
  return last + kLeastSecondStage <= body.stmts.size() ? last : 0;
}

struct PerValue {
  int registers;
  size_t first_stage;  // see LaneChoice
};

// How many registers each value of the most common width should have.
PerValue registers_per_value(const For& loop, const LanesAnalysis& analysis,
                             const machine::VectorRegisters& machine) {
  const LaneWork& work = analysis.work();
  int most = work.statements <= kMediumBody ? 2 : 1;
  // So that many loads are on their way at the same time.
  if (work.has_search) return {common_width(work) == 8 ? 4 : 2, 0};
  if (work.has_loop) return {most, 0};
  if (work.statements <= kSmallBody) return {4, 0};
  if (work.statements > kLargeStraightBody) return {most, 0};
  const LiveVectors vectors(loop.body, analysis);
  const int alive = vectors.most();
  const int possible = work.statements <= kMediumStraightBody ? 4 : 2;
  while (2 * most <= possible && 2 * most * alive <= machine.count) most *= 2;
  // While the processor waits for a division it should have something else to do within the
  // instructions that it looks ahead: the same for another register.
  if (machine.window == 0 || work.has_function || 2 * work.statements < machine.window)
    return {most, 0};
  const size_t stage = until_last_division(loop.body, analysis);
  const int kept = vectors.after(stage);
  if (stage == 0 || kept + alive > machine.count) return {most, 0};
  return {2, stage};
}

// Does a loop inside divide floats?  Nothing else that lanes do takes as long.
bool divides_in_loop(const Body& body, bool in_loop = false) {
  return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
    const auto* let = as<Let>(stmt);
    const auto* op = let == nullptr ? nullptr : std::get_if<core::BinOp>(&let->exp);
    if (in_loop && op != nullptr && op->op == BinOpKind::kDiv && is_float(op->type)) return true;
    bool found = false;
    const bool loops = in_loop || as<For>(stmt) != nullptr;
    for_each_body(stmt, [&](const Body& inner) { found = found || divides_in_loop(inner, loops); });
    return found;
  });
}

// Points that go through rows of their own share much: counters, what is read for all of them,
// branches on the place in the row.  And a recurrence with a division waits for itself, while that
// of other points could go on.  So they get twice as many lanes if that is clearly better and
// nearly all values fit.  Measured with registers of 16 bytes only.
int more_lanes_for_rows(const For& loop, const LanesAnalysis& analysis, const LaneWork& work,
                        const machine::VectorRegisters& machine, int lanes) {
  constexpr double kClearlyBetter = 0.85;
  constexpr int kNarrow = 16, kInMemory = 8;
  if (machine.bytes > kNarrow || lanes * common_width(work) > machine.bytes ||
      !has_large_arrays(loop.body) || work.statements > kLargeStraightBody ||
      !divides_in_loop(loop.body))
    return lanes;
  const auto cost = [&](int n) { return vector_cost(work, n, machine.bytes) / n; };
  const bool fits = 2 * LiveVectors(loop.body, analysis).most() <= machine.count + kInMemory;
  return fits && cost(2 * lanes) <= kClearlyBetter * cost(lanes) ? 2 * lanes : lanes;
}

}  // namespace

int common_width(const LaneWork& work) {
  size_t best = 2;
  for (size_t k = 0; k < work.varying.size(); ++k)
    if (work.varying[k] > work.varying[best]) best = k;
  return 1 << best;
}

LaneChoice choose_lanes(const For& loop, const LanesAnalysis& analysis,
                        machine::VectorRegisters machine, bool aligned) {
  const LaneWork work = on_machine(analysis.work(), machine);
  if (work.statements > kMostStatements) return {.cost = work.scalar};
  const Width width = choose_width(loop, work, machine, aligned);
  const int vector_bytes = width.bytes;
  const int in_register = std::max(2, vector_bytes / common_width(work));
  const PerValue per_value = registers_per_value(loop, analysis, machine);
  int lanes = in_register * per_value.registers;
  // Vectors of the widest elements must fit too.
  constexpr int kMostRegisters = 8;
  for (size_t k = 0; k < work.varying.size(); ++k)
    if (work.varying[k] > 0)
      lanes = std::min(lanes, std::max(2, kMostRegisters * vector_bytes >> k));
  // Accumulators side by side: one vector takes them all, so that they stay in registers.
  const Const* begin = core::as_const(loop.begin);
  const Const* end = core::as_const(loop.end);
  if (begin != nullptr && end != nullptr) {
    const int64_t count = core::int_value(*end) - core::int_value(*begin);
    const bool power = count > 1 && (count & (count - 1)) == 0;
    constexpr int64_t kMostConstant = 64;
    if (power && count <= kMostConstant) lanes = static_cast<int>(count);
  }
  const double cost = vector_cost(work, lanes, vector_bytes) / lanes;
  if (cost >= work.scalar) return {.cost = work.scalar};
  const bool open = begin == nullptr || end == nullptr;
  if (open && lanes == 2 * in_register && per_value.first_stage > 0)
    return {lanes, width.bytes, width.why, cost, per_value.first_stage};
  // Whether rows are kept does not depend on it.
  if (open) lanes = more_lanes_for_rows(loop, analysis, work, machine, lanes);
  return {lanes, width.bytes, width.why, cost};
}

}  // namespace skald::imp
