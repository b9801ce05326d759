// SPDX-License-Identifier: Apache-2.0
// Decides which loops run in the lanes of vector registers, and how, and writes that down.
//
//   before                                    after
//   simd for (i64 i_1 = 0i64; …) {            simd for (…) lanes (8, masked 4; …) {
//     i64 at_2 = add_i64(o_3, i_1);             linear i64 at_2 = add_i64(o_3, i_1);
//     f32 x_4 = b_5[at_2];                      vector f32 x_4 = b_5[at_2] contiguous;
//     bool c_6 = lt_f32(x_4, y_7);              vector bool c_6 = lt_f32(x_4, y_7);
//     if (c_6) {                                mask if (c_6) any {
//       f32 t_8 = exp_f32(x_4);                   vector f32 t_8 = exp_f32(x_4);
//       f32 b_5[at_2] = t_8;                      f32 b_5[at_2] = t_8 contiguous;
//     }                                         }
//   }                                         }
//
// Loops that stay scalar may get `beside` or `ahead` for their checks, `until` where they may end
// early, and `choose` for branches that nobody can foresee.
//
// Stage    imp for the cpu.
// Needs    all other passes to be done: the marks belong to the statements as they are.
// Gives    marks (ir/lanes.h); code generators decide nothing about lanes themselves.
// Keeps    what the program means: marks change nothing for who ignores them.
// Cost     a few walks over each `simd for`.
// Tests    tests/golden/passes/imp/vectorise/*.imp, tests/programs/simd
#include "imp/passes/vectorise/vectorise.h"

#include <fmt/format.h>

#include "imp/analysis/program_size.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"
#include "imp/simd/early_exit.h"

namespace skald::imp {

namespace {

void collect_types(const Body& body, std::unordered_map<Name, Type>& types) {
  for (const Stmt& stmt : body.stmts) {
    for_each_binder(stmt, [&](Name name, Type type, BinderScope) { types.emplace(name, type); });
    for_each_body(stmt, [&](const Body& inner) { collect_types(inner, types); });
  }
}

// Adds what is computed from names in `found`, directly or not.
void add_computed_from(const Body& body, std::unordered_set<Name>& found) {
  for (const Stmt& stmt : body.stmts) {
    if (const Let* let = as<Let>(stmt))
      for_each_use(stmt, [&](const Operand& operand) {
        const Name* name = core::as_name(operand);
        if (name != nullptr && found.contains(*name)) found.insert(let->name);
      });
    for_each_body(stmt, [&](const Body& inner) { add_computed_from(inner, found); });
  }
}

class Vectoriser {
 public:
  Vectoriser(Program& prog, const Function& fn, const Device& device, PassContext& ctx)
      : prog_(prog), fn_(fn), device_(device), ctx_(ctx), same_(fn) {
    for (const Decl& d : fn.params) types_.emplace(d.name, d.type);
    collect_types(fn.body, types_);
  }

  void run(Body& body) {
    BlockClasses classes(fn_, same_);
    LoopPlace place{.classes = classes, .types = types_};
    walk(body, place, false);
  }

 private:
  void walk(Body& body, LoopPlace& place, bool in_lanes) {
    if (!in_lanes) {
      for (size_t k = 0; k < body.stmts.size(); ++k) {
        auto* around = as<For>(body.stmts[k]);
        if (around == nullptr || around->hint != LoopHint::kNone || around->type != Prim::kI64)
          continue;
        Body before = set_inside_groups_apart(around->body, around, place);
        k += insert(body, k, std::move(before));
      }
      set_inside_groups_apart(body, nullptr, place);
    }
    for (Stmt& stmt : body.stmts) {
      if (auto* n = as<For>(stmt)) {
        loop(*n, place, in_lanes);
      } else if (auto* n = as<ParallelFor>(stmt)) {
        parallel(n->body, {});
      } else if (auto* n = as<ParallelRange>(stmt)) {
        parallel(n->body, n->begin);
      } else if (auto* n = as<ParallelChunks>(stmt)) {
        parallel(n->body, {}, /*in_chunks=*/true);
      } else {
        for_each_body(stmt, [&](Body& inner) { walk(inner, place, in_lanes); });
      }
    }
  }

  static size_t insert(Body& body, size_t at, Body more) {
    const size_t count = more.stmts.size();
    body.stmts.insert(body.stmts.begin() + static_cast<ptrdiff_t>(at),
                      std::make_move_iterator(more.stmts.begin()),
                      std::make_move_iterator(more.stmts.end()));
    return count;
  }

  // if (inside) simd for … lanes (…; borders …) else simd for …
  // Gives what belongs before the loop around.
  Body set_inside_groups_apart(Body& body, const For* around, LoopPlace& place) {
    Body before;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      auto* n = as<For>(body.stmts[k]);
      if (n == nullptr || n->hint != LoopHint::kSimd || n->lanes || at_borders_.contains(n->var))
        continue;
      std::optional<InsideGroup> found = group_inside(*n, around, place, device_, prog_);
      if (!found || !ctx_.may_rewrite("group where no border is")) continue;
      explain(*n, found->decision.why);
      mark_lanes(n->body, *found->decision.analysis, *found->decision.plan, device_.registers);
      n->lanes = std::move(found->decision.plan);
      at_borders_.insert(found->otherwise.var);
      If both{.cond = found->cond};
      both.then_body.stmts.push_back(std::move(body.stmts[k]));
      both.else_body.stmts.push_back({std::move(found->otherwise)});
      body.stmts[k] = {std::move(both)};
      k += insert(body, k, std::move(found->test));
      insert(before, before.stmts.size(), std::move(found->before));
    }
    return before;
  }

  void parallel(Body& body, Name range_begin, bool in_chunks = false) {
    const std::vector<Name> outer = outer_blocks_of(body, types_);
    BlockClasses classes(body, outer, same_);
    LoopPlace place{
        .classes = classes, .types = types_, .range_begin = range_begin, .in_chunks = in_chunks};
    if (range_begin) {
      place.piece_begins = {range_begin};
      add_computed_from(body, place.piece_begins);
    }
    walk(body, place, false);
  }

  void loop(For& n, LoopPlace& place, bool in_lanes) {
    if (n.hint == LoopHint::kNone) {
      // In lanes it has its mark already.
      Name exit = in_lanes ? Name{} : early_exit(n);
      if (!exit && !in_lanes) exit = known_total(n);
      if (exit && ctx_.may_rewrite("loop that ends early")) n.until = exit;
      ask_for_ahead(n, place);
    }
    if (n.hint == LoopHint::kSimd && !in_lanes) in_lanes = n.lanes != nullptr || points(n, place);
    walk(n.body, place, in_lanes);
  }

  // The iterations are independent of each other.  Do they run in lanes?
  bool points(For& n, LoopPlace& place) {
    LoopDecision decision = decide_lanes(n, place, device_);
    if (decision.plan != nullptr) {
      explain(n, decision.why);
      if (!ctx_.may_rewrite("loop in lanes")) return false;
      mark_lanes(n.body, *decision.analysis, *decision.plan, device_.registers);
      n.lanes = std::move(decision.plan);
      return true;
    }
    if (decision.analysis == nullptr) {
      explain(n, "stays scalar: " + decision.why);
      return false;
    }
    if (const int beside = iterations_beside(n, *decision.analysis);
        beside > 0 && ctx_.may_rewrite("iterations side by side")) {
      explain(n, fmt::format("stays scalar, {} iterations side by side for its checks", beside));
      n.beside = beside;
      return false;
    }
    explain(n, "stays scalar: " + decision.why);
    mark_choices(n.body, *decision.analysis, ctx_);
    ask_for_ahead(n, place);
    return false;
  }

  void ask_for_ahead(For& n, LoopPlace& place) {
    if (const int ahead = checks_ahead(n, place); ahead > 0 && ctx_.may_rewrite("checks ahead"))
      n.ahead = ahead;
  }

  void explain(const For& n, const std::string& what) const {
    if (ctx_.explains())
      ctx_.explain(fmt::format("vectorise: the loop over {} in {} {}", prog_.names.text(n.var),
                               fn_.name, what));
  }

  Program& prog_;
  const Function& fn_;
  const Device& device_;
  PassContext& ctx_;
  SameBlocks same_;
  std::unordered_map<Name, Type> types_;
  std::unordered_set<Name> at_borders_;  // loops that run where others do not fit
};

}  // namespace

Program vectorise(Program prog, PassContext& ctx) {
  Device device = ctx.device();
  if (!device.lanes) return prog;
  // Nothing is inlined in such a program, and how functions hand over a vector depends on the
  // registers they use.
  if (statement_count(prog) > kHugeProgram)
    device.registers.wide_bytes = device.registers.function_bytes = 0;
  for (Function& fn : prog.functions)
    if (fn.kind == FunctionKind::kHost) Vectoriser(prog, fn, device, ctx).run(fn.body);
  return prog;
}

}  // namespace skald::imp
