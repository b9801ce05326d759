// SPDX-License-Identifier: Apache-2.0
// Sizes: evaluating them, finding them in the shapes of values.
#include "frontend/futhark/elaborate/types/size_exps.h"
#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

bool Types::size_is_known(const Exp& e, const Env& env) {
  const Exp& s = strip(e);
  if (std::holds_alternative<ELiteral>(s.node)) return true;
  if (const auto* v = std::get_if<EVar>(&s.node)) {
    ValuePtr found = ids_.term(env, v->id);
    // A definition of the same name is not what a size parameter means.
    if (!found && (v->id == 0 || !v->name.quals.empty()))
      found = lookup_term(env, v->name.quals.empty() ? v->name.name : v->name.quals[0]);
    if (!found) return false;
    if (found->kind == Value::kSize)
      return found->size.exp && size_is_known(*found->size.exp, found->size.env);
    return true;
  }
  if (const auto* n = std::get_if<EBinary>(&s.node))
    return size_is_known(*n->lhs, env) && size_is_known(*n->rhs, env);
  if (const auto* n = std::get_if<ENegate>(&s.node)) return size_is_known(*n->arg, env);
  if (const auto* n = std::get_if<ENot>(&s.node)) return size_is_known(*n->arg, env);
  if (const auto* n = std::get_if<EProject>(&s.node)) return size_is_known(*n->record, env);
  if (const auto* n = std::get_if<EApply>(&s.node)) {
    for (const auto& a : n->args)
      if (!size_is_known(*a, env)) return false;
    return size_is_known(*n->fn, env);
  }
  if (const auto* n = std::get_if<ETuple>(&s.node)) {
    for (const auto& a : n->elems)
      if (!size_is_known(*a, env)) return false;
    return true;
  }
  if (const auto* n = std::get_if<ERecord>(&s.node)) {
    for (const auto& f : n->fields)
      if (!f.value || !size_is_known(*f.value, env)) return false;
    return true;
  }
  if (const auto* n = std::get_if<EArray>(&s.node)) {
    for (const auto& a : n->elems)
      if (!size_is_known(*a, env)) return false;
    return true;
  }
  if (const auto* n = std::get_if<EIf>(&s.node))
    return size_is_known(*n->cond, env) && size_is_known(*n->then_branch, env) &&
           size_is_known(*n->else_branch, env);
  if (const auto* n = std::get_if<EConstr>(&s.node)) {
    for (const auto& a : n->args)
      if (!size_is_known(*a, env)) return false;
    return true;
  }
  if (const auto* n = std::get_if<ECoerce>(&s.node)) return size_is_known(*n->inner, env);
  if (const auto* n = std::get_if<EAttr>(&s.node)) return size_is_known(*n->inner, env);
  if (const auto* n = std::get_if<EAssert>(&s.node))
    return size_is_known(*n->cond, env) && size_is_known(*n->inner, env);
  if (const auto* n = std::get_if<EOpSection>(&s.node)) return n->id == 0;
  if (const auto* n = std::get_if<EIndex>(&s.node)) {
    for (const auto& d : n->dims)
      for (const Exp* part : {d.index.get(), d.start.get(), d.end.get(), d.stride.get()})
        if (part && !size_is_known(*part, env)) return false;
    return size_is_known(*n->array, env);
  }
  if (const auto* n = std::get_if<ERange>(&s.node)) {
    for (const Exp* part : {n->start.get(), n->step.get(), n->end.get()})
      if (part && !size_is_known(*part, env)) return false;
    return true;
  }
  return false;
}

std::optional<Operand> Types::try_size(const Exp* e, const Env& env) {
  if (!e) return std::nullopt;
  const Exp& s = strip(*e);
  if (const auto* v = std::get_if<EVar>(&s.node); v && v->name.quals.empty() && v->fields.empty()) {
    if (ValuePtr found = ids_.term(env, v->id)) {
      if (found->kind == Value::kSize) return try_size(found->size.exp, found->size.env);
      if (found->kind == Value::kDyn && found->leaves.size() == 1) return found->leaves[0];
    }
  }
  if (!size_is_known(s, env)) return std::nullopt;
  return i64_exp(s, env);
}

std::optional<Operand> Types::try_dim(const Dim& dim) {
  if (dim.op) return dim.op;
  return try_size(dim.exp, dim.env);
}

Operand Types::i64_exp(const Exp& e, const Env& env) {
  ValuePtr v = evaluator_.exp(e, env);
  SKALD_CHECK(v->kind == Value::kDyn && v->rep->kind == Rep::kPrim, "an integer was expected");
  // Literal sizes of entry points are read while no code is under construction.
  if (v->rep->prim == Prim::kI64) return scalar_of(*v);
  return code_.b().convert(v->rep->prim, Prim::kI64, scalar_of(*v));
}

RepPtr Types::force(const RepPtr& rep) {
  return map_dims(rep, [this](const Dim& dim) {
    Dim out;
    std::optional<Operand> op = try_dim(dim);
    out.op = op ? *op : Operand(core::const_i64(0));
    return out;
  });
}

void Types::bind_sizes(Env& env, const Type* type, const RepPtr& rep,
                       std::unordered_set<uint32_t>* ids) {
  if (!type || !rep) return;
  switch (type->kind) {
    case Type::kArray: {
      if (rep->kind != Rep::kArray) return;
      const EVar* v = size_var(type->size);
      if (v && v->id && rep->dim.op) {
        bool wanted = ids ? ids->erase(v->id) > 0 : !ids_.term(env, v->id);
        if (wanted)
          env = bind_term(env, v->name.name, v->id, scalar_value(Prim::kI64, *rep->dim.op));
      }
      bind_sizes(env, type->elem, rep->elem, ids);
      return;
    }
    case Type::kRecord:
      if (rep->kind != Rep::kRecord) return;
      for (const auto& [name, t] : type->fields)
        for (const auto& field : rep->fields)
          if (field.first == name) bind_sizes(env, t, field.second, ids);
      return;
    case Type::kSum:
      if (rep->kind != Rep::kSum) return;
      for (size_t i = 0; i < type->constrs.size() && i < rep->constrs.size(); ++i)
        for (size_t j = 0; j < type->constrs[i].second.size() && j < rep->constrs[i].second.size();
             ++j)
          bind_sizes(env, type->constrs[i].second[j], rep->constrs[i].second[j], ids);
      return;
    case Type::kNamed: return bind_named_sizes(env, type, rep, ids);
    default: return;
  }
}

// Of a type by its name: a parameter, or an abstract type with arguments.
void Types::bind_named_sizes(Env& env, const Type* type, const RepPtr& rep,
                             std::unordered_set<uint32_t>* ids) {
  if (ids && type->args.empty() && ids->count(type->name.id)) {
    if (!is_first_order(*rep)) return;
    ids->erase(type->name.id);
    TypeBinding binding;
    binding.rep = rep;
    env = bind_type(env, type->name.base, type->name.id, std::move(binding));
    return;
  }
  // Size arguments of an abstract type are found in its definition.
  if (type->args.empty()) return;
  const TypeBinding* found = ids_.type(env, type->name.id);
  if (!found || !found->type) return;
  const TypeBinding binding = *found;
  Env inner = binding.env;
  std::unordered_set<uint32_t> params;
  for (const TypeParam* p : binding.params) params.insert(p->name.id);
  bind_sizes(inner, binding.type, rep, &params);
  for (size_t i = 0; i < binding.params.size() && i < type->args.size(); ++i) {
    uint32_t id = binding.params[i]->name.id;
    if (params.contains(id)) continue;
    if (type->args[i].type) {
      const TypeBinding* arg = lookup_type_id(inner, id);
      if (arg && arg->rep) bind_sizes(env, type->args[i].type, RepPtr(arg->rep), ids);
    } else if (const EVar* v = size_var(type->args[i].size); v && v->id) {
      bool wanted = ids ? ids->erase(v->id) > 0 : !ids_.term(env, v->id);
      if (wanted) env = bind_term(env, v->name.name, v->id, lookup_term_id(inner, id));
    }
  }
}

void Types::log_sizes(const Exp& e, const Env& env, const Value& v) {
  if (e.ext.empty()) return;
  std::unordered_set<uint32_t> ids;
  for (const VName& name : e.ext) ids.insert(name.id);
  Env bound = env;
  bind_sizes(bound, e.type, rep_of(v), &ids);
  for (const EnvNode* n = bound.get(); n && n != env.get(); n = n->parent.get())
    if (n->kind == EnvNode::kTerm) ids_.add_size(n->id, n->value);
}

}  // namespace skald::futhark::elab
