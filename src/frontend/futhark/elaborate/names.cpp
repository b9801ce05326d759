// SPDX-License-Identifier: Apache-2.0
// What names, fields and operators stand for.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

ValuePtr Elaborator::project(const ValuePtr& v, const std::string& field) {
  const ValuePtr* found = v->kind == Value::kRecord ? find_field(*v, field) : nullptr;
  SKALD_CHECK(found, "no field {}", field);
  return *found;
}

ValuePtr Elaborator::find_name(const QualName& name, uint32_t id, const Env& env,
                               size_t* projected) {
  if (name.quals.empty()) {
    if (ValuePtr v = lookup_size(env, id)) return v;
    if (ValuePtr v = lookup_term(env, name.name)) return v;
    SKALD_BUG("the name {} is not bound", name.name);
  }
  if (name.quals[0] == "intrinsics" && !lookup_term(env, "intrinsics")) {
    Closure c;
    size_t arity = 0;
    c.code = is_intrinsic(name.name, &arity) ? Closure::kIntrinsic : Closure::kBuiltin;
    c.name = name.name;
    return closure_value(std::move(c));
  }
  ValuePtr v = lookup_term(env, name.quals[0]);
  if (!v || (v->kind != Value::kModule && v->kind != Value::kLazy)) {
    // The head is a value, which has the id; the rest are fields.
    if (ValuePtr by_id = lookup_size(env, id); by_id && by_id->kind == Value::kRecord) v = by_id;
  }
  if (!v) {
    if (ValuePtr by_id = lookup_size(env, id)) return by_id;
    SKALD_BUG("the name {} is not bound", name.quals[0]);
  }
  for (size_t i = 1; i <= name.quals.size(); ++i) {
    const std::string& part = i < name.quals.size() ? name.quals[i] : name.name;
    if (v->kind == Value::kLazy && v->lazy->module) v = force_module(v);
    if (v->kind == Value::kModule) {
      auto it = v->module->terms.find(part);
      SKALD_CHECK(it != v->module->terms.end(), "no member {}", part);
      v = it->second;
    } else {
      if (v->kind == Value::kLazy) v = constant(*v->lazy, env, {}, nullptr, name.span);
      v = project(v, part);
      if (projected) ++*projected;
    }
  }
  return v;
}

ValuePtr Elaborator::use(ValuePtr v, const std::vector<TypeInst>& inst, const Type* type,
                         const Env& env, Span span) {
  if (v->kind == Value::kSize) {
    std::optional<Operand> size = try_size(v->size.exp, v->size.env);
    SKALD_CHECK(size, "a size is not known");
    return scalar_value(Prim::kI64, *size);
  }
  if (v->kind == Value::kLazy && v->lazy->constant)
    return constant(*v->lazy, env, inst, type, span);
  if (v->kind != Value::kClosure || v->closure->inst || !v->closure->args.empty()) return v;
  const Closure& c = *v->closure;
  bool polymorphic = (c.code == Closure::kDef && !c.def->type_param_ids.empty()) ||
                     (c.code == Closure::kLetFun && !c.let_fun->type_param_ids.empty()) ||
                     c.code == Closure::kIntrinsic;
  if (!polymorphic) return v;
  Closure used = c;
  used.inst = &inst;
  used.use_type = type;
  used.use_env = env;
  return closure_value(std::move(used));
}

ValuePtr Elaborator::var(const Exp& e, const EVar& v, const Env& env) {
  size_t projected = 0;
  ValuePtr found = find_name(v.name, v.id, env, &projected);
  bool has_fields = projected > 0 || !v.fields.empty();
  found = use(found, v.inst, has_fields ? nullptr : e.type, env, e.span);
  if (projected == 0)
    for (const auto& field : v.fields) found = project(found, field.name);
  return found;
}

ValuePtr Elaborator::op_value(const QualName& op, uint32_t id, const std::vector<TypeInst>& inst,
                              const Type* type, const Env& env, Span span) {
  if (is_builtin(op, id, env)) {
    Closure c;
    c.code = Closure::kBuiltin;
    c.name = op.name;
    return closure_value(std::move(c));
  }
  return use(find_name(op, id, env, nullptr), inst, type, env, span);
}

}  // namespace skald::futhark::elab
