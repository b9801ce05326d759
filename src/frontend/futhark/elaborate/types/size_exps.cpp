// SPDX-License-Identifier: Apache-2.0
// Sizes and the arguments of types, by syntax.
#include "frontend/futhark/elaborate/types/size_exps.h"

namespace skald::futhark::elab {

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

ValuePtr size_thunk(const Exp* exp, const Env& env) {
  Value thunk;
  thunk.kind = Value::kSize;
  thunk.size = {exp, env};
  return std::make_shared<const Value>(std::move(thunk));
}

Env bind_type_args(const TypeBinding& binding, const Type& use, const Env& use_env) {
  Env inner = binding.env;
  for (size_t i = 0; i < binding.params.size() && i < use.args.size(); ++i) {
    const TypeParam& p = *binding.params[i];
    if (use.args[i].type) {
      TypeBinding arg;
      arg.type = use.args[i].type;
      arg.env = use_env;
      inner = bind_type(inner, p.name.name, p.name.id, std::move(arg));
    } else {
      inner = bind_term(inner, p.name.name, p.name.id, size_thunk(use.args[i].size.exp, use_env));
    }
  }
  return inner;
}

}  // namespace skald::futhark::elab
