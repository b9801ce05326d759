// SPDX-License-Identifier: Apache-2.0
// Parameters of functions, bound.
#include "frontend/futhark/elaborate/functions/instances.h"

#include "frontend/futhark/elaborate/types/patterns.h"
#include "frontend/futhark/elaborate/types/size_exps.h"

namespace skald::futhark::elab {

Env bind_instance(Types& types, const Closure& c, const std::vector<uint32_t>& ids,
                  const std::vector<TypeParam>& tparams, const Type* def_type, Env env) {
  if (ids.empty()) return env;
  std::unordered_set<uint32_t> open(ids.begin(), ids.end());
  auto name_of = [&](uint32_t id) -> std::string_view {
    for (const auto& p : tparams)
      if (p.name.id == id) return p.name.name;
    return {};
  };
  if (c.inst) {
    for (const TypeInst& inst : *c.inst) {
      if (!open.contains(inst.param_id)) continue;
      if (inst.type) {
        TypeBinding binding;
        binding.type = inst.type;
        binding.env = c.use_env;
        env = bind_type(env, name_of(inst.param_id), inst.param_id, std::move(binding));
        open.erase(inst.param_id);
      } else if (inst.size) {
        env =
            bind_term(env, name_of(inst.param_id), inst.param_id, size_thunk(inst.size, c.use_env));
        open.erase(inst.param_id);
      }
    }
  }
  if (!open.empty() && c.use_type) types.match_types(env, def_type, c.use_type, c.use_env, open);
  return env;
}

Env bind_params(Types& types, const std::vector<Ptr<Pat>>& params, const std::vector<uint32_t>& ids,
                const std::vector<TypeParam>& tparams, const std::vector<ValuePtr>& args, Env env) {
  std::unordered_set<uint32_t> open(ids.begin(), ids.end());
  for (const auto& p : tparams) open.insert(p.name.id);
  for (size_t i = 0; i < params.size(); ++i) {
    if (!open.empty() && params[i]->type && args[i]->kind != Value::kClosure)
      types.bind_sizes(env, params[i]->type, rep_of(*args[i]), &open);
    env = bind_pattern(types, *params[i], args[i], env);
  }
  return env;
}

Env bind_params(Types& types, const DVal& def, const std::vector<ValuePtr>& args, const Env& env) {
  return bind_params(types, def.params, def.type_param_ids, def.tparams, args, env);
}

ValuePtr inline_body(Code& code, Evaluator& evaluator, const Exp& body, const Env& env, Span span) {
  const Code::InCall in_call(code, span);
  return evaluator.exp(body, env);
}

}  // namespace skald::futhark::elab
