// SPDX-License-Identifier: Apache-2.0
// Versions of a nest, and what decides between them when the program runs.
#include <fmt/format.h>

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/flatten.h"
#include "passes/flatten/host_kernels.h"
#include "passes/flatten/products/products.h"
#include "passes/flatten/versions/version_times.h"
#include "passes/flatten/writes.h"
#include "passes/kernels/nest.h"

namespace skald::passes {

using namespace core;

namespace {

// The kernels of all second versions of a function, as a multiple of those allowed for one nest.
constexpr int kMaxAdded = 3;

// The dimensions that one kernel uses, and the code that runs at one point of it.
std::vector<Operand> kernel_dims(const Exp& exp, const Body*& point) {
  if (const auto* soac = as<Soac>(exp)) {
    NestShape shape = nest_shape(*soac);
    point = &shape.leaf->fn.body;
    return std::move(shape.dims);
  }
  point = &function_of(exp)->body;
  return {width_of(exp)};
}

}  // namespace

std::optional<Body> Flattener::flat_version(const Stmt& stmt) {
  const Body* point = nullptr;
  kernel_dims(stmt.exp, point);
  if (!analysis::has_parallelism(*point)) return std::nullopt;
  if (const auto* soac = as<Soac>(stmt.exp); soac != nullptr && is_write_nest(*soac))
    return std::nullopt;
  const bool only = stmt.hints.flattening.no_outer || stmt.hints.flattening.only_inner ||
                    stmt.hints.flattening.only_intra;
  const size_t count = statement_count(stmt);
  if (count > static_cast<size_t>(ctx_.device().nest_statements)) {
    ctx_.explain(fmt::format("{}: a nest of {} statements has only one version", function_, count));
    return std::nullopt;
  }
  if (!ctx_.may_rewrite()) return std::nullopt;
  const int before = distributed_;
  Substitution subst;
  Stmt copy = copy_with_fresh_names(stmt, prog_.names, subst);
  copy.hints = {};
  std::vector<Operand> results;
  for (const Param& p : copy.pat) results.emplace_back(p.name);
  Builder out(prog_);
  out.set_loc(stmt.loc);
  expose_stmt(out, std::move(copy));
  if (distributed_ == before) return std::nullopt;
  for (Operand& result : results) substitute(result, renamed_);
  Body body = out.finish(std::move(results));
  const int kernels = kernel_count(body);
  if (!(only && ctx_.device().obeys_flattening) && !has_matrix_products(stmt.exp) &&
      (kernels > ctx_.device().version_kernels ||
       added_ + kernels > kMaxAdded * ctx_.device().version_kernels)) {
    ctx_.explain(fmt::format("{}: a version of {} kernels is left out", function_, kernels));
    return std::nullopt;
  }
  added_ += kernels;
  return body;
}

void Flattener::choose(Builder& out, Stmt stmt, Body flat, bool with_outer) {
  const Body* point = nullptr;
  Operand parallelism = const_i64(1);
  out.set_loc(stmt.loc);
  VersionTimes times(out, ctx_.device());
  const bool by_time = ctx_.device().launch_ns > 0;
  std::optional<Operand> other_time = by_time ? times.flat(flat) : std::nullopt;
  // A version in many kernels stores what lies between them, which takes at least twice as long.
  int64_t enough_points = ctx_.device().half_busy;
  if (std::optional<GroupVersion> group = group_version(out, stmt, GroupUse::kNest, other_time)) {
    enough_points = ctx_.device().parallelism;
    other_time = group->time;
    If pick{group->cond, std::move(group->body), std::move(flat)};
    std::vector<Param> pat;
    std::vector<Operand> results;
    for (const Param& p : stmt.pat) {
      pat.push_back({prog_.names.fresh_like(p.name), p.type});
      results.emplace_back(pat.back().name);
    }
    // Sizes among the results go by their new names.
    Substitution sizes;
    for (size_t k = 0; k < pat.size(); ++k) sizes.emplace(stmt.pat[k].name, pat[k].name);
    for (Param& p : pat) substitute(p.type, sizes);
    Builder inner(prog_);
    inner.set_loc(stmt.loc);
    inner.let_pat(std::move(pat), std::move(pick));
    flat = inner.finish(std::move(results));
  }
  if (!with_outer) {
    for (Stmt& inner : flat.stmts) out.append(std::move(inner));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.let_pat({std::move(stmt.pat[k])}, Value{flat.result[k]});
    return;
  }
  for (const Operand& dim : kernel_dims(stmt.exp, point))
    parallelism = out.size_mul(parallelism, dim);
  const std::optional<Operand> own_time = other_time ? times.as_written(stmt.exp) : std::nullopt;
  const Operand suffices =
      own_time ? sufficient_if(out, out.cmpop(CmpOpKind::kLe, Prim::kI64, *own_time, *other_time))
               : const_i64(enough_points);
  const Operand enough = out.cmpop(CmpOpKind::kLe, Prim::kI64, threshold(out, suffices),
                                   parallelism, "suff_outer_par");
  std::vector<Param> pat;
  for (Param& p : stmt.pat) pat.push_back(p);
  Substitution subst;
  Stmt outer = copy_with_fresh_names(stmt, prog_.names, subst);
  // Nothing more is made parallel in this version.
  outer.hints.sequential_inner = true;
  std::vector<Operand> results;
  for (const Param& p : outer.pat) results.emplace_back(p.name);
  Body then_body;
  then_body.stmts.push_back(std::move(outer));
  then_body.result = std::move(results);
  out.let_pat(std::move(pat), If{enough, std::move(then_body), std::move(flat)});
}

// No version lies inside another, so the path of a threshold is empty.
Operand Flattener::threshold(Builder& out, const Operand& points) {
  return tunable(out, fmt::format("{}.suff_outer_par_{}", function_, thresholds_++), points);
}

// "def" is what other compilers say where the program finds the number.
Operand Flattener::tunable(Builder& out, const std::string& name, const Operand& points) {
  const Const* known = as_const(points);
  const std::string number = known != nullptr ? fmt::format("{}", int_value(*known)) : "def";
  return out.let1(scalar_type(Prim::kI64),
                  Tunable{name, fmt::format("threshold({}, )", number), points}, "threshold");
}

// A threshold that any number of points reaches, or none.
Operand Flattener::sufficient_if(Builder& out, const Operand& cond) {
  constexpr int64_t kNever = int64_t{1} << 40;
  if (cond == Operand{const_bool(true)}) return const_i64(1);
  if (cond == Operand{const_bool(false)}) return const_i64(kNever);
  return out.let1(scalar_type(Prim::kI64), Select{cond, const_i64(1), const_i64(kNever)},
                  "sufficient");
}

}  // namespace skald::passes
