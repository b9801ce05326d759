// SPDX-License-Identifier: Apache-2.0
// Reductions in reverse mode.
//
//   y = a₀ ⊕ a₁ ⊕ … ⊕ aₙ₋₁
//
// +          every āᵢ is ȳ.
// *          ȳ times the product of the others: the product of all elements that are not zero,
//            divided by aᵢ, if aᵢ is the only zero or there is none (extremes.cpp, products.cpp).
// min, max   all of ȳ goes to the first element that is the minimum or maximum.
// others     y = lᵢ ⊕ aᵢ ⊕ rᵢ, where lᵢ is the reduction of all elements before aᵢ and rᵢ that of
//            all after it.  Two scans compute all of them.  A map computes the cotangents
//            sᵢ = ∂(mᵢ ⊕ rᵢ)/∂mᵢ ȳ of mᵢ = lᵢ ⊕ aᵢ, another one applies the rules of lᵢ ⊕ aᵢ to sᵢ.
//            Names that ⊕ uses from outside get a contribution from each of these.
//
// The neutral element counts as a constant.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/differentiate/reverse/operators.h"
#include "passes/differentiate/reverse/reverse.h"
#include "passes/differentiate/reverse/scanning.h"

namespace skald::passes::ad {

void Reverse::reduce(Stmt& stmt, Soac& e, Emit& out) {
  const Operator& op = e.reduces[0];
  const size_t n = op.neutral.size();
  if (is_addition(op.fn)) {
    for (size_t k = 0; k < n; ++k) {
      const auto bar = find(stmt.pat[k].name);
      if (!bar || !active(e.inputs[k])) continue;
      const Type type = session_.type_of(e.inputs[k]);
      add(e.inputs[k], out.let1(type, Replicate{{e.width}, *bar}, "bar"), out, Own::kYes);
    }
    return;
  }
  const auto simple = simple_operator(op);
  if (simple == BinOpKind::kMul && is_float(stmt.pat[0].type.elem))
    return add(e.inputs[0], product_cotangents(e.width, e.inputs[0], *find(stmt.pat[0].name), out),
               out, Own::kYes);
  if (simple == BinOpKind::kMin || simple == BinOpKind::kMax)
    return add(e.inputs[0],
               extreme_cotangents(e.width, e.inputs[0], op, *simple, *find(stmt.pat[0].name), out),
               out, Own::kYes);
  std::vector<Operand> bars;
  for (const Param& p : stmt.pat) bars.push_back(seed(p.name, out));
  Operator left{fresh_lambda(session_, op.fn), op.neutral, op.commutative};
  const std::vector<Name> ls = scan_with(e.width, std::move(left), e.inputs, out);
  std::vector<Name> turned;
  for (const Name input : e.inputs) turned.push_back(out.index(input, reversed(e.width, out)));
  const std::vector<Name> rs = scan_with(e.width, turned_operator(session_, op), turned, out);
  const NameMap<Adjoint> outer = std::exchange(adjoints_, {});
  const std::vector<Name> seeds = out.map(e.width, ls, [&](Emit& in, const Emit::Rows& rows) {
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
    const Operand from_end = in.bin(BinOpKind::kSub, Prim::kI64, last, rows[n]);
    // Nothing follows the last one.
    return pull_back_unless(
        in.cmp(CmpOpKind::kEq, Prim::kI64, rows[n], last), op, bars, in, [&](Emit& yes) {
          std::vector<Operand> args(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(n));
          const std::vector<Operand> r = before_index(rs, op.neutral, from_end, yes);
          args.insert(args.end(), r.begin(), r.end());
          return args;
        });
  });
  adjoints_ = outer;
  fold_rows(e.width, op, before_rows(e.width, ls, op.neutral, out), e.inputs, seeds, out);
}

std::vector<Operand> Reverse::pull_back_unless(
    const Operand& alone, const Operator& op, const std::vector<Operand>& bars, Emit& out,
    const std::function<std::vector<Operand>(Emit&)>& args) {
  const size_t n = op.neutral.size();
  If node;
  node.cond = alone;
  node.then_body = Body({}, bars);
  Emit no(session_, out.loc());
  std::vector<Operand> pulled = pull_back(op.fn, args(no), Seeds(bars.begin(), bars.end()), no);
  pulled.resize(n, const_i64(0));
  node.else_body = no.finish(std::move(pulled));
  std::vector<Type> types;
  for (size_t k = 0; k < n; ++k) types.push_back(op.fn.params[k].type);
  const std::vector<Name> names = out.let(types, std::move(node), "seed");
  return {names.begin(), names.end()};
}

void Reverse::fold_rows(const Operand& width, const Operator& op, const std::vector<Name>& befores,
                        const std::vector<Name>& inputs, const std::vector<Name>& seeds,
                        Emit& out) {
  RowRule rule{.width = width, .inputs = befores, .rows = 2 * op.neutral.size()};
  rule.fn = fresh_lambda(session_, op.fn);
  for (size_t k = 0; k < op.fn.params.size(); ++k)
    if (active(op.fn.params[k].name)) activity_.mark(rule.fn.params[k].name);
  activity_.spread(rule.fn.body);
  rule.inputs.insert(rule.inputs.end(), inputs.begin(), inputs.end());
  Seeds given;
  for (const Name array : seeds) {
    if (!array) {
      given.emplace_back();
      continue;
    }
    const Name bar = out.fresh("bar");
    rule.inputs.push_back(array);
    rule.fn.params.push_back({.name = bar, .type = row_type(session_.type_of(array))});
    given.emplace_back(bar);
  }
  session_.learn(rule.fn.params);
  rule.seeds = [&](Emit&) { return given; };
  map_rows(std::move(rule), {}, out);
}

}  // namespace skald::passes::ad
