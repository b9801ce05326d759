// SPDX-License-Identifier: Apache-2.0
// Scans in reverse mode.
//
//   yᵢ = yᵢ₋₁ ⊕ aᵢ
//
// For +, āᵢ is the sum of all ȳⱼ with j ≥ i: a scan from the right.  Otherwise the recurrence runs
// backward, one element after the other: with r the cotangent of yᵢ from yᵢ₊₁,
//
//   (r, āᵢ) = rules of ⊕ at (yᵢ₋₁, aᵢ) for ȳᵢ + r
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

void Reverse::scan(Stmt& stmt, Soac& e, Emit& out) {
  const Operator& op = e.scans[0];
  const size_t n = op.neutral.size();
  if (is_addition(op.fn)) {
    for (size_t k = 0; k < n; ++k) {
      const auto bar = find(stmt.pat[k].name);
      if (!bar || !active(e.inputs[k])) continue;
      const Type type = stmt.pat[k].type, row = row_type(type);
      const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
      const std::vector<DimSlice> turned = {
          {.is_index = false, .start = last, .count = e.width, .stride = const_i64(-1)}};
      Soac sums;
      sums.width = e.width;
      sums.inputs = {out.index(std::get<Name>(*bar), turned)};
      const Name x = out.fresh("x");
      sums.fn.params = {{.name = x, .type = row}};
      session_.learn(sums.fn.params);
      sums.fn.results = {{.type = row}};
      sums.fn.body = Body({}, {x});
      const Operand none = out.zero(row);
      sums.scans.push_back({addition(session_, {row}), {none}, true});
      const Name scanned = out.let1(type, std::move(sums), "sums");
      add(e.inputs[k], out.index(scanned, turned), out, Own::kYes);
    }
    return;
  }
  std::vector<Name> scanned;
  for (const Param& p : stmt.pat) scanned.push_back(p.name);
  const Seeds bars = seeds_of(stmt.pat);
  const auto seed_at = [&](Emit& in, size_t k, const Operand& at) -> std::optional<Operand> {
    if (!bars[k]) return std::nullopt;
    return in.row(std::get<Name>(*bars[k]), at);
  };
  scan_backward(e.width, op, e.inputs, scanned, seed_at, out);
}

void Reverse::scan_backward(
    const Operand& width, const Operator& op, const std::vector<Name>& inputs,
    const std::vector<Name>& scanned,
    const std::function<std::optional<Operand>(Emit&, size_t, const Operand&)>& seed_at,
    Emit& out) {
  const size_t n = op.neutral.size();
  std::vector<Carry> carries;
  for (const Name input : inputs) {
    const Type row = row_type(session_.type_of(input));
    carries.push_back({row, out.zero(row)});
  }
  for (const Name input : inputs) {
    const Type type = session_.type_of(input);
    carries.push_back({type, out.let1(type, Scratch{type.elem, type.shape}, "blank")});
  }
  const Round round = [&](Emit& in, const Operand& k, const std::vector<Name>& bars) {
    const Operand last = in.bin(BinOpKind::kSub, Prim::kI64, width, const_i64(1));
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, k);
    If node;
    node.cond = in.cmp(CmpOpKind::kLt, Prim::kI64, const_i64(0), at);
    Emit yes(session_, in.loc());
    const Operand prior = yes.bin(BinOpKind::kSub, Prim::kI64, at, const_i64(1));
    std::vector<Operand> rows, args, seeds;
    std::vector<Type> types;
    for (const Name array : scanned) {
      rows.push_back(yes.row(array, prior));
      types.push_back(row_type(session_.type_of(array)));
    }
    node.then_body = yes.finish(std::move(rows));
    node.else_body = Body({}, op.neutral);
    for (const Name name : in.let(types, std::move(node), "before")) args.emplace_back(name);
    for (const Name input : inputs) args.push_back(in.row(input, at));
    for (size_t j = 0; j < n; ++j) {
      const auto bar = seed_at(in, j, at);
      seeds.push_back(bar && ad::carries(types[j]) ? in.add(bars[j], *bar, types[j])
                                                        : Operand(bars[j]));
    }
    const std::vector<Operand> pulled = pull_back(op.fn, args, seeds, in);
    std::vector<Operand> results;
    for (size_t j = 0; j < n; ++j)
      results.push_back(types[j].is_array() ? Operand(own_copy(pulled[j], false, in)) : pulled[j]);
    for (size_t j = 0; j < n; ++j) {
      const Type type = session_.type_of(inputs[j]);
      results.emplace_back(in.let1(type, Update{bars[n + j], {at_index(at)}, pulled[n + j]}, "bar"));
    }
    return results;
  };
  const std::vector<Name> made =
      loop_with(width, active_free(free_names(op.fn)), carries, round, out);
  for (size_t k = 0; k < n; ++k) add(inputs[k], made[n + k], out, Own::kYes);
}

}  // namespace skald::passes::ad
