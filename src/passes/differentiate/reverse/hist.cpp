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
#include "passes/differentiate/reverse/gather.h"
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

namespace {

std::vector<DimSlice> at_all(const std::vector<Operand>& indices) {
  std::vector<DimSlice> slice;
  for (const Operand& index : indices) slice.push_back(at_index(index));
  return slice;
}

Name blank_of(const Type& type, Emit& out) {
  return out.let1(type, Scratch{type.elem, type.shape}, "blank");
}

}  // namespace

Reverse::BinSteps::BinSteps(const Stmt& stmt, const Hist& e) : hist(e), op(e.ops[0]) {
  for (const Param& p : stmt.pat) {
    arrays.push_back(p.type);
    rows.push_back(row_type(p.type, static_cast<int>(op.shape.size())));
    stored.push_back(array_of(e.width, rows.back()));
  }
}

std::vector<Operand> Reverse::BinSteps::bin(Emit& in, const Operand& at) const {
  std::vector<Operand> found;
  for (size_t k = 0; k < op.shape.size(); ++k) found.push_back(in.row(hist.inputs[k], at));
  return found;
}

// Forward once more: what bins have before each step.
std::vector<Name> Reverse::bins_before(const BinSteps& steps, Emit& out) {
  const HistOp& op = steps.op;
  const size_t d = op.shape.size(), n = op.dests.size();
  std::vector<Carry> carries;
  for (size_t k = 0; k < n; ++k)
    carries.push_back({steps.arrays[k], own_copy(op.dests[k], false, out)});
  for (const Type& type : steps.stored) carries.push_back({type, blank_of(type, out)});
  const Round step = [&](Emit& in, const Operand& at, const std::vector<Name>& carried) {
    const std::vector<Operand> bin = steps.bin(in, at);
    If node;
    node.cond = in_bounds(bin, op.shape, in);
    Emit yes(session_, in.loc());
    std::vector<Operand> args, changed, old;
    for (size_t k = 0; k < n; ++k) {
      const Type& row = steps.rows[k];
      const Name value = yes.index(carried[k], at_all(bin));
      old.emplace_back(row.is_array() ? yes.let1(row, Copy{value}, "old") : value);
      args.push_back(old.back());
    }
    for (size_t k = 0; k < n; ++k) args.push_back(yes.row(steps.hist.inputs[d + k], at));
    Body body = open_lambda(yes, fresh_lambda(session_, op.op.fn), args);
    for (Stmt& s : body.stmts) yes.append(std::move(s));
    for (size_t k = 0; k < n; ++k)
      changed.emplace_back(
          yes.let1(steps.arrays[k], Update{carried[k], at_all(bin), body.result[k]}, "bins"));
    changed.insert(changed.end(), old.begin(), old.end());
    node.then_body = yes.finish(std::move(changed));
    std::vector<Operand> same(carried.begin(), carried.begin() + static_cast<ptrdiff_t>(n));
    same.insert(same.end(), op.op.neutral.begin(), op.op.neutral.end());
    node.else_body = Body({}, std::move(same));
    std::vector<Type> types = steps.arrays;
    types.insert(types.end(), steps.rows.begin(), steps.rows.end());
    const std::vector<Name> made = in.let(types, std::move(node), "step");
    std::vector<Operand> results(made.begin(), made.begin() + static_cast<ptrdiff_t>(n));
    for (size_t k = 0; k < n; ++k)
      results.emplace_back(
          in.let1(steps.stored[k], Update{carried[n + k], {at_index(at)}, made[n + k]}, "olds"));
    return results;
  };
  const std::vector<Name> went = loop_with(steps.hist.width, {}, carries, step, out);
  return {went.begin() + static_cast<ptrdiff_t>(n), went.end()};
}

void Reverse::hist_in_order(Stmt& stmt, Hist& e, Emit& out) {
  const BinSteps steps(stmt, e);
  const HistOp& op = steps.op;
  const size_t d = op.shape.size(), n = op.dests.size();
  const std::vector<Name> olds = bins_before(steps, out);
  std::vector<Carry> carries;
  for (size_t k = 0; k < n; ++k)
    carries.push_back({steps.arrays[k], own_copy(seed(stmt.pat[k].name, out), false, out)});
  for (const Type& type : steps.stored) carries.push_back({type, blank_of(type, out)});
  const Round back = [&](Emit& in, const Operand& k, const std::vector<Name>& carried) {
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, k);
    const std::vector<Operand> bin = steps.bin(in, at);
    std::vector<Operand> args, seeds, results, changed;
    for (size_t j = 0; j < n; ++j) args.push_back(in.row(olds[j], at));
    for (size_t j = 0; j < n; ++j) args.push_back(in.row(e.inputs[d + j], at));
    for (size_t j = 0; j < n; ++j) seeds.push_back(gather(carried[j], bin, op.shape, in));
    const std::vector<Operand> pulled = pull_back(op.op.fn, args, seeds, in);
    If node;
    node.cond = in_bounds(bin, op.shape, in);
    Emit yes(session_, in.loc());
    for (size_t j = 0; j < n; ++j)
      changed.emplace_back(
          yes.let1(steps.arrays[j], Update{carried[j], at_all(bin), pulled[j]}, "bins"));
    node.then_body = yes.finish(std::move(changed));
    node.else_body = Body({}, {carried.begin(), carried.begin() + static_cast<ptrdiff_t>(n)});
    for (const Name name : in.let(steps.arrays, std::move(node), "bins"))
      results.emplace_back(name);
    for (size_t j = 0; j < n; ++j)
      results.emplace_back(
          in.let1(steps.stored[j], Update{carried[n + j], {at_index(at)}, pulled[n + j]}, "bar"));
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
