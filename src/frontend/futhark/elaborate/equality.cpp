// SPDX-License-Identifier: Apache-2.0
// == on every type that has it: structurally.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

Operand Elaborator::equal(const ValuePtr& x, const ValuePtr& y) {
  if (x->kind == Value::kRecord) {
    Operand ok = core::const_bool(true);
    for (size_t i = 0; i < x->fields.size(); ++i)
      ok = b().logical_and(ok, equal(x->fields[i].second, y->fields.at(i).second));
    return ok;
  }
  SKALD_CHECK(x->kind == Value::kDyn, "equality of functions");
  const Rep& rep = *x->rep;
  if (rep.kind == Rep::kPrim)
    return b().cmpop(CmpOpKind::kEq, rep.prim, scalar_of(*x), scalar_of(*y));
  if (rep.kind == Rep::kSum) {
    Operand same = b().cmpop(CmpOpKind::kEq, Prim::kI8, x->leaves.at(0), y->leaves.at(0));
    for (size_t c = 0; c < rep.constrs.size(); ++c) {
      if (rep.constrs[c].second.empty()) continue;
      // Payloads count only if the tag says so.
      Operand is_this = b().cmpop(CmpOpKind::kEq, Prim::kI8, x->leaves[0],
                                  core::const_int(Prim::kI8, static_cast<int64_t>(c)));
      Operand relevant = b().logical_and(same, is_this);
      ValuePtr ok = if_exp(
          relevant,
          [&] {
            Operand all = core::const_bool(true);
            for (size_t i = 0; i < rep.constrs[c].second.size(); ++i)
              all = b().logical_and(all, equal(payload(*x, c, i), payload(*y, c, i)));
            return scalar_value(Prim::kBool, all);
          },
          [&] { return scalar_value(Prim::kBool, core::const_bool(true)); }, nullptr, nullptr);
      same = b().logical_and(same, scalar_of(*ok));
    }
    return same;
  }
  // Arrays: equal shapes, then all elements.
  std::vector<Operand> xs, ys;
  auto collect = [](const RepPtr& r, std::vector<Operand>& out) {
    const Rep* p = r.get();
    for (; p->kind == Rep::kArray; p = p->elem.get()) out.push_back(*p->dim.op);
  };
  collect(x->rep, xs);
  collect(y->rep, ys);
  Operand same = core::const_bool(true);
  for (size_t i = 0; i < xs.size(); ++i)
    if (!(xs[i] == ys.at(i)))
      same = b().logical_and(same, b().cmpop(CmpOpKind::kEq, Prim::kI64, xs[i], ys[i]));
  ValuePtr all = if_exp(
      same,
      [&] {
        ValuePtr other = coerce(y, x->rep, {});
        LambdaResult each = lambda(
            {x->rep->elem, rep_of(*other)->elem},
            [&](const std::vector<ValuePtr>& rows) {
              return scalar_value(Prim::kBool, equal(rows[0], rows[1]));
            },
            nullptr, false, "x");
        LambdaResult conj = lambda(
            {prim_rep(Prim::kBool), prim_rep(Prim::kBool)},
            [&](const std::vector<ValuePtr>& args) {
              return scalar_value(Prim::kBool,
                                  b().logical_and(scalar_of(*args[0]), scalar_of(*args[1])));
            },
            nullptr, false, "x");
        core::Soac soac;
        soac.width = xs[0];
        soac.inputs = inputs_of(*x, xs[0]);
        std::vector<Name> more = inputs_of(*other, xs[0]);
        soac.inputs.insert(soac.inputs.end(), more.begin(), more.end());
        soac.fn = std::move(each.fn);
        core::Operator op;
        op.fn = std::move(conj.fn);
        op.neutral = {core::const_bool(true)};
        op.commutative = true;
        soac.reduces.push_back(std::move(op));
        return scalar_value(Prim::kBool,
                            emit1(core::scalar_type(Prim::kBool), std::move(soac), "all_equal"));
      },
      [&] { return scalar_value(Prim::kBool, core::const_bool(false)); }, nullptr, nullptr);
  return scalar_of(*all);
}

}  // namespace skald::futhark::elab
