// SPDX-License-Identifier: Apache-2.0
// Types to representations; sizes: evaluating, binding, coercing.
#include "core/ir/visit.h"
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

namespace {

constexpr int kMaxTypeDepth = 200;

const Exp& strip(const Exp& e) {
  const Exp* p = &e;
  for (;;) {
    if (const auto* parens = std::get_if<EParens>(&p->node)) {
      p = parens->inner.get();
    } else if (const auto* ascript = std::get_if<EAscript>(&p->node)) {
      p = ascript->inner.get();
    } else {
      return *p;
    }
  }
}

// The variable that a size is, if it is one.
const EVar* size_var(const Size& size) {
  if (!size.exp) return nullptr;
  const auto* v = std::get_if<EVar>(&strip(*size.exp).node);
  return v && v->name.quals.empty() && v->fields.empty() ? v : nullptr;
}

}  // namespace

RepPtr Elaborator::resolve(const Type* type, const Env& env, int depth) {
  if (!type || depth > kMaxTypeDepth) return unknown_rep();
  switch (type->kind) {
    case Type::kPrim: return prim_rep(type->prim);
    case Type::kArray: {
      Dim dim;
      dim.exp = type->size.exp;
      dim.env = env;
      return array_rep(std::move(dim), resolve(type->elem, env, depth + 1));
    }
    case Type::kRecord: {
      std::vector<std::pair<std::string, RepPtr>> fields;
      for (const auto& [name, t] : type->fields)
        fields.emplace_back(name, resolve(t, env, depth + 1));
      return record_rep(std::move(fields));
    }
    case Type::kSum: {
      Rep rep;
      rep.kind = Rep::kSum;
      for (const auto& [name, payload] : type->constrs) {
        std::vector<RepPtr> reps;
        for (const Type* t : payload) reps.push_back(resolve(t, env, depth + 1));
        rep.constrs.emplace_back(name, std::move(reps));
      }
      return std::make_shared<const Rep>(std::move(rep));
    }
    case Type::kArrow: {
      static const RepPtr kFunc = [] {
        Rep r;
        r.kind = Rep::kFunc;
        return std::make_shared<const Rep>(std::move(r));
      }();
      return kFunc;
    }
    case Type::kNamed: {
      const TypeBinding* found = lookup_type_id(env, type->name.id);
      if (!found) {
        auto it = abstract_.find(type->name.id);
        if (it == abstract_.end()) return unknown_rep();
        found = &it->second;
      }
      if (found->rep) return found->rep;
      const TypeBinding binding = *found;
      const Env inner = bind_type_args(binding, *type, env);
      return resolve(binding.type, inner, depth + 1);
    }
    case Type::kMeta: return unknown_rep();
  }
  return unknown_rep();
}

// The environment of a type's definition, with its parameters bound to the arguments of a use.
Env Elaborator::bind_type_args(const TypeBinding& binding, const Type& use, const Env& use_env) {
  Env inner = binding.env;
  for (size_t i = 0; i < binding.params.size() && i < use.args.size(); ++i) {
    const TypeParam& p = *binding.params[i];
    if (use.args[i].type) {
      TypeBinding arg;
      arg.type = use.args[i].type;
      arg.env = use_env;
      inner = bind_type(inner, p.name.name, p.name.id, std::move(arg));
    } else {
      elab::Value thunk;
      thunk.kind = elab::Value::kSize;
      thunk.size = {use.args[i].size.exp, use_env};
      inner = bind_term(inner, p.name.name, p.name.id,
                        std::make_shared<const elab::Value>(std::move(thunk)));
    }
  }
  return inner;
}

ValuePtr Elaborator::lookup_size(const Env& env, uint32_t id) {
  if (id == 0) return nullptr;
  if (ValuePtr v = lookup_term_id(env, id)) return v;
  for (auto it = size_log_.rbegin(); it != size_log_.rend(); ++it)
    if (it->first == id) return it->second;
  auto it = global_ids_.find(id);
  return it == global_ids_.end() ? nullptr : it->second;
}

bool Elaborator::size_is_known(const Exp& e, const Env& env) {
  const Exp& s = strip(e);
  if (std::holds_alternative<ELiteral>(s.node)) return true;
  if (const auto* v = std::get_if<EVar>(&s.node)) {
    ValuePtr found = lookup_size(env, v->id);
    if (!found) {
      const std::string& head = v->name.quals.empty() ? v->name.name : v->name.quals[0];
      found = v->id != 0 && v->name.quals.empty() ? lookup_term(env, v->name.name)
                                                  : lookup_term(env, head);
      // A local variable of this name is another one.
      if (found && v->id != 0 && v->name.quals.empty() && found->kind == Value::kDyn)
        found = nullptr;
    }
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

std::optional<Operand> Elaborator::try_size(const Exp* e, const Env& env) {
  if (!e) return std::nullopt;
  const Exp& s = strip(*e);
  if (const auto* v = std::get_if<EVar>(&s.node); v && v->name.quals.empty() && v->fields.empty()) {
    if (ValuePtr found = lookup_size(env, v->id)) {
      if (found->kind == Value::kSize) return try_size(found->size.exp, found->size.env);
      if (found->kind == Value::kDyn && found->leaves.size() == 1) return found->leaves[0];
    }
  }
  if (!size_is_known(s, env)) return std::nullopt;
  return i64_exp(s, env);
}

std::optional<Operand> Elaborator::try_dim(const Dim& dim) {
  if (dim.op) return dim.op;
  return try_size(dim.exp, dim.env);
}

RepPtr Elaborator::force(const RepPtr& rep) {
  return map_dims(rep, [this](const Dim& dim) {
    Dim out;
    std::optional<Operand> op = try_dim(dim);
    out.op = op ? *op : Operand(core::const_i64(0));
    return out;
  });
}

void Elaborator::bind_sizes(Env& env, const Type* type, const RepPtr& rep,
                            std::unordered_set<uint32_t>* ids) {
  if (!type || !rep) return;
  switch (type->kind) {
    case Type::kArray: {
      if (rep->kind != Rep::kArray) return;
      const EVar* v = size_var(type->size);
      if (v && v->id && rep->dim.op) {
        bool wanted = ids ? ids->erase(v->id) > 0 : !lookup_size(env, v->id);
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
    case Type::kNamed: {
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
      const TypeBinding* found = lookup_type_id(env, type->name.id);
      if (!found) {
        auto it = abstract_.find(type->name.id);
        if (it != abstract_.end()) found = &it->second;
      }
      if (!found || !found->type) return;
      const TypeBinding binding = *found;
      Env inner = binding.env;
      std::unordered_set<uint32_t> params;
      for (const TypeParam* p : binding.params) params.insert(p->name.id);
      bind_sizes(inner, binding.type, rep, &params);
      for (size_t i = 0; i < binding.params.size() && i < type->args.size(); ++i) {
        uint32_t id = binding.params[i]->name.id;
        if (params.count(id)) continue;
        if (type->args[i].type) {
          const TypeBinding* arg = lookup_type_id(inner, id);
          if (arg && arg->rep) bind_sizes(env, type->args[i].type, RepPtr(arg->rep), ids);
        } else if (const EVar* v = size_var(type->args[i].size); v && v->id) {
          bool wanted = ids ? ids->erase(v->id) > 0 : !lookup_size(env, v->id);
          if (wanted) env = bind_term(env, v->name.name, v->id, lookup_term_id(inner, id));
        }
      }
      return;
    }
    default: return;
  }
}

void Elaborator::log_sizes(const Exp& e, const Env& env, const elab::Value& v) {
  if (e.ext.empty()) return;
  std::unordered_set<uint32_t> ids;
  for (const VName& name : e.ext) ids.insert(name.id);
  Env bound = env;
  bind_sizes(bound, e.type, rep_of(v), &ids);
  for (const EnvNode* n = bound.get(); n && n != env.get(); n = n->parent.get())
    if (n->kind == EnvNode::kTerm) size_log_.emplace_back(n->id, n->value);
}

Env Elaborator::with_logged_sizes(Env env, size_t from) {
  for (size_t i = from; i < size_log_.size(); ++i)
    env = bind_term(env, {}, size_log_[i].first, size_log_[i].second);
  return env;
}

ValuePtr Elaborator::coerce(const ValuePtr& v, const RepPtr& target,
                            const std::vector<MessagePart>& message) {
  if (!is_first_order(*target)) return v;
  std::vector<core::Type> want = leaf_types(*target), have = leaf_types(*rep_of(*v));
  std::vector<Operand> leaves = leaves_of(*v);
  SKALD_CHECK(want.size() == have.size(), "coercion between different structures");
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (want[i] == have[i] || !want[i].is_array()) continue;
    SKALD_CHECK(want[i].rank() == have[i].rank(), "coercion between different ranks");
    Tokens tokens;
    if (!message.empty()) {
      Operand ok = core::const_bool(true);
      const auto add_shape = [&](std::vector<MessagePart>& parts, const core::Type& type) {
        for (const Operand& dim : type.shape) {
          parts.emplace_back(std::string(&dim == &type.shape[0] ? "[" : "]["));
          parts.emplace_back(dim);
        }
        parts.emplace_back(std::string("]"));
      };
      std::vector<MessagePart> words = message;
      words.emplace_back(std::string("\nshape "));
      add_shape(words, have[i]);
      words.emplace_back(std::string(" instead of "));
      add_shape(words, want[i]);
      for (size_t d = 0; d < want[i].shape.size(); ++d)
        if (!(want[i].shape[d] == have[i].shape[d]))
          ok = b().logical_and(
              ok, b().cmpop(CmpOpKind::kEq, Prim::kI64, want[i].shape[d], have[i].shape[d]));
      tokens = check(ok, std::move(words));
    }
    leaves[i] = emit1(want[i], core::Reshape{std::get<Name>(leaves[i]), want[i].shape}, "coerced",
                      std::move(tokens));
  }
  return make_value(target, std::move(leaves));
}

// Binds the names of `ids` in a size of a definition to what stands there in the size of a use.
void Elaborator::match_sizes(Env& env, const Exp* def, const Exp* use, const Env& use_env,
                             std::unordered_set<uint32_t>& ids) {
  if (!def || !use || ids.empty()) return;
  def = &strip(*def);
  use = &strip(*use);
  if (const auto* v = std::get_if<EVar>(&def->node)) {
    if (!ids.erase(v->id)) return;
    elab::Value thunk;
    thunk.kind = elab::Value::kSize;
    thunk.size = {use, use_env};
    env =
        bind_term(env, v->name.name, v->id, std::make_shared<const elab::Value>(std::move(thunk)));
    return;
  }
  if (const auto* v = std::get_if<EVar>(&use->node)) {
    // A size argument of a type stands for an expression.
    const ValuePtr found = lookup_term_id(use_env, v->id);
    if (found && found->kind == Value::kSize)
      match_sizes(env, def, found->size.exp, found->size.env, ids);
    return;
  }
  if (def->node.index() != use->node.index()) return;
  std::vector<const Exp*> parts;
  for_each_child(*def, [&](const Exp& part) { parts.push_back(&part); });
  size_t i = 0;
  for_each_child(*use, [&](const Exp& part) {
    if (i < parts.size()) match_sizes(env, parts[i++], &part, use_env, ids);
  });
}

void Elaborator::match_types(Env& env, const Type* def, const Type* use, const Env& use_env,
                             std::unordered_set<uint32_t>& ids, int depth) {
  if (!def || !use || ids.empty() || depth > kMaxTypeDepth) return;
  if (def->kind == Type::kNamed && ids.count(def->name.id)) {
    ids.erase(def->name.id);
    TypeBinding binding;
    binding.type = use;
    binding.env = use_env;
    env = bind_type(env, def->name.base, def->name.id, std::move(binding));
    return;
  }
  if (use->kind == Type::kNamed && def->kind != Type::kNamed) {
    const TypeBinding* found = lookup_type_id(use_env, use->name.id);
    if (!found) {
      auto it = abstract_.find(use->name.id);
      if (it != abstract_.end()) found = &it->second;
    }
    if (!found) return;
    if (found->rep) {
      bind_sizes(env, def, found->rep, &ids);
    } else {
      const TypeBinding binding = *found;
      const Env inner = bind_type_args(binding, *use, use_env);
      match_types(env, def, binding.type, inner, ids, depth + 1);
    }
    return;
  }
  if (def->kind != use->kind) return;
  switch (def->kind) {
    case Type::kArray:
      match_sizes(env, def->size.exp, use->size.exp, use_env, ids);
      match_types(env, def->elem, use->elem, use_env, ids, depth + 1);
      return;
    case Type::kRecord:
      for (size_t i = 0; i < def->fields.size() && i < use->fields.size(); ++i)
        match_types(env, def->fields[i].second, use->fields[i].second, use_env, ids, depth + 1);
      return;
    case Type::kSum:
      for (size_t i = 0; i < def->constrs.size() && i < use->constrs.size(); ++i)
        for (size_t j = 0; j < def->constrs[i].second.size() && j < use->constrs[i].second.size();
             ++j)
          match_types(env, def->constrs[i].second[j], use->constrs[i].second[j], use_env, ids,
                      depth + 1);
      return;
    case Type::kArrow:
      match_types(env, def->from, use->from, use_env, ids, depth + 1);
      match_types(env, def->to, use->to, use_env, ids, depth + 1);
      return;
    case Type::kNamed:
      for (size_t i = 0; i < def->args.size() && i < use->args.size(); ++i)
        if (def->args[i].type)
          match_types(env, def->args[i].type, use->args[i].type, use_env, ids, depth + 1);
        else
          match_sizes(env, def->args[i].size.exp, use->args[i].size.exp, use_env, ids);
      return;
    default: return;
  }
}

bool Elaborator::contains_arrow(const Type& type) {
  switch (type.kind) {
    case Type::kArrow: return true;
    case Type::kArray: return contains_arrow(*type.elem);
    case Type::kRecord:
      for (const auto& field : type.fields)
        if (contains_arrow(*field.second)) return true;
      return false;
    case Type::kSum:
      for (const auto& constr : type.constrs)
        for (const Type* t : constr.second)
          if (contains_arrow(*t)) return true;
      return false;
    default: return false;
  }
}

ValuePtr Elaborator::blank(const RepPtr& rep) {
  std::vector<Operand> leaves;
  for (auto& type : leaf_types(*rep)) {
    if (type.is_scalar()) {
      leaves.emplace_back(core::Const{type.elem, 0});
    } else {
      core::Scratch scratch{type.elem, type.shape};
      leaves.push_back(emit1(type, std::move(scratch), "blank"));
    }
  }
  return make_value(rep, std::move(leaves));
}

static void collect_unique(const Type* type, const Rep& rep, bool inherited,
                           std::vector<bool>& out) {
  bool unique = inherited || (type && type->unique);
  if (rep.kind == Rep::kRecord) {
    for (const auto& [name, r] : rep.fields) {
      const Type* t = nullptr;
      if (type && type->kind == Type::kRecord)
        for (const auto& field : type->fields)
          if (field.first == name) t = field.second;
      collect_unique(t, *r, unique, out);
    }
    return;
  }
  out.insert(out.end(), static_cast<size_t>(leaf_count(rep)), unique);
}

std::vector<bool> Elaborator::unique_leaves(const Type* type, const RepPtr& rep) {
  std::vector<bool> out;
  collect_unique(type, *rep, false, out);
  return out;
}

}  // namespace skald::futhark::elab
