// SPDX-License-Identifier: Apache-2.0
// In loops on devices, what a round has computed from the next values of the loop's variables need
// not be computed again by the next round.
//
//   before   while (go) { s = mul(x, x); y = f(s); t = mul(y, y); go = lt(t, 4); x = y; }
//
//   after    s0 = mul(x, x); var c = s0;
//            while (go) { s = c; y = f(s); t = mul(y, y); go = lt(t, 4); x = y; c = t; }
//
// Conditions of loops are such values: they are computed at the end of a round.
//
// Target   devices; launches and the functions that they call.
// Needs    variables of loops are assigned at the end of the body, as lowering does it.
// Gives    no expression of a loop's variables and what is outside that the round before knew.
// Keeps    everything else, all results too.
// Cost     quadratic in the statements of a loop's body.
// Tests    tests/golden/passes/imp/carried/*.imp
#include <optional>
#include <unordered_map>
#include <vector>

#include "imp/ir/code.h"
#include "imp/passes/device_code.h"
#include "imp/passes/passes.h"
#include "imp/passes/scalar_exps.h"

namespace skald::imp {

namespace {

// Longer bodies are not looked at.
constexpr size_t kMostOfRound = 256;

class CarriedValues {
 public:
  CarriedValues(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void rewrite(Body& body) {
    Code code(prog_);
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt, [&](Body& inner) { rewrite(inner); });
      if (auto* loop = as<While>(stmt)) carry(code, loop->body);
      code.add(std::move(stmt.node));
    }
    body = code.finish();
  }

 private:
  // What the variables become, which are assigned once, at the end.
  bool find_next(const Body& body) {
    next_.clear();
    changed_.clear();
    collect_bound(body, changed_);
    size_t first = body.stmts.size();
    while (first > 0 && as<Assign>(body.stmts[first - 1]) != nullptr) --first;
    for (size_t k = first; k < body.stmts.size(); ++k) {
      const auto* assign = as<Assign>(body.stmts[k]);
      if (changed_.at(assign->var) == 1) next_.emplace(assign->var, assign->value);
    }
    // The values are those of the end: a variable is no name for one.
    std::erase_if(next_, [&](const auto& entry) {
      const Name* name = core::as_name(entry.second);
      return name != nullptr && changed_.contains(*name) && !is_let(body, *name);
    });
    return !next_.empty();
  }
  static bool is_let(const Body& body, Name name) {
    for (const Stmt& stmt : body.stmts)
      if (const auto* let = as<Let>(stmt); let != nullptr && let->name == name) return true;
    return false;
  }

  // The expression in the next round, if it is made of variables and what is outside.
  std::optional<Exp> in_next_round(const Exp& exp) const {
    Exp later = exp;
    bool fits = true, varies = false;
    each_operand(later, [&](Operand& operand) {
      const Name* name = core::as_name(operand);
      if (name == nullptr || !changed_.contains(*name)) return;
      const auto next = next_.find(*name);
      fits = fits && next != next_.end();
      if (next == next_.end()) return;
      varies = true;
      operand = next->second;
    });
    return fits && varies ? std::optional<Exp>(std::move(later)) : std::nullopt;
  }

  void carry(Code& before, Body& body) {
    if (body.stmts.size() > kMostOfRound || !find_next(body)) return;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      auto* early = as<Let>(body.stmts[k]);
      if (early == nullptr || std::holds_alternative<core::Value>(early->exp)) continue;
      const std::optional<Exp> later = in_next_round(early->exp);
      if (!later) continue;
      for (size_t l = k + 1; l < body.stmts.size(); ++l) {
        const auto* known = as<Let>(body.stmts[l]);
        if (known == nullptr || !is_same(known->exp, *later) || !ctx_.may_rewrite()) continue;
        const Operand first = before.let(early->type, early->exp, "first");
        const Name var = before.var(early->type, first, "carried");
        early->exp = core::Value{var};
        body.stmts.push_back(Stmt{Assign{var, known->name}});
        // The statements have moved; what is carried now has a next value itself.
        changed_[var] = 1;
        next_.emplace(var, as<Let>(body.stmts[l])->name);
        break;
      }
    }
  }

  Program& prog_;
  PassContext& ctx_;
  std::unordered_map<Name, Operand> next_;
  std::unordered_map<Name, int> changed_;  // names that are bound or assigned in the body
};

}  // namespace

Program carry_values(Program prog, PassContext& ctx) {
  for_each_device_body(prog, [&](Body& body, const std::vector<Operand>&) {
    CarriedValues(prog, ctx).rewrite(body);
  });
  return prog;
}

}  // namespace skald::imp
