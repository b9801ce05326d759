// SPDX-License-Identifier: Apache-2.0
// Branches in reverse mode.
//
//   y = if c then f(x) else g(x)
//
//   x̄ = if c then (run f(x) again, then its rules) else (the same for g)
//
// The branches return the cotangents of all names from outside that they contribute to.
//
// Scalars that cost more than a few operations, sines say, are not computed again: the first branch
// gives them too, and zeros on the other side.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// More values would fill the registers.
constexpr size_t kMostKept = 16;

bool is_costly(const Stmt& stmt) {
  return stmt.pat.size() == 1 && stmt.pat[0].type.is_scalar() && is_scalar_operator(stmt.exp) &&
         operator_class(stmt.exp) >= machine::OperatorClass::kDivision;
}

}  // namespace

void keep_costly(Session& session, const If& e, Stmt& primal, Step& step, Emit& out) {
  If& copy = *as<If>(primal.exp);
  const Body* sides[2] = {&e.then_body, &e.else_body};
  Body* copies[2] = {&copy.then_body, &copy.else_body};
  for (size_t s = 0; s < 2; ++s)
    for (const Stmt& stmt : sides[s]->stmts) {
      if (!is_costly(stmt) || step.kept.size() == kMostKept) continue;
      const Param& p = stmt.pat[0];
      const Name name = out.fresh("kept");
      session.types.insert_or_assign(name, p.type);
      primal.pat.push_back({.name = name, .type = p.type});
      copies[s]->result.push_back(step.copied.at(p.name));
      copies[1 - s]->result.emplace_back(Const{p.type.elem, 0});
      step.kept.insert_or_assign(p.name, name);
    }
}

void Reverse::branch(Step& step, If& e, Emit& out) {
  const Stmt& stmt = step.stmt;
  for (const auto& [inside, outside] : step.kept) kept_.insert_or_assign(inside, outside);
  NameSet names = free_names(e.then_body);
  names.merge(free_names(e.else_body));
  const std::vector<Name> free = active_free(names);
  const NameMap<Adjoint> before = adjoints_;
  NameMap<Adjoint> after[2];
  Emit code[2] = {Emit(session_, stmt.loc), Emit(session_, stmt.loc)};
  Body* sides[2] = {&e.then_body, &e.else_body};
  for (size_t s = 0; s < 2; ++s) {
    adjoints_ = before;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Name* result = as_name(sides[s]->result[k]);
      const auto source = acc_sources_.find(stmt.pat[k].name);
      if (result == nullptr || source == acc_sources_.end()) continue;
      const std::vector<Operand> arrays = source->second;
      acc_sources_.insert_or_assign(*result, arrays);
    }
    run(*sides[s], [&](Emit&) { return seeds_of(stmt.pat); }, code[s]);
    after[s] = adjoints_;
  }
  std::vector<Operand> results[2];
  std::vector<Param> pat;
  std::vector<std::pair<Name, Adjoint>> changed;
  for (const Name name : free) {
    const auto value_in = [&](const NameMap<Adjoint>& map) {
      const auto found = map.find(name);
      return found == map.end() ? std::nullopt : std::optional(found->second.value);
    };
    if (value_in(after[0]) == value_in(before) && value_in(after[1]) == value_in(before)) continue;
    Adjoint joined{const_i64(0), true};
    Type type = session_.type_of(name);
    for (size_t s = 0; s < 2; ++s) {
      const auto found = after[s].find(name);
      if (found == after[s].end()) {
        results[s].push_back(code[s].zero(type));
        continue;
      }
      joined.owned = joined.owned && found->second.owned;
      joined.is_acc = found->second.is_acc;
      results[s].push_back(found->second.value);
    }
    if (joined.is_acc) type = session_.type_of(results[0].back());
    pat.push_back({.name = out.fresh("bar"), .type = type});
    joined.value = pat.back().name;
    changed.emplace_back(name, joined);
  }
  adjoints_ = before;
  if (changed.empty()) return;
  If node;
  node.cond = e.cond;
  node.then_body = code[0].finish(std::move(results[0]));
  node.else_body = code[1].finish(std::move(results[1]));
  out.let_pat(std::move(pat), std::move(node), stmt.tokens);
  for (const auto& [name, bar] : changed) adjoints_.insert_or_assign(name, bar);
}

}  // namespace skald::passes::ad
