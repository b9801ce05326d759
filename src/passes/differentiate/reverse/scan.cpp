// SPDX-License-Identifier: Apache-2.0
// Scans in reverse mode.
//
//   yᵢ = yᵢ₋₁ ⊕ aᵢ
//
// For +, āᵢ is the sum of all ȳⱼ with j ≥ i: a scan from the right.  Otherwise the cotangents tᵢ of
// yᵢ with all that follows from it obey
//
//   tᵢ = ȳᵢ + Jᵢ₊₁ᵀ tᵢ₊₁,   where Jᵢ is the derivative of yᵢ₋₁ ⊕ aᵢ by yᵢ₋₁,
//   āᵢ = (the derivative by aᵢ)ᵀ tᵢ.
//
// These are affine functions applied one after the other, and their composition is associative:
// for operators with up to kMostComponents differentiated numbers a scan from the right over pairs
// (ȳᵢ, Jᵢ₊₁ᵀ) computes all tᵢ.  For others (rows that are not treated element by element) the
// recurrence runs backward, one row after the other; a round may be parallel inside.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"
#include "passes/differentiate/reverse/scanning.h"

namespace skald::passes::ad {

namespace {

std::vector<Name> scanned_names(const Stmt& stmt) {
  std::vector<Name> names;
  for (const Param& p : stmt.pat) names.push_back(p.name);
  return names;
}

// The pairs have k + k² components.
constexpr size_t kMostComponents = 6;

// t ↦ c₂ + M₂ t after t ↦ c₁ + M₁ t is t ↦ (c₂ + M₂ c₁) + M₂ M₁ t.  Components: c, then M by rows.
Lambda affine_composition(Session& session, const std::vector<Prim>& types, Loc loc) {
  const size_t k = types.size();
  Lambda fn;
  std::vector<std::vector<Operand>> c(2), m(2);
  for (size_t side = 0; side < 2; ++side) {
    const auto param = [&](Prim type, std::vector<Operand>& to) {
      fn.params.push_back(
          {.name = session.prog.names.fresh(side == 0 ? "a" : "b"), .type = scalar_type(type)});
      to.emplace_back(fn.params.back().name);
    };
    for (size_t i = 0; i < k; ++i) param(types[i], c[side]);
    for (size_t i = 0; i < k * k; ++i) param(types[i / k], m[side]);
  }
  session.learn(fn.params);
  Emit out(session, loc);
  std::vector<Operand> results;
  // Row i of M₂ times a column.
  const auto times = [&](size_t i, const auto& column) {
    const Type type = scalar_type(types[i]);
    std::optional<Operand> sum;
    for (size_t j = 0; j < k; ++j) {
      const Operand term = out.mul(types[i], m[1][i * k + j], column(j));
      sum = sum ? out.add(*sum, term, type) : term;
    }
    return *sum;
  };
  for (size_t i = 0; i < k; ++i) {
    const Operand moved = times(i, [&](size_t j) { return c[0][j]; });
    results.push_back(out.add(c[1][i], moved, scalar_type(types[i])));
  }
  for (size_t i = 0; i < k; ++i)
    for (size_t j = 0; j < k; ++j)
      results.push_back(times(i, [&](size_t l) { return m[0][l * k + j]; }));
  for (size_t i = 0; i < k; ++i) fn.results.push_back({.type = scalar_type(types[i])});
  for (size_t i = 0; i < k * k; ++i) fn.results.push_back({.type = scalar_type(types[i / k])});
  fn.body = out.finish(std::move(results));
  return fn;
}

// The components that carry derivatives, if they are a few numbers of one type.
std::vector<size_t> few_components(const Stmt& stmt, const std::function<bool(Name)>& active) {
  std::vector<size_t> found;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    const Param& p = stmt.pat[k];
    if (!active(p.name)) continue;
    if (p.type.rank() != 1 || p.type.elem == Prim::kBool || found.size() == kMostComponents ||
        (!found.empty() && p.type.elem != stmt.pat[found[0]].type.elem))
      return {};
    found.push_back(k);
  }
  return found;
}

}  // namespace

void Reverse::scan_by_composition(const Stmt& stmt, const Soac& e, const std::vector<size_t>& some,
                                  Emit& out) {
  const Operator& op = e.scans[0];
  const size_t n = op.neutral.size(), m = some.size();
  const Prim prim = stmt.pat[some[0]].type.elem;
  const std::vector<Prim> types(m, prim);
  std::vector<Name> bars;
  for (const size_t k : some) bars.push_back(std::get<Name>(seed(stmt.pat[k].name, out)));
  const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
  // The pair of element i; from the right, so that row r belongs to i = n-1-r.
  const NameMap<Adjoint> outer = std::exchange(adjoints_, {});
  const std::vector<Name> pairs = out.map(e.width, {}, [&](Emit& in, const Emit::Rows& rows) {
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, rows[0]);
    Emit::Rows pair;
    for (const Name bar : bars) pair.push_back(in.row(bar, at));
    // The last element has no successor.
    If node;
    node.cond = in.cmp(CmpOpKind::kLt, Prim::kI64, at, last);
    Emit yes(session_, in.loc());
    const Operand next = yes.bin(BinOpKind::kAdd, Prim::kI64, at, const_i64(1));
    std::vector<Operand> args, columns(m * m);
    for (const Param& p : stmt.pat) args.push_back(yes.row(p.name, at));
    for (const Name input : e.inputs) args.push_back(yes.row(input, next));
    const Operand one = is_float(prim) ? const_float(prim, 1) : const_int(prim, 1);
    const Operand zero = Const{prim, 0};
    for (size_t j = 0; j < m; ++j) {
      std::vector<Operand> unit;
      for (const Param& p : stmt.pat) unit.push_back(yes.zero(row_type(p.type)));
      unit[some[j]] = one;
      const std::vector<Operand> pulled = pull_back(op.fn, args, unit, yes);
      for (size_t i = 0; i < m; ++i) columns[i * m + j] = pulled[some[i]];
    }
    node.then_body = yes.finish(std::move(columns));
    node.else_body = Body({}, std::vector<Operand>(m * m, zero));
    const std::vector<Type> matrix(m * m, scalar_type(prim));
    for (const Name name : in.let(matrix, std::move(node), "jacobian")) pair.emplace_back(name);
    return pair;
  });
  adjoints_ = outer;
  Operator compose{affine_composition(session_, types, stmt.loc), {}};
  for (size_t i = 0; i < m + m * m; ++i) {
    const bool diagonal = i >= m && (i - m) / m == (i - m) % m;
    const int64_t value = diagonal ? 1 : 0;
    compose.neutral.emplace_back(is_float(prim) ? const_float(prim, static_cast<double>(value))
                                                : const_int(prim, value));
  }
  const std::vector<Name> totals = scan_with(e.width, std::move(compose), pairs, out);
  std::vector<Name> seeds;
  for (size_t k = 0, j = 0; k < n; ++k) {
    if (j < m && some[j] == k)
      seeds.push_back(out.index(totals[j++], reversed(e.width, out)));
    else
      seeds.push_back(std::get<Name>(out.zero(stmt.pat[k].type)));
  }
  fold_rows(e.width, op, before_rows(e.width, scanned_names(stmt), op.neutral, out), e.inputs,
            seeds, out);
}

void Reverse::scan(Stmt& stmt, Soac& e, Emit& out) {
  const Operator& op = e.scans[0];
  const size_t n = op.neutral.size();
  if (is_addition(op.fn)) {
    for (size_t k = 0; k < n; ++k) {
      const auto bar = find(stmt.pat[k].name);
      if (!bar || !active(e.inputs[k])) continue;
      const Type type = stmt.pat[k].type, row = row_type(type);
      const std::vector<DimSlice> turned = reversed(e.width, out);
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
  const auto carries = [&](Name name) { return active(name); };
  if (const std::vector<size_t> few = few_components(stmt, carries); !few.empty())
    return scan_by_composition(stmt, e, few, out);
  const std::vector<Name> scanned = scanned_names(stmt);
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
    std::vector<Operand> args = before_index(scanned, op.neutral, at, in), seeds;
    std::vector<Type> types;
    for (const Name array : scanned) types.push_back(row_type(session_.type_of(array)));
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
      results.emplace_back(
          in.let1(type, Update{bars[n + j], {at_index(at)}, pulled[n + j]}, "bar"));
    }
    return results;
  };
  const std::vector<Name> made =
      loop_with(width, active_free(free_names(op.fn)), carries, round, out);
  for (size_t k = 0; k < n; ++k) add(inputs[k], made[n + k], out, Own::kYes);
}

}  // namespace skald::passes::ad
