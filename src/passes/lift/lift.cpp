// SPDX-License-Identifier: Apache-2.0
// Lifting (full flattening): the code of one instance — one iteration of a map, one call of a
// function — becomes host code that runs all instances of a batch together, one kernel for each
// parallel statement, however the sizes inside differ.
//
//   before   map(n, {offs, lens}, \{o, k} ->            after   the values of pos for all instances
//              ys = filter(k, xs[o for k])                        lie one after another; one kernel
//              r  = reduce(m, ys, …)                              classifies all elements, one
//              in {r})                                            partitions them, one reduces them
//                                                                 segment by segment
//
// Statements are of these kinds:
//   host        the same for all instances and total: computed once
//   code        cheap: repeated in every kernel that needs it, never stored
//   sequential  scalar code: neighbours share one kernel with one point per instance
//   parallel    SOACs (soacs.cpp), partitions and concatenations (rows.cpp), writes (writes.cpp)
//   control     branches and loops around parallel code (branches.cpp, loops.cpp)
//   writes      to accumulators, a kernel for each (accumulators.cpp, with_acc.cpp)
//   calls       of functions with parallel code, which get a lifted version; independent calls of
//               one function become one call on a larger batch (calls.cpp)
//
// Where a value is, for all instances, is said by `Lifted` (lift.h); batch.cpp reads it.  Here is
// what kind a statement is of; bodies.cpp walks through them, maps.cpp is what the outside asks
// for.
//
// Part of extract-kernels: stage SOACS in, stage KERNELS out, since only there are segments.
// Tests: tests/golden/passes/lift/*.core, tests/programs/nested/irregular*.fut,
// tests/programs/recursion
#include "passes/lift/lift.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

namespace {

// The functions that a body calls.
void add_callees(const Body& body, std::unordered_set<std::string>& callees) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) callees.insert(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { add_callees(inner, callees); });
  }
}

}  // namespace

int calls_of(const Body& body, const std::string& fn) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp); call != nullptr && call->fn == fn) ++count;
    int inside = 0;
    for_each_body(stmt.exp, [&](const Body& inner) {
      // Only one side of a branch runs; what is inside a SOAC runs many times.
      const int here = calls_of(inner, fn);
      inside =
          as<If>(stmt.exp) != nullptr
              ? std::max(inside, here)
              : inside + (here > 0 && as<Loop>(stmt.exp) == nullptr ? std::max(here, 2) : here);
    });
    count += inside;
  }
  return count;
}

Lifter::Lifter(Program& prog, PassContext& ctx,
               const std::unordered_map<std::string, Function>& originals)
    : prog_(prog), ctx_(ctx), originals_(originals) {
  std::unordered_map<std::string, std::unordered_set<std::string>> callees;
  const auto collect = [&](const Function& fn) {
    for (const Param& p : fn.params) note(p);
    note(fn.body);
    add_callees(fn.body, callees[fn.name]);
  };
  for (const Function& fn : prog.functions) collect(fn);
  for (const auto& [name, fn] : originals) collect(fn);
  find_kinds();
  // Functions may only call themselves, but a longer circle would do no harm.
  for (const auto& [name, fn] : originals) {
    std::unordered_set<std::string> reached;
    std::vector<std::string> work(callees[name].begin(), callees[name].end());
    while (!work.empty()) {
      const std::string at = std::move(work.back());
      work.pop_back();
      if (!reached.insert(at).second) continue;
      for (const std::string& next : callees[at]) work.push_back(next);
    }
    if (reached.contains(name)) {
      recursive_.insert(name);
      if (calls_of(fn.body, name) > 1) tree_recursive_.insert(name);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, fn] : originals) {
      if (parallel_.contains(name)) continue;
      const bool unfit = !ctx_.device().recursion_in_kernels && recursive_.contains(name);
      if (!unfit && !needs_lifting(fn.body)) continue;
      parallel_.insert(name);
      changed = true;
    }
  }
}

void Lifter::note(const Param& p) {
  types_.insert_or_assign(p.name, p.type);
  if (p.type.is_array()) ranks_.insert_or_assign(p.name, p.type.rank());
}

void Lifter::note(const Body& body) {
  for (const Stmt& stmt : body.stmts) note(stmt);
}

void Lifter::note(const Stmt& stmt) {
  for (const Param& p : stmt.pat) note(p);
  for_each_param(stmt.exp, [&](const Param& p) { note(p); });
  if (const auto* rep = as<Replicate>(stmt.exp)) replicates_[stmt.pat[0].name] = *rep;
  note_accumulators(stmt);
  for_each_body(stmt.exp, [&](const Body& inner) { note(inner); });
  note_results(stmt);
}

void Lifter::refuse(std::string_view why) {
  if (!refused_ && ctx_.explains()) ctx_.explain(fmt::format("not lifted: {}", why));
  refused_ = true;
}

// ---- kinds of statements

bool Lifter::needs_lifting(const Stmt& stmt) const {
  if (stmt.hints.sequential) return false;
  if (analysis::is_parallel(stmt)) return true;
  if (const auto* part = as<Partition>(stmt.exp)) {
    const Const* known = as_const(part->width);
    return known == nullptr || int_value(*known) >= 32;
  }
  if (const auto* call = as<Call>(stmt.exp)) return parallel_.contains(call->fn);
  if (as<If>(stmt.exp) == nullptr && as<Loop>(stmt.exp) == nullptr &&
      as<Soac>(stmt.exp) == nullptr && as<WithAcc>(stmt.exp) == nullptr)
    return false;
  bool found = false;
  for_each_body(stmt.exp, [&](const Body& inner) { found = found || needs_lifting(inner); });
  return found;
}

bool Lifter::needs_lifting(const Body& body) const {
  return std::ranges::any_of(body.stmts, [&](const Stmt& s) { return needs_lifting(s); });
}

bool Lifter::is_code(const Stmt& stmt) const {
  for (const Name name : free_names(stmt))
    if (consumed_.contains(name)) return false;
  for (const Param& p : stmt.pat)
    if (consumed_.contains(p.name)) return false;
  if (as<Iota>(stmt.exp) != nullptr) return true;
  if (const auto* rep = as<Replicate>(stmt.exp); rep != nullptr && rep->shape.size() == 1)
    return true;
  // A checked read is stored rather than checked again.
  const bool read = as<Index>(stmt.exp) != nullptr && stmt.pat[0].type.is_scalar();
  return analysis::is_repeatable(stmt, ranks_) && !(read && !stmt.tokens.empty());
}

bool Lifter::is_irregular(const Body& body, Names& local) const {
  const auto is_local = [&](const Operand& o) {
    const Name* name = as_name(o);
    return name != nullptr && local.contains(*name);
  };
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) local.insert(p.name);
    if (!needs_lifting(stmt)) continue;
    if (as<Partition>(stmt.exp) != nullptr || as<Call>(stmt.exp) != nullptr) return true;
    if (const auto* soac = as<Soac>(stmt.exp); soac != nullptr && is_local(soac->width))
      return true;
    if (const auto* hist = as<Hist>(stmt.exp); hist != nullptr && is_local(hist->width))
      return true;
    if (const auto* node = as<Scatter>(stmt.exp); node != nullptr && is_local(node->width))
      return true;
    if (const auto* branch = as<If>(stmt.exp); branch != nullptr && is_local(branch->cond))
      return true;
    if (const auto* loop = as<Loop>(stmt.exp)) {
      if (loop->form == Loop::kWhile || is_local(loop->bound)) return true;
      local.insert(loop->var.name);
      for (const LoopParam& p : loop->params) local.insert(p.param.name);
    }
    if (const auto* soac = as<Soac>(stmt.exp))
      for (const Param& p : soac->fn.params) local.insert(p.name);
    bool found = false;
    for_each_body(stmt.exp,
                  [&](const Body& inner) { found = found || is_irregular(inner, local); });
    if (found) return true;
  }
  return false;
}

bool Lifter::is_irregular_nest(const Soac& map) const {
  Names local;
  for (const Param& p : map.fn.params) local.insert(p.name);
  return is_irregular(map.fn.body, local);
}

}  // namespace skald::passes
