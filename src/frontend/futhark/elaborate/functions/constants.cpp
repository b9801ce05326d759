// SPDX-License-Identifier: Apache-2.0
// Top-level constants: functions without parameters that are computed once.
#include "frontend/futhark/elaborate/functions/core_functions.h"
#include "frontend/futhark/elaborate/functions/instances.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

ValuePtr CoreFunctions::constant(const Lazy& lazy, const std::vector<TypeInst>& inst,
                                 const Use& use) {
  const DVal& def = *lazy.constant;
  Closure c;
  c.code = Closure::kDef;
  c.def = &def;
  c.inst = &inst;
  c.use_type = use.type;
  c.use_env = use.env;
  Env env = bind_instance(types_, c, def.type_param_ids, def.tparams, def.type, lazy.env);
  bool polymorphic = !def.type_param_ids.empty() || !def.tparams.empty();
  bool is_static = def.type && contains_arrow(*def.type);
  const Exp* body = def.body.get();
  code_.name_body(def.name.name, *body);
  while (const auto* parens = std::get_if<EParens>(&body->node)) body = parens->inner.get();
  bool simple =
      std::holds_alternative<ELiteral>(body->node) || std::holds_alternative<EVar>(body->node) ||
      std::holds_alternative<ENegate>(body->node) ||
      (def.type && def.type->kind == Type::kPrim && std::holds_alternative<EBinary>(body->node));
  if (polymorphic || is_static || simple)
    return inline_body(code_, evaluator_, *def.body, env, use.span);

  if (const OpenFunction* fn = code_.function())
    if (auto it = fn->constants.find(&lazy); it != fn->constants.end()) return it->second;
  std::string key = fmt::format("const|{}", static_cast<const void*>(&lazy));
  auto [it, fresh] = functions_.try_emplace(key);
  CoreFn& info = it->second;
  if (fresh) {
    kept_.push_back(lazy.env);
    info.name = function_name(def.name.name);
    info.running = true;
    Closure own;
    own.code = Closure::kDef;
    own.def = &def;
    own.dec = lazy.dec;
    size_t before = code_.program().functions.size();
    bool ok = false;
    // A constant sees nothing of the function that uses it.
    code_.outside([&] { ok = build(own, env, {}, info); });
    info.running = false;
    info.inlined = !ok;
    if (ok && code_.program().functions.size() > before)
      code_.program().functions.back().hints.once = true;
  }
  if (info.inlined) return inline_body(code_, evaluator_, *def.body, env, use.span);
  // Called at the start of the function under construction.
  Block call = code_.open_block([&] { return instantiate_call(info, {}, {}); });
  OpenFunction& fn = *code_.function();
  for (auto& stmt : call.stmts) fn.prologue.push_back(std::move(stmt));
  code_.sharing().share(*call.value);
  fn.constants[&lazy] = call.value;
  return call.value;
}

}  // namespace skald::futhark::elab
