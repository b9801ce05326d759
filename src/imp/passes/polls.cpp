// SPDX-License-Identifier: Apache-2.0
// Marks loops whose rounds look whether the run must stop (LoopMark::polls), so that no run goes on
// for long after its time is over.
//
//   before   while (c_1) @7 {                        after   while (c_1) poll @7 {
//              for (i64 i_2 = 0i64; i_2 < 8i64; …) {            for (i64 i_2 = 0i64; i_2 < 8i64; …)
//              {
//
// Loops with a few steps in all need not look: whatever is around them does.  Recursive functions
// look when they are entered.  A loop without a place gets that of the loop around it.
//
// Stage    imp for the cpu, after all other passes.
// Needs    nothing; loops have places if lowering was asked for them.
// Gives    at most kStepsBetweenPolls statements run between two looks, apart from copies and scans
//          of memory.
// Keeps    everything else.
// Cost     linear.
// Tests    tests/golden/passes/imp/polls/*.imp, tests/programs/limits
#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

// Some ten microseconds.
constexpr int64_t kStepsBetweenPolls = 1 << 15;

// How often a loop runs; negative: nobody knows.
int64_t rounds_of(const For& loop) {
  const core::Const* begin = core::as_const(loop.begin);
  const core::Const* end = core::as_const(loop.end);
  const core::Const* step = core::as_const(loop.step);
  if (begin == nullptr || end == nullptr || step == nullptr) return -1;
  const int64_t first = core::int_value(*begin), last = core::int_value(*end);
  if (last <= first) return 0;
  const auto distance = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  const uint64_t rounds = (distance - 1) / static_cast<uint64_t>(core::int_value(*step)) + 1;
  return rounds > kStepsBetweenPolls ? -1 : static_cast<int64_t>(rounds);
}

// May it be much work without a loop of ours in it?
bool takes_long(const Stmt& stmt) {
  return as<Call>(stmt) != nullptr || as<CopyBytes>(stmt) != nullptr || as<Fill>(stmt) != nullptr ||
         as<TransposeBlock>(stmt) != nullptr || as<ScanBlock>(stmt) != nullptr ||
         as<ScanRows>(stmt) != nullptr || as<Trace>(stmt) != nullptr;
}

class PollMarker {
 public:
  explicit PollMarker(PassContext& ctx) : ctx_(ctx) {}

  // How many statements run, at most, between two looks.
  int64_t body(Body& body, Loc around) {
    int64_t steps = 0;
    for (Stmt& stmt : body.stmts) steps += 1 + statement(stmt, around);
    return steps;
  }

 private:
  int64_t statement(Stmt& stmt, Loc around) {
    if (For* loop = as<For>(stmt)) {
      const int64_t steps = body(loop->body, place(*loop, around));
      const int64_t rounds = rounds_of(*loop);
      if (rounds >= 0 && rounds * (steps + 1) <= kStepsBetweenPolls) return rounds * (steps + 1);
      return mark(*loop, steps);
    }
    if (While* loop = as<While>(stmt)) return mark(*loop, body(loop->body, place(*loop, around)));
    if (ParallelFor* loop = as<ParallelFor>(stmt))
      return mark(*loop, body(loop->body, place(*loop, around)));
    int64_t steps = takes_long(stmt) ? kStepsBetweenPolls : 0;
    for_each_body(stmt, [&](Body& inner) { steps = std::max(steps, body(inner, around)); });
    return steps;
  }

  template <class Loop>
  static Loc place(Loop& loop, Loc around) {
    if (loop.mark.loc.index == 0) loop.mark.loc = around;
    return loop.mark.loc;
  }

  template <class Loop>
  int64_t mark(Loop& loop, int64_t steps) {
    if (!ctx_.may_rewrite("loop")) return steps;
    loop.mark.polls = true;
    return steps;
  }

  PassContext& ctx_;
};

}  // namespace

Program mark_polls(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) PollMarker(ctx).body(fn.body, {});
  return prog;
}

}  // namespace skald::imp
