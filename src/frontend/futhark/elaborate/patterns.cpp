// SPDX-License-Identifier: Apache-2.0
// Patterns: binding their names, testing whether a value matches.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

Env Elaborator::bind_pattern(const Pat& pat, const ValuePtr& v, Env env) {
  if (pat.type && v->kind != Value::kClosure) bind_sizes(env, pat.type, rep_of(*v));
  if (const auto* p = std::get_if<PVar>(&pat.node))
    return bind_term(env, p->name.name, p->name.id, v);
  if (std::holds_alternative<PWild>(pat.node) || std::holds_alternative<PLiteral>(pat.node))
    return env;
  if (const auto* p = std::get_if<PParens>(&pat.node)) return bind_pattern(*p->inner, v, env);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return bind_pattern(*p->inner, v, env);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return bind_pattern(*p->inner, v, env);
  if (const auto* p = std::get_if<PTuple>(&pat.node)) {
    for (size_t i = 0; i < p->elems.size(); ++i)
      env = bind_pattern(*p->elems[i], project(v, std::to_string(i)), env);
    return env;
  }
  if (const auto* p = std::get_if<PRecord>(&pat.node)) {
    for (const auto& field : p->fields) {
      ValuePtr part = project(v, field.name.name);
      env = field.pat ? bind_pattern(*field.pat, part, env)
                      : bind_term(env, field.name.name, field.name.id, part);
    }
    return env;
  }
  const auto& p = std::get<PConstr>(pat.node);
  if (v->kind == Value::kSum) {
    for (size_t i = 0; i < p.args.size(); ++i)
      env = bind_pattern(*p.args[i], v->fields.at(i).second, env);
    return env;
  }
  size_t constr = constr_index(*v->rep, p.name.name);
  for (size_t i = 0; i < p.args.size(); ++i)
    env = bind_pattern(*p.args[i], payload(*v, constr, i), env);
  return env;
}

Operand Elaborator::test_pattern(const Pat& pat, const ValuePtr& v) {
  if (std::holds_alternative<PVar>(pat.node) || std::holds_alternative<PWild>(pat.node))
    return core::const_bool(true);
  if (const auto* p = std::get_if<PParens>(&pat.node)) return test_pattern(*p->inner, v);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return test_pattern(*p->inner, v);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return test_pattern(*p->inner, v);
  Operand ok = core::const_bool(true);
  if (const auto* p = std::get_if<PTuple>(&pat.node)) {
    for (size_t i = 0; i < p->elems.size(); ++i)
      ok = b().logical_and(ok, test_pattern(*p->elems[i], project(v, std::to_string(i))));
    return ok;
  }
  if (const auto* p = std::get_if<PRecord>(&pat.node)) {
    for (const auto& field : p->fields)
      if (field.pat)
        ok = b().logical_and(ok, test_pattern(*field.pat, project(v, field.name.name)));
    return ok;
  }
  if (const auto* p = std::get_if<PLiteral>(&pat.node)) {
    Prim prim = v->rep->prim;
    return b().cmpop(CmpOpKind::kEq, prim, scalar_of(*v), scalar_of(*literal(p->lit, prim)));
  }
  const auto& p = std::get<PConstr>(pat.node);
  if (v->kind == Value::kSum) {
    if (v->constr != p.name.name) return core::const_bool(false);
    for (size_t i = 0; i < p.args.size(); ++i)
      ok = b().logical_and(ok, test_pattern(*p.args[i], v->fields.at(i).second));
    return ok;
  }
  size_t constr = constr_index(*v->rep, p.name.name);
  if (v->rep->constrs.size() > 1)
    ok = b().cmpop(CmpOpKind::kEq, Prim::kI8, v->leaves.at(0),
                   core::const_int(Prim::kI8, static_cast<int64_t>(constr)));
  for (size_t i = 0; i < p.args.size(); ++i)
    ok = b().logical_and(ok, test_pattern(*p.args[i], payload(*v, constr, i)));
  return ok;
}

std::string Elaborator::pattern_name(const Pat& pat) {
  if (const auto* p = std::get_if<PVar>(&pat.node)) return p->name.name;
  if (const auto* p = std::get_if<PParens>(&pat.node)) return pattern_name(*p->inner);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return pattern_name(*p->inner);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return pattern_name(*p->inner);
  return {};
}

std::string Elaborator::pattern_base(const Pat& pat) {
  const std::string name = pattern_name(pat);
  return name.empty() ? "x" : name;
}

}  // namespace skald::futhark::elab
