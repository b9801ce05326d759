// SPDX-License-Identifier: Apache-2.0
// Neighbouring loops of one lane become one, if that saves loads.
//
//   simd for (…) {                            simd for (…) {
//     scratch a = alloc(…);                     scratch b = alloc(…);
//     for (i = 0; i < n; i += 1) {              var f32 first = 0; var f32 acc = 0; var f32 last =
//     0;
//       f32 x = …; a[i] = x;                    for (i = 0; i < n; i += 1) {
//     }                                           f32 x = …;
//     f32 first = a[0];                           if (i == 0) { first = x; }
//     scratch b = alloc(…);                  →    if (0 < i) { … x …, … last … }
//     var f32 acc = 0;                            acc = …; b[i] = acc; last = x;
//     for (j = 0; j < n; j += 1) {              }
//       if (0 < j) { … a[j], … a[j - 1] }       … b …
//       acc = …; b[j] = acc;                  }
//     }
//     … b …
//   }
//
// A map and the scans after it, each over the row that the one before has made, are such loops.  A
// row of each lane is more than the first-level cache soon, and a scan waits for itself while it
// could do what comes before and after it.
//
// Only in lanes: there a loop of the body is sequential in any case.  Loops that LLVM could make
// vectors of stay apart.
//
// Stage    imp for the cpu.
// Needs    loops in lanes; checks that can go have gone (`implied-checks`).
// Gives    fewer loops, and fewer scratch blocks.
// Keeps    the order of failures, and what is stored into blocks that others see.
// Cost     quadratic in the loops of a lane that stand side by side.
// Tests    tests/golden/passes/imp/fuse_loops/*.imp, tests/unit/imp_fuse_test.cpp
#include "imp/passes/fuse/fuse.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "imp/ir/visit.h"
#include "imp/passes/fuse/accesses.h"
#include "imp/passes/passes.h"
#include "imp/passes/unread.h"
#include "imp/simd/early_exit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

bool mentions_any(const Body& body, const std::unordered_set<Name>& names);

bool mentions_any(const Stmt& stmt, const std::unordered_set<Name>& names) {
  bool found = false;
  for_each_use(stmt, [&](const Operand& use) {
    const Name* name = core::as_name(use);
    found = found || (name != nullptr && names.contains(*name));
  });
  for_each_body(stmt, [&](const Body& inner) { found = found || mentions_any(inner, names); });
  return found;
}

bool mentions_any(const Body& body, const std::unordered_set<Name>& names) {
  return std::ranges::any_of(body.stmts,
                             [&](const Stmt& stmt) { return mentions_any(stmt, names); });
}

class LoopFusion {
 public:
  LoopFusion(Program& prog, Function& fn, PassContext& ctx) : prog_(prog), fn_(fn), ctx_(ctx) {}

  void run() {
    look_for_lanes(fn_.body);
    if (!fused_.empty()) remove_unread_blocks(fn_, ctx_);
  }

 private:
  void look_for_lanes(Body& body) {
    for (Stmt& stmt : body.stmts) {
      auto* loop = as<For>(stmt);
      if (loop != nullptr && loop->hint == LoopHint::kSimd && may_have_some(loop->body)) {
        if (runs_in_lanes(*loop)) in_lane(loop->body);
      } else {
        for_each_body(stmt, [&](Body& inner) { look_for_lanes(inner); });
      }
    }
  }

  // Two loops beside each other?
  static bool may_have_some(const Body& body) {
    const auto is_loop = [](const Stmt& stmt) { return as<For>(stmt) != nullptr; };
    bool found = std::ranges::count_if(body.stmts, is_loop) > 1;
    for (const Stmt& stmt : body.stmts)
      for_each_body(stmt, [&](const Body& inner) { found = found || may_have_some(inner); });
    return found;
  }

  bool runs_in_lanes(const For& loop) const {
    const LanesAnalysis analysis(loop);
    return analysis.obstacle().empty() &&
           choose_lanes(loop, analysis, ctx_.device().registers).lanes > 0;
  }

  void in_lane(Body& body) {
    for (Stmt& stmt : body.stmts) {
      if (const auto* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->space == Space::kScratch)
        own_.insert(alloc->name);
      for_each_body(stmt, [&](Body& inner) { in_lane(inner); });
    }
    while (fuse_some(body)) facts_.emplace(fn_);
    for (size_t at = 0; at < body.stmts.size(); ++at) {
      const auto* loop = as<For>(body.stmts[at]);
      if (loop == nullptr || !fused_.contains(loop->var)) continue;
      const Name var = loop->var;
      forward_stores(prog_, *facts_, own_, body, at, ctx_);
      while (as<For>(body.stmts[at]) == nullptr || as<For>(body.stmts[at])->var != var) ++at;
    }
    for (size_t at = 0; at < body.stmts.size(); ++at)
      if (const auto* loop = as<For>(body.stmts[at]); loop != nullptr && fused_.contains(loop->var))
        remove_overwritten(*facts_, own_, body, at, ctx_);
  }

  bool fuse_some(Body& body) {
    std::optional<size_t> earlier;
    for (size_t at = 0; at < body.stmts.size(); ++at) {
      if (as<For>(body.stmts[at]) == nullptr) continue;
      if (earlier && try_to_fuse(body, *earlier, at)) return true;
      earlier = at;
    }
    return false;
  }

  // The store by whose first iteration the element was written that the load reads after the loop;
  // null if it is not such an element.
  const Store* first_store(const LoopAccesses& accesses, const For& loop, const Load& load) const {
    const Store* last = nullptr;
    for (const LoopAccess& a : accesses.all()) {
      if (!a.writes || a.block != load.block) continue;
      if (!a.always || a.offset != 0 || a.type != load.type) return nullptr;
      last = as<Store>(*a.stmt);
    }
    return facts_->same_value(load.index, loop.begin) ? last : nullptr;
  }

  // Does nothing write the block between its allocation and statement `at` of the same body?
  static bool is_new(const Body& body, size_t at, Name block) {
    for (size_t k = at; k-- > 0;) {
      const Stmt& stmt = body.stmts[k];
      if (const auto* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->name == block)
        return alloc->space == Space::kScratch;
      if (count_uses(stmt, block) > 0) return false;
    }
    return false;
  }

  // May the statement, which stands after the loop, move to its front?  Names in `late` get their
  // values in the loop.
  static bool can_go_first(const Stmt& stmt, const LoopAccesses& loop,
                           const std::unordered_set<Name>& late) {
    if (mentions_any(stmt, late)) return false;
    if (const auto* load = as<Load>(stmt)) return !loop.writes(load->block);
    if (const auto* alloc = as<Alloc>(stmt)) return alloc->space == Space::kScratch;
    if (const auto* fill = as<Fill>(stmt)) return !loop.touches(fill->block);
    return as<Let>(stmt) != nullptr || as<Var>(stmt) != nullptr || as<Check>(stmt) != nullptr;
  }

  // Would a load of `b` get what a store of `a` has written in the same iteration or the one
  // before?
  bool saves_loads(const LoopAccesses& a, const LoopAccesses& b) const {
    for (const LoopAccess& load : b.all()) {
      if (load.writes || !own_.contains(load.block)) continue;
      for (const LoopAccess& store : a.all()) {
        if (!store.writes || store.block != load.block || !store.always) continue;
        if (!store.offset || !load.offset) continue;
        const int64_t distance = *store.offset - *load.offset;
        if (distance == 0 || (distance == 1 && load.not_first)) return true;
      }
    }
    return false;
  }

  bool try_to_fuse(Body& body, size_t at_a, size_t at_b) {
    auto &a = *as<For>(body.stmts[at_a]), &b = *as<For>(body.stmts[at_b]);
    if (!facts_) facts_.emplace(fn_);
    if (a.hint != LoopHint::kNone || b.hint != LoopHint::kNone || !same_range(a, b, *facts_))
      return false;
    // Vector code leaves such a loop early.
    if (early_exit(a) || early_exit(b)) return false;
    const LoopAccesses in_a(a, *facts_), in_b(b, *facts_);
    // A failure of the second loop must not come before one of the first, and what the second one
    // reads may be there only if nothing fails in the first.
    if (!in_a.is_plain() || !in_b.is_plain() || in_a.can_fail()) return false;
    if (!saves_loads(in_a, in_b) || !keeps_order(in_a, in_b, *facts_)) return false;
    std::unordered_set<Name> late = bound_or_assigned(a.body);
    if (mentions_any(b.body, late) || mentions_any(a.body, bound_or_assigned(b.body))) return false;
    std::vector<size_t> firsts;
    for (size_t k = at_a + 1; k < at_b; ++k) {
      if (can_go_first(body.stmts[k], in_a, late)) continue;
      const auto* load = as<Load>(body.stmts[k]);
      if (load == nullptr || !first_store(in_a, a, *load) || !is_new(body, at_a, load->block))
        return false;
      late.insert(load->name);
      firsts.push_back(k);
    }
    if (!ctx_.may_rewrite("loops that become one")) return false;
    fuse(body, at_a, at_b, firsts);
    return true;
  }

  // Statements `firsts` load what the first iteration of loop `at_a` stores.
  void fuse(Body& body, size_t at_a, size_t at_b, const std::vector<size_t>& firsts) {
    auto &a = *as<For>(body.stmts[at_a]), &b = *as<For>(body.stmts[at_b]);
    name_stored_values(a.body);
    name_stored_values(b.body);
    const LoopAccesses in_a(a, *facts_), in_b(b, *facts_);
    Body assigned;
    std::vector<Stmt> declared;
    for (const size_t k : firsts) {
      const Load load = *as<Load>(body.stmts[k]);
      assigned.stmts.push_back(Stmt{Assign{load.name, first_store(in_a, a, load)->value}});
      body.stmts[k].node = Var{load.name, load.type, zero_of(load.type)};
    }
    for (const LoopAccess& access : in_b.all()) {
      if (access.writes || !own_.contains(access.block) || in_b.writes(access.block)) continue;
      const Load load = *as<Load>(*access.stmt);
      const Store* store = first_store(in_a, a, load);
      if (store == nullptr) continue;
      const Name first = prog_.names.fresh_like(load.name);
      declared.push_back(Stmt{Var{first, load.type, zero_of(load.type)}});
      assigned.stmts.push_back(Stmt{Assign{first, store->value}});
      access.stmt->node = Let{load.name, load.type, core::Value{first}};
    }
    std::vector<Stmt>& stmts = a.body.stmts;
    if (!assigned.stmts.empty()) {
      const Name is_first = prog_.names.fresh("first");
      stmts.push_back(Stmt{
          Let{is_first, Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a.var, a.begin}}});
      stmts.push_back(Stmt{If{is_first, std::move(assigned), Body()}});
    }
    stmts.push_back(Stmt{Let{b.var, Prim::kI64, core::Value{a.var}}});
    std::ranges::move(b.body.stmts, std::back_inserter(stmts));
    fused_.insert(a.var);
    const auto at = [&](size_t k) { return body.stmts.begin() + static_cast<ptrdiff_t>(k); };
    body.stmts.erase(at(at_b));
    std::rotate(at(at_a), at(at_a) + 1, at(at_b));
    std::ranges::move(declared, std::inserter(body.stmts, at(at_a)));
  }

  // What a variable was when it was stored.
  void name_stored_values(Body& body) {
    std::vector<Stmt> stmts;
    for (Stmt& stmt : body.stmts) {
      auto* store = as<Store>(stmt);
      const Name* value = store == nullptr ? nullptr : core::as_name(store->value);
      if (value != nullptr && own_.contains(store->block) && facts_->is_variable(*value)) {
        const Name stored = prog_.names.fresh("stored");
        stmts.push_back(Stmt{Let{stored, store->type, core::Value{*value}}});
        store->value = stored;
      }
      stmts.push_back(std::move(stmt));
    }
    body.stmts = std::move(stmts);
  }

  Program& prog_;
  Function& fn_;
  PassContext& ctx_;
  std::optional<Facts> facts_;      // about the function as it is now
  std::unordered_set<Name> own_;    // blocks that only the lane knows
  std::unordered_set<Name> fused_;  // the counters of loops that were several
};

}  // namespace

Program fuse_loops(Program prog, PassContext& ctx) {
  if (!ctx.device().lanes) return prog;
  for (Function& fn : prog.functions)
    if (fn.kind == FunctionKind::kHost) LoopFusion(prog, fn, ctx).run();
  return prog;
}

}  // namespace skald::imp
