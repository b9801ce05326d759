// SPDX-License-Identifier: Apache-2.0
// A group of two registers whose body has divisions or roots in the middle:
//
//   as usual     loads a, loads b, sums a, sums b, divisions a, divisions b, the rest of a and b
//   in stages    loads, sums, divisions a | loads, sums, divisions b | the rest of a | the rest of
//   b
//
// The rest waits for the divisions.  A processor that looks ahead of a hundred instructions finds
// nothing else to do meanwhile if both registers go side by side; in stages the divisions of one
// run beside the sums of the other, and fewer values are alive at the same time.
//
// LLVM's scheduler would mix the stages again.  It does not move instructions over labels, so in
// the end there is one between two stages.  Labels would keep loops from being optimised, so before
// that a call that does nothing stands for them (optimise/stages.h).
#include "codegen/cpu/vector/statements.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

void group_in_stages(VectorEmitter& vec, const imp::For& loop, llvm::Value* first) {
  const unsigned half = vec.lane_count / 2;
  VectorEmitter low(vec.f, vec.plan, half, vec.repeat);
  VectorEmitter high(vec.f, vec.plan, half, vec.repeat);
  const auto begin = [&](VectorEmitter& part, llvm::Value* at) {
    part.know(vec.known);
    part.bind(loop.var, loop.type, {Shape::kLinear, at, vec.b.getInt64(1)});
  };
  begin(low, first);
  begin(high, vec.b.CreateAdd(first, vec.b.getInt64(half)));
  const std::vector<imp::Stmt>& stmts = loop.body.stmts;
  const auto first_stage = static_cast<size_t>(vec.plan.first_stage);
  const auto run = [&](VectorEmitter& part, size_t from, size_t to) {
    for (size_t k = from; k < to; ++k)
      imp::visit(stmts[k].node, [&](const auto& n) { emit_lanes(part, n); });
  };
  const auto boundary = [&] { vec.b.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {}); };
  vec.f.open_scope();
  run(low, 0, first_stage);
  boundary();
  run(high, 0, first_stage);
  boundary();
  run(low, first_stage, stmts.size());
  boundary();
  run(high, first_stage, stmts.size());
  vec.f.close_scope();
}

}  // namespace skald::cpu
