// SPDX-License-Identifier: Apache-2.0
#include "imp/ir/code.h"

#include <span>

#include "core/scalar/scalar.h"
#include "imp/ir/visit.h"

namespace skald::imp {

bool Code::is_synced() const {
  for (size_t k = stmts_.size(); k-- > 0;) {
    const Node& node = stmts_[k].node;
    if (std::holds_alternative<Barrier>(node)) return true;
    const bool silent = std::holds_alternative<Let>(node) || std::holds_alternative<Var>(node) ||
                        std::holds_alternative<Assign>(node) ||
                        std::holds_alternative<Alloc>(node) || std::holds_alternative<Check>(node);
    if (!silent) return false;
  }
  return false;
}

Operand Code::let(Prim type, Exp exp, std::string_view base) {
  const Name name = fresh(base);
  add(Let{name, type, std::move(exp)});
  return name;
}

Operand Code::shuffle(ShuffleKind kind, Prim type, const Operand& value, const Operand& lane,
                      std::string_view base) {
  const Name name = fresh(base);
  add(Shuffle{name, type, kind, value, lane});
  return name;
}

Operand Code::ballot(const Operand& condition) {
  const Name name = fresh("ballot");
  add(Ballot{name, condition});
  return name;
}

const Exp* Code::definition(const Operand& operand) const {
  constexpr size_t kFar = 64;
  const Name* name = core::as_name(operand);
  if (name == nullptr) return nullptr;
  for (size_t k = stmts_.size(); k > 0 && k + kFar > stmts_.size(); --k)
    if (const auto* let = as<Let>(stmts_[k - 1]); let != nullptr && let->name == *name)
      return &let->exp;
  return nullptr;
}

Operand Code::fused(const Operand& sum) {
  const auto of = [&](const Operand& operand, BinOpKind op) -> const core::BinOp* {
    const Exp* exp = definition(operand);
    const auto* node = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
    return node != nullptr && node->op == op ? node : nullptr;
  };
  const core::BinOp* add = of(sum, BinOpKind::kAdd);
  if (add == nullptr || (add->type != Prim::kF32 && add->type != Prim::kF64)) return sum;
  for (const bool left : {false, true}) {
    const core::BinOp* product = of(left ? add->lhs : add->rhs, BinOpKind::kMul);
    if (product != nullptr)
      return let(add->type,
                 core::TernOp{TernOpKind::kFma, add->type, product->lhs, product->rhs,
                              left ? add->rhs : add->lhs},
                 "sum");
  }
  return sum;
}

Operand Code::binop(BinOpKind op, const Operand& a, const Operand& b, std::string_view base) {
  const Const *x = core::as_const(a), *y = core::as_const(b);
  if (x != nullptr && y != nullptr) return core::eval(op, Prim::kI64, *x, *y);
  return let(Prim::kI64, core::BinOp{op, Prim::kI64, a, b}, base);
}

Operand Code::add_i64(const Operand& a, const Operand& b) {
  if (a == Operand{const_i64(0)}) return b;
  if (b == Operand{const_i64(0)}) return a;
  return binop(BinOpKind::kAdd, a, b, "at");
}

Operand Code::mul_i64(const Operand& a, const Operand& b) {
  if (a == Operand{const_i64(1)}) return b;
  if (b == Operand{const_i64(1)}) return a;
  if (a == Operand{const_i64(0)} || b == Operand{const_i64(0)}) return const_i64(0);
  return binop(BinOpKind::kMul, a, b, "at");
}

Operand Code::sub_i64(const Operand& a, const Operand& b) {
  return b == Operand{const_i64(0)} ? a : binop(BinOpKind::kSub, a, b);
}
Operand Code::min_i64(const Operand& a, const Operand& b) {
  return binop(BinOpKind::kMin, a, b, "least");
}
Operand Code::max_i64(const Operand& a, const Operand& b) {
  return binop(BinOpKind::kMax, a, b, "most");
}

Operand Code::less_i64(const Operand& a, const Operand& b) {
  const Const *x = core::as_const(a), *y = core::as_const(b);
  if (x != nullptr && y != nullptr) return core::eval(CmpOpKind::kLt, Prim::kI64, *x, *y);
  return let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI64, a, b}, "less");
}

Operand Code::both(const Operand& a, const Operand& b, std::string_view base) {
  if (const Const* x = core::as_const(a)) return x->bits != 0 ? b : a;
  if (const Const* y = core::as_const(b)) return y->bits != 0 ? a : b;
  return let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, a, b}, base);
}

Operand Code::either(const Operand& a, const Operand& b, std::string_view base) {
  if (const Const* x = core::as_const(a)) return x->bits != 0 ? a : b;
  if (const Const* y = core::as_const(b)) return y->bits != 0 ? b : a;
  return let(Prim::kBool, core::BinOp{BinOpKind::kOr, Prim::kBool, a, b}, base);
}

Name Code::var(Prim type, const Operand& init, std::string_view base) {
  const Name name = fresh(base);
  add(Var{name, type, init});
  return name;
}

Operand Code::load(Prim type, Name block, const Operand& index, std::string_view base) {
  const Name name = fresh(base);
  add(Load{name, type, block, index});
  return name;
}

Name Code::alloc(Space space, const Operand& bytes, std::string_view base) {
  const Name name = fresh(base);
  add(Alloc{name, space, bytes});
  return name;
}

void Code::place_allocs(size_t from, Loc loc) {
  const auto walk = [&](const auto& self, std::span<Stmt> stmts) -> void {
    for (Stmt& stmt : stmts) {
      if (Alloc* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->loc.index == 0)
        alloc->loc = loc;
      for_each_body(stmt, [&](Body& body) { self(self, body.stmts); });
    }
  };
  walk(walk, std::span(stmts_).subspan(from));
}

void Code::place_loops(size_t from, Loc loc) {
  const auto put = [&](auto* loop) {
    if (loop != nullptr && loop->mark.loc.index == 0) loop->mark.loc = loc;
  };
  const auto walk = [&](const auto& self, std::span<Stmt> stmts) -> void {
    for (Stmt& stmt : stmts) {
      put(as<For>(stmt));
      put(as<While>(stmt));
      put(as<ParallelFor>(stmt));
      if (auto* launch = as<Launch>(stmt); launch != nullptr && launch->loc.index == 0)
        launch->loc = loc;
      for_each_body(stmt, [&](Body& body) { self(self, body.stmts); });
    }
  };
  walk(walk, std::span(stmts_).subspan(from));
}

void Code::loop(const Operand& begin, const Operand& end, const LoopBody& body, int64_t step,
                LoopHint hint) {
  Code inner(prog_);
  const Name i = fresh("i");
  body(inner, i);
  add(For{i, Prim::kI64, begin, end, const_i64(step), inner.finish(), hint});
}

void Code::parallel_for(const Operand& count, const Operand& grain, const LoopBody& body) {
  Code inner(prog_);
  const Name i = fresh("i");
  body(inner, i);
  add(ParallelFor{i, count, grain, inner.finish()});
}

void Code::parallel_range(const Operand& count, const Operand& grain,
                          const std::function<void(Code&, const Operand&, const Operand&)>& body) {
  Code inner(prog_);
  const Name begin = fresh("begin"), end = fresh("end");
  body(inner, begin, end);
  add(ParallelRange{begin, end, count, grain, inner.finish()});
}

void Code::parallel_chunks(
    const Operand& count, const Operand& size,
    const std::function<void(Code&, const Operand&, const Operand&, const Operand&)>& body) {
  Code inner(prog_);
  const Name begin = fresh("begin"), end = fresh("end"), chunk = fresh("chunk");
  body(inner, begin, end, chunk);
  add(ParallelChunks{begin, end, chunk, count, size, inner.finish()});
}

void Code::branch(const Operand& cond, const std::function<void(Code&)>& then,
                  const std::function<void(Code&)>& otherwise) {
  if (const Const* known = core::as_const(cond)) {
    if (known->bits != 0)
      then(*this);
    else if (otherwise)
      otherwise(*this);
    return;
  }
  Code a(prog_), b(prog_);
  then(a);
  if (otherwise) otherwise(b);
  add(If{cond, a.finish(), b.finish()});
}

void Code::maybe(const Operand& cond, const std::function<void(Code&)>& then) {
  Code a(prog_);
  then(a);
  add(If{cond, a.finish(), {}, true});
}

Operand chunk_count(Code& code, const Operand& n, const Operand& size) {
  const Operand rounded = code.binop(
      BinOpKind::kQuot, code.sub_i64(code.add_i64(n, size), const_i64(1)), size, "chunks");
  return code.max_i64(rounded, const_i64(1));
}

Operand pieces(Code& code, const Operand& count, const Operand& size) {
  return code.binop(BinOpKind::kQuot, code.sub_i64(code.add_i64(count, size), const_i64(1)), size,
                    "pieces");
}

std::vector<Operand> unflatten(Code& code, const Operand& number,
                               const std::vector<Operand>& shape) {
  std::vector<Operand> indices(shape.size());
  Operand rest = number;
  for (size_t k = shape.size(); k-- > 1;) {
    const Operand quotient = code.binop(BinOpKind::kQuot, rest, shape[k], "i");
    indices[k] = code.sub_i64(rest, code.mul_i64(quotient, shape[k]));
    rest = quotient;
  }
  if (!indices.empty()) indices[0] = rest;
  return indices;
}

}  // namespace skald::imp
