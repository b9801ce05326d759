// SPDX-License-Identifier: Apache-2.0
// Which statements of the host have versions, and which have one form only.
#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/flatten.h"
#include "passes/flatten/host_kernels.h"
#include "passes/flatten/products/products.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

bool writes_to_accumulators(const Stmt& stmt) {
  return std::ranges::any_of(stmt.pat, [](const Param& p) { return p.type.kind == Type::kAcc; });
}

// Is all of it one kernel?  Then nothing is stored between the levels, and there is nothing to
// choose.
bool is_one_kernel(const Body& body) {
  for (const Stmt& stmt : body.stmts)
    if (as<Loop>(stmt.exp) != nullptr || as<If>(stmt.exp) != nullptr) return false;
  return kernel_count(body) == 1;
}

// Rows that are written and added up at once, and then the sums of all rows.  As one kernel over
// all elements that runs in lanes; the other version would be a loop that does both for a row, one
// element after the other.  All that is stored between the levels is a sum for each row.
bool writes_and_adds_rows(const Exp& exp) {
  const auto* outer = as<Soac>(exp);
  if (outer == nullptr || outer->reduces.empty() || !outer->scans.empty()) return false;
  const Soac* rows = nullptr;
  for (const Stmt& stmt : outer->fn.body.stmts) {
    if (!holds_code(stmt.exp)) continue;
    if (rows != nullptr) return false;
    rows = as<Soac>(stmt.exp);
    if (rows == nullptr) return false;
  }
  if (rows == nullptr || rows->reduces.empty() || !rows->scans.empty() ||
      as_const(rows->width) != nullptr || analysis::has_parallelism(rows->fn.body))
    return false;
  size_t folded = 0;
  for (const Operator& op : rows->reduces) folded += op.neutral.size();
  return rows->fn.results.size() > folded;
}

}  // namespace

// Is something consumed in this SOAC, or among what it reads and makes?
bool Flattener::may_be_consumed(const Stmt& stmt) const {
  if (consumed_.empty()) return false;
  const auto consumed = [&](Name name) { return consumed_.contains(name); };
  if (const auto* soac = as<Soac>(stmt.exp))
    if (std::any_of(soac->inputs.begin(), soac->inputs.end(), consumed)) return true;
  return std::any_of(stmt.pat.begin(), stmt.pat.end(),
                     [&](const Param& p) { return consumed(p.name); }) ||
         !analysis::consumed_names(function_of(stmt.exp)->body, prog_).empty();
}

void Flattener::function_body(Body& body, const std::vector<Ret>& results) {
  consumed_ = analysis::consumed_names(body, results, prog_);
  if (in_groups()) emptiness_.note(body);
  host_body(body);
}

void Flattener::host_body(Body& body) {
  Builder out(prog_);
  for (Stmt& stmt : body.stmts) host_stmt(out, std::move(stmt));
  body = out.finish(std::move(body.result));
}

// An operator on arrays that has parallelism itself: if the arrays are large, a
// loop of the host around its parallel code.  False if it is none.
bool Flattener::loop_of_operators(Builder& out, Stmt& stmt) {
  const Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || !has_array_operator(*soac) || stmt.hints.sequential_inner) return false;
  std::vector<Operand> dims;
  for (const auto* ops : {&soac->scans, &soac->reduces})
    for (const Operator& op : *ops) {
      if (!analysis::has_parallelism(op.fn.body)) return false;
      for (const Param& p : op.fn.params)
        if (p.type.is_array() && p.type.shape.size() > dims.size())
          dims.assign(p.type.shape.begin(), p.type.shape.end());
    }
  std::unordered_set<Name> bound;
  for (const auto* ops : {&soac->scans, &soac->reduces})
    for (const Operator& op : *ops)
      for (const Param& p : op.fn.params) bound.insert(p.name);
  for (const Operand& dim : dims)
    if (const Name* name = as_name(dim); name != nullptr && bound.contains(*name)) return false;
  out.set_loc(stmt.loc);
  Operand elements = const_i64(1);
  for (const Operand& dim : dims)
    elements = out.binop(BinOpKind::kMul, Prim::kI64, elements, dim, "elements");
  const Operand large = out.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(ctx_.device().large_array),
                                  elements, "large");
  Substitution subst;
  Stmt copy = copy_with_fresh_names(stmt, prog_.names, subst);
  const auto results_of = [](const Stmt& s) {
    std::vector<Operand> results;
    for (const Param& p : s.pat) results.emplace_back(p.name);
    return results;
  };
  std::vector<Operand> results = results_of(copy);
  Builder loop(prog_);
  sequentialise_soac(loop, std::move(copy));
  Body parallel = loop.finish(std::move(results));
  host_body(parallel);
  std::vector<Param> pat = stmt.pat;
  for (Param& p : stmt.pat) p.name = prog_.names.fresh_like(p.name);
  Body sequential;
  sequential.result = results_of(stmt);
  sequential.stmts.push_back(std::move(stmt));
  out.let_pat(std::move(pat), If{large, std::move(parallel), std::move(sequential)});
  return true;
}

void Flattener::host_stmt(Builder& out, Stmt stmt) {
  note(stmt);
  if (as<Loop>(stmt.exp) != nullptr) return host_loop(out, std::move(stmt));
  const bool accumulates = as<WithAcc>(stmt.exp) != nullptr && ctx_.device().groups;
  if (as<If>(stmt.exp) != nullptr || accumulates) {
    for_each_body(stmt.exp, [&](Body& inner) { host_body(inner); });
    return out.append(std::move(stmt));
  }
  if (function_of(stmt.exp) == nullptr || stmt.hints.sequential || writes_to_accumulators(stmt))
    return out.append(std::move(stmt));
  Soac* soac = as<Soac>(stmt.exp);
  if (soac != nullptr && stmt.hints.sequential_outer) {
    // A loop of the host around parallel code.
    Builder loop(prog_);
    sequentialise_soac(loop, std::move(stmt));
    Body body = loop.finish({});
    host_body(body);
    for (Stmt& inner : body.stmts) out.append(std::move(inner));
    return;
  }
  if (soac != nullptr && has_array_operator(*soac) && ctx_.may_rewrite()) {
    std::optional<Stmt> map = split_off_map(prog_, stmt);
    const bool split = map.has_value();
    if (map) host_stmt(out, std::move(*map));
    Builder parts(prog_);
    for (Stmt& part : separate_operators(prog_, std::move(stmt), split))
      if (!interchange_operators(parts, part, replicates_)) parts.append(std::move(part));
    for (Stmt& part : parts.finish({}).stmts)
      if (!loop_of_operators(out, part)) out.append(std::move(part));
    return;
  }
  if (stmt.hints.sequential_inner) return out.append(std::move(stmt));
  loops_need_own_arrays_ = may_be_consumed(stmt);
  if (in_groups() && soac != nullptr && soac->is_map() && returns_views(soac->fn.body)) {
    out.set_loc(stmt.loc);
    const std::vector<Operand> results = append_map(out, std::move(*soac), stmt.loc);
    for (size_t k = 0; k < results.size(); ++k)
      out.let_pat({std::move(stmt.pat[k])}, Value{results[k]});
    return;
  }
  if (!ctx_.device().groups)
    if (std::optional<Stmt> apart = with_sums_of_products_apart(prog_, stmt))
      stmt = std::move(*apart);
  std::optional<Body> flat = flat_version(stmt);
  if (!flat) return out.append(std::move(stmt));
  const bool only_group = stmt.hints.flattening.only_intra;
  const bool products = !ctx_.device().groups && has_matrix_products(stmt.exp);
  const bool as_grid =
      !ctx_.device().groups && kernel_count(*flat) == 2 && writes_and_adds_rows(stmt.exp);
  if ((is_one_kernel(*flat) || products || as_grid) && !only_group) {
    for (Stmt& inner : flat->stmts) out.append(std::move(inner));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.let_pat({std::move(stmt.pat[k])}, Value{flat->result[k]});
    return;
  }
  const bool inner = stmt.hints.flattening.no_outer || stmt.hints.flattening.only_inner;
  const bool outer = !only_group && !(inner && ctx_.device().obeys_flattening);
  choose(out, std::move(stmt), std::move(*flat), outer);
}

}  // namespace skald::passes
