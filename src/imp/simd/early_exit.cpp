// SPDX-License-Identifier: Apache-2.0
#include "imp/simd/early_exit.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

// Runs a body in which one variable is false, as far as bools are known.
class Quiet {
 public:
  Quiet(const For& loop, Name variable) : variable_(variable) {
    known_[variable] = false;
    quiet_ = body(loop.body);
    // It must still be false for the next iteration.
    const auto after = known_.find(variable);
    quiet_ = quiet_ && after != known_.end() && !after->second;
  }
  bool holds() const { return quiet_; }

 private:
  std::optional<bool> value(const Operand& operand) const {
    if (const Const* c = core::as_const(operand))
      return c->type == Prim::kBool ? std::optional(c->bits != 0) : std::nullopt;
    const auto found = known_.find(*core::as_name(operand));
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  void learn(Name name, std::optional<bool> value) {
    known_.erase(name);
    if (value) known_.emplace(name, *value);
  }

  std::optional<bool> value(const Exp& exp) const {
    if (const auto* e = std::get_if<core::Value>(&exp)) return value(e->arg);
    const auto* e = std::get_if<core::BinOp>(&exp);
    if (e == nullptr || e->type != Prim::kBool) return std::nullopt;
    const std::optional<bool> a = value(e->lhs), b = value(e->rhs);
    if (e->op == BinOpKind::kAnd && ((a && !*a) || (b && !*b))) return false;
    if (e->op == BinOpKind::kOr && ((a && *a) || (b && *b))) return true;
    return std::nullopt;
  }

  bool body(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* n = as<Let>(stmt)) {
        if (n->type == Prim::kBool) learn(n->name, value(n->exp));
      } else if (const auto* n = as<Var>(stmt)) {
        own_.insert(n->name);
        learn(n->name, value(n->init));
      } else if (const auto* n = as<Assign>(stmt)) {
        const std::optional<bool> next = value(n->value);
        // What is declared outside may only be what it was before.
        if (!own_.contains(n->var) && (n->var != variable_ || !next || *next)) return false;
        learn(n->var, next);
      } else if (const auto* n = as<If>(stmt)) {
        const std::optional<bool> cond = value(n->cond);
        if (!cond) return false;
        if (!this->body(*cond ? n->then_body : n->else_body)) return false;
      } else if (as<Load>(stmt) == nullptr) {
        return false;
      }
    }
    return true;
  }

  Name variable_;
  bool quiet_ = false;
  std::unordered_map<Name, bool> known_;
  std::unordered_set<Name> own_;
};

bool assigns(const Stmt& stmt, Name variable) {
  if (const auto* n = as<Assign>(stmt)) return n->var == variable;
  bool found = false;
  for_each_body(stmt, [&](const Body& inner) {
    for (const Stmt& s : inner.stmts) found = found || assigns(s, variable);
  });
  return found;
}

bool declares(const Body& body, Name variable) {
  return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
    const auto* n = as<Var>(stmt);
    return n != nullptr && n->name == variable;
  });
}

// Longer loops are not looked at.
constexpr size_t kLongestEndingLoop = 64;

}  // namespace

Name early_exit(const For& loop) {
  // A bool that is assigned in the loop and asked for at the top of its body.
  if (loop.body.stmts.size() > kLongestEndingLoop) return {};
  for (const Stmt& stmt : loop.body.stmts) {
    const auto* branch = as<If>(stmt);
    const Name* name = branch == nullptr ? nullptr : core::as_name(branch->cond);
    if (name == nullptr) continue;
    bool assigned = false;
    for (const Stmt& s : loop.body.stmts) assigned = assigned || assigns(s, *name);
    if (assigned && !declares(loop.body, *name) && Quiet(loop, *name).holds()) return *name;
  }
  return {};
}

Name known_total(const For& loop) {
  if (loop.body.stmts.size() > kLongestEndingLoop) return {};
  for (const Stmt& stmt : loop.body.stmts)
    if (const auto* n = as<Assign>(stmt))
      if (!declares(loop.body, n->var) && Quiet(loop, n->var).holds()) return n->var;
  return {};
}

bool is_before_assignment(const For& loop, Name variable, const If& branch) {
  const Name* name = core::as_name(branch.cond);
  if (name == nullptr || *name != variable) return false;
  for (const Stmt& stmt : loop.body.stmts) {
    if (as<If>(stmt) == &branch) return true;
    if (assigns(stmt, variable)) return false;
  }
  return false;
}

}  // namespace skald::imp
