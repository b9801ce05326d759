// SPDX-License-Identifier: Apache-2.0
#include "core/edit/strip_mine.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::core {

namespace {

class StripMiner {
 public:
  StripMiner(Program& prog, Loop loop, Operand rounds, std::vector<Operand> counts)
      : prog_(prog), loop_(std::move(loop)), rounds_(rounds), counts_(std::move(counts)) {}

  Loop level(Builder& out, size_t number, const Operand& base, const std::vector<Operand>& inits) {
    // Rounds of the original loop in one of this one.
    Operand stride = const_i64(1);
    for (size_t k = number + 1; k < counts_.size(); ++k) stride = out.size_mul(stride, counts_[k]);
    const Operand left = out.size_sub(rounds_, base);
    const Operand up = out.size_add(left, out.size_sub(stride, const_i64(1)));
    const Operand needed = out.binop(BinOpKind::kDiv, Prim::kI64, up, stride, "needed");
    Loop made;
    made.form = Loop::kFor;
    made.var = {.name = prog_.names.fresh("i"), .type = scalar_type(Prim::kI64)};
    made.bound = out.binop(BinOpKind::kMin, Prim::kI64, counts_[number], needed, "rounds");
    Builder in(prog_);
    in.set_loc(out.loc());
    const Operand at = in.size_add(base, in.size_mul(made.var.name, stride));
    if (number + 1 == counts_.size()) {
      for (size_t k = 0; k < inits.size(); ++k) {
        made.params.push_back(loop_.params[k]);
        made.params.back().init = inits[k];
      }
      in.let_pat({loop_.var}, Value{in.convert(Prim::kI64, loop_.var.type.elem, at, "i")});
      for (Stmt& stmt : loop_.body.stmts) in.append(std::move(stmt));
      made.body = in.finish(std::move(loop_.body.result));
      return made;
    }
    std::vector<Operand> names;
    std::vector<Type> types;
    for (size_t k = 0; k < inits.size(); ++k) {
      Param param = loop_.params[k].param;
      param.name = prog_.names.fresh_like(param.name);
      names.emplace_back(param.name);
      types.push_back(param.type);
      made.params.push_back({.param = std::move(param), .init = inits[k]});
    }
    Loop inner = level(in, number + 1, at, names);
    std::vector<Operand> results;
    for (const Name name : in.let(types, std::move(inner), "part")) results.emplace_back(name);
    made.body = in.finish(std::move(results));
    return made;
  }

 private:
  Program& prog_;
  Loop loop_;
  Operand rounds_;
  std::vector<Operand> counts_;
};

}  // namespace

bool is_regular(const Loop& loop) {
  return loop.form == Loop::kFor && std::ranges::none_of(loop.params, [&](const LoopParam& p) {
           return std::ranges::any_of(p.param.type.shape, [&](const Operand& dim) {
             return std::ranges::any_of(
                 loop.params, [&](const LoopParam& q) { return dim == Operand(q.param.name); });
           });
         });
}

Operand rounds_of(Builder& out, const Loop& loop) {
  const Operand rounds = out.convert(loop.var.type.elem, Prim::kI64, loop.bound, "rounds");
  return out.binop(BinOpKind::kMax, Prim::kI64, rounds, const_i64(0), "rounds");
}

std::vector<Operand> equal_counts(Builder& out, const Loop& loop, int levels) {
  const Operand n = out.convert(Prim::kI64, Prim::kF64, rounds_of(out, loop), "n");
  const Operand root =
      out.binop(BinOpKind::kPow, Prim::kF64, n, const_float(Prim::kF64, 1.0 / levels), "root");
  // One more than needed, however the root was rounded.
  const Operand count =
      out.size_add(out.convert(Prim::kF64, Prim::kI64, root, "count"), const_i64(1));
  return {static_cast<size_t>(levels), count};
}

Loop strip_mined(Builder& out, Loop loop, const std::vector<Operand>& counts) {
  std::vector<Operand> inits;
  for (const LoopParam& p : loop.params) inits.push_back(p.init);
  const Operand rounds = rounds_of(out, loop);
  return StripMiner(out.program(), std::move(loop), rounds, counts)
      .level(out, 0, const_i64(0), inits);
}

}  // namespace skald::core
