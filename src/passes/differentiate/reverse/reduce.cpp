// SPDX-License-Identifier: Apache-2.0
// Reductions in reverse mode.
//
//   y = a₀ ⊕ a₁ ⊕ … ⊕ aₙ₋₁
//
// For +, every āᵢ is ȳ.  Otherwise y = lᵢ ⊕ aᵢ ⊕ rᵢ, where lᵢ is the reduction of all elements
// before aᵢ and rᵢ that of all after it.  Two scans compute all lᵢ and rᵢ, and a map applies the
// rules of ⊕ to (lᵢ ⊕ aᵢ) ⊕ rᵢ.  This is also right where a product has zeros, and gives all of ȳ
// to the first of several minima.
//
// An operator that uses differentiated names from outside is treated as the scan whose last element
// is y (scan.cpp).  The neutral element counts as a constant.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"
#include "passes/differentiate/reverse/scanning.h"

namespace skald::passes::ad {

namespace {

std::vector<DimSlice> reversed(const Operand& count, Emit& out) {
  const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, count, const_i64(1));
  return {{.is_index = false, .start = last, .count = count, .stride = const_i64(-1)}};
}

// (l ⊕ a) ⊕ r as a function of l, a and r.
Lambda both_sides(Session& session, const Operator& op, Loc loc) {
  const size_t n = op.neutral.size();
  Lambda inner = fresh_lambda(session, op.fn), outer = fresh_lambda(session, op.fn);
  Lambda fn;
  fn.params = inner.params;
  for (size_t k = 0; k < n; ++k) fn.params.push_back(outer.params[n + k]);
  Emit in(session, loc);
  for (Stmt& s : inner.body.stmts) in.append(std::move(s));
  for (size_t k = 0; k < n; ++k)
    in.bind(outer.params[k].name, outer.params[k].type, inner.body.result[k]);
  for (Stmt& s : outer.body.stmts) in.append(std::move(s));
  fn.results = std::move(outer.results);
  fn.body = in.b().finish(outer.body.result);
  return fn;
}

}  // namespace

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
  std::vector<Operand> bars;
  for (const Param& p : stmt.pat) bars.push_back(seed(p.name, out));
  Operator left{fresh_lambda(session_, op.fn), op.neutral, op.commutative};
  const std::vector<Name> ls = scan_with(e.width, std::move(left), e.inputs, out);
  if (!active_free(free_names(op.fn)).empty()) {
    const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
    const auto seed_at = [&](Emit& in, size_t k, const Operand& at) -> std::optional<Operand> {
      If node;
      node.cond = in.cmp(CmpOpKind::kEq, Prim::kI64, at, last);
      node.then_body = Body({}, {bars[k]});
      Emit no(session_, in.loc());
      const Type type = stmt.pat[k].type;
      const Operand none = no.zero(type);
      node.else_body = no.finish({none});
      return in.let1(type, std::move(node), "seed");
    };
    return scan_backward(e.width, op, e.inputs, ls, seed_at, out);
  }
  // The scan from the right, of reversed arrays: operands change sides.
  Operator right{fresh_lambda(session_, op.fn), op.neutral, op.commutative};
  std::rotate(right.fn.params.begin(), right.fn.params.begin() + static_cast<ptrdiff_t>(n),
              right.fn.params.end());
  std::vector<Name> turned;
  for (const Name input : e.inputs) turned.push_back(out.index(input, reversed(e.width, out)));
  const std::vector<Name> rs = scan_with(e.width, std::move(right), turned, out);
  const Lambda around = both_sides(session_, op, stmt.loc);
  const NameMap<Adjoint> outer = std::exchange(adjoints_, {});
  const std::vector<Name> made = out.map(e.width, e.inputs, [&](Emit& in, const Emit::Rows& rows) {
    const Operand at = rows[n];
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
    const Operand from_end = in.bin(BinOpKind::kSub, Prim::kI64, last, at);
    std::vector<Operand> args = before_index(ls, op.neutral, at, in);
    args.insert(args.end(), rows.begin(), rows.begin() + static_cast<ptrdiff_t>(n));
    const std::vector<Operand> r = before_index(rs, op.neutral, from_end, in);
    args.insert(args.end(), r.begin(), r.end());
    const std::vector<Operand> all = pull_back(around, args, bars, in);
    return Emit::Rows(all.begin() + static_cast<ptrdiff_t>(n),
                      all.begin() + static_cast<ptrdiff_t>(2 * n));
  });
  adjoints_ = outer;
  for (size_t k = 0; k < n; ++k) add(e.inputs[k], made[k], out, Own::kYes);
}

}  // namespace skald::passes::ad
