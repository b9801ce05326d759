// SPDX-License-Identifier: Apache-2.0
// What loops get that stay scalar.
//
// Checks: a few iterations side by side, statement by statement, so that a check is one branch for
// all of them (`beside`); or only what the checks need, ahead of the rest (`ahead`).
//
// Branches that no processor can foresee: a wrong guess costs as much as forty operations, so a
// few operators are rather computed on both sides (`choose`).
#include <algorithm>
#include <unordered_set>

#include "core/scalar/operator_class.h"
#include "imp/ir/visit.h"
#include "imp/passes/vectorise/vectorise.h"
#include "imp/simd/plan_parts.h"

namespace skald::imp {

namespace {

// Larger bodies gain nothing: the branches are the smaller part of them.
constexpr int kMostStatementsBeside = 64, kFewStatementsBeside = 16;
constexpr int kAhead = 4;
// Operators of both sides together.
constexpr int kMostOperators = 24;

bool is_straight(const Body& body) {
  return std::ranges::all_of(body.stmts, [](const Stmt& s) {
    return as<Let>(s) != nullptr || as<Load>(s) != nullptr || as<Store>(s) != nullptr ||
           as<Check>(s) != nullptr || as<Collect>(s) != nullptr;
  });
}

// What the body of a plain loop does, as far as its checks may run ahead of the rest.
struct CheckSurvey {
  bool fit = true;
  int statements = 0;
  std::vector<Name> written;
  std::unordered_set<Name> assigned;

  void look(const Body& body, bool top) {
    for (const Stmt& s : body.stmts) {
      ++statements;
      if (const auto* n = as<Store>(s)) {
        written.push_back(n->block);
      } else if (const auto* n = as<Assign>(s)) {
        assigned.insert(n->var);
      } else if (const auto* n = as<Var>(s)) {
        assigned.insert(n->name);
      } else if (as<Check>(s) != nullptr) {
        fit = fit && top;
      } else if (const auto* n = as<If>(s)) {
        look(n->then_body, false);
        look(n->else_body, false);
      } else if (as<Let>(s) == nullptr && as<Load>(s) == nullptr) {
        fit = false;
      }
    }
  }
};

bool waits_long(const Exp& exp) {
  return core::is_slow(exp) || std::holds_alternative<core::TernOp>(exp);
}

// Nothing but a few operators?
bool is_plain(const Body& body, int& budget) {
  for (const Stmt& s : body.stmts) {
    if (const auto* n = as<Let>(s)) {
      if (waits_long(n->exp) || --budget < 0) return false;
    } else if (const auto* n = as<If>(s)) {
      if (!is_plain(n->then_body, budget) || !is_plain(n->else_body, budget)) return false;
    } else if (as<Var>(s) == nullptr && as<Assign>(s) == nullptr) {
      return false;
    }
  }
  return true;
}

// A comparison of the counter, or of what is the same for all points, can be foreseen.
bool depends_on_data(const Operand& cond, const LanesAnalysis& points) {
  const Name* name = core::as_name(cond);
  if (name == nullptr || points.shape(cond) != Shape::kVarying) return false;
  const Exp* exp = points.definition(*name);
  const auto* compared = exp == nullptr ? nullptr : std::get_if<core::CmpOp>(exp);
  return compared == nullptr || points.shape(compared->lhs) == Shape::kVarying ||
         points.shape(compared->rhs) == Shape::kVarying;
}

}  // namespace

int iterations_beside(const For& loop, const LanesAnalysis& analysis) {
  const int statements = analysis.work().statements;
  if (!analysis.has_check() || statements > kMostStatementsBeside || !is_straight(loop.body))
    return 0;
  return statements <= kFewStatementsBeside ? 8 : 4;
}

int checks_ahead(const For& loop, LoopPlace& place) {
  const Const* step = core::as_const(loop.step);
  if (!is_signed_int(loop.type) || prim_size(loop.type) < 4 || step == nullptr ||
      core::int_value(*step) != 1)
    return 0;
  CheckSurvey survey;
  survey.look(loop.body, true);
  if (!survey.fit || survey.statements > kMostStatementsBeside) return 0;
  std::unordered_set<Name> needed;
  const std::unordered_set<const Stmt*> ahead = checks_and_needs(loop.body, needed);
  if (ahead.empty()) return 0;
  for (const Stmt* stmt : ahead)
    if (const auto* load = as<Load>(*stmt))
      for (const Name written : survey.written)
        if (place.classes.may_overlap(written, load->block)) return 0;
  for (const Name name : survey.assigned)
    if (needed.contains(name)) return 0;
  return kAhead;
}

void mark_choices(Body& body, const LanesAnalysis& points, PassContext& ctx) {
  for (Stmt& stmt : body.stmts) {
    auto* n = as<If>(stmt);
    if (n == nullptr) continue;
    int budget = kMostOperators;
    if (depends_on_data(n->cond, points) && is_plain(n->then_body, budget) &&
        is_plain(n->else_body, budget) && ctx.may_rewrite("branch that is a choice"))
      n->branch = Branch::kChoose;
    mark_choices(n->then_body, points, ctx);
    mark_choices(n->else_body, points, ctx);
  }
}

}  // namespace skald::imp
