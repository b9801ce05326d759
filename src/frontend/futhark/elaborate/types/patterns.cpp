// SPDX-License-Identifier: Apache-2.0
// Patterns, by their kinds.
#include "frontend/futhark/elaborate/types/patterns.h"

#include "frontend/futhark/elaborate/values/literals.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

Env bind_pattern(Types& types, const Pat& pat, const ValuePtr& v, Env env) {
  if (pat.type && v->kind != Value::kClosure) types.bind_sizes(env, pat.type, rep_of(*v));
  if (const auto* p = std::get_if<PVar>(&pat.node))
    return bind_term(env, p->name.name, p->name.id, v);
  if (std::holds_alternative<PWild>(pat.node) || std::holds_alternative<PLiteral>(pat.node))
    return env;
  if (const auto* p = std::get_if<PParens>(&pat.node))
    return bind_pattern(types, *p->inner, v, env);
  if (const auto* p = std::get_if<PAscript>(&pat.node))
    return bind_pattern(types, *p->inner, v, env);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return bind_pattern(types, *p->inner, v, env);
  if (const auto* p = std::get_if<PTuple>(&pat.node)) {
    for (size_t i = 0; i < p->elems.size(); ++i)
      env = bind_pattern(types, *p->elems[i], project(v, std::to_string(i)), env);
    return env;
  }
  if (const auto* p = std::get_if<PRecord>(&pat.node)) {
    for (const auto& field : p->fields) {
      ValuePtr part = project(v, field.name.name);
      env = field.pat ? bind_pattern(types, *field.pat, part, env)
                      : bind_term(env, field.name.name, field.name.id, part);
    }
    return env;
  }
  const auto& p = std::get<PConstr>(pat.node);
  if (v->kind == Value::kSum) {
    for (size_t i = 0; i < p.args.size(); ++i)
      env = bind_pattern(types, *p.args[i], v->fields.at(i).second, env);
    return env;
  }
  size_t constr = constr_index(*v->rep, p.name.name);
  for (size_t i = 0; i < p.args.size(); ++i)
    env = bind_pattern(types, *p.args[i], payload(*v, constr, i), env);
  return env;
}

Operand test_pattern(Code& code, const Pat& pat, const ValuePtr& v) {
  if (std::holds_alternative<PVar>(pat.node) || std::holds_alternative<PWild>(pat.node))
    return core::const_bool(true);
  if (const auto* p = std::get_if<PParens>(&pat.node)) return test_pattern(code, *p->inner, v);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return test_pattern(code, *p->inner, v);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return test_pattern(code, *p->inner, v);
  Operand ok = core::const_bool(true);
  if (const auto* p = std::get_if<PTuple>(&pat.node)) {
    for (size_t i = 0; i < p->elems.size(); ++i)
      ok =
          code.b().logical_and(ok, test_pattern(code, *p->elems[i], project(v, std::to_string(i))));
    return ok;
  }
  if (const auto* p = std::get_if<PRecord>(&pat.node)) {
    for (const auto& field : p->fields)
      if (field.pat)
        ok = code.b().logical_and(ok, test_pattern(code, *field.pat, project(v, field.name.name)));
    return ok;
  }
  if (const auto* p = std::get_if<PLiteral>(&pat.node)) {
    Prim prim = v->rep->prim;
    return code.b().cmpop(CmpOpKind::kEq, prim, scalar_of(*v), scalar_of(*literal(p->lit, prim)));
  }
  const auto& p = std::get<PConstr>(pat.node);
  if (v->kind == Value::kSum) {
    if (v->constr != p.name.name) return core::const_bool(false);
    for (size_t i = 0; i < p.args.size(); ++i)
      ok = code.b().logical_and(ok, test_pattern(code, *p.args[i], v->fields.at(i).second));
    return ok;
  }
  size_t constr = constr_index(*v->rep, p.name.name);
  if (v->rep->constrs.size() > 1)
    ok = code.b().cmpop(CmpOpKind::kEq, Prim::kI8, v->leaves.at(0),
                        core::const_int(Prim::kI8, static_cast<int64_t>(constr)));
  for (size_t i = 0; i < p.args.size(); ++i)
    ok = code.b().logical_and(ok, test_pattern(code, *p.args[i], payload(*v, constr, i)));
  return ok;
}

std::string pattern_name(const Pat& pat) {
  if (const auto* p = std::get_if<PVar>(&pat.node)) return p->name.name;
  if (const auto* p = std::get_if<PParens>(&pat.node)) return pattern_name(*p->inner);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return pattern_name(*p->inner);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return pattern_name(*p->inner);
  return {};
}

std::string pattern_base(const Pat& pat) {
  const std::string name = pattern_name(pat);
  return name.empty() ? "x" : name;
}

}  // namespace skald::futhark::elab
