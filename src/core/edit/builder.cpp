// SPDX-License-Identifier: Apache-2.0
#include "core/edit/builder.h"

#include <iterator>

#include "core/scalar/scalar.h"

namespace skald::core {

namespace {

bool is_int_const(const Operand& o, int64_t value) {
  const Const* c = as_const(o);
  return c && is_int(c->type) && int_value(*c) == value;
}
bool is_bool_const(const Operand& o, bool value) {
  const Const* c = as_const(o);
  return c && *c == const_bool(value);
}

}  // namespace

std::vector<Name> Builder::let(std::vector<Type> types, Exp exp, std::string_view base,
                               std::vector<Name> tokens) {
  std::vector<Param> pat;
  std::vector<Name> bound;
  for (Type& type : types) {
    bound.push_back(names().fresh(base));
    pat.push_back({.name = bound.back(), .type = std::move(type)});
  }
  let_pat(std::move(pat), std::move(exp), std::move(tokens));
  return bound;
}

Name Builder::let1(Type type, Exp exp, std::string_view base, std::vector<Name> tokens) {
  return let({std::move(type)}, std::move(exp), base, std::move(tokens)).front();
}

void Builder::let_pat(std::vector<Param> pat, Exp exp, std::vector<Name> tokens) {
  // `check` gives no name where nothing can fail.
  std::erase(tokens, Name{});
  append({.pat = std::move(pat),
          .exp = std::move(exp),
          .tokens = std::move(tokens),
          .hints = hints_,
          .loc = loc_});
}

Operand Builder::binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base,
                       std::vector<Name> tokens) {
  const Const *a = as_const(lhs), *b = as_const(rhs);
  if (a && b) return eval(op, type, *a, *b);
  return let1(scalar_type(type), BinOp{op, type, lhs, rhs}, base, std::move(tokens));
}

Operand Builder::unop(UnOpKind op, Prim type, Operand arg, std::string_view base) {
  if (const Const* c = as_const(arg)) return eval(op, type, *c);
  return let1(scalar_type(result_type(op, type)), UnOp{op, type, arg}, base);
}

Operand Builder::cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base) {
  const Const *a = as_const(lhs), *b = as_const(rhs);
  if (a && b) return eval(op, type, *a, *b);
  return let1(scalar_type(Prim::kBool), CmpOp{op, type, lhs, rhs}, base);
}

Operand Builder::ternop(TernOpKind op, Prim type, Operand a, Operand b, Operand c,
                        std::string_view base) {
  const Const *x = as_const(a), *y = as_const(b), *z = as_const(c);
  if (x && y && z) return eval(op, type, *x, *y, *z);
  return let1(scalar_type(type), TernOp{op, type, a, b, c}, base);
}

Operand Builder::convert(Prim from, Prim to, Operand arg, std::string_view base) {
  if (from == to) return arg;
  if (const Const* c = as_const(arg)) return eval_convert(from, to, *c);
  return let1(scalar_type(to), Convert{from, to, arg}, base);
}

Operand Builder::size_add(Operand a, Operand b) {
  if (is_int_const(a, 0)) return b;
  if (is_int_const(b, 0)) return a;
  return binop(BinOpKind::kAdd, Prim::kI64, a, b, "size");
}

Operand Builder::size_sub(Operand a, Operand b) {
  if (is_int_const(b, 0)) return a;
  if (a == b) return const_i64(0);
  return binop(BinOpKind::kSub, Prim::kI64, a, b, "size");
}

Operand Builder::size_mul(Operand a, Operand b) {
  if (is_int_const(a, 0) || is_int_const(b, 0)) return const_i64(0);
  if (is_int_const(a, 1)) return b;
  if (is_int_const(b, 1)) return a;
  return binop(BinOpKind::kMul, Prim::kI64, a, b, "size");
}

Operand Builder::logical_and(Operand a, Operand b) {
  if (is_bool_const(a, false) || is_bool_const(b, false)) return const_bool(false);
  if (is_bool_const(a, true) || a == b) return b;
  if (is_bool_const(b, true)) return a;
  return binop(BinOpKind::kAnd, Prim::kBool, a, b, "c");
}

Operand Builder::logical_or(Operand a, Operand b) {
  if (is_bool_const(a, true) || is_bool_const(b, true)) return const_bool(true);
  if (is_bool_const(a, false) || a == b) return b;
  if (is_bool_const(b, false)) return a;
  return binop(BinOpKind::kOr, Prim::kBool, a, b, "c");
}

Operand Builder::logical_not(Operand a) {
  if (is_bool_const(a, true)) return const_bool(false);
  if (is_bool_const(a, false)) return const_bool(true);
  return unop(UnOpKind::kNot, Prim::kBool, a, "c");
}

Name Builder::check(Operand cond, std::vector<MessagePart> message) {
  if (is_bool_const(cond, true)) return {};
  return let1(token_type(), Assert{cond, std::move(message)}, "check");
}

void Builder::insert(size_t at, std::vector<Stmt> stmts) {
  stmts_.insert(stmts_.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(stmts.begin()),
                std::make_move_iterator(stmts.end()));
}

Body Builder::finish(std::vector<Operand> result) {
  Body body(std::move(stmts_), std::move(result));
  stmts_.clear();
  return body;
}

}  // namespace skald::core
