// SPDX-License-Identifier: Apache-2.0
// == on every type that has it: structurally.
#include "frontend/futhark/elaborate/bodies/branches.h"
#include "frontend/futhark/elaborate/bodies/lambdas.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/scalars/operators.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

Operand Operators::equal(const ValuePtr& x, const ValuePtr& y) {
  if (x->kind == Value::kRecord) {
    Operand ok = core::const_bool(true);
    for (size_t i = 0; i < x->fields.size(); ++i)
      ok = code_.b().logical_and(ok, equal(x->fields[i].second, y->fields.at(i).second));
    return ok;
  }
  SKALD_CHECK(x->kind == Value::kDyn, "equality of functions");
  const Rep& rep = *x->rep;
  if (rep.kind == Rep::kPrim)
    return code_.b().cmpop(CmpOpKind::kEq, rep.prim, scalar_of(*x), scalar_of(*y));
  return rep.kind == Rep::kSum ? equal_sums(*x, *y) : equal_arrays(x, y);
}

Operand Operators::equal_sums(const Value& x, const Value& y) {
  const Rep& rep = *x.rep;
  Operand same = code_.b().cmpop(CmpOpKind::kEq, Prim::kI8, x.leaves.at(0), y.leaves.at(0));
  for (size_t c = 0; c < rep.constrs.size(); ++c) {
    if (rep.constrs[c].second.empty()) continue;
    // Payloads count only if the tag says so.
    Operand is_this = code_.b().cmpop(CmpOpKind::kEq, Prim::kI8, x.leaves[0],
                                      core::const_int(Prim::kI8, static_cast<int64_t>(c)));
    Operand relevant = code_.b().logical_and(same, is_this);
    ValuePtr ok = if_value(
        code_, types_, relevant,
        [&] {
          Operand all = core::const_bool(true);
          for (size_t i = 0; i < rep.constrs[c].second.size(); ++i)
            all = code_.b().logical_and(all, equal(payload(x, c, i), payload(y, c, i)));
          return scalar_value(Prim::kBool, all);
        },
        [&] { return scalar_value(Prim::kBool, core::const_bool(true)); }, nullptr, nullptr);
    same = code_.b().logical_and(same, scalar_of(*ok));
  }
  return same;
}

// Equal shapes, then all elements.
Operand Operators::equal_arrays(const ValuePtr& x, const ValuePtr& y) {
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
      same = code_.b().logical_and(same, code_.b().cmpop(CmpOpKind::kEq, Prim::kI64, xs[i], ys[i]));
  ValuePtr all = if_value(
      code_, types_, same,
      [&] {
        ValuePtr other = coerce(code_, y, x->rep, {});
        core::Lambda each = lambda_to(
            code_, {x->rep->elem, rep_of(*other)->elem},
            [&](const std::vector<ValuePtr>& rows) {
              return scalar_value(Prim::kBool, equal(rows[0], rows[1]));
            },
            prim_rep(Prim::kBool));
        core::Lambda conj = lambda_to(
            code_, {prim_rep(Prim::kBool), prim_rep(Prim::kBool)},
            [&](const std::vector<ValuePtr>& args) {
              return scalar_value(Prim::kBool,
                                  code_.b().logical_and(scalar_of(*args[0]), scalar_of(*args[1])));
            },
            prim_rep(Prim::kBool));
        core::Soac soac;
        soac.width = xs[0];
        soac.inputs = inputs_of(code_, *x, xs[0]);
        std::vector<Name> more = inputs_of(code_, *other, xs[0]);
        soac.inputs.insert(soac.inputs.end(), more.begin(), more.end());
        soac.fn = std::move(each);
        core::Operator op;
        op.fn = std::move(conj);
        op.neutral = {core::const_bool(true)};
        op.commutative = true;
        soac.reduces.push_back(std::move(op));
        return scalar_value(
            Prim::kBool, code_.emit1(core::scalar_type(Prim::kBool), std::move(soac), "all_equal"));
      },
      [&] { return scalar_value(Prim::kBool, core::const_bool(false)); }, nullptr, nullptr);
  return scalar_of(*all);
}

}  // namespace skald::futhark::elab
