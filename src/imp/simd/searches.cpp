// SPDX-License-Identifier: Apache-2.0
#include "imp/simd/searches.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

// What every name of a round is computed from.  Names are bound once, so that only by way of a
// variable, from one round to the next, a name can need itself.
class Needs {
 public:
  explicit Needs(const Body& round) { body(round, {}); }

  // Is there a load and a division, each of which needs the other?
  bool has_search() const {
    return std::ranges::any_of(loads_, [&](Name load) {
      return std::ranges::any_of(divisions_,
                                 [&](Name part) { return needs(load, part) && needs(part, load); });
    });
  }

 private:
  void body(const Body& body, const std::vector<Name>& conditions) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* n = as<Let>(stmt)) {
        for_each_use(stmt, [&](const Operand& operand) { add(n->name, operand); });
        if (divides(n->exp)) divisions_.push_back(n->name);
      } else if (const auto* n = as<Load>(stmt)) {
        add(n->name, n->index);
        loads_.push_back(n->name);
      } else if (const auto* n = as<Var>(stmt)) {
        add(n->name, n->init);
      } else if (const auto* n = as<Assign>(stmt)) {
        add(n->var, n->value);
        for (const Name condition : conditions) needs_[n->var].push_back(condition);
      }
      std::vector<Name> inside = conditions;
      if (const auto* n = as<If>(stmt))
        if (const Name* name = core::as_name(n->cond)) inside.push_back(*name);
      for_each_body(stmt, [&](const Body& inner) { this->body(inner, inside); });
    }
  }
  void add(Name name, const Operand& operand) {
    if (const Name* other = core::as_name(operand)) needs_[name].push_back(*other);
  }

  static bool divides(const Exp& exp) {
    const auto* e = std::get_if<core::BinOp>(&exp);
    if (e == nullptr || !is_int(e->type) || core::as_const(e->rhs) == nullptr) return false;
    return core::is_division(e->op) || e->op == BinOpKind::kLshr || e->op == BinOpKind::kAshr;
  }

  bool needs(Name start, Name end) const {
    std::unordered_set<Name> seen;
    std::vector<Name> work = {start};
    while (!work.empty()) {
      const auto found = needs_.find(work.back());
      work.pop_back();
      if (found == needs_.end()) continue;
      for (const Name next : found->second) {
        if (next == end) return true;
        if (seen.insert(next).second) work.push_back(next);
      }
    }
    return false;
  }

  std::unordered_map<Name, std::vector<Name>> needs_;
  std::vector<Name> loads_, divisions_;
};

}  // namespace

bool is_search(const Body& round) {
  return Needs(round).has_search();
}

}  // namespace skald::imp
