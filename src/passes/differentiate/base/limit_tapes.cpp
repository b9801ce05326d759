// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a loop of n rounds may keep m of what its rounds start with.
//
//   m ≥ n         all of them: one loop
//   m ≥ 2 √n      m/2 in the inner loop, one for each of its runs in the outer one
//   otherwise     loops in loops in loops: m/3 in each of the inner two, or ∛n if that is more
//
// The numbers are computed when the program runs, for three levels of which the outer ones may have
// one round.  Three levels need at least about 3 ∛n; if that is more than twice what is allowed,
// the program says so.
#include "passes/differentiate/base/limit_tapes.h"

#include "core/edit/strip_mine.h"
#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

class TapeLimiter {
 public:
  explicit TapeLimiter(Session& session) : session_(session) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    Emit out(session_);
    for (Stmt& stmt : old) {
      out.set_loc(stmt.loc);
      if (auto* e = as<If>(stmt.exp)) {
        visit(e->then_body);
        visit(e->else_body);
      }
      const auto* loop = as<Loop>(stmt.exp);
      if (loop != nullptr && is_regular(*loop)) limit(stmt, out);
      session_.learn(stmt);
      out.append(std::move(stmt));
    }
    body.stmts = out.b().finish({}).stmts;
  }

 private:
  Operand size(BinOpKind op, const Operand& a, const Operand& b, Emit& out) {
    return out.bin(op, Prim::kI64, a, b);
  }
  // a / b, rounded up.
  Operand rounded_up(const Operand& a, const Operand& b, Emit& out) {
    const Operand more = size(BinOpKind::kSub, b, const_i64(1), out);
    return size(BinOpKind::kDiv, size(BinOpKind::kAdd, a, more, out), b, out);
  }

  // The cube root, rounded up.
  Operand cube_root(const Operand& n, Emit& out) {
    constexpr double kRounding = 1e-9;
    const Operand number = out.convert(Prim::kI64, Prim::kF64, n);
    const Operand root = out.un(UnOpKind::kCbrt, Prim::kF64, number);
    const Operand less =
        out.bin(BinOpKind::kSub, Prim::kF64, root, const_float(Prim::kF64, kRounding));
    return out.convert(Prim::kF64, Prim::kI64, out.un(UnOpKind::kCeil, Prim::kF64, less));
  }

  // What all parameters of a round take.
  Operand bytes_of_round(const Loop& loop, Emit& out) {
    Operand bytes = const_i64(0);
    for (const LoopParam& p : loop.params) {
      if (p.param.type.kind != Type::kArray) continue;
      const Operand elements = out.product(p.param.type.shape);
      const Operand each = const_i64(prim_size(p.param.type.elem));
      bytes = size(BinOpKind::kAdd, bytes, size(BinOpKind::kMul, elements, each, out), out);
    }
    return size(BinOpKind::kMax, const_i64(1), bytes, out);
  }

  void limit(Stmt& stmt, Emit& out) {
    Loop& loop = *as<Loop>(stmt.exp);
    const Operand bytes = bytes_of_round(loop, out);
    const Operand n = rounds_of(out.b(), loop), one = const_i64(1);
    if (as_name(n) != nullptr)
      session_.types.insert_or_assign(*as_name(n), scalar_type(Prim::kI64));
    const Operand budget = const_i64(session_.tape_memory);
    const Operand kept = size(BinOpKind::kMax, one, size(BinOpKind::kDiv, budget, bytes, out), out);
    const auto at_least_one = [&](const Operand& x) { return size(BinOpKind::kMax, one, x, out); };
    const Operand half = at_least_one(size(BinOpKind::kDiv, kept, const_i64(2), out));
    const Operand least = at_least_one(cube_root(n, out));
    const Operand third =
        size(BinOpKind::kMax, least, size(BinOpKind::kDiv, kept, const_i64(3), out), out);
    const Operand runs = rounded_up(n, half, out);
    const Operand all = out.cmp(CmpOpKind::kLe, Prim::kI64, n, kept);
    const Operand two = out.cmp(CmpOpKind::kLe, Prim::kI64, runs, half);
    const Operand inner = out.select(all, at_least_one(n), out.select(two, half, third));
    const Operand middle = out.select(all, one, out.select(two, at_least_one(runs), third));
    const Operand outer =
        at_least_one(rounded_up(n, size(BinOpKind::kMul, inner, middle, out), out));
    // Is that within twice the budget?
    const Operand used =
        size(BinOpKind::kAdd, outer, size(BinOpKind::kAdd, inner, middle, out), out);
    const Operand twice = size(BinOpKind::kMul, kept, const_i64(2), out);
    const Operand fits = out.either(
        out.cmp(CmpOpKind::kLe, Prim::kI64, used, size(BinOpKind::kAdd, twice, const_i64(2), out)),
        all);
    const Name token = out.b().check(
        fits, {std::string("The tapes of this loop need "), size(BinOpKind::kMul, used, bytes, out),
               std::string(" bytes, but `differentiate.tape_memory` allows only "), budget,
               std::string(".")});
    if (token) {
      session_.types.insert_or_assign(token, token_type());
      stmt.tokens.push_back(token);
    }
    stmt.exp = strip_mined(out.b(), std::move(loop), {outer, middle, inner});
    // What the builder made is not known yet.
    for (const Stmt& made : out.b().stmts()) session_.learn(made);
  }

  Session& session_;
};

}  // namespace

void limit_tapes(Session& session, Body& body) {
  TapeLimiter(session).visit(body);
}

}  // namespace skald::passes::ad
