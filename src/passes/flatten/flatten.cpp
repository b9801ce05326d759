// SPDX-License-Identifier: Apache-2.0
// Flattening of regular nests: makes parallelism that is hidden inside a SOAC
// visible as perfect nests, which extract-kernels turns into one kernel each,
// and chooses at run time.
//
//   before   map(n, {xss}, \{row} -> … several SOACs …)
//
//   after    if tunable <= n then map(n, {xss}, \{row} -> …)      the outer
//   level is enough
//            else if fits then map(n, {xss}, \{row} -> …) in groups groups.cpp,
//            on a gpu else … several perfect nests over n and the inner widths
//            …
//
// A reduction or scan whose operator works on arrays is turned inside out
// (operators.cpp), without a choice: it has no other parallel form.
//
// Stage    SOACS → SOACS.
// Needs    fusion has run: what could be one SOAC is one.
// Gives    at most three versions of every statement; limits on what is added
// are in passes/pass.h. Keeps    types, checks, hints. Cost     linear in the
// size of the code with versions. Tests    tests/golden/passes/flatten/*.core,
// tests/programs/nested, property `flatten`
//
// Read next: distribute.cpp, interchange.cpp, docs/flattening.md.
#include "passes/flatten/flatten.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/close_posts.h"
#include "passes/flatten/products.h"
#include "passes/flatten/version_times.h"
#include "passes/flatten/writes.h"
#include "passes/flatten/apart/writes_apart.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// The kernels of all second versions of a function, as a multiple of those
// allowed for one nest.
constexpr int kMaxAdded = 3;

const Lambda* function_of(const Exp& exp) {
  if (const auto* soac = as<Soac>(exp)) return &soac->fn;
  if (const auto* hist = as<Hist>(exp)) return &hist->fn;
  if (const auto* scatter = as<Scatter>(exp)) return &scatter->fn;
  if (const auto* part = as<Partition>(exp)) return &part->fn;
  return nullptr;
}

bool writes_to_accumulators(const Stmt& stmt) {
  return std::ranges::any_of(stmt.pat, [](const Param& p) { return p.type.kind == Type::kAcc; });
}

// How many kernels host code has.
int kernel_count(const Body& body) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (function_of(stmt.exp) != nullptr)
      ++count;
    else
      for_each_body(stmt.exp, [&](const Body& inner) { count += kernel_count(inner); });
  }
  return count;
}

// Is all of it one kernel?  Then nothing is stored between the levels, and
// there is nothing to choose.
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

// The dimensions that one kernel uses, and the code that runs at one point of
// it.
std::vector<Operand> kernel_dims(const Exp& exp, const Body*& point) {
  if (const auto* soac = as<Soac>(exp)) {
    NestShape shape = nest_shape(*soac);
    point = &shape.leaf->fn.body;
    return std::move(shape.dims);
  }
  point = &function_of(exp)->body;
  if (const auto* hist = as<Hist>(exp)) return {hist->width};
  if (const auto* scatter = as<Scatter>(exp)) return {scatter->width};
  return {as<Partition>(exp)->width};
}

}  // namespace

// Is there something to do for all iterations of the map at once?
bool Flattener::is_distributable(const Soac& map) const {
  return analysis::has_parallelism(map.fn.body) || (in_groups() && returns_views(map.fn.body));
}

std::vector<Operand> Flattener::append_map(Builder& out, Soac map, Loc loc) {
  Exp exp{std::move(map)};
  if (is_distributable(*as<Soac>(exp))) {
    Exp copy = copy_with_fresh_names(exp, prog_.names);
    if (auto results = distribute(*this, out, std::move(*as<Soac>(copy)), loc)) {
      ++distributed_;
      return std::move(*results);
    }
  }
  const Soac& soac = *as<Soac>(exp);
  std::vector<Type> types;
  for (const Ret& ret : soac.fn.results) types.push_back(array_of(soac.width, ret.type));
  const std::vector<Name> names = out.let(std::move(types), std::move(exp), "map_res");
  return {names.begin(), names.end()};
}

// ---- all parallelism

void Flattener::note(const Stmt& stmt) {
  if (const auto* rep = as<Replicate>(stmt.exp)) replicates_[stmt.pat[0].name] = *rep;
}

void Flattener::expose(Body& body) {
  Builder out(prog_);
  for (Stmt& stmt : body.stmts) expose_stmt(out, std::move(stmt));
  for (Operand& result : body.result) substitute(result, renamed_);
  body = out.finish(std::move(body.result));
}

void Flattener::expose_stmt(Builder& out, Stmt stmt) {
  note(stmt);
  if (!renamed_.empty()) substitute(stmt, renamed_);
  if (stmt.hints.sequential) return out.append(std::move(stmt));
  if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr) {
    for_each_body(stmt.exp, [&](Body& inner) { expose(inner); });
    return out.append(std::move(stmt));
  }
  const Lambda* fn = function_of(stmt.exp);
  if (fn == nullptr || stmt.hints.sequential_inner) return out.append(std::move(stmt));
  Soac* soac = as<Soac>(stmt.exp);
  const bool array_operator = soac != nullptr && has_array_operator(*soac);
  const bool nested = analysis::has_parallelism(fn->body);
  if (soac != nullptr && soac->is_map()) {
    if (!is_distributable(*soac) || is_write_nest(*soac)) return out.append(std::move(stmt));
    expose(soac->fn.body);
    if (stmt.hints.sequential_outer) return out.append(std::move(stmt));
    out.set_loc(stmt.loc);
    const std::vector<Operand> results = append_map(out, std::move(*soac), stmt.loc);
    for (size_t k = 0; k < results.size(); ++k) renamed_.emplace(stmt.pat[k].name, results[k]);
    return;
  }
  bool split = false;
  if (nested || array_operator) {
    if (std::optional<Stmt> map = split_off_map(prog_, stmt)) {
      split = true;
      ++distributed_;
      expose_stmt(out, std::move(*map));
      substitute(stmt, renamed_);
    }
  }
  if (!array_operator) {
    if (split)
      for (Stmt& each : take_handed_on(stmt)) out.append(std::move(each));
    return out.append(std::move(stmt));
  }
  for (Stmt& part : separate_operators(prog_, std::move(stmt), split)) {
    if (interchange_operators(out, part, replicates_))
      ++distributed_;
    else
      out.append(std::move(part));
  }
}

// ---- versions

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

// ---- the host

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

Program flatten_nests(Program prog, PassContext& ctx) {
  for (size_t k = 0; k < prog.functions.size(); ++k) {
    const Function& fn = prog.functions[k];
    Flattener flat(prog, ctx, fn.entry ? fn.entry->name : fn.name);
    Body body = std::move(prog.functions[k].body);
    take_writes_apart(body, prog, ctx);
    close_posts(body, prog, ctx);
    flat.function_body(body, prog.functions[k].results);
    prog.functions[k].body = std::move(body);
  }
  return prog;
}

}  // namespace skald::passes
