// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/warps.h"

namespace skald::imp {

Operand equals_i64(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a, b}, "same");
}

Operand lane_of(Code& code, Name thread) {
  return code.binop(BinOpKind::kAnd, thread, const_i64(kWarpThreads - 1), "lane");
}

Operand warp_of(Code& code, Name thread) {
  return code.binop(BinOpKind::kLshr, thread, const_i64(kWarpSteps), "warp");
}

void doubling_steps(Code& code, const Code::LoopBody& body) {
  code.loop(
      const_i64(0), const_i64(kWarpSteps),
      [&](Code& at, const Operand& k) {
        body(at, at.binop(BinOpKind::kShl, const_i64(1), k, "step"));
      },
      1, LoopHint::kUnroll);
}

}  // namespace skald::imp
