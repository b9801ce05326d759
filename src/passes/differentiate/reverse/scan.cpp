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
// a scan from the right over pairs (ȳᵢ, Jᵢ₊₁ᵀ) computes all tᵢ.  Where J is zero whatever the
// numbers are, components do not need each other: each group of them that do has a scan of its own
// (of (a, b) ⊕ (c, d) = (a c, c b + d) each number, of products of matrices each row).  Groups
// without cotangents have none.  For operators with larger groups than kMostInGroup (rows that are
// not treated element by element) the recurrence runs backward, one row after the other; a round
// may be parallel inside.
#include <algorithm>
#include <numeric>

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

// The differentiated numbers of an operator; those that need each other, k + k² of whose pairs.
constexpr size_t kMostComponents = 16, kMostInGroup = 6;

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

Operator affine_operator(Session& session, Prim prim, size_t k, Loc loc) {
  Operator compose{affine_composition(session, std::vector<Prim>(k, prim), loc), {}};
  for (size_t i = 0; i < k + k * k; ++i) {
    const bool diagonal = i >= k && (i - k) / k == (i - k) % k;
    const int64_t value = diagonal ? 1 : 0;
    compose.neutral.emplace_back(is_float(prim) ? const_float(prim, static_cast<double>(value))
                                                : const_int(prim, value));
  }
  return compose;
}

// Components 0 … m-1 that a matrix of m² numbers, by rows, brings together.
std::vector<std::vector<size_t>> groups_of(size_t m, const std::function<bool(size_t)>& is_set) {
  std::vector<size_t> group(m);
  std::iota(group.begin(), group.end(), 0);
  for (size_t k = 0; k < m * m; ++k) {
    const size_t from = group[k / m], to = group[k % m];
    if (is_set(k)) std::ranges::replace(group, std::max(from, to), std::min(from, to));
  }
  std::vector<std::vector<size_t>> found;
  for (size_t first = 0; first < m; ++first) {
    std::vector<size_t> members;
    for (size_t i = 0; i < m; ++i)
      if (group[i] == first) members.push_back(i);
    if (!members.empty()) found.push_back(std::move(members));
  }
  return found;
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

bool Reverse::scan_by_composition(const Stmt& stmt, const Soac& e, const std::vector<size_t>& some,
                                  Emit& out) {
  const Operator& op = e.scans[0];
  const size_t n = op.neutral.size(), m = some.size();
  const Prim prim = stmt.pat[some[0]].type.elem;
  const Operand zero = Const{prim, 0};
  std::vector<std::optional<Name>> bars;
  for (const size_t k : some) {
    const auto bar = find(stmt.pat[k].name);
    bars.push_back(bar ? std::optional(std::get<Name>(*bar)) : std::nullopt);
  }
  if (std::ranges::none_of(bars, [](const auto& bar) { return bar.has_value(); })) return true;
  const Operand last = out.bin(BinOpKind::kSub, Prim::kI64, e.width, const_i64(1));
  std::vector<std::vector<size_t>> groups;
  std::vector<Operand> columns(m * m, zero);
  // The pairs of element i; from the right, so that row r belongs to i = n-1-r.
  const NameMap<Adjoint> outer = std::exchange(adjoints_, {});
  const std::vector<Name> pairs = out.map(e.width, {}, [&](Emit& in, const Emit::Rows& rows) {
    const Operand at = in.bin(BinOpKind::kSub, Prim::kI64, last, rows[0]);
    // The last element has no successor.
    If node;
    node.cond = in.cmp(CmpOpKind::kLt, Prim::kI64, at, last);
    Emit yes(session_, in.loc());
    const Operand next = yes.bin(BinOpKind::kAdd, Prim::kI64, at, const_i64(1));
    std::vector<Operand> args;
    for (const Param& p : stmt.pat) args.push_back(yes.row(p.name, at));
    for (const Name input : e.inputs) args.push_back(yes.row(input, next));
    const Operand one = is_float(prim) ? const_float(prim, 1) : const_int(prim, 1);
    for (size_t j = 0; j < m; ++j) {
      Seeds unit(stmt.pat.size());
      unit[some[j]] = one;
      const std::vector<Operand> pulled = pull_back(op.fn, args, unit, yes);
      for (size_t i = 0; i < m; ++i) columns[i * m + j] = pulled[some[i]];
    }
    groups = groups_of(m, [&](size_t k) { return columns[k] != zero; });
    std::erase_if(groups, [&](const std::vector<size_t>& group) {
      return std::ranges::none_of(group, [&](size_t i) { return bars[i].has_value(); });
    });
    std::vector<Operand> wanted;
    for (const std::vector<size_t>& group : groups)
      for (const size_t i : group)
        for (const size_t j : group) wanted.push_back(columns[i * m + j]);
    node.else_body = Body({}, std::vector<Operand>(wanted.size(), zero));
    const std::vector<Type> types(wanted.size(), scalar_type(prim));
    node.then_body = yes.finish(std::move(wanted));
    const std::vector<Name> matrices = in.let(types, std::move(node), "jacobian");
    Emit::Rows all;
    auto matrix = matrices.begin();
    for (const std::vector<size_t>& group : groups) {
      for (const size_t i : group) all.push_back(bars[i] ? in.row(*bars[i], at) : zero);
      all.insert(all.end(), matrix, matrix + static_cast<ptrdiff_t>(group.size() * group.size()));
      matrix += static_cast<ptrdiff_t>(group.size() * group.size());
    }
    return all;
  });
  adjoints_ = outer;
  if (std::ranges::any_of(groups, [](const auto& group) { return group.size() > kMostInGroup; }))
    return false;
  std::vector<Name> seeds(n);
  auto pair = pairs.begin();
  for (const std::vector<size_t>& group : groups) {
    const auto end = pair + static_cast<ptrdiff_t>(group.size() * (group.size() + 1));
    const std::vector<Name> totals = scan_with(
        e.width, affine_operator(session_, prim, group.size(), stmt.loc), {pair, end}, out);
    pair = end;
    for (size_t i = 0; i < group.size(); ++i)
      seeds[some[group[i]]] = out.index(totals[i], reversed(e.width, out));
  }
  fold_rows(e.width, op, before_rows(e.width, scanned_names(stmt), op.neutral, out), e.inputs,
            seeds, out);
  return true;
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
  if (const std::vector<size_t> few = few_components(stmt, carries);
      !few.empty() && scan_by_composition(stmt, e, few, out))
    return;
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
    std::vector<Operand> args = before_index(scanned, op.neutral, at, in);
    Seeds seeds;
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
