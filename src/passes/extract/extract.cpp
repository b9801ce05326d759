// SPDX-License-Identifier: Apache-2.0
// Turns the outermost SOACs into kernels and what is nested inside them into loops.
//
//   before   let {ys_5 : [n_0]f32} = map(n_0, {xs_1}, \{x_2 : f32} : {f32} -> … in {r_4})
//
//   after    let {ys_5 : [n_0]f32} = kernel(flat(n_0), \{i_6 : i64} : {f32} ->
//              let {x_2 : f32} = index(xs_1, [i_6])
//              … in {r_4}, out 1)
//
// A map whose body is another map, reduction or scan of a width known outside becomes one kernel on
// a grid.  Functions called from inside kernels get sequential variants.
//
// Stage    SOACS → KERNELS.
// Needs    nothing.
// Gives    no SOAC is left; kernels' thunks contain only sequential code.
// Keeps    types, checks, the order of results.
// Cost     linear.
// Tests    tests/golden/passes/extract_kernels/*.core
//
// Known limits: operators and post-bodies on arrays and flatmap run sequentially on the host, and
// so do maps whose writes to accumulators cannot be lifted (docs/flattening.md), except in chunks
// (sums_in_chunks.h).
#include <fmt/format.h>

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/extract/group_kernel.h"
#include "passes/extract/kernel_forms.h"
#include "passes/extract/sequential_variants.h"
#include "passes/extract/sums_in_chunks.h"
#include "passes/extract/values_first.h"
#include "passes/flatten/segments.h"
#include "passes/flatten/writes.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/kernels/straighten.h"
#include "passes/lift/lift.h"
#include "passes/lift/rows_in_threads.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

class Extract {
 public:
  Extract(Program& prog, PassContext& ctx, Lifter& lifter, std::string function)
      : prog_(prog), ctx_(ctx), lifter_(lifter), function_(std::move(function)) {}

  // Host code: SOACs become kernels, branches and loops are entered.
  void host_body(Body& body) {
    Builder out(prog_);
    for (Stmt& stmt : body.stmts) host_stmt(out, std::move(stmt));
    body = out.finish(std::move(body.result));
  }

 private:
  void host_stmt(Builder& out, Stmt stmt) {
    if (const auto* rep = as<Replicate>(stmt.exp)) replicates_[stmt.pat[0].name] = *rep;
    if (as<FlatMap>(stmt.exp) != nullptr &&
        (flatmap_kernels(out, stmt) || flatmap_versions(out, stmt) ||
         (ctx_.may_rewrite() && lifter_.lift_flatmap(out, stmt))))
      return;
    if (as<Call>(stmt.exp) != nullptr && ctx_.may_rewrite() && lifter_.lift_call(out, stmt)) return;
    if (stmt.hints.in_groups) return out.append(group_kernel(prog_, replicates_, std::move(stmt)));
    if (is_kernel_shaped(stmt)) {
      if (write_nest_kernel(out, stmt)) return;
      if (irregular_versions(out, stmt)) return;
      out.append(kernel_of(prog_, std::move(stmt)));
      return;
    }
    straighten(stmt);
    if (vector_hist_kernel(out, stmt, replicates_)) return;
    if (const size_t depth = writing_nest_depth(stmt); depth > 0) {
      out.append(accumulating_kernel(prog_, std::move(stmt), depth));
    } else if (lifted_writes(out, stmt)) {
      return;
    } else if (as<Soac>(stmt.exp) != nullptr || as<Hist>(stmt.exp) != nullptr ||
               as<FlatMap>(stmt.exp) != nullptr || as<Scatter>(stmt.exp) != nullptr ||
               as<Partition>(stmt.exp) != nullptr) {
      sequentialise_stmt(out, std::move(stmt));
    } else if (as<WithAcc>(stmt.exp) != nullptr) {
      if (!writes_in_chunks(out, stmt)) with_acc(out, std::move(stmt));
    } else {
      for_each_body(stmt.exp, [&](Body& inner) { host_body(inner); });
      out.append(std::move(stmt));
    }
  }

  void with_acc(Builder& out, Stmt stmt) {
    WithAcc& node = *as<WithAcc>(stmt.exp);
    for (AccInput& input : node.inputs)
      for (Operator& op : input.op) sequentialise(op.fn.body, prog_);
    host_body(node.fn.body);
    out.append(std::move(stmt));
  }

  // A map whose iterations write to computed places and do more than a kernel can, on a machine
  // with few threads: chunks of it with arrays of their own, where these are small beside the work.
  bool writes_in_chunks(Builder& out, Stmt& stmt) {
    if (ctx_.device().reduces_by_segments) return false;
    WithAcc& node = *as<WithAcc>(stmt.exp);
    Stmt* map = only_accumulating_map(node);
    if (map == nullptr || !is_accumulating_map(*map) || writing_nest_depth(*map) > 0) return false;
    if (ctx_.may_rewrite())
      if (std::optional<Stmt> values = compute_values_first(*map, prog_)) {
        std::vector<Stmt>& stmts = node.fn.body.stmts;
        stmts.insert(stmts.end() - 1, std::move(*values));
        map = &stmts.back();
      }
    Exp written = copy_with_fresh_names(map->exp, prog_.names);
    straighten(*map);
    if (is_accumulating_kernel(*map)) return false;
    Builder lifted(prog_);
    if (lifted_writes(lifted, *map)) {
      node.fn.body.stmts.pop_back();
      host_body(node.fn.body);
      for (Stmt& each : lifted.stmts()) node.fn.body.stmts.push_back(std::move(each));
      for (AccInput& input : node.inputs) sequentialise(input.op[0].fn.body, prog_);
      out.append(std::move(stmt));
      return true;
    }
    if (!ctx_.may_rewrite()) return false;
    std::vector<Stmt>& stmts = node.fn.body.stmts;
    for (size_t k = 0; k + 1 < stmts.size(); ++k) host_stmt(out, std::move(stmts[k]));
    stmts.erase(stmts.begin(), stmts.end() - 1);
    std::swap(stmts[0].exp, written);
    Stmt copy{stmt.pat, copy_with_fresh_names(stmt.exp, prog_.names), stmt.tokens, {}, stmt.loc};
    std::swap(stmts[0].exp, written);
    SumsInChunks chunks = sums_in_chunks(out, std::move(copy));
    std::vector<Param> pat = stmt.pat;
    std::vector<Operand> results;
    for (Param& p : stmt.pat) {
      p.name = prog_.names.fresh_like(p.name);
      results.emplace_back(p.name);
    }
    Builder iterations(prog_), in_order(prog_);
    sequentialise_stmt(iterations, std::move(stmts[0]));
    node.fn.body = iterations.finish(std::move(node.fn.body.result));
    for (AccInput& input : node.inputs) sequentialise(input.op[0].fn.body, prog_);
    in_order.append(std::move(stmt));
    out.let_pat(std::move(pat),
                If{chunks.good, std::move(chunks.body), in_order.finish(std::move(results))});
    return true;
  }

  // A flatmap whose rows come from several parallel statements, on a machine with few threads: one
  // for each row, unless a row has more than its share of all elements, or all fit a cache: then
  // lanes that go over all rows, statement by statement, are faster.
  bool flatmap_versions(Builder& out, Stmt& stmt) {
    const FlatMap& flat = *as<FlatMap>(stmt.exp);
    const Flattening& asked = stmt.hints.flattening;
    if (ctx_.device().reduces_by_segments || irregular_ == kMaxIrregular || flat.data == 0 ||
        asked.no_outer || asked.only_inner || !stmt.tokens.empty() ||
        lifter_.facts().must_lift(flat.fn) || !lifter_.facts().needs_lifting(flat.fn.body) ||
        statement_count(stmt) > static_cast<size_t>(ctx_.device().nest_statements) ||
        !ctx_.may_rewrite())
      return false;
    Builder first(prog_), lifted(prog_);
    std::optional<RowsInThreads> threads = rows_in_threads(first, stmt);
    if (!threads) return false;
    std::vector<Param> pat = stmt.pat;
    Substitution fresh;
    std::vector<Operand> results;
    for (Param& p : stmt.pat) {
      substitute(p.type, fresh);
      const Name name = prog_.names.fresh_like(p.name);
      fresh.insert_or_assign(std::exchange(p.name, name), name);
      results.emplace_back(name);
    }
    if (!lifter_.lift_flatmap(lifted, stmt)) {
      stmt.pat = std::move(pat);
      return false;
    }
    for (Stmt& each : first.stmts()) out.append(std::move(each));
    out.set_loc(stmt.loc);
    const Name threshold = irregular_threshold(out, ctx_.device().parallelism);
    const Operand needed = out.size_mul(threads->longest, threshold);
    const Operand even = out.cmpop(CmpOpKind::kLe, Prim::kI64, needed, threads->total, "even");
    const Operand large = out.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(ctx_.device().large_rows),
                                    threads->total, "large");
    const Operand in_threads = out.logical_and(even, large);
    out.let_pat(std::move(pat),
                If{in_threads, std::move(threads->body), lifted.finish(std::move(results))});
    return true;
  }

  Name irregular_threshold(Builder& out, int64_t points) {
    return out.let1(scalar_type(Prim::kI64),
                    Tunable{fmt::format("{}.suff_outer_par_irregular_{}", function_, irregular_++),
                            fmt::format("threshold({}, )", points), const_i64(points)},
                    "threshold");
  }

  // What `first` makes of the statement, or else `second`.
  template <class First>
  void choose(Builder& out, const Operand& cond, Stmt stmt, const First& first, Body second) {
    std::vector<Param> pat = stmt.pat;
    std::vector<Operand> results;
    for (Param& p : stmt.pat) {
      p.name = prog_.names.fresh_like(p.name);
      results.emplace_back(p.name);
    }
    Builder made(prog_);
    first(made, std::move(stmt));
    out.let_pat(std::move(pat), If{cond, made.finish(std::move(results)), std::move(second)});
  }

  // A map around a reduction whose width differs: by segments if the map itself has too few
  // iterations, or if the threads of a device would wait for the longest one.
  bool irregular_versions(Builder& out, Stmt& stmt) {
    const Soac* map = as<Soac>(stmt.exp);
    if (map == nullptr || !map->is_map()) return false;
    const bool asked = stmt.hints.flattening.no_outer || stmt.hints.flattening.only_inner;
    const bool only =
        lifter_.facts().must_lift(map->fn) || (asked && ctx_.device().obeys_flattening);
    if (!only && irregular_ == kMaxIrregular) return false;
    std::optional<Body> segmented = segmented_version(prog_, stmt);
    constexpr int64_t kNever = int64_t{1} << 40;
    const int64_t points =
        segmented && ctx_.device().reduces_by_segments ? kNever : ctx_.device().parallelism;
    if (!segmented && (only || asked || lifter_.facts().is_irregular_nest(*map)))
      segmented = lifter_.lift_map(stmt, only || asked);
    if (!segmented || !ctx_.may_rewrite()) return false;
    if (only) {
      for (Stmt& s : segmented->stmts) out.append(std::move(s));
      for (size_t k = 0; k < stmt.pat.size(); ++k)
        out.let_pat({stmt.pat[k]}, Value{segmented->result[k]});
      return true;
    }
    out.set_loc(stmt.loc);
    const Name threshold = irregular_threshold(out, points);
    const Operand enough = out.cmpop(CmpOpKind::kLe, Prim::kI64, threshold,
                                     as<Soac>(stmt.exp)->width, "suff_outer_par");
    choose(
        out, enough, std::move(stmt),
        [&](Builder& outer, Stmt whole) { outer.append(kernel_of(prog_, std::move(whole))); },
        std::move(*segmented));
    return true;
  }

  bool is_accumulating_kernel(const Stmt& stmt) const {
    if (!is_accumulating_map(stmt)) return false;
    const Soac& soac = *as<Soac>(stmt.exp);
    return writes_once(soac) || writes_several_times(soac, [&](Name acc) {
             return lifter_.facts().accs().combines(acc);
           });
  }

  // Writes under branches and in loops, as writes that stand by themselves.
  void straighten(Stmt& stmt) {
    if (!is_accumulating_map(stmt) || is_accumulating_kernel(stmt) || !ctx_.may_rewrite()) return;
    straighten_writes(prog_, as<Soac>(stmt.exp)->fn.body,
                      [&](Name acc) { return lifter_.facts().accs().combines(acc); });
    lifter_.facts().note(stmt);
  }

  // Iterations that write several times: a kernel for each write.  On a device also those that
  // write in loops of scalar code, with kernels for each round, if there are enough of them.
  bool lifted_writes(Builder& out, Stmt& stmt) {
    if (!is_accumulating_map(stmt) || !ctx_.may_rewrite()) return false;
    std::optional<Body> lifted = lifter_.lift_map(stmt, false);
    const bool by_rounds = !lifted && ctx_.device().groups;
    if (by_rounds) lifted = lifter_.lift_map(stmt, false, Lifter::ScalarLoops::kLifted);
    if (!lifted) return false;
    out.set_loc(stmt.loc);
    if (by_rounds) {
      const Operand few = out.cmpop(CmpOpKind::kLt, Prim::kI64, as<Soac>(stmt.exp)->width,
                                    const_i64(kLeastInRounds), "few");
      choose(
          out, few, std::move(stmt),
          [&](Builder& at, Stmt whole) { sequentialise_stmt(at, std::move(whole)); },
          std::move(*lifted));
      return true;
    }
    for (Stmt& s : lifted->stmts) out.append(std::move(s));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.let_pat({stmt.pat[k]}, Value{lifted->result[k]});
    return true;
  }

  // How many levels of a nest of maps that write become one kernel; none if it cannot be one.  On a
  // cpu, where chunks have arrays of their own, only a single map, or a nest that writes several
  // times at each point: lifted, it would be a kernel for each.
  size_t writing_nest_depth(const Stmt& stmt) const {
    if (is_accumulating_kernel(stmt)) return 1;
    if (!is_accumulating_map(stmt)) return 0;
    const auto adds = [&](Name acc) { return lifter_.facts().accs().combines(acc); };
    const Soac* inner = as<Soac>(stmt.exp);
    const size_t depth = writing_levels(*inner, adds);
    if (ctx_.device().groups) return depth;
    for (size_t level = 1; level < depth; ++level)
      inner = as<Soac>(inner->fn.body.stmts.back().exp);
    return writes_once(*inner) ? 0 : depth;
  }

  // Second versions of irregular nests in one function.
  static constexpr int kMaxIrregular = 4;
  // So many rounds of one thread take as long as the launches for one round of all.
  static constexpr int64_t kLeastInRounds = 32;

  Program& prog_;
  PassContext& ctx_;
  Lifter& lifter_;
  std::string function_;
  int irregular_ = 0;
  Replicates replicates_;
};

}  // namespace

Program extract_kernels(Program prog, PassContext& ctx) {
  const std::unordered_set<std::string> shared = scalar_functions(prog);
  for (Function& fn : prog.functions) fold_posts(fn.body);
  std::unordered_map<std::string, Function> originals;
  for (const Function& fn : prog.functions)
    originals.emplace(fn.name, copy_with_fresh_names(fn, prog.names));
  Lifter lifter(prog, ctx, originals);
  for (Function& fn : prog.functions)
    Extract(prog, ctx, lifter, fn.entry ? fn.entry->name : fn.name).host_body(fn.body);
  for (Function& fn : prog.functions) lifter.finish_function(fn);
  for (Function& fn : lifter.take_functions()) prog.functions.push_back(std::move(fn));
  add_sequential_variants(prog, std::move(originals), shared);
  expand_accumulators(prog);
  prog.stage = Stage::kKernels;
  return prog;
}

}  // namespace skald::passes
