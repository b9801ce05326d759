// SPDX-License-Identifier: Apache-2.0
// An index that was divided into row and column, and is put together again, is the index.
//
//   before   i64 q = quot_i64(i, 16);                  after   i64 at = i;
//            i64 c = sub_i64(i, mul_i64(q, 16));
//            i64 at = add_i64(mul_i64(q, 16), c);
//
// Code that reads `flatten xss` reads `xss` by rows and columns, since that is what fusion
// understands; where `xss` lies in memory, its rows follow one another.  In lanes this makes a
// contiguous access of a gather.  The sum holds for any q.
//
// Target   cpu.
// Needs    nothing.
// Gives    no such sum.
// Keeps    everything else; what nobody uses any more is left to the code generator.
// Cost     linear.
// Tests    tests/golden/passes/imp/whole_indices/*.imp
#include <optional>

#include "imp/analysis/facts.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

using core::BinOpKind;

class WholeIndices {
 public:
  WholeIndices(const Function& fn, PassContext& ctx) : ctx_(ctx), facts_(fn) {}

  void run(Body& body) {
    for (Stmt& stmt : body.stmts) {
      if (auto* let = as<Let>(stmt))
        if (const std::optional<Operand> whole = whole_of(let->exp);
            whole && ctx_.may_rewrite("index as it was"))
          let->exp = core::Value{*whole};
      for_each_body(stmt, [&](Body& inner) { run(inner); });
    }
  }

 private:
  const core::BinOp* binary(const Exp* exp, BinOpKind kind) const {
    const auto* op = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
    return op != nullptr && op->op == kind && op->type == Prim::kI64 ? op : nullptr;
  }

  // p + (x - p) and (x - p) + p are x.
  std::optional<Operand> whole_of(const Exp& exp) const {
    const core::BinOp* sum = binary(&exp, BinOpKind::kAdd);
    if (sum == nullptr) return std::nullopt;
    for (const bool swapped : {false, true}) {
      const Operand &product = swapped ? sum->rhs : sum->lhs, &rest = swapped ? sum->lhs : sum->rhs;
      if (binary(facts_.definition(product), BinOpKind::kMul) == nullptr) continue;
      const core::BinOp* difference = binary(facts_.definition(rest), BinOpKind::kSub);
      if (difference == nullptr || !facts_.same_value(difference->rhs, product)) continue;
      // A variable may have changed since.
      const core::Name* name = core::as_name(difference->lhs);
      if (name != nullptr && !facts_.is_variable(*name)) return difference->lhs;
    }
    return std::nullopt;
  }

  PassContext& ctx_;
  Facts facts_;
};

}  // namespace

Program find_whole_indices(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) WholeIndices(fn, ctx).run(fn.body);
  return prog;
}

}  // namespace skald::imp
