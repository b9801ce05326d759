// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/operators.h"

#include <limits>

#include "core/ir/visit.h"

namespace skald::passes::ad {

std::optional<BinOpKind> simple_operator(const Operator& op) {
  const Body& body = op.fn.body;
  if (op.neutral.size() != 1 || body.stmts.size() != 1 || !op.fn.params[0].type.is_scalar() ||
      body.result[0] != Operand(body.stmts[0].pat[0].name))
    return std::nullopt;
  const auto* bin = as<BinOp>(body.stmts[0].exp);
  if (bin == nullptr) return std::nullopt;
  const Operand a = op.fn.params[0].name, b = op.fn.params[1].name;
  const bool both = (bin->lhs == a && bin->rhs == b) || (bin->lhs == b && bin->rhs == a);
  const bool known =
      bin->op == BinOpKind::kMul || bin->op == BinOpKind::kMin || bin->op == BinOpKind::kMax;
  return both && known ? std::optional(bin->op) : std::nullopt;
}

// ---- products -----------------------------------------------------------------------------------

ProductPart product_part(const Operand& x, Prim type, Emit& out) {
  const Operand none = out.cmp(CmpOpKind::kEq, type, x, Const{type, 0});
  return {out.select(none, const_float(type, 1), x), out.select(none, const_i64(1), const_i64(0))};
}

Operand product_slope(const ProductPart& factor, const Operand& nonzero_product,
                      const Operand& zeros, Prim type, Emit& out) {
  const Operand alone = out.cmp(CmpOpKind::kEq, Prim::kI64, zeros, factor.zeros);
  const Operand others = out.bin(BinOpKind::kDiv, type, nonzero_product, factor.nonzero);
  return out.select(alone, others, Operand(Const{type, 0}));
}

Operator product_operator(Session& session, Prim type) {
  Lambda fn;
  const Type number = scalar_type(type), count = scalar_type(Prim::kI64);
  for (const Type& t : {number, count, number, count})
    fn.params.push_back({.name = session.prog.names.fresh("p"), .type = t});
  session.learn(fn.params);
  Emit out(session);
  const Operand product = out.let1(
      number, BinOp{BinOpKind::kMul, type, fn.params[0].name, fn.params[2].name}, "product");
  const Operand zeros = out.bin(BinOpKind::kAdd, Prim::kI64, fn.params[1].name, fn.params[3].name);
  fn.results = {{.type = number}, {.type = count}};
  fn.body = out.finish({product, zeros});
  return {std::move(fn), {const_float(type, 1), const_i64(0)}, true};
}

Name product_cotangents(const Operand& width, Name array, const Operand& bar, Emit& out) {
  Session& session = out.session();
  const Type number = row_type(session.type_of(array)), count = scalar_type(Prim::kI64);
  Soac soac;
  soac.width = width;
  soac.inputs = {array};
  const Name x = out.fresh("x");
  soac.fn.params = {{.name = x, .type = number}};
  session.learn(soac.fn.params);
  soac.fn.results = {{.type = number}, {.type = count}};
  Emit in(session, out.loc());
  const ProductPart part = product_part(x, number.elem, in);
  soac.fn.body = in.finish({part.nonzero, part.zeros});
  soac.reduces.push_back(product_operator(session, number.elem));
  const std::vector<Name> all = out.let({number, count}, std::move(soac), "product");
  return out.map(width, {array}, [&](Emit& row, const Emit::Rows& rows) {
    const ProductPart factor = product_part(rows[0], number.elem, row);
    const Operand slope = product_slope(factor, all[0], all[1], number.elem, row);
    return Emit::Rows{row.mul(number.elem, slope, bar)};
  })[0];
}

// ---- minima and maxima --------------------------------------------------------------------------

Operator extreme_operator(Session& session, const Operator& op, BinOpKind kind, Prim type) {
  Lambda fn;
  const Type value = scalar_type(type), number = scalar_type(Prim::kI64);
  for (const Type& t : {value, number, value, number})
    fn.params.push_back({.name = session.prog.names.fresh("m"), .type = t});
  session.learn(fn.params);
  const Operand a = fn.params[0].name, i = fn.params[1].name;
  const Operand b = fn.params[2].name, j = fn.params[3].name;
  Emit out(session);
  const Operand better = kind == BinOpKind::kMin ? out.cmp(CmpOpKind::kLt, type, a, b)
                                                 : out.cmp(CmpOpKind::kLt, type, b, a);
  const Operand equal = out.cmp(CmpOpKind::kEq, type, a, b);
  const Operand first = out.both(equal, out.cmp(CmpOpKind::kLe, Prim::kI64, i, j));
  const Operand left = out.either(better, first);
  fn.results = {{.type = value}, {.type = number}};
  const Operand chosen = out.select(left, a, b), where = out.select(left, i, j);
  fn.body = out.finish({chosen, where});
  return {std::move(fn), {op.neutral[0], const_i64(std::numeric_limits<int64_t>::max())}, true};
}

Name extreme_cotangents(const Operand& width, Name array, const Operator& op, BinOpKind kind,
                        const Operand& bar, Emit& out) {
  Session& session = out.session();
  const Type value = row_type(session.type_of(array)), number = scalar_type(Prim::kI64);
  Soac soac;
  soac.width = width;
  soac.inputs = {array, out.let1(array_of(width, number),
                                 Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers")};
  for (const Type& type : {value, number}) {
    soac.fn.params.push_back({.name = out.fresh("x"), .type = type});
    soac.fn.results.push_back({.type = type});
    soac.fn.body.result.emplace_back(soac.fn.params.back().name);
  }
  session.learn(soac.fn.params);
  soac.reduces.push_back(extreme_operator(session, op, kind, value.elem));
  const Name found = out.let({value, number}, std::move(soac), "extreme")[1];
  return out.map(width, {}, [&](Emit& in, const Emit::Rows& rows) {
    const Operand here = in.cmp(CmpOpKind::kEq, Prim::kI64, rows[0], found);
    return Emit::Rows{in.select(here, bar, Operand(Const{value.elem, 0}))};
  })[0];
}

}  // namespace skald::passes::ad
