// SPDX-License-Identifier: Apache-2.0
// Combinators in forward mode.  They are in the form that split_combinators gives.
#include "core/ir/visit.h"
#include "passes/differentiate/forward/forward.h"

namespace skald::passes::ad {

void Forward::rows(std::vector<Name>& inputs, Lambda& fn, Loc loc) {
  const size_t n = inputs.size();
  for (size_t k = 0; k < n; ++k) {
    if (!active(inputs[k])) continue;
    if (retype(fn.params[k])) continue;
    const auto found = tangents_.find(inputs[k]);
    if (found == tangents_.end()) continue;
    inputs.push_back(std::get<Name>(found->second));
    fn.params.push_back(tangent_param(fn.params[k]));
  }
  Emit in(session_, loc);
  std::vector<Operand> results = fn.body.result;
  const size_t m = results.size();
  body(fn.body, in);
  for (size_t k = 0; k < m; ++k) {
    if (!active(results[k])) continue;
    if (fn.results[k].type.kind == Type::kAcc) {
      fn.results[k].type = acc_type(fn.results[k].type);
      continue;
    }
    results.push_back(tangent(results[k], in));
    fn.results.push_back({.type = fn.results[k].type});
  }
  fn.body = in.finish(std::move(results));
}

//   map f xs   →   map (\x x' -> (f x, f'(x) x')) xs xs'
void Forward::map(Stmt stmt, Emit& out) {
  Soac& e = *as<Soac>(stmt.exp);
  const std::vector<Operand> results = e.fn.body.result;
  rows(e.inputs, e.fn, stmt.loc);
  std::vector<Param> pat = stmt.pat;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!active(results[k])) continue;
    if (retype(pat[k])) continue;
    const Param p = tangent_param(stmt.pat[k]);
    pat.push_back(p);
  }
  stmt.pat = std::move(pat);
  out.append(std::move(stmt));
}

// (x, x') ⊕ (y, y') = (x ⊕ y, ∂⊕/∂x x' + ∂⊕/∂y y'), which is associative because ⊕ is.
void Forward::pair_operator(Operator& op, const std::vector<bool>& wanted, Loc loc) {
  const size_t n = op.neutral.size();
  std::vector<Param> params;
  for (size_t side = 0; side < 2; ++side) {
    for (size_t k = 0; k < n; ++k) params.push_back(op.fn.params[side * n + k]);
    for (size_t k = 0; k < n; ++k)
      if (wanted[k]) params.push_back(tangent_param(op.fn.params[side * n + k]));
  }
  op.fn.params = std::move(params);
  Emit in(session_, loc);
  std::vector<Operand> results = op.fn.body.result;
  body(op.fn.body, in);
  for (size_t k = 0; k < n; ++k) {
    if (!wanted[k]) continue;
    results.push_back(tangent(results[k], in));
    op.fn.results.push_back({.type = op.fn.results[k].type});
  }
  op.fn.body = in.finish(std::move(results));
}

// Sums: the tangents of sums are sums of tangents.  Whoever needs only them drops the others.
void Forward::sum_tangents(Stmt stmt, Emit& out) {
  const Soac& e = *as<Soac>(stmt.exp);
  const bool scans = !e.scans.empty();
  const Operator& op = scans ? e.scans[0] : e.reduces[0];
  std::vector<Stmt> more;
  for (size_t k = 0; k < op.neutral.size(); ++k) {
    if (!active(stmt.pat[k].name)) continue;
    const Type row = row_type(session_.type_of(e.inputs[k]));
    Soac one;
    one.width = e.width;
    one.inputs = {std::get<Name>(tangent(e.inputs[k], out))};
    one.fn = same_values(one.inputs, out);
    Operator sum{addition(session_, {row}), {tangent(op.neutral[k], out)}, op.commutative};
    (scans ? one.scans : one.reduces).push_back(std::move(sum));
    more.push_back({.pat = {tangent_param(stmt.pat[k])},
                    .exp = std::move(one),
                    .tokens = stmt.tokens,
                    .hints = stmt.hints,
                    .loc = stmt.loc});
  }
  out.append(std::move(stmt));
  for (Stmt& s : more) out.append(std::move(s));
}

void Forward::add_up_tangents(Stmt stmt, Emit& out) {
  const Hist& e = *as<Hist>(stmt.exp);
  const HistOp& op = e.ops[0];
  const size_t indices = op.shape.size();
  std::vector<Stmt> more;
  for (size_t k = 0; k < op.dests.size(); ++k) {
    if (!active(stmt.pat[k].name)) continue;
    Hist one;
    one.width = e.width;
    one.inputs.assign(e.inputs.begin(), e.inputs.begin() + static_cast<ptrdiff_t>(indices));
    one.inputs.push_back(std::get<Name>(tangent(e.inputs[indices + k], out)));
    one.fn = same_values(one.inputs, out);
    Operator sum{addition(session_, {one.fn.params.back().type}),
                 {tangent(op.op.neutral[k], out)},
                 op.op.commutative};
    one.ops.push_back({op.shape, {std::get<Name>(tangent(op.dests[k], out))}, std::move(sum)});
    more.push_back({.pat = {tangent_param(stmt.pat[k])},
                    .exp = std::move(one),
                    .tokens = stmt.tokens,
                    .hints = stmt.hints,
                    .loc = stmt.loc});
  }
  out.append(std::move(stmt));
  for (Stmt& s : more) out.append(std::move(s));
}

// Other reductions and scans: of pairs.
void Forward::fold(Stmt stmt, Emit& out) {
  Soac& e = *as<Soac>(stmt.exp);
  const bool scans = !e.scans.empty();
  Operator& op = scans ? e.scans[0] : e.reduces[0];
  if (is_addition(op.fn)) return sum_tangents(std::move(stmt), out);
  const size_t n = op.neutral.size();
  std::vector<bool> wanted;
  for (size_t k = 0; k < n; ++k) wanted.push_back(active(stmt.pat[k].name));
  for (size_t k = 0; k < n; ++k) {
    if (!wanted[k]) continue;
    e.inputs.push_back(std::get<Name>(tangent(e.inputs[k], out)));
    const Param row = tangent_param(e.fn.params[k]);
    e.fn.params.push_back(row);
    e.fn.results.push_back({.type = row.type});
    e.fn.body.result.emplace_back(row.name);
  }
  pair_operator(op, wanted, stmt.loc);
  for (size_t k = 0; k < n; ++k)
    if (wanted[k]) op.neutral.push_back(tangent(op.neutral[k], out));
  stmt.pat = with_tangents(stmt.pat);
  out.append(std::move(stmt));
}

// Histograms: sums of tangents, or of pairs into pairs.
void Forward::hist(Stmt stmt, Emit& out) {
  Hist& e = *as<Hist>(stmt.exp);
  HistOp& op = e.ops[0];
  if (is_addition(op.op.fn)) return add_up_tangents(std::move(stmt), out);
  const size_t n = op.dests.size(), indices = op.shape.size();
  std::vector<bool> wanted;
  for (size_t k = 0; k < n; ++k) wanted.push_back(active(stmt.pat[k].name));
  for (size_t k = 0; k < n; ++k) {
    if (!wanted[k]) continue;
    e.inputs.push_back(std::get<Name>(tangent(e.inputs[indices + k], out)));
    const Param row = tangent_param(e.fn.params[indices + k]);
    e.fn.params.push_back(row);
    e.fn.results.push_back({.type = row.type});
    e.fn.body.result.emplace_back(row.name);
    op.dests.push_back(std::get<Name>(tangent(op.dests[k], out)));
  }
  pair_operator(op.op, wanted, stmt.loc);
  for (size_t k = 0; k < n; ++k)
    if (wanted[k]) op.op.neutral.push_back(tangent(op.op.neutral[k], out));
  stmt.pat = with_tangents(stmt.pat);
  out.append(std::move(stmt));
}

// Tangents go to the same places of a second destination.
void Forward::scatter(Stmt stmt, Emit& out) {
  Scatter& e = *as<Scatter>(stmt.exp);
  const size_t indices = e.dests[0].shape.size();
  const Name dest = std::get<Name>(tangent(e.dests[0].dest, out));
  e.inputs.push_back(std::get<Name>(tangent(e.inputs[indices], out)));
  const Param row = tangent_param(e.fn.params[indices]);
  e.fn.params.push_back(row);
  const auto twice = [&](auto& list) {
    const auto first = list;
    for (size_t k = 0; k < indices; ++k)
      list.insert(list.begin() + static_cast<ptrdiff_t>(indices + k), first[k]);
  };
  twice(e.fn.results);
  twice(e.fn.body.result);
  e.fn.results.push_back({.type = row.type});
  e.fn.body.result.emplace_back(row.name);
  e.dests.push_back({e.dests[0].shape, dest});
  stmt.pat = with_tangents(stmt.pat);
  out.append(std::move(stmt));
}

// Tangents are sorted with their values.
void Forward::partition(Stmt stmt, Emit& out) {
  Partition& e = *as<Partition>(stmt.exp);
  const size_t values = e.inputs.size() - 1;
  const auto classes = static_cast<size_t>(e.classes);
  std::vector<size_t> wanted;
  for (size_t k = 0; k < values; ++k) {
    if (!active(e.inputs[1 + k])) continue;
    wanted.push_back(k);
    e.inputs.push_back(std::get<Name>(tangent(e.inputs[1 + k], out)));
    const Param row = tangent_param(e.fn.params[1 + k]);
    e.fn.params.push_back(row);
    e.fn.results.push_back({.type = row.type});
    e.fn.body.result.emplace_back(row.name);
  }
  std::vector<Param> pat(stmt.pat.begin(), stmt.pat.begin() + static_cast<ptrdiff_t>(classes));
  for (size_t c = 0; c < classes; ++c) {
    const size_t first = classes + c * values;
    for (size_t k = 0; k < values; ++k) pat.push_back(stmt.pat[first + k]);
    for (const size_t k : wanted) pat.push_back(tangent_param(stmt.pat[first + k]));
  }
  stmt.pat = std::move(pat);
  out.append(std::move(stmt));
}

// As map; tangents of the rows are further rows of the same lengths.
void Forward::flatmap(Stmt stmt, Emit& out) {
  FlatMap& e = *as<FlatMap>(stmt.exp);
  const std::vector<Operand> results = e.fn.body.result;
  const auto data = static_cast<size_t>(e.data);
  const size_t old = e.fn.results.size();
  const std::vector<Ret> rets = e.fn.results;
  rows(e.inputs, e.fn, stmt.loc);
  // Tangents are behind all results: those of data belong behind the data.
  std::vector<Ret> types(rets.begin(), rets.begin() + static_cast<ptrdiff_t>(1 + data));
  std::vector<Operand> order(e.fn.body.result.begin(),
                             e.fn.body.result.begin() + static_cast<ptrdiff_t>(1 + data));
  std::vector<Param> pat(stmt.pat.begin(), stmt.pat.begin() + static_cast<ptrdiff_t>(4 + data));
  std::vector<Param> more(stmt.pat.begin() + static_cast<ptrdiff_t>(4 + data), stmt.pat.end());
  std::vector<Ret> more_types(rets.begin() + static_cast<ptrdiff_t>(1 + data), rets.end());
  std::vector<Operand> more_results(e.fn.body.result.begin() + static_cast<ptrdiff_t>(1 + data),
                                    e.fn.body.result.begin() + static_cast<ptrdiff_t>(old));
  size_t at = old;
  for (size_t k = 0; k < old; ++k) {
    if (!active(results[k])) continue;
    const bool is_data = k >= 1 && k <= data;
    if (k == 0) {
      ++at;
      continue;
    }
    (is_data ? types : more_types).push_back({.type = rets[k].type});
    (is_data ? order : more_results).push_back(e.fn.body.result[at++]);
    (is_data ? pat : more).push_back(tangent_param(stmt.pat[3 + k]));
    if (is_data) ++e.data;
  }
  types.insert(types.end(), more_types.begin(), more_types.end());
  order.insert(order.end(), more_results.begin(), more_results.end());
  pat.insert(pat.end(), more.begin(), more.end());
  e.fn.results = std::move(types);
  e.fn.body.result = std::move(order);
  stmt.pat = std::move(pat);
  out.append(std::move(stmt));
}

}  // namespace skald::passes::ad
