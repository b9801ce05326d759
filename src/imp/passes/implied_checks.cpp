// SPDX-License-Identifier: Apache-2.0
// Removes checks of indices that follow from earlier ones.
//
//   before   check(0 <= x && x < n);           after   check(0 <= x && x < n);
//            i64 q = mod_i64(x + 1, n);                i64 q = mod_i64(x + 1, n);
//            check(0 <= q && q < n);
//            i64 h = div_i64(x, 2);                    i64 h = div_i64(x, 2);
//            check(0 <= h && h < n);
//
// Something is below n and not negative, so n is positive, and remainders by it are indices; and
// what was divided by a positive number is nearer to zero.  In core, where statements move, a value
// would have to remember which check made it safe; here they stay where they are.
//
// Stage    imp for the cpu.
// Needs    nothing.
// Gives    fewer checks.
// Keeps    what the others say, and their order.
// Cost     linear in the size of a function, times the checks that hold at a time.
// Tests    tests/golden/passes/imp/implied_checks/*.imp, tests/golden/stages/implied_checks_imp.fut
#include <algorithm>
#include <vector>

#include "imp/analysis/facts.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

using core::BinOpKind;
using core::CmpOpKind;

const core::BinOp* as_index_operator(const Exp* exp) {
  const auto* op = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
  if (op == nullptr || op->type != Prim::kI64) return nullptr;
  const bool divides =
      op->op == BinOpKind::kMod || op->op == BinOpKind::kDiv || op->op == BinOpKind::kQuot;
  return divides ? op : nullptr;
}

// Is there a check, and an index computed by a division?
bool may_have_some(const Body& body, bool& checks, bool& divisions) {
  for (const Stmt& stmt : body.stmts) {
    checks |= as<Check>(stmt) != nullptr;
    if (const auto* let = as<Let>(stmt)) divisions |= as_index_operator(&let->exp) != nullptr;
    for_each_body(stmt, [&](const Body& inner) { may_have_some(inner, checks, divisions); });
  }
  return checks && divisions;
}

class ImpliedChecks {
 public:
  ImpliedChecks(const Function& fn, PassContext& ctx) : ctx_(ctx), facts_(fn) {}

  // Was one removed from the body itself?
  bool run(Body& body) {
    const size_t outside = passed_.size(), statements = body.stmts.size();
    std::vector<Stmt> kept;
    for (Stmt& stmt : body.stmts) {
      if (const auto* check = as<Check>(stmt)) {
        const std::vector<Comparison> all = comparisons(check->cond);
        const auto implied = [&](const Comparison& c) { return is_implied(c); };
        if (!all.empty() && std::ranges::all_of(all, implied) &&
            ctx_.may_rewrite("check that follows from earlier ones"))
          continue;
        passed_.insert(passed_.end(), all.begin(), all.end());
      }
      for_each_body(stmt, [&](Body& inner) { run_inner(inner); });
      kept.push_back(std::move(stmt));
    }
    body.stmts = std::move(kept);
    passed_.resize(outside);
    return body.stmts.size() < statements;
  }

 private:
  // small <= large, or small < large
  struct Comparison {
    bool strict;
    Operand small, large;
  };

  // In the body of a loop or branch; what a function returns it still needs.
  void run_inner(Body& body) {
    if (run(body)) drop_unused(body);
  }

  bool is_variable(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    return name != nullptr && facts_.is_variable(*name);
  }

  // What the condition says, if that is all of it; otherwise nothing.
  std::vector<Comparison> comparisons(const Operand& cond) const {
    std::vector<Comparison> result;
    if (!add_comparisons(cond, result)) result.clear();
    return result;
  }

  bool add_comparisons(const Operand& cond, std::vector<Comparison>& result) const {
    const Exp* exp = facts_.definition(cond);
    if (exp == nullptr) return false;
    if (const auto* both = std::get_if<core::BinOp>(exp))
      return both->op == BinOpKind::kAnd && both->type == Prim::kBool &&
             add_comparisons(both->lhs, result) && add_comparisons(both->rhs, result);
    const auto* c = std::get_if<core::CmpOp>(exp);
    if (c == nullptr || c->type != Prim::kI64 || is_variable(c->lhs) || is_variable(c->rhs))
      return false;
    if (c->op != CmpOpKind::kLe && c->op != CmpOpKind::kLt) return false;
    result.push_back({c->op == CmpOpKind::kLt, c->lhs, c->rhs});
    return true;
  }

  bool has_passed(const Comparison& c) const {
    return std::ranges::any_of(passed_, [&](const Comparison& p) {
      return p.strict >= c.strict && facts_.same_value(p.small, c.small) &&
             facts_.same_value(p.large, c.large);
    });
  }

  bool is_not_negative(const Operand& x) const {
    const core::Const* number = core::as_const(x);
    if (number != nullptr) return core::int_value(*number) >= 0;
    return has_passed({false, core::const_i64(0), x});
  }

  bool is_positive(const Operand& n) const {
    const core::Const* number = core::as_const(n);
    if (number != nullptr) return core::int_value(*number) > 0;
    return std::ranges::any_of(passed_, [&](const Comparison& p) {
      return p.strict && facts_.same_value(p.large, n) && is_not_negative(p.small);
    });
  }

  bool is_implied(const Comparison& c) const {
    if (has_passed(c)) return true;
    const bool from_zero = c.small == Operand{core::const_i64(0)} && !c.strict;
    const core::BinOp* op = as_index_operator(facts_.definition(from_zero ? c.large : c.small));
    if (op == nullptr || is_variable(op->lhs) || is_variable(op->rhs)) return false;
    if (op->op == BinOpKind::kMod)
      return is_positive(op->rhs) && (from_zero || facts_.same_value(op->rhs, c.large));
    const core::Const* divisor = core::as_const(op->rhs);
    if (divisor == nullptr || core::int_value(*divisor) <= 0 || !is_not_negative(op->lhs))
      return false;
    return from_zero || has_passed({c.strict, op->lhs, c.large});
  }

  PassContext& ctx_;
  const Facts facts_;
  std::vector<Comparison> passed_;
};

}  // namespace

Program remove_implied_checks(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    bool checks = false, divisions = false;
    if (!may_have_some(fn.body, checks, divisions)) continue;
    ImpliedChecks(fn, ctx).run(fn.body);
  }
  return prog;
}

}  // namespace skald::imp
