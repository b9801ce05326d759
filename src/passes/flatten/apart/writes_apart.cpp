// SPDX-License-Identifier: Apache-2.0
// Maps that compute and write, as maps that compute and nests that write.
//
//   before   map(n, {zs, a}, \{z, a} -> …
//              soac(k, {ys, a}, \{y, a} -> … update_acc(a, {i}, {v}) … {r, a}, reduce …) …)
//
//   after    map(n, {zs}, \{z} -> … soac(k, {ys}, \{y} -> … {r}, reduce …) … {…, s})
//            map(n, {ss, a}, \{s, a} -> map(k, {ys, a}, \{y, a} -> … update_acc(a, {i}, {v})))
//
// The first is like other code: flattening sees it.  The second is one histogram over all points of
// the nest, of which the accumulator otherwise would allow only one iteration after the other. What
// the writes need is computed again if it is cheap; otherwise the first nest keeps it (s).
//
//   before   loop {x = x0, a' = a} for j < k do … update_acc(a', {i}, {v}) … {x', a''}
//   after    loop {x = x0, is, vs} for j < k do … {x', is with [j] = i, vs with [j] = v}
//            map(k, {is, vs, a}, \{i, v, a} -> update_acc(a, {i}, {v}))
//
// For devices.  On a cpu such nests run in chunks with arrays of their own (sums_in_chunks.cpp).
//
// Known limits: while loops, calls and branches around maps are not taken apart, nor are loops
// whose number of rounds is computed inside.
//
// Tests: tests/golden/passes/flatten/writes_apart*.core, tests/programs/accumulators
#include "passes/flatten/apart/writes_apart.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/apart/apart.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/straighten.h"

namespace skald::passes {

using namespace core;
using apart::Apart;
using apart::gives_acc;
using apart::holds_accumulator;
using apart::Roots;
using apart::Writes;

namespace {

bool adds_scalars(const AccInput& input) {
  if (input.op.empty()) return false;
  return std::ranges::all_of(input.op[0].fn.params,
                             [](const Param& p) { return p.type.is_scalar(); });
}

// Host code, with the accumulators that add.
class HostCode {
 public:
  HostCode(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void body(Body& body) {
    Builder out(prog_);
    for (Stmt& stmt : body.stmts) {
      if (WithAcc* node = as<WithAcc>(stmt.exp)) {
        for (size_t k = 0; k < node->inputs.size(); ++k)
          if (adds_scalars(node->inputs[k])) adds_.insert(node->fn.params[k].name);
      } else if (gives_acc(stmt) && all_add(stmt)) {
        for (const Param& p : stmt.pat)
          if (holds_accumulator(p.type)) adds_.insert(p.name);
        if (const auto* loop = as<Loop>(stmt.exp))
          for (const LoopParam& p : loop->params)
            if (holds_accumulator(p.param.type)) adds_.insert(p.param.name);
        if (map(out, stmt)) continue;
      }
      if (as<WithAcc>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr ||
          as<If>(stmt.exp) != nullptr)
        for_each_body(stmt.exp, [&](Body& inner) { this->body(inner); });
      out.append(std::move(stmt));
    }
    body = out.finish(std::move(body.result));
  }

 private:
  // Do all accumulators that go into a statement add?
  bool all_add(const Stmt& stmt) const {
    if (const auto* soac = as<Soac>(stmt.exp)) {
      for (size_t k = 0; k < soac->inputs.size(); ++k)
        if (holds_accumulator(soac->fn.params[k].type) && !adds_.contains(soac->inputs[k]))
          return false;
      return true;
    }
    if (const auto* loop = as<Loop>(stmt.exp)) {
      for (const LoopParam& p : loop->params)
        if (holds_accumulator(p.param.type) && !adds_.contains(std::get<Name>(p.init)))
          return false;
      return true;
    }
    const auto* update = as<UpdateAcc>(stmt.exp);
    return update != nullptr && adds_.contains(update->acc);
  }

  bool map(Builder& out, Stmt& stmt) {
    const Soac* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || stmt.hints.sequential || stmt.hints.sequential_outer ||
        stmt.hints.sequential_inner)
      return false;
    const auto adds = [](Name) { return true; };
    Stmt copy{stmt.pat, copy_with_fresh_names(stmt.exp, prog_.names), stmt.tokens, stmt.hints,
              stmt.loc};
    straighten_writes(prog_, as<Soac>(copy.exp)->fn.body, adds);
    if (writes_several_times(*as<Soac>(copy.exp), adds) || !ctx_.may_rewrite()) return false;
    Builder before(prog_);
    before.set_loc(stmt.loc);
    std::vector<Param> pat;
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      if (holds_accumulator(stmt.pat[k].type)) pat.push_back(stmt.pat[k]);
    Roots current;
    for (size_t k = 0; k < soac->inputs.size(); ++k)
      if (holds_accumulator(soac->fn.params[k].type))
        current.emplace(soac->inputs[k], soac->inputs[k]);
    std::optional<Stmt> values;
    Roots roots = current;
    auto all = Apart(prog_, before).map(copy, values, roots);
    if (!all) return false;
    for (Stmt& each : before.stmts()) out.append(std::move(each));
    if (values) out.append(std::move(*values));
    for (Writes& writes : *all) {
      Stmt& each = writes.stmts[0];
      Soac& nest = *as<Soac>(each.exp);
      each.tokens = stmt.tokens;
      for (size_t k = 0; k < nest.inputs.size(); ++k)
        if (holds_accumulator(nest.fn.params[k].type)) nest.inputs[k] = current.at(nest.inputs[k]);
      for (size_t k = 0; k < writes.accs.size(); ++k) current.at(writes.accs[k]) = writes.last[k];
      for (const Name last : writes.last) adds_.insert(last);
      out.append(std::move(each));
    }
    for (const Param& p : pat) out.let_pat({p}, Value{current.at(roots.at(p.name))});
    return true;
  }

  Program& prog_;
  PassContext& ctx_;
  NameSet adds_;
};

}  // namespace

void take_writes_apart(Body& body, Program& prog, PassContext& ctx) {
  if (ctx.device().reduces_by_segments) HostCode(prog, ctx).body(body);
}

}  // namespace skald::passes
