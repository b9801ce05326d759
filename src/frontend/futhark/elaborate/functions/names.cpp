// SPDX-License-Identifier: Apache-2.0
// Names are found by id, by name, or step by step through modules and records.
#include "frontend/futhark/elaborate/functions/names.h"

#include "frontend/futhark/elaborate/arrays/intrinsics.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

ValuePtr Names::find(const QualName& name, uint32_t id, const Env& env, size_t* projected) {
  if (name.quals.empty()) {
    if (ValuePtr v = ids_.term(env, id)) return v;
    if (ValuePtr v = lookup_term(env, name.name)) return v;
    SKALD_BUG("the name {} is not bound", name.name);
  }
  if (name.quals[0] == "intrinsics" && !lookup_term(env, "intrinsics")) {
    Closure c;
    c.code = intrinsic_arity(name.name) ? Closure::kIntrinsic : Closure::kBuiltin;
    c.name = name.name;
    return closure_value(std::move(c));
  }
  ValuePtr v = lookup_term(env, name.quals[0]);
  if (!v || (v->kind != Value::kModule && v->kind != Value::kLazy)) {
    // The head is a value, which has the id; the rest are fields.
    if (ValuePtr by_id = ids_.term(env, id); by_id && by_id->kind == Value::kRecord) v = by_id;
  }
  if (!v) {
    if (ValuePtr by_id = ids_.term(env, id)) return by_id;
    SKALD_BUG("the name {} is not bound", name.quals[0]);
  }
  for (size_t i = 1; i <= name.quals.size(); ++i) {
    const std::string& part = i < name.quals.size() ? name.quals[i] : name.name;
    if (v->kind == Value::kLazy && v->lazy->module) v = modules_.force(v);
    if (v->kind == Value::kModule) {
      auto it = v->module->terms.find(part);
      SKALD_CHECK(it != v->module->terms.end(), "no member {}", part);
      v = it->second;
    } else {
      if (v->kind == Value::kLazy) v = functions_.constant(*v->lazy, {}, {name.span, nullptr, env});
      v = project(v, part);
      if (projected) ++*projected;
    }
  }
  return v;
}

ValuePtr Names::use(const ValuePtr& v, const std::vector<TypeInst>& inst, const Use& use) {
  if (v->kind == Value::kSize) {
    std::optional<Operand> size = types_.try_size(v->size.exp, v->size.env);
    SKALD_CHECK(size, "a size is not known");
    return scalar_value(Prim::kI64, *size);
  }
  if (v->kind == Value::kLazy && v->lazy->constant) return functions_.constant(*v->lazy, inst, use);
  if (v->kind != Value::kClosure || v->closure->inst || !v->closure->args.empty()) return v;
  const Closure& c = *v->closure;
  bool polymorphic = (c.code == Closure::kDef && !c.def->type_param_ids.empty()) ||
                     (c.code == Closure::kLetFun && !c.let_fun->type_param_ids.empty()) ||
                     c.code == Closure::kIntrinsic;
  if (!polymorphic) return v;
  Closure used = c;
  used.inst = &inst;
  used.use_type = use.type;
  used.use_env = use.env;
  return closure_value(std::move(used));
}

ValuePtr Names::var(const Exp& e, const EVar& v, const Env& env) {
  size_t projected = 0;
  ValuePtr found = find(v.name, v.id, env, &projected);
  bool has_fields = projected > 0 || !v.fields.empty();
  found = use(found, v.inst, {e.span, has_fields ? nullptr : e.type, env});
  if (projected == 0)
    for (const auto& field : v.fields) found = project(found, field.name);
  return found;
}

ValuePtr Names::operator_value(const QualName& op, uint32_t id, const std::vector<TypeInst>& inst,
                               const Use& at) {
  if (is_builtin(op, id, at.env)) {
    Closure c;
    c.code = Closure::kBuiltin;
    c.name = op.name;
    return closure_value(std::move(c));
  }
  return use(find(op, id, at.env), inst, at);
}

bool Names::is_builtin(const QualName& op, uint32_t id, const Env& env) {
  if (id == 0) return true;
  if (!op.quals.empty()) return op.quals[0] == "intrinsics" && !intrinsic_arity(op.name);
  return !ids_.term(env, id) && !lookup_term(env, op.name);
}

const Type* Names::operator_type(const void* node, const Type* lhs, const Type* rhs,
                                 const Type* result) {
  if (!lhs || !rhs || !result) return nullptr;
  const Type*& known = operator_types_[node];
  if (known) return known;
  Type second, first;
  second.kind = first.kind = Type::kArrow;
  second.from = rhs;
  second.to = result;
  first.from = lhs;
  first.to = made_types_.make(std::move(second));
  return known = made_types_.make(std::move(first));
}

}  // namespace skald::futhark::elab
