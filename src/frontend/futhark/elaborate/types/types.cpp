// SPDX-License-Identifier: Apache-2.0
// Types → representations.
#include "frontend/futhark/elaborate/types/types.h"

#include "frontend/futhark/elaborate/types/size_exps.h"

namespace skald::futhark::elab {

RepPtr Types::resolve(const Type* type, const Env& env, int depth) {
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
      const TypeBinding* found = ids_.type(env, type->name.id);
      if (!found) return unknown_rep();
      if (found->rep) return found->rep;
      const TypeBinding binding = *found;
      const Env inner = bind_type_args(binding, *type, env);
      return resolve(binding.type, inner, depth + 1);
    }
    case Type::kMeta: return unknown_rep();
  }
  return unknown_rep();
}

}  // namespace skald::futhark::elab
