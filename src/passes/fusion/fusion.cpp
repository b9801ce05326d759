// SPDX-License-Identifier: Apache-2.0
// Merges SOACs, and after flattening kernels, that follow each other or read the same arrays.
//
//   before   let {ys_3 : [n_0]f32} = map(n_0, {xs_1}, \{x_2 : f32} : {f32} -> …)
//            let {s_6 : f32} = soac(n_0, {ys_3}, \{y_4 : f32} : {f32} -> {y_4}, reduce …)
//
//   after    let {s_6 : f32} = soac(n_0, {xs_1}, \{x_2 : f32} : {f32} -> …, reduce …)
//
// Every block is a problem of its own (graph/region.h): which SOACs become one, so that the fewest
// bytes move.  The solvers (solve/problem.h) choose, the composer (compose/composer.h) makes the
// code.  Then the blocks inside are done, so that what the outer level brought together is merged
// in turn.
//
// Kernels have a normal form that holds any set of sinks, so more can be merged than as SOACs: a
// histogram beside a map, a partition beside a reduction, a scatter after a scan.
//
// Stage    SOACS (fusion), KERNELS (fuse-kernels).
// Needs    unique names; best after simplify and cse, which make equal sizes equal operands.
// Gives    no two SOACs of a block could be merged at a gain and within the limits of the solver.
// Keeps    types, checks, consumption: no read of an array moves past the statement that consumes
//          it.
// Cost     near linear in the size of the program times its depth, plus some 100 ms a block for the
//          exact solver, counted in work and not in time.
// Tests    tests/golden/passes/fusion/*.core, tests/unit/fusion_solve_test.cpp
//
// Known limits: a with_acc that is more than one map is left alone; histograms of rows take short
// maps only.
#include <algorithm>
#include <queue>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/compose/composer.h"
#include "passes/fusion/graph/region.h"
#include "passes/fusion/rewrite/flat_hist.h"
#include "passes/fusion/rewrite/flat_reduce.h"
#include "passes/fusion/rewrite/flat_scatter.h"
#include "passes/fusion/rewrite/gather.h"
#include "passes/fusion/rewrite/known_places.h"
#include "passes/fusion/rewrite/merge_partitions.h"
#include "passes/fusion/rewrite/reorder.h"
#include "passes/fusion/rewrite/repeat.h"
#include "passes/fusion/rewrite/rotation.h"
#include "passes/passes.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;
using namespace fusion;

namespace {

// What the exact solver may do for all blocks of a program together.
constexpr int64_t kAllBlocks = 8000;
// Blocks with more operations may be left to the greedy engine.
constexpr int kLargeBlock = 50;

class Fusion {
 public:
  Fusion(Program& prog, PassContext& ctx, int64_t& work_left, SolvedPrograms& solved)
      : prog_(prog), ctx_(ctx), work_left_(work_left), solved_(solved), aliases_(prog) {}

  void function(Function& fn) {
    for (const Param& p : fn.params) {
      aliases_.add(p);
      note_type(p);
    }
    if (prog_.stage == Stage::kSoacs) note_types(fn.body);
    if (prog_.stage == Stage::kKernels) find_products(fn.body, products_);
    // With all that is inside.
    for (const Stmt& stmt : fn.body.stmts) aliases_.add(stmt);
    body(fn.body, true);
  }

 private:
  void body(Body& body, bool of_host) {
    const uint64_t before = ctx_.rewrites();
    if (prog_.stage == Stage::kSoacs) {
      drop_orders(body, prog_, outer_types_, aliases_, ctx_, false);
      inline_rotations(body, prog_, aliases_, ctx_);
      inline_gathers(body, prog_, aliases_, ctx_);
      unflatten_reductions(body, prog_, outer_types_, ctx_);
      repeat_cheap_maps(body, prog_, aliases_, ctx_);
    } else {
      if (ctx_.device().groups) unflatten_scatters(body, products_, ctx_);
      inline_gathers(body, prog_, aliases_, ctx_);
    }
    fuse_block(body);
    if (prog_.stage == Stage::kSoacs && second_look(body)) {
      for (const Stmt& stmt : body.stmts) aliases_.add(stmt);
      unflatten_reductions(body, prog_, outer_types_, ctx_);
      fuse_block(body);
    }
    // Filters are whole now: what maps did to their rows is part of them.
    if (prog_.stage == Stage::kSoacs) merge_partitions(body, prog_, aliases_, ctx_);
    if (ctx_.rewrites() != before)
      for (const Stmt& stmt : body.stmts) aliases_.add(stmt);
    for (Stmt& stmt : body.stmts) {
      // There is nothing to merge inside a kernel.
      if (as<Kernel>(stmt.exp) != nullptr) continue;
      const bool inside = of_host && (as<Loop>(stmt.exp) != nullptr || as<If>(stmt.exp) != nullptr);
      for_each_body(stmt.exp, [&](Body& inner) { this->body(inner, inside); });
    }
    // The functions of nests are whole now.
    if (prog_.stage == Stage::kSoacs && of_host) unflatten_histograms(body, prog_, aliases_, ctx_);
  }

  // What maps did to the places of scatters, and to rows in another order, is part of the scatters
  // and reductions now.
  bool second_look(Body& body) {
    const bool scatters = simplify_scatters(body, prog_, ctx_);
    if (scatters) {
      note_types(body);
      for (const Stmt& stmt : body.stmts) aliases_.add(stmt);
    }
    const bool orders = drop_orders(body, prog_, outer_types_, aliases_, ctx_, true);
    return scatters || orders;
  }

  void note_type(const Param& p) {
    if (p.type.is_array()) outer_types_[p.name] = p.type;
  }
  void note_types(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      for (const Param& p : stmt.pat) note_type(p);
      for_each_param(stmt.exp, [&](const Param& p) { note_type(p); });
      for_each_body(stmt.exp, [&](const Body& inner) { note_types(inner); });
    }
  }

  void fuse_block(Body& body) {
    const Region region(body, prog_, aliases_, ctx_.device());
    if (region.problem().pairs.empty()) {
      if (ctx_.explains()) explain(body, region, {});
      return;
    }
    SolveOptions options;
    options.effort.work = std::min(options.effort.work, work_left_);
    options.effort.solved = &solved_;
    const Solution solution = solve(region.problem(), options);
    work_left_ -= solution.work;
    if (solution.timed_out)
      ctx_.report_limit(
          "the exact solver met its limit of time; another run may merge other operations");
    else if (!solution.optimal && region.problem().nodes > kLargeBlock)
      ctx_.report_limit(
          fmt::format("a block of {} operations is too large to be merged in the best way",
                      region.problem().nodes));
    if (ctx_.explains()) explain(body, region, solution.cluster);
    std::vector<Cluster> clusters;
    for (Cluster& cluster : clusters_of(solution.cluster)) {
      const bool merged = cluster.size() > 1 && ctx_.may_rewrite("fuse");
      if (merged) {
        clusters.push_back(std::move(cluster));
      } else {
        for (const Node node : cluster) clusters.push_back({node});
      }
    }
    rebuild(body, region, clusters);
  }

  // One statement per cluster, in an order that respects the dependences and otherwise follows the
  // old one.
  void rebuild(Body& body, const Region& region, const std::vector<Cluster>& clusters) {
    const size_t n = body.stmts.size();
    std::vector<size_t> unit(n, SIZE_MAX);  // by statement
    struct Unit {
      size_t key = 0;
      const Cluster* cluster = nullptr;
      size_t stmt = 0;
      size_t waits = 0;
      std::vector<size_t> next = {};
    };
    std::vector<Unit> units;
    for (const Cluster& cluster : clusters) {
      if (cluster.size() < 2) continue;
      for (const Node node : cluster)
        unit[region.nodes()[static_cast<size_t>(node)].stmt] = units.size();
      const size_t last = region.nodes()[static_cast<size_t>(cluster.back())].stmt;
      units.push_back({last, &cluster});
    }
    if (units.empty()) return;
    for (size_t s = 0; s < n; ++s) {
      if (unit[s] != SIZE_MAX) continue;
      unit[s] = units.size();
      units.push_back({s, nullptr, s});
    }
    for (size_t s = 0; s < n; ++s)
      for (const size_t d : region.dependences()[s]) {
        if (unit[d] == unit[s]) continue;
        units[unit[d]].next.push_back(unit[s]);
        ++units[unit[s]].waits;
      }
    using Entry = std::pair<size_t, size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (size_t u = 0; u < units.size(); ++u)
      if (units[u].waits == 0) ready.emplace(units[u].key, u);
    std::vector<Stmt> out;
    while (!ready.empty()) {
      const size_t u = ready.top().second;
      ready.pop();
      if (units[u].cluster == nullptr)
        out.push_back(std::move(body.stmts[units[u].stmt]));
      else
        out.push_back(compose(body, region, *units[u].cluster));
      for (const size_t next : units[u].next)
        if (--units[next].waits == 0) ready.emplace(units[next].key, next);
    }
    SKALD_CHECK(out.size() == units.size(), "fusion made a cycle");
    body.stmts = std::move(out);
  }

  Stmt compose(Body& body, const Region& region, const Cluster& cluster) {
    const auto inside = [&](Node node) {
      return node >= 0 && std::ranges::binary_search(cluster, node);
    };
    const auto at = [&](Node node) -> const NodeInfo& {
      return region.nodes()[static_cast<size_t>(node)];
    };
    Space space = const_i64(0);
    std::unordered_set<Name> wanted;
    for (const Node node : cluster) {
      const NodeInfo& info = at(node);
      if (!inside(info.size_of.node)) {
        const Domain* known = std::get_if<Domain>(&space);
        if (info.kernel == nullptr)
          space = info.width;
        else if (known == nullptr || known->kind != Domain::kSeg)
          space = info.kernel->domain;
      }
      const Stmt& stmt = body.stmts[info.stmt];
      for (size_t r = 0; r < stmt.pat.size(); ++r)
        if (region.escapes(node, r, cluster)) wanted.insert(stmt.pat[r].name);
    }
    Composer composer(prog_, std::move(space));
    for (const Node node : cluster) {
      const NodeInfo& info = at(node);
      std::optional<Name> guard;
      if (inside(info.size_of.node)) guard = *as_name(info.width);
      composer.add(std::move(body.stmts[info.stmt]), guard);
    }
    return composer.finish([&](Name name) { return wanted.contains(name); });
  }

  // For every pair with something in common: together, or why not.
  void explain(const Body& body, const Region& region, const std::vector<int>& cluster) {
    const auto name_of = [&](Node node) {
      const Stmt& stmt = body.stmts[region.nodes()[static_cast<size_t>(node)].stmt];
      std::string text =
          stmt.pat.empty() ? std::string("(nothing)") : prog_.names.text(stmt.pat.back().name);
      // Where the user wrote it, not where the prelude does it.
      const Loc loc = prog_.locs.outside_prelude(stmt.loc);
      if (loc.index != 0) text += fmt::format(" ({})", prog_.locs[loc].text);
      return text;
    };
    for (const auto& [array, readers] : region.crowded())
      ctx_.explain(fmt::format("of the {} readers of {} only near ones are compared", readers,
                               prog_.names.text(array)));
    for (const Refusal& refusal : region.refusals())
      ctx_.explain(fmt::format("not fused: {} and {}: {}", name_of(refusal.a), name_of(refusal.b),
                               refusal.why));
    const auto at = [&](Node node) { return cluster[static_cast<size_t>(node)]; };
    for (const Pair& pair : region.problem().pairs) {
      if (at(pair.a) == at(pair.b)) {
        ctx_.explain(fmt::format("fused: {} and {}", name_of(pair.a), name_of(pair.b)));
        continue;
      }
      Cluster both;
      for (Node node = 0; node < region.problem().nodes; ++node)
        if (at(node) == at(pair.a) || at(node) == at(pair.b)) both.push_back(node);
      std::optional<std::string> why = region.why_not({pair.a, pair.b});
      if (!why) why = region.why_not(both);
      if (!why) {
        std::vector<int> merged = cluster;
        for (int& c : merged)
          if (c == at(pair.b)) c = at(pair.a);
        why = is_acyclic(region.problem(), merged)
                  ? "other choices save more"
                  : "something between them needs one and is needed by the other";
      }
      ctx_.explain(fmt::format("not fused: {} and {}: {}", name_of(pair.a), name_of(pair.b), *why));
    }
  }

  Program& prog_;
  PassContext& ctx_;
  int64_t& work_left_;
  SolvedPrograms& solved_;
  analysis::Aliases aliases_;
  // Of arrays, also those that blocks get from outside.
  ArrayTypes outer_types_;
  Products products_;
};

}  // namespace

Program fuse_soacs(Program prog, PassContext& ctx) {
  int64_t work_left = kAllBlocks;
  SolvedPrograms solved;
  for (Function& fn : prog.functions) Fusion(prog, ctx, work_left, solved).function(fn);
  return prog;
}

Program fuse_kernels(Program prog, PassContext& ctx) {
  // What was strung together has doubled reads and results that nobody wants.
  PassContext after(UINT64_MAX, ctx.device());
  after.set_disabled(ctx.disabled());
  int64_t work_left = kAllBlocks;
  SolvedPrograms solved;
  for (Function& fn : prog.functions) {
    const uint64_t before = ctx.rewrites();
    Fusion(prog, ctx, work_left, solved).function(fn);
    if (ctx.rewrites() != before) simplify_function(fn, prog, after);
  }
  return ctx.rewrites() == 0 ? std::move(prog) : remove_dead_code(std::move(prog), after);
}

}  // namespace skald::passes
