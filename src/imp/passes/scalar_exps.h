// SPDX-License-Identifier: Apache-2.0
// What passes ask about scalar expressions, and about the names that a body binds or assigns.
#pragma once

#include <unordered_map>

#include "imp/ir/visit.h"

namespace skald::imp {

template <class E, class F>
void each_operand(E& exp, F&& use) {
  visit_exp(exp, [&](auto& node) {
    std::apply([&](auto&... field) { (detail::operands_of(field, use), ...); },
               std::remove_cvref_t<decltype(node)>::fields(node));
  });
}

// The same operator on the same operands?
inline bool is_same(const Exp& a, const Exp& b) {
  if (a.index() != b.index()) return false;
  return visit_exp(a, [&](const auto& left) {
    using E = std::remove_cvref_t<decltype(left)>;
    return E::fields(left) == E::fields(*std::get_if<E>(&b));
  });
}

// How often each name is bound or assigned in the body, at all depths.
inline void collect_bound(const Body& body, std::unordered_map<Name, int>& bound) {
  for (const Stmt& stmt : body.stmts) {
    for_each_binder(stmt, [&](Name name, Type, BinderScope) { ++bound[name]; });
    if (const auto* assign = as<Assign>(stmt)) ++bound[assign->var];
    for_each_body(stmt, [&](const Body& inner) { collect_bound(inner, bound); });
  }
}

}  // namespace skald::imp
