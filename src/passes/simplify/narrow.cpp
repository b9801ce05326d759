// SPDX-License-Identifier: Apache-2.0
// 64-bit arithmetic on values that fit in fewer bits: a vector register holds more of them, and
// products and divisions have vector instructions.
//
//   narrow            mod_i64(x, 10) for x and 10 that fit in 32 bits is mod_i32
//   narrow-truncated  i32(i64(a) * i64(b) + 7) = a * b + 7: the upper half is never looked at
//   narrow-compare    i64(a) < i64(b) = a < b;  i64(a) == 5 = a == 5
//   narrow-data       i64(a) + i64(b) = i64(i32(a) + i32(b)) for bytes a and b, which cannot wrap
//
// The last one waits for kernels, when checks have been decided, and leaves indices alone: vector
// code has them as scalars anyway.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

using Wide = __int128;

// Division of 64-bit integers takes much longer, and has no vector instructions.
std::optional<Rewrite> narrow_division(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  using enum BinOpKind;
  if (e.type != Prim::kI64 || (e.op != kDiv && e.op != kMod && e.op != kQuot && e.op != kRem))
    return std::nullopt;
  constexpr int64_t kMost = INT32_MAX;
  const analysis::Facts& facts = env.facts();
  const bool fits = facts.at_most(e.lhs, const_i64(kMost)) &&
                    facts.at_most(const_i64(INT32_MIN), e.lhs) &&
                    facts.at_most(e.rhs, const_i64(kMost)) && facts.at_most(const_i64(1), e.rhs);
  if (!fits || as_name(e.lhs) == nullptr) return std::nullopt;
  Rewrite rewrite;
  const Type i32 = scalar_type(Prim::kI32);
  const auto small = [&](const Operand& o) -> Operand {
    if (const Const* c = as_const(o)) return const_int(Prim::kI32, int_value(*c));
    Name name;
    rewrite.before.push_back(
        env.make(i32, Convert{Prim::kI64, Prim::kI32, o}, "small", stmt.loc, &name));
    return name;
  };
  const Operand lhs = small(e.lhs), rhs = small(e.rhs);
  Name name;
  rewrite.before.push_back(
      env.make(i32, BinOp{e.op, Prim::kI32, lhs, rhs}, "small", stmt.loc, &name));
  rewrite.exp = Convert{Prim::kI32, Prim::kI64, name};
  return rewrite;
}

// The conversion that made a value wider without changing it.
const Convert* widening(const Operand& o, Env& env) {
  const Convert* e = env.definition_as<Convert>(o);
  if (e == nullptr || !is_int(e->from) || !is_int(e->to)) return nullptr;
  const bool keeps =
      prim_size(e->from) < prim_size(e->to) && (!is_signed_int(e->from) || is_signed_int(e->to));
  return keeps ? e : nullptr;
}

bool keeps_lower_bits(BinOpKind op) {
  using enum BinOpKind;
  return op == kAdd || op == kSub || op == kMul || op == kAnd || op == kOr || op == kXor;
}

// Was it loaded, or computed from something that was?
bool is_data(const Operand& o, Env& env, int depth = 0) {
  constexpr int kMaxDepth = 6;
  const Name* name = as_name(o);
  const Exp* exp = name == nullptr ? nullptr : env.definition(*name);
  if (exp == nullptr || depth > kMaxDepth) return false;
  if (as<Index>(*exp) != nullptr) return true;
  bool found = false;
  if (as<Convert>(*exp) != nullptr || as<BinOp>(*exp) != nullptr || as<Select>(*exp) != nullptr)
    for_each_operand(
        *exp, [&](const Operand& inner) { found = found || is_data(inner, env, depth + 1); });
  return found;
}

// `wide` counts what has to be converted first; one conversion is the one that is there already.
bool is_cheap_in(Prim to, const Operand& o, Env& env, int depth, int& wide) {
  constexpr int kMaxTruncated = 4;
  if (as_const(o) != nullptr) return true;
  if (const Convert* e = widening(o, env)) return prim_size(e->from) <= prim_size(to);
  const BinOp* op = env.definition_as<BinOp>(o);
  if (op == nullptr || !keeps_lower_bits(op->op) || depth >= kMaxTruncated ||
      env.uses(*as_name(o)) != 1)
    return depth > 0 && is_data(o, env) && ++wide <= 1;
  return is_cheap_in(to, op->lhs, env, depth + 1, wide) &&
         is_cheap_in(to, op->rhs, env, depth + 1, wide);
}

std::optional<Rewrite> narrow_truncated(const Stmt& stmt, Env& env) {
  const Convert& e = *as<Convert>(stmt.exp);
  if (!is_int(e.from) || !is_int(e.to) || prim_size(e.to) >= prim_size(e.from)) return std::nullopt;
  const BinOp* op = env.definition_as<BinOp>(e.arg);
  int wide = 0;
  if (op == nullptr || op->type != e.from || !is_cheap_in(e.to, e.arg, env, 0, wide))
    return std::nullopt;
  Rewrite r;
  const auto small = [&](const Operand& o) -> Operand {
    if (const Const* c = as_const(o)) return const_int(e.to, int_value(*c));
    const Convert* wider = widening(o, env);
    if (wider != nullptr && wider->from == e.to) return wider->arg;
    Name name;
    const Convert convert =
        wider == nullptr ? Convert{e.from, e.to, o} : Convert{wider->from, e.to, wider->arg};
    r.before.push_back(env.make(scalar_type(e.to), convert, "small", stmt.loc, &name));
    return name;
  };
  const Operand lhs = small(op->lhs), rhs = small(op->rhs);
  r.exp = BinOp{op->op, e.to, lhs, rhs};
  return r;
}

std::optional<Rewrite> narrow_compare(const Stmt& stmt, Env& env) {
  const CmpOp& e = *as<CmpOp>(stmt.exp);
  if (env.program().stage == Stage::kSoacs || !is_int(e.type)) return std::nullopt;
  const Convert *left = widening(e.lhs, env), *right = widening(e.rhs, env);
  if (left == nullptr && right == nullptr) return std::nullopt;
  const Prim type = left != nullptr ? left->from : right->from;
  const auto small = [&](const Operand& o, const Convert* wider) -> std::optional<Operand> {
    if (wider != nullptr) {
      if (wider->from != type) return std::nullopt;
      return wider->arg;
    }
    const Const* c = as_const(o);
    if (c == nullptr) return std::nullopt;
    const Const other = const_int(type, int_value(*c));
    if (int_value(other) != int_value(*c)) return std::nullopt;
    return Operand{other};
  };
  const std::optional<Operand> lhs = small(e.lhs, left), rhs = small(e.rhs, right);
  if (!lhs || !rhs) return std::nullopt;
  return becomes(CmpOp{e.op, type, *lhs, *rhs});
}

std::optional<Rewrite> narrow_data(const Stmt& stmt, Env& env) {
  const BinOp& e = *as<BinOp>(stmt.exp);
  using enum BinOpKind;
  if (env.program().stage == Stage::kSoacs || e.type != Prim::kI64) return std::nullopt;
  if (e.op != kAdd && e.op != kSub && e.op != kMul) return std::nullopt;
  const Convert *left = widening(e.lhs, env), *right = widening(e.rhs, env);
  const auto fits = [&](const Convert* wider, const Operand& o) {
    return wider != nullptr ? is_data(wider->arg, env) : as_const(o) != nullptr;
  };
  if ((left == nullptr && right == nullptr) || !fits(left, e.lhs) || !fits(right, e.rhs))
    return std::nullopt;
  const analysis::Interval a = env.facts().interval(e.lhs), b = env.facts().interval(e.rhs);
  analysis::Interval sum;
  if (e.op == kAdd) sum = {a.least + b.least, a.greatest + b.greatest};
  if (e.op == kSub) sum = {a.least - b.greatest, a.greatest - b.least};
  if (e.op == kMul) {
    const auto [least, greatest] = std::minmax(
        {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
    sum = {least, greatest};
  }
  for (const analysis::Interval& each : {a, b, sum})
    if (each.least < Wide{INT32_MIN} || each.greatest > Wide{INT32_MAX}) return std::nullopt;
  Rewrite r;
  const Type i32 = scalar_type(Prim::kI32);
  const auto small = [&](const Operand& o, const Convert* wider) -> Operand {
    if (wider == nullptr) return const_int(Prim::kI32, int_value(*as_const(o)));
    if (wider->from == Prim::kI32) return wider->arg;
    Name name;
    r.before.push_back(
        env.make(i32, Convert{wider->from, Prim::kI32, wider->arg}, "small", stmt.loc, &name));
    return name;
  };
  const Operand lhs = small(e.lhs, left), rhs = small(e.rhs, right);
  Name name;
  r.before.push_back(env.make(i32, BinOp{e.op, Prim::kI32, lhs, rhs}, "small", stmt.loc, &name));
  r.exp = Convert{Prim::kI32, Prim::kI64, name};
  return r;
}

}  // namespace

Rules narrow_rules() {
  return {
      {"narrow", node_index<BinOp>(), narrow_division},
      {"narrow-truncated", node_index<Convert>(), narrow_truncated},
      {"narrow-compare", node_index<CmpOp>(), narrow_compare},
      {"narrow-data", node_index<BinOp>(), narrow_data},
  };
}

}  // namespace skald::passes::simplify_rules
