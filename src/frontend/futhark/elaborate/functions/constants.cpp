// SPDX-License-Identifier: Apache-2.0
// Top-level constants: functions without parameters that are computed once.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

ValuePtr Elaborator::constant(const Lazy& lazy, const Env& use_env,
                              const std::vector<TypeInst>& inst, const Type* type, Span span) {
  const DVal& def = *lazy.constant;
  Closure c;
  c.code = Closure::kDef;
  c.def = &def;
  c.inst = &inst;
  c.use_type = type;
  c.use_env = use_env;
  Env env = bind_instance(c, def.type_param_ids, def.tparams, def.type, lazy.env);
  bool polymorphic = !def.type_param_ids.empty() || !def.tparams.empty();
  bool is_static = def.type && contains_arrow(*def.type);
  const Exp* body = def.body.get();
  name_body(def.name.name, *body);
  while (const auto* parens = std::get_if<EParens>(&body->node)) body = parens->inner.get();
  bool simple =
      std::holds_alternative<ELiteral>(body->node) || std::holds_alternative<EVar>(body->node) ||
      std::holds_alternative<ENegate>(body->node) ||
      (def.type && def.type->kind == Type::kPrim && std::holds_alternative<EBinary>(body->node));
  if (polymorphic || is_static || simple) return inline_body(*def.body, env, {span});

  if (fn_)
    if (auto it = fn_->constants.find(&lazy); it != fn_->constants.end()) return it->second;
  std::string key = fmt::format("const|{}", static_cast<const void*>(&lazy));
  auto [it, fresh] = functions_.try_emplace(key);
  CoreFn& info = it->second;
  if (fresh) {
    kept_.push_back(lazy.env);
    info.name = function_name(def.name.name);
    info.running = true;
    Closure code;
    code.code = Closure::kDef;
    code.def = &def;
    code.dec = lazy.dec;
    size_t before = prog_.functions.size();
    // No scope around: a constant sees nothing of the function that uses it.
    Scope* old = scope_;
    scope_ = nullptr;
    bool ok = build_function(code, env, {}, info);
    scope_ = old;
    if (scope_) b().set_loc(loc_);
    info.running = false;
    info.inlined = !ok;
    if (ok && prog_.functions.size() > before) prog_.functions.back().hints.once = true;
  }
  if (info.inlined) return inline_body(*def.body, env, {span});
  // Called at the start of the function under construction.
  Scope top{core::Builder(prog_), {}, scope_};
  top.builder.set_loc(loc_);
  scope_ = &top;
  ValuePtr v = instantiate_call(info, {}, {});
  std::vector<core::Stmt> stmts = std::move(top.builder.finish({}).stmts);
  scope_ = top.parent;
  for (auto& stmt : stmts) fn_->prologue.push_back(std::move(stmt));
  share(*v);
  fn_->constants[&lazy] = v;
  return v;
}

}  // namespace skald::futhark::elab
