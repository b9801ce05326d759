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
#include "codegen/cpu/vector/vector_emitter.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

void VectorEmitter::group_in_stages(const imp::For& loop, llvm::Value* first) {
  const unsigned half = lanes_ / 2;
  VectorEmitter low(f_, analysis_, half, static_cast<int>(register_bytes_), repeat_);
  VectorEmitter high(f_, analysis_, half, static_cast<int>(register_bytes_), repeat_);
  const auto begin = [&](VectorEmitter& part, llvm::Value* at) {
    part.know(known_);
    part.bind(loop.var, loop.type, {Shape::kLinear, at, b_.getInt64(1)});
  };
  begin(low, first);
  begin(high, b_.CreateAdd(first, b_.getInt64(half)));
  const std::vector<imp::Stmt>& stmts = loop.body.stmts;
  const auto run = [&](VectorEmitter& part, size_t from, size_t to) {
    for (size_t k = from; k < to; ++k)
      imp::visit(stmts[k].node, [&](const auto& n) { part.stmt(n); });
  };
  const auto boundary = [&] { b_.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {}); };
  f_.open_scope();
  run(low, 0, first_stage_);
  boundary();
  run(high, 0, first_stage_);
  boundary();
  run(low, first_stage_, stmts.size());
  boundary();
  run(high, first_stage_, stmts.size());
  f_.close_scope();
}

}  // namespace skald::cpu
