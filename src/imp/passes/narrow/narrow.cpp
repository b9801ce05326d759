// SPDX-License-Identifier: Apache-2.0
// Makes loops go over the iterations only that do something.
//
//   parallel range (b, e < n) {                      i64 lo = k + 1;
//     for (i = b; i < e) {                           parallel range (b', e' < n - lo) {
//       if (i <= k) { }                                for (i = b' + lo; i < e' + lo) {
//       else {                                  →        for (j = max(0, k); j < n) {
//         for (j = 0; j < n) {                             a[i*n + j] = …;
//           x = a[i*n + j];
//           r = j < k ? x : …;
//           a[i*n + j] = r;
//
// Two steps, from the inside out.  self_stores.cpp: a value that was read from the place where it
// is stored need not be stored; where a comparison with the loop's index decides about that, the
// store moves into the branches.  narrow.cpp: a loop whose body does nothing unless its index is on
// one side of a border begins or ends there, and a loop that does nothing unless something holds
// that it does not change is behind a branch.  Maps that change an array where it is
// (docs/memory.md) become the updates that somebody would have written by hand.
//
// Then rows that are long enough run in lanes (inner_lanes.h).
//
// Stage    imp for the cpu.
// Needs    nothing.
// Gives    loops with borders instead of branches; `simd for` along rows inside of points.
// Keeps    what is stored, and where.
// Cost     linear in the size of a function, times the depth of its loops.
// Tests    tests/golden/passes/imp/narrow/*.imp, tests/unit/imp_narrow_test.cpp
#include "imp/passes/narrow/narrow.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "imp/ir/visit.h"
#include "imp/passes/narrow/inner_lanes.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

bool is_i64_one(const Operand& operand) {
  const Const* c = core::as_const(operand);
  return c != nullptr && c->type == Prim::kI64 && core::int_value(*c) == 1;
}

// Has it no effect but to bind a name?
bool only_binds(const Stmt& stmt) {
  return as<Let>(stmt) != nullptr || as<Load>(stmt) != nullptr;
}

bool does_nothing(const Body& body) {
  return std::all_of(body.stmts.begin(), body.stmts.end(), only_binds);
}

// Where a loop does something: its index is at least each of `lows` and less than each of `highs`,
// and all `conditions` hold (or do not).
struct Borders {
  struct Bound {
    Operand value;
    bool plus_one;
  };
  std::vector<Bound> lows, highs;
  std::vector<std::pair<Operand, bool>> conditions;
  size_t branch = 0;      // the statement that asks
  bool if_true = false;   // the side that does something
  bool complete = false;  // is there nothing else to ask?
  bool empty() const { return lows.empty() && highs.empty() && conditions.empty(); }
};

class Narrowing {
 public:
  Narrowing(Program& prog, const Function& fn, PassContext& ctx)
      : prog_(prog), ctx_(ctx), facts_(fn) {}

  void body(Body& body) {
    std::vector<Stmt> out;
    for (Stmt& stmt : body.stmts) {
      if (For* loop = can_narrow(stmt)) {
        inside(*loop);
        narrow(std::move(stmt), out);
      } else if (auto* range = as<ParallelRange>(stmt); range && only_loop(*range) != nullptr) {
        inside(*only_loop(*range));
        narrow_range(std::move(stmt), out);
      } else {
        for_each_body(stmt, [&](Body& inner) { this->body(inner); });
        out.push_back(std::move(stmt));
      }
    }
    body.stmts = std::move(out);
  }

 private:
  // Loops with a known number of iterations are shaped for vectors.
  static For* can_narrow(Stmt& stmt) {
    auto* loop = as<For>(stmt);
    if (loop == nullptr || loop->type != Prim::kI64 || !is_i64_one(loop->step)) return nullptr;
    const bool constant =
        core::as_const(loop->begin) != nullptr && core::as_const(loop->end) != nullptr;
    return constant ? nullptr : loop;
  }

  // Is it known before the statement whose inner names are given?
  bool is_known(const Operand& copy, const std::unordered_set<Name>& inner, int depth = 6) const {
    const Operand operand = facts_.original(copy);
    const Name* name = core::as_name(operand);
    if (name == nullptr || !inner.contains(*name)) return true;
    const Exp* exp = facts_.definition(operand);
    if (exp == nullptr || depth == 0) return false;
    bool known = true;
    visit_exp(*exp, [&](const auto& e) {
      const auto look = [&](const Operand& o) { known = known && is_known(o, inner, depth - 1); };
      std::apply([&](const auto&... field) { (detail::operands_of(field, look), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    return known;
  }

  // The same value before the statement.
  Operand hoist(const Operand& copy, const std::unordered_set<Name>& inner,
                std::vector<Stmt>& out) {
    const Operand operand = facts_.original(copy);
    const Name* name = core::as_name(operand);
    if (name == nullptr || !inner.contains(*name)) return operand;
    Exp exp = *facts_.definition(operand);
    visit_exp(exp, [&](auto& e) {
      const auto move = [&](Operand& o) { o = hoist(o, inner, out); };
      std::apply([&](auto&... field) { (detail::operands_of(field, move), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    const Name fresh = prog_.names.fresh_like(*name);
    facts_.define(fresh, exp);
    out.push_back(Stmt{Let{fresh, type_of(exp), std::move(exp)}});
    return fresh;
  }

  static Prim type_of(const Exp& exp) {
    if (std::holds_alternative<core::CmpOp>(exp)) return Prim::kBool;
    if (const auto* e = std::get_if<core::BinOp>(&exp)) return e->type;
    if (const auto* e = std::get_if<core::UnOp>(&exp)) return e->type;
    return Prim::kI64;
  }

  Operand binop(BinOpKind op, const Operand& a, const Operand& b, std::string_view base,
                std::vector<Stmt>& out) {
    const Name name = prog_.names.fresh(base);
    const core::BinOp exp{op, Prim::kI64, a, b};
    facts_.define(name, exp);
    out.push_back(Stmt{Let{name, Prim::kI64, exp}});
    return name;
  }

  // Only what type_of knows is hoisted.
  bool is_simple(const Operand& copy, const std::unordered_set<Name>& inner) const {
    const Operand operand = facts_.original(copy);
    const Name* name = core::as_name(operand);
    if (name == nullptr || !inner.contains(*name)) return true;
    const Exp* exp = facts_.definition(operand);
    bool simple = false;
    const auto all = [&](const Operand& a, const Operand& b) {
      return is_simple(a, inner) && is_simple(b, inner);
    };
    if (const auto* e = std::get_if<core::CmpOp>(exp)) simple = all(e->lhs, e->rhs);
    if (const auto* e = std::get_if<core::BinOp>(exp)) simple = all(e->lhs, e->rhs);
    if (const auto* e = std::get_if<core::UnOp>(exp))
      simple = e->op == UnOpKind::kNot && is_simple(e->arg, inner);
    return simple;
  }
  bool can_hoist(const Operand& operand, const std::unordered_set<Name>& inner) const {
    return is_known(operand, inner) && is_simple(operand, inner);
  }

  // Adds what must hold for `cond` to be `wanted`.  False if something remains to be asked.
  bool add_conditions(const Operand& cond, bool wanted, const For& loop,
                      const std::unordered_set<Name>& inner, Borders& out, int depth = 8) const {
    if (can_hoist(cond, inner)) {
      out.conditions.emplace_back(cond, wanted);
      return true;
    }
    const Exp* exp = facts_.definition(cond);
    if (exp == nullptr || depth == 0) return false;
    if (const auto* e = std::get_if<core::UnOp>(exp))
      return e->op == UnOpKind::kNot &&
             add_conditions(e->arg, !wanted, loop, inner, out, depth - 1);
    if (const auto* e = std::get_if<core::BinOp>(exp)) {
      if (e->op != (wanted ? BinOpKind::kAnd : BinOpKind::kOr)) return false;
      const bool left = add_conditions(e->lhs, wanted, loop, inner, out, depth - 1);
      return add_conditions(e->rhs, wanted, loop, inner, out, depth - 1) && left;
    }
    const auto* e = std::get_if<core::CmpOp>(exp);
    if (e == nullptr || e->type != Prim::kI64) return false;
    const Operand index{loop.var};
    const bool left = facts_.original(e->lhs) == index;
    const Operand& border = left ? e->rhs : e->lhs;
    if ((!left && facts_.original(e->rhs) != index) || !can_hoist(border, inner)) return false;
    switch (e->op) {
      case CmpOpKind::kEq:
      case CmpOpKind::kNe:
        if ((e->op == CmpOpKind::kEq) != wanted) return false;
        out.lows.push_back({border, false});
        out.highs.push_back({border, true});
        return true;
      case CmpOpKind::kLt:
      case CmpOpKind::kLe: {
        // index < border and its variations: what bounds the index from above, if it holds.
        const bool upper = left == wanted;
        const bool strict = (e->op == CmpOpKind::kLt) == wanted;
        if (upper)
          out.highs.push_back({border, !strict});
        else
          out.lows.push_back({border, strict});
        return true;
      }
    }
    return false;
  }

  std::optional<Borders> borders(const For& loop, const std::unordered_set<Name>& inner) const {
    Borders found;
    const If* branch = nullptr;
    for (size_t k = 0; k < loop.body.stmts.size(); ++k) {
      const Stmt& stmt = loop.body.stmts[k];
      if (only_binds(stmt)) continue;
      if (branch != nullptr || (branch = as<If>(stmt)) == nullptr) return std::nullopt;
      found.branch = k;
    }
    if (branch == nullptr) return std::nullopt;
    const bool no_then = does_nothing(branch->then_body), no_else = does_nothing(branch->else_body);
    if (no_then == no_else) return std::nullopt;
    found.if_true = no_else;
    found.complete = add_conditions(branch->cond, found.if_true, loop, inner, found);
    if (found.empty()) return std::nullopt;
    return found;
  }

  // The body without the question.
  static void take_branch(For& loop, const Borders& borders) {
    std::vector<Stmt>& stmts = loop.body.stmts;
    if (borders.complete) {
      If branch = std::move(*as<If>(stmts[borders.branch]));
      stmts.erase(stmts.begin() + static_cast<ptrdiff_t>(borders.branch), stmts.end());
      Body& side = borders.if_true ? branch.then_body : branch.else_body;
      for (Stmt& stmt : side.stmts) stmts.push_back(std::move(stmt));
    }
    drop_unused(loop.body);
  }

  // The largest of `begin` and the lower borders, where nothing is at `end` or after it.
  Operand lowest(Operand begin, const Operand& end, const Borders& borders,
                 const std::unordered_set<Name>& inner, std::vector<Stmt>& out) {
    for (const Borders::Bound& low : borders.lows) {
      const Operand value = bound(low, end, inner, out);
      begin = begin == Operand{const_i64(0)} && core::as_const(value) != nullptr &&
                      core::int_value(*core::as_const(value)) >= 0
                  ? value
                  : binop(BinOpKind::kMax, begin, value, "first", out);
    }
    return begin;
  }
  Operand highest(Operand end, const Borders& borders, const std::unordered_set<Name>& inner,
                  std::vector<Stmt>& out) {
    const Operand whole = end;
    for (const Borders::Bound& high : borders.highs)
      end = binop(BinOpKind::kMin, end, bound(high, whole, inner, out), "last", out);
    return end;
  }
  // The border plus one may overflow; it does not matter how far beyond the end it is.
  Operand bound(const Borders::Bound& bound, const Operand& end,
                const std::unordered_set<Name>& inner, std::vector<Stmt>& out) {
    const Operand value = hoist(bound.value, inner, out);
    if (!bound.plus_one) return value;
    if (const Const* c = core::as_const(value);
        c != nullptr && core::int_value(*c) < std::numeric_limits<int64_t>::max())
      return const_i64(core::int_value(*c) + 1);
    const Operand most = binop(BinOpKind::kSub, end, const_i64(1), "most", out);
    return binop(BinOpKind::kAdd, binop(BinOpKind::kMin, value, most, "least", out), const_i64(1),
                 "next", out);
  }

  // Adds the statement, behind branches if there are conditions.
  void add(Stmt stmt, const Borders& borders, const std::unordered_set<Name>& inner,
           std::vector<Stmt>& out) {
    std::vector<std::pair<Operand, bool>> conditions;
    for (const auto& [cond, wanted] : borders.conditions)
      conditions.emplace_back(hoist(cond, inner, out), wanted);
    for (const auto& [cond, wanted] : conditions) {
      std::vector<Stmt> one;
      one.push_back(std::move(stmt));
      stmt = wanted ? Stmt{If{cond, Body(std::move(one)), Body()}}
                    : Stmt{If{cond, Body(), Body(std::move(one))}};
    }
    out.push_back(std::move(stmt));
  }

  static std::unordered_set<Name> names_inside(const For& loop) {
    std::unordered_set<Name> inner = bound_or_assigned(loop.body);
    inner.insert(loop.var);
    return inner;
  }

  void inside(For& loop) {
    body(loop.body);
    remove_self_stores(loop, facts_, ctx_);
  }

  void narrow(Stmt stmt, std::vector<Stmt>& out) {
    // A branch taken may hold another one.
    while (true) {
      auto& loop = *as<For>(stmt);
      const std::unordered_set<Name> inner = names_inside(loop);
      const std::optional<Borders> found = borders(loop, inner);
      if (!found || !ctx_.may_rewrite("loop between borders")) break;
      if (!found->lows.empty() || !found->highs.empty()) {
        const Operand end = highest(loop.end, *found, inner, out);
        loop.begin = lowest(loop.begin, loop.end, *found, inner, out);
        loop.end = binop(BinOpKind::kMax, end, loop.begin, "last", out);
      }
      take_branch(loop, *found);
      if (found->conditions.empty() && found->complete) continue;
      return add(in_lanes(std::move(stmt), out), *found, inner, out);
    }
    out.push_back(in_lanes(std::move(stmt), out));
  }

  // The loop in lanes where that is better: if it is long, which is known when it runs.
  Stmt in_lanes(Stmt stmt, std::vector<Stmt>& out) {
    auto& loop = *as<For>(stmt);
    if (!should_run_in_lanes(loop, facts_)) {
      // Points that consist of such rows run one after the other.
      if (loop.hint == LoopHint::kSimd && has_inner_lanes(loop.body)) loop.hint = LoopHint::kNone;
      return stmt;
    }
    if (!ctx_.may_rewrite("row in lanes")) return stmt;
    std::vector<Stmt> few, many;
    few.push_back(Stmt{copy_of(loop, prog_.names)});
    loop.hint = LoopHint::kSimd;
    const Operand length = binop(BinOpKind::kSub, loop.end, loop.begin, "length", out);
    const Name is_short = prog_.names.fresh("short");
    out.push_back(
        Stmt{Let{is_short, Prim::kBool,
                 core::CmpOp{CmpOpKind::kLt, Prim::kI64, length, const_i64(kLongEnoughForLanes)}}});
    std::vector<Stmt> first = iteration_of(loop, loop.begin, prog_.names);
    if (!ctx_.leaves_out("first-iteration") && take_out_first(loop, facts_)) {
      for (Stmt& part : first) many.push_back(std::move(part));
      loop.begin = binop(BinOpKind::kAdd, loop.begin, const_i64(1), "second", many);
    }
    many.push_back(std::move(stmt));
    return Stmt{If{is_short, Body(std::move(few)), Body(std::move(many))}};
  }

  // The loop that goes through the pieces of the range; null if there is more.
  static For* only_loop(ParallelRange& range) {
    For* loop = nullptr;
    for (Stmt& stmt : range.body.stmts) {
      if (loop != nullptr) return nullptr;
      if (as<Let>(stmt) != nullptr) continue;
      loop = can_narrow(stmt);
      if (loop == nullptr) return nullptr;
    }
    const bool covers =
        loop != nullptr && loop->begin == Operand{range.begin} && loop->end == Operand{range.end};
    return covers ? loop : nullptr;
  }

  // The pieces are cut from what is left, so that all threads have something to do.
  void narrow_range(Stmt stmt, std::vector<Stmt>& out) {
    while (true) {
      auto& range = *as<ParallelRange>(stmt);
      For* loop = only_loop(range);
      if (loop == nullptr) break;
      std::unordered_set<Name> inner = bound_or_assigned(range.body);
      inner.insert(range.begin);
      inner.insert(range.end);
      const std::optional<Borders> found = borders(*loop, inner);
      if (!found || !ctx_.may_rewrite("parallel loop between borders")) break;
      take_branch(*loop, *found);
      if (!found->lows.empty() || !found->highs.empty()) {
        const Operand zero = const_i64(0);
        const Operand end =
            binop(BinOpKind::kMax, highest(range.count, *found, inner, out), zero, "last", out);
        const Operand begin = lowest(zero, range.count, *found, inner, out);
        range.count = binop(BinOpKind::kMax, binop(BinOpKind::kSub, end, begin, "count", out), zero,
                            "count", out);
        // The names of the piece stand for what they stood for.
        std::vector<Stmt> stmts;
        for (Name* name : {&range.begin, &range.end}) {
          const Name shifted = prog_.names.fresh_like(*name);
          stmts.push_back(Stmt{
              Let{*name, Prim::kI64, core::BinOp{BinOpKind::kAdd, Prim::kI64, shifted, begin}}});
          *name = shifted;
        }
        for (Stmt& old : range.body.stmts) stmts.push_back(std::move(old));
        range.body.stmts = std::move(stmts);
      }
      if (!found->conditions.empty() || !found->complete) {
        narrow_last(range.body);
        choose_grain(range, out);
        return add(std::move(stmt), *found, inner, out);
      }
    }
    auto& range = *as<ParallelRange>(stmt);
    narrow_last(range.body);
    choose_grain(range, out);
    out.push_back(std::move(stmt));
  }

  void choose_grain(ParallelRange& range, std::vector<Stmt>& out) {
    const auto* loop = as<For>(range.body.stmts.back());
    if (range.grain != Operand{const_i64(0)} || loop == nullptr || !has_inner_lanes(loop->body))
      return;
    std::unordered_set<Name> inner = bound_or_assigned(range.body);
    inner.insert(range.begin);
    inner.insert(range.end);
    std::vector<Stmt> stmts;
    TaskSize size(prog_.names, stmts, [&](const Operand& o) -> std::optional<Operand> {
      return can_hoist(o, inner) ? std::optional(hoist(o, inner, stmts)) : std::nullopt;
    });
    const std::optional<Operand> cost = size.cost(loop->body);
    if (!cost || !ctx_.may_rewrite("size of tasks")) return;
    range.grain = size.grain(*cost);
    for (Stmt& stmt : stmts) out.push_back(std::move(stmt));
  }

  // Borders that are only known in the range.
  void narrow_last(Body& body) {
    Stmt last = std::move(body.stmts.back());
    body.stmts.pop_back();
    narrow(std::move(last), body.stmts);
  }

  Program& prog_;
  PassContext& ctx_;
  Facts facts_;
};

}  // namespace

Program narrow_loops(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions)
    if (fn.kind == FunctionKind::kHost) Narrowing(prog, fn, ctx).body(fn.body);
  return prog;
}

}  // namespace skald::imp
