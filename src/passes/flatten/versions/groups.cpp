// SPDX-License-Identifier: Apache-2.0
// The version of a nest that runs every outer iteration as one group of threads.
//
//   before   map(n, {xss}, \{row} -> s = reduce(m, {row}, …)  ys = map(m, {row}, …s…)  in {ys})
//
//   after    the same map with the hint in_groups; code inside has its parallelism exposed
//
// The threads of a group share the iterations of the SOACs inside; what these store in between lies
// in the group's own memory.  extract-kernels makes a kernel with kernels in its thunk of it.  The
// version is taken if
//
//   suff_intra_par <= the largest number of points of a SOAC inside, and
//   all arrays inside together have at most `local_memory` bytes.
//
// It exists only where both numbers can be computed before the map.  The threshold is one if groups
// take less time than the flat version (version_times.h), else more than there are points.  A loop
// of the host (group_loops.cpp) is a map over one point; it is taken if its SOACs have at most
// `loop_points`.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "passes/flatten/flatten.h"
#include "passes/flatten/products/products.h"
#include "passes/flatten/versions/version_times.h"
#include "passes/kernels/nest.h"

namespace skald::passes {

using namespace core;

namespace {

// The thresholds, unless others are chosen.  Fewer points than this leave most of a group idle.
constexpr int64_t kSufficientPoints = 32, kNeverSufficient = int64_t{1} << 40;
// A loop of kernels of so many points: a group of threads is done with one of them before another
// would have been started.
constexpr int64_t kLoopPoints = 4096;
// The code of each such point has at most so many statements, and no loop.
constexpr size_t kLoopStatements = 100;
// Loops of scalar code that every thread may run.
constexpr int64_t kShortLoop = 8;
// Larger nests take too long to compile once more.
constexpr size_t kMaxGroupStatements = 200;
// Such versions of nests, and of loops, in one function.
constexpr int kMaxGroupVersions = 8;
// What compilers and reductions need of the group's memory.
constexpr int64_t kForReductions = 8 << 10;

// What a group's code needs, in terms of what is known outside.
class GroupNeeds {
 public:
  // `cheap`: the code of a point must be.
  explicit GroupNeeds(bool cheap) : cheap_(cheap) {}
  // Everything bound inside the levels is unknown outside.
  void level(const Lambda& fn, bool last) {
    bind(fn.params);
    if (last) return body(fn.body, false);
    for (const Stmt& s : fn.body.stmts) bind(s.pat);
  }
  // Why not; empty if it is possible.
  std::string why;
  std::vector<std::vector<Operand>> spaces;
  std::vector<Type> arrays;

 private:
  void body(const Body& body, bool in_loop) {
    for (const Stmt& s : body.stmts) stmt(s, in_loop);
  }
  void refuse(std::string reason) {
    if (why.empty()) why = std::move(reason);
  }
  void bind(const std::vector<Param>& params) {
    for (const Param& p : params) local_.insert(p.name);
  }
  bool is_outer(const Operand& o) const {
    const Name* name = as_name(o);
    return name == nullptr || !local_.contains(*name);
  }
  void array(const Type& type) {
    if (!type.is_array()) return;
    if (!std::ranges::all_of(type.shape, [&](const Operand& d) { return is_outer(d); }))
      refuse("an array inside has a size that is not known before");
    arrays.push_back(type);
  }
  static bool scalars(const Operator& op) {
    return std::ranges::all_of(op.fn.params, [](const Param& p) { return p.type.is_scalar(); });
  }
  void space(std::vector<Operand> dims) {
    if (!std::ranges::all_of(dims, [&](const Operand& d) { return is_outer(d); }))
      refuse("a SOAC inside has a width that is not known before");
    spaces.push_back(std::move(dims));
  }
  void function(const Lambda& fn) {
    for (const Param& p : fn.params)
      if (p.type.kind == Type::kAcc) refuse("it has accumulators");
    inner(fn.body);
    if (cheap_ && statement_count(fn.body) > kLoopStatements) refuse("a point has much code");
  }
  // Code of one thread.
  void inner(const Body& body) {
    for (const Stmt& s : body.stmts) {
      if (as<Call>(s.exp) != nullptr) refuse("it calls a function");
      if (as<WithAcc>(s.exp) != nullptr) refuse("it has accumulators");
      if (s.hints.trace.wanted) refuse("it prints");
      if (cheap_ && as<Loop>(s.exp) != nullptr) refuse("a point has a loop");
      for_each_body(s.exp, [&](const Body& b) { inner(b); });
    }
  }

  void stmt(const Stmt& stmt, bool in_loop) {
    const Exp& exp = stmt.exp;
    if (stmt.hints.sequential) refuse("it has sequential code");
    if (const auto* soac = as<Soac>(exp)) {
      for (const Operator& op : soac->scans)
        if (!scalars(op)) refuse("it has an operator on arrays");
      for (const Operator& op : soac->reduces)
        if (!scalars(op)) refuse("it has an operator on arrays");
      for (const Lambda& post : soac->post)
        for (const Param& p : post.params)
          if (!p.type.is_scalar()) refuse("it has an operator on arrays");
      space(nest_shape(*soac).dims);
      function(soac->fn);
    } else if (const auto* hist = as<Hist>(exp)) {
      for (const HistOp& op : hist->ops)
        if (!scalars(op.op)) refuse("it has an operator on arrays");
      space({hist->width});
      function(hist->fn);
      return bind(stmt.pat);
    } else if (const auto* scatter = as<Scatter>(exp)) {
      space({scatter->width});
      function(scatter->fn);
      return bind(stmt.pat);
    } else if (as<Partition>(exp) || as<FlatMap>(exp) || as<WithAcc>(exp) || as<Call>(exp)) {
      refuse("it has code that groups do not run");
    } else if (const auto* loop = as<Loop>(exp)) {
      for (const LoopParam& p : loop->params) {
        local_.insert(p.param.name);
        array(p.param.type);
      }
      if (loop->form == Loop::kFor) local_.insert(loop->var.name);
      const Const* rounds = loop->form == Loop::kFor ? as_const(loop->bound) : nullptr;
      const bool is_short = rounds != nullptr && int_value(*rounds) <= kShortLoop;
      // Every thread would do all of it; but a loop of the host would start kernels.
      if (!cheap_ && !is_short && !analysis::has_parallelism(loop->body))
        refuse("it has a loop with nothing parallel inside");
      body(loop->body, true);
      return bind(stmt.pat);
    } else if (const auto* branch = as<If>(exp)) {
      body(branch->then_body, in_loop);
      body(branch->else_body, in_loop);
    } else if (as<Update>(exp) != nullptr || as<FlatUpdate>(exp) != nullptr) {
      const auto* update = as<Update>(exp);
      const bool one =
          update != nullptr && static_cast<int>(update->slice.size()) == stmt.pat[0].type.rank() &&
          std::ranges::all_of(update->slice, [](const DimSlice& s) { return s.is_index; });
      // A barrier for every element costs more than anything else, except a launch for it.
      if (!cheap_ && in_loop && one) refuse("it changes single elements in a loop");
      return bind(stmt.pat);
    } else if (stmt.hints.trace.wanted) {
      refuse("it prints");
    } else if (is_view(exp)) {
      return bind(stmt.pat);
    }
    for (const Param& p : stmt.pat) array(p.type);
    bind(stmt.pat);
  }

  std::unordered_set<Name> local_;
  bool cheap_;
};

// Arrays that come into a loop from elsewhere are copied, so that the loop's arrays may all lie in
// the group's memory.
void copy_into_loops(Body& body, Program& prog, std::unordered_set<Name> made) {
  Builder out(prog);
  for (Stmt& stmt : body.stmts) {
    if (Loop* loop = as<Loop>(stmt.exp)) {
      for (LoopParam& p : loop->params) {
        const Name* init = as_name(p.init);
        if (!p.param.type.is_array() || init == nullptr || made.contains(*init)) continue;
        Substitution sizes;
        for (const LoopParam& other : loop->params) sizes.emplace(other.param.name, other.init);
        Type type = p.param.type;
        substitute(type, sizes);
        out.set_loc(stmt.loc);
        p.init = out.let1(type, Copy{*init}, "into_loop");
      }
      std::unordered_set<Name> inside = made;
      for (const LoopParam& p : loop->params) inside.insert(p.param.name);
      copy_into_loops(loop->body, prog, std::move(inside));
    } else if (If* branch = as<If>(stmt.exp)) {
      copy_into_loops(branch->then_body, prog, made);
      copy_into_loops(branch->else_body, prog, made);
    }
    if (!is_view(stmt.exp))
      for (const Param& p : stmt.pat) made.insert(p.name);
    out.append(std::move(stmt));
  }
  body = out.finish(std::move(body.result));
}

// A copy of the statement: a map, and what comes after it, which is another kernel.
std::optional<Body> map_and_rest(Program& prog, const Stmt& stmt) {
  Substitution subst;
  Stmt copy = copy_with_fresh_names(stmt, prog.names, subst);
  copy.hints = {};
  std::vector<Operand> results;
  for (const Param& p : copy.pat) results.emplace_back(p.name);
  Body version;
  Soac* soac = as<Soac>(copy.exp);
  if (soac == nullptr || !soac->is_map()) {
    std::optional<Stmt> map = split_off_map(prog, copy);
    if (!map) return std::nullopt;
    version.stmts.push_back(std::move(*map));
    version.stmts.push_back(std::move(copy));
  } else {
    version.stmts.push_back(std::move(copy));
  }
  version.result = std::move(results);
  return version;
}

}  // namespace

bool Flattener::may_have_group(const Stmt& stmt, GroupUse use) const {
  const int there = use == GroupUse::kLoop ? group_loops_ : groups_;
  if (!ctx_.device().groups || there >= kMaxGroupVersions) return false;
  if (statement_count(stmt) <= kMaxGroupStatements) return true;
  ctx_.explain(fmt::format("{}: no version with a group for {}: too large", function_,
                           use == GroupUse::kLoop ? "the loop" : "each iteration"));
  return false;
}

std::optional<Flattener::GroupVersion> Flattener::group_version(
    Builder& out, const Stmt& stmt, GroupUse use, const std::optional<Operand>& flat_time) {
  const bool is_loop = use == GroupUse::kLoop;
  if (stmt.hints.flattening.no_intra || stmt.hints.flattening.only_inner) return std::nullopt;
  if (!is_loop && !may_have_group(stmt, use)) return std::nullopt;
  std::optional<Body> version = map_and_rest(prog_, stmt);
  if (!version) return std::nullopt;
  // Every level of the nest but what is inside the last one.
  Stmt* level = version->stmts.data();
  Soac* leaf = as<Soac>(level->exp);
  if (leaf == nullptr || !leaf->is_map()) return std::nullopt;
  std::vector<Operand> dims = {leaf->width};
  GroupNeeds needs(is_loop);
  for (size_t depth = nest_shape(*leaf).dims.size(); depth > 1; --depth) {
    level->hints.in_groups = true;
    needs.level(leaf->fn, false);
    level = &leaf->fn.body.stmts.back();
    leaf = as<Soac>(level->exp);
    dims.push_back(leaf->width);
  }
  level->hints.in_groups = true;
  if (!leaf->is_map()) return std::nullopt;
  Substitution outer_renames = std::exchange(renamed_, {});
  expose(leaf->fn.body);
  renamed_ = std::move(outer_renames);
  copy_into_loops(leaf->fn.body, prog_, {});
  needs.level(leaf->fn, true);
  if (needs.why.empty() && needs.spaces.empty()) needs.why = "nothing inside is parallel";
  if (!needs.why.empty()) {
    ctx_.explain(fmt::format("{}: no version with a group for {}: {}", function_,
                             is_loop ? "the loop" : "each iteration", needs.why));
    return std::nullopt;
  }
  // In terms of what is known before the nest; the levels' own names do not occur in widths.
  Operand points = const_i64(1), bytes = const_i64(kForReductions), groups = const_i64(1);
  for (const std::vector<Operand>& space : needs.spaces) {
    Operand product = const_i64(1);
    for (const Operand& dim : space) product = out.size_mul(product, dim);
    points = out.binop(BinOpKind::kMax, Prim::kI64, points, product, "points");
  }
  for (const Type& type : needs.arrays) {
    Operand size = const_i64(prim_size(type.elem));
    for (const Operand& dim : type.shape) size = out.size_mul(size, dim);
    bytes = out.size_add(bytes, size);
  }
  for (const Operand& dim : dims) groups = out.size_mul(groups, dim);
  const Operand memory = out.let1(scalar_type(Prim::kI64),
                                  Tunable{std::string(kLocalMemoryParam),
                                          std::string(kLocalMemoryClass), const_i64(kLocalMemory)},
                                  "local_memory");
  const auto at_most = [&](const Operand& a, const Operand& b) {
    return out.cmpop(CmpOpKind::kLe, Prim::kI64, a, b, "suff_intra_par");
  };
  const int version_number = is_loop ? group_loops_++ : groups_++;
  const auto threshold_of = [&](std::string_view name, const Operand& number) {
    return tunable(out, fmt::format("{}.{}_{}", function_, name, version_number), number);
  };
  const Operand fits = at_most(bytes, memory);
  if (is_loop) {
    const Operand few = at_most(points, threshold_of("loop_points", const_i64(kLoopPoints)));
    return GroupVersion{std::move(*version), out.logical_and(fits, few), std::nullopt};
  }
  if (stmt.hints.flattening.only_intra) return GroupVersion{std::move(*version), fits, flat_time};
  // Products of matrices are made of tiles as kernels of their own.
  const bool never = has_shared_products(stmt.exp);
  const std::optional<Operand> time =
      flat_time && !never ? VersionTimes(out, ctx_.device()).in_groups(leaf->fn.body, groups, bytes)
                          : std::nullopt;
  const Operand sufficient = never  ? const_i64(kNeverSufficient)
                             : time ? sufficient_if(out, at_most(*time, *flat_time))
                                    : const_i64(kSufficientPoints);
  const Operand enough = at_most(threshold_of("suff_intra_par", sufficient), points);
  const Operand cond = out.logical_and(enough, fits);
  if (!time) return GroupVersion{std::move(*version), cond, flat_time};
  const Name taken = out.let1(scalar_type(Prim::kI64), Select{cond, *time, *flat_time}, "time");
  return GroupVersion{std::move(*version), cond, taken};
}

}  // namespace skald::passes
