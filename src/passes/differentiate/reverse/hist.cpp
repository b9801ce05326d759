// SPDX-License-Identifier: Apache-2.0
// Histograms in reverse mode.
//
//   ys = hist xs ⊕ is vs:   ys[b] = xs[b] ⊕ (all vs[j] with is[j] = b)
//
// For +:  v̄s[j] = ȳs[is[j]],  x̄s = ȳs.  Otherwise one value after the other: the values that bins
// have before each step are stored, and the steps are gone through backward,
//
//   (ȳs[b], v̄s[j]) = rules of ⊕ at (old[j], vs[j]) for ȳs[b],   b = is[j]
//
// after which ȳs is x̄s.  Values out of bounds give nothing.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

void Reverse::hist(Stmt& stmt, Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  if (!is_addition(op.op.fn)) return hist_in_order(stmt, e, out);
  const std::vector<Operand> shape = op.shape;
  const size_t d = shape.size();
  const std::vector<Name> places(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(d));
  for (size_t k = 0; k < op.dests.size(); ++k) {
    const auto bar = find(stmt.pat[k].name);
    if (!bar) continue;
    if (active(e.inputs[d + k])) {
      const Name got = out.map(e.width, places, [&](Emit& in, const Emit::Rows& rows) {
        const std::vector<Operand> at(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(d));
        return Emit::Rows{gather(std::get<Name>(*bar), at, shape, in)};
      })[0];
      add(e.inputs[d + k], got, out, Own::kYes);
    }
    add(op.dests[k], *bar, out);
  }
}

void Reverse::hist_in_order(Stmt& stmt, Hist& e, Emit& out) {
  const HistOp& op = e.ops[0];
  const size_t d = op.shape.size(), n = op.dests.size();
  std::vector<Type> arrays, rows, stored;
  for (const Param& p : stmt.pat) {
    arrays.push_back(p.type);
    rows.push_back(row_type(p.type, static_cast<int>(d)));
    stored.push_back(array_of(e.width, rows.back()));
  }
  const auto blank = [&](const Type& type) {
    return out.let1(type, Scratch{type.elem, type.shape}, "blank");
  };
  const auto places = [&](Emit& in, const Operand& at) {
    std::vector<Operand> found;
    for (size_t k = 0; k < d; ++k) found.push_back(in.row(e.inputs[k], at));
    return found;
  };
  const auto slice_of = [](const std::vector<Operand>& at) {
    std::vector<DimSlice> slice;
    for (const Operand& index : at) slice.push_back(at_index(index));
    return slice;
  };

  // Forward once more: destinations, and what bins have before each step.
  std::vector<Carry> forward_carries;
  for (size_t k = 0; k < n; ++k)
    forward_carries.push_back({arrays[k], own_copy(op.dests[k], false, out)});
  for (size_t k = 0; k < n; ++k) forward_carries.push_back({stored[k], blank(stored[k])});
  const Round step = [&](Emit& in, const Operand& at, const std::vector<Name>& carried) {
    const std::vector<Operand> bin = places(in, at);
    If node;
    node.cond = in_bounds(bin, op.shape, in);
    Emit yes(session_, in.loc());
    std::vector<Operand> args, changed, old;
    for (size_t k = 0; k < n; ++k) {
      const Name value = yes.index(carried[k], slice_of(bin));
      old.emplace_back(rows[k].is_array() ? yes.let1(rows[k], Copy{value}, "old") : value);
      args.push_back(old.back());
    }
    for (size_t k = 0; k < n; ++k) args.push_back(yes.row(e.inputs[d + k], at));
    Body body = open_lambda(yes, fresh_lambda(session_, op.op.fn), args);
    for (Stmt& s : body.stmts) yes.append(std::move(s));
    for (size_t k = 0; k < n; ++k)
      changed.emplace_back(
          yes.let1(arrays[k], Update{carried[k], slice_of(bin), body.result[k]}, "bins"));
    changed.insert(changed.end(), old.begin(), old.end());
    node.then_body = yes.finish(std::move(changed));
    std::vector<Operand> same(carried.begin(), carried.begin() + static_cast<ptrdiff_t>(n));
    same.insert(same.end(), op.op.neutral.begin(), op.op.neutral.end());
    node.else_body = Body({}, std::move(same));
    std::vector<Type> types = arrays;
    types.insert(types.end(), rows.begin(), rows.end());
    const std::vector<Name> made = in.let(types, std::move(node), "step");
    std::vector<Operand> results(made.begin(), made.begin() + static_cast<ptrdiff_t>(n));
    for (size_t k = 0; k < n; ++k)
      results.emplace_back(
          in.let1(stored[k], Update{carried[n + k], {at_index(at)}, made[n + k]}, "olds"));
    return results;
  };
  const std::vector<Name> went = loop_with(e.width, {}, forward_carries, step, out);

  // Backward.
  std::vector<Carry> carries;
  for (size_t k = 0; k < n; ++k)
    carries.push_back({arrays[k], own_copy(seed(stmt.pat[k].name, out), false, out)});
  for (size_t k = 0; k < n; ++k) carries.push_back({stored[k], blank(stored[k])});
  const Round back = [&](Emit& in, const Operand& k, const std::vector<Name>& carried) {
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, k);
    const std::vector<Operand> bin = places(in, at);
    std::vector<Operand> args, seeds, results;
    for (size_t j = 0; j < n; ++j) args.push_back(in.row(went[n + j], at));
    for (size_t j = 0; j < n; ++j) args.push_back(in.row(e.inputs[d + j], at));
    for (size_t j = 0; j < n; ++j) seeds.push_back(gather(carried[j], bin, op.shape, in));
    const std::vector<Operand> pulled = pull_back(op.op.fn, args, seeds, in);
    If node;
    node.cond = in_bounds(bin, op.shape, in);
    Emit yes(session_, in.loc());
    std::vector<Operand> changed;
    for (size_t j = 0; j < n; ++j)
      changed.emplace_back(
          yes.let1(arrays[j], Update{carried[j], slice_of(bin), pulled[j]}, "bins"));
    node.then_body = yes.finish(std::move(changed));
    node.else_body =
        Body({}, {carried.begin(), carried.begin() + static_cast<ptrdiff_t>(n)});
    for (const Name name : in.let(arrays, std::move(node), "bins")) results.emplace_back(name);
    for (size_t j = 0; j < n; ++j)
      results.emplace_back(in.let1(
          stored[j], Update{carried[n + j], {at_index(at)}, pulled[n + j]}, "bar"));
    return results;
  };
  const std::vector<Name> made =
      loop_with(e.width, active_free(free_names(op.op.fn)), carries, back, out);
  for (size_t k = 0; k < n; ++k) {
    add(op.dests[k], made[k], out, Own::kYes);
    add(e.inputs[d + k], made[n + k], out, Own::kYes);
  }
}

}  // namespace skald::passes::ad
