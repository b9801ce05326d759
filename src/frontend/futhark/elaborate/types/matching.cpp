// SPDX-License-Identifier: Apache-2.0
// The types of a definition against those of a use.
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/elaborate/types/size_exps.h"
#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// Binds the names of `ids` in a size of a definition to what stands there in the size of a use.
void Types::match_sizes(Env& env, const Exp* def, const Exp* use, const Env& use_env,
                        std::unordered_set<uint32_t>& ids) {
  if (!def || !use || ids.empty()) return;
  def = &strip(*def);
  use = &strip(*use);
  if (const auto* v = std::get_if<EVar>(&def->node)) {
    if (!ids.erase(v->id)) return;
    env = bind_term(env, v->name.name, v->id, size_thunk(use, use_env));
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

void Types::match_types(Env& env, const Type* def, const Type* use, const Env& use_env,
                        std::unordered_set<uint32_t>& ids, int depth) {
  if (!def || !use || ids.empty() || depth > kMaxTypeDepth) return;
  if (def->kind == Type::kNamed && ids.contains(def->name.id)) {
    ids.erase(def->name.id);
    TypeBinding binding;
    binding.type = use;
    binding.env = use_env;
    env = bind_type(env, def->name.base, def->name.id, std::move(binding));
    return;
  }
  if (use->kind == Type::kNamed && def->kind != Type::kNamed) {
    const TypeBinding* found = ids_.type(use_env, use->name.id);
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

}  // namespace skald::futhark::elab
