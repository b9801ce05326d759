// SPDX-License-Identifier: Apache-2.0
// Application: partial application, instantiation of type parameters, inlining.
#include "frontend/futhark/elaborate/functions/calls.h"

#include "frontend/futhark/elaborate/arrays/updates.h"
#include "frontend/futhark/elaborate/functions/instances.h"
#include "frontend/futhark/elaborate/types/placeholders.h"

namespace skald::futhark::elab {

static size_t arity(const Closure& c) {
  switch (c.code) {
    case Closure::kDef: return c.def->params.size();
    case Closure::kLetFun: return c.let_fun->params.size();
    case Closure::kLambda: return c.lambda->params.size();
    case Closure::kBuiltin: return c.name == "!" || c.name == "neg" ? 1 : 2;
    case Closure::kIntrinsic: return intrinsic_arity(c.name).value_or(1);
    case Closure::kRight:
    case Closure::kPath:
    case Closure::kHole: return 1;
  }
  return 1;
}

ValuePtr Calls::apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use) {
  SKALD_CHECK(fn->kind == Value::kClosure, "applying something that is no function");
  const Closure& c = *fn->closure;
  size_t given = c.code == Closure::kRight ? 0 : c.args.size();
  size_t wanted = arity(c);
  // An intrinsic may be given all its arguments as one tuple.
  if (c.code == Closure::kIntrinsic && wanted > 1 && given == 0 && args.size() == 1 &&
      args[0]->kind == Value::kRecord && args[0]->fields.size() == wanted) {
    std::vector<ValuePtr> spread;
    for (const auto& field : args[0]->fields) spread.push_back(field.second);
    return apply_full(c, spread, use);
  }
  if (given + args.size() < wanted) {
    Closure partial = c;
    partial.args.insert(partial.args.end(), args.begin(), args.end());
    return closure_value(std::move(partial));
  }
  std::vector<ValuePtr> now;
  if (c.code != Closure::kRight) now = c.args;
  size_t take = wanted - given;
  now.insert(now.end(), args.begin(), args.begin() + static_cast<std::ptrdiff_t>(take));
  if (take == args.size()) return apply_full(c, now, use);
  Use inner = use;
  inner.type = nullptr;
  ValuePtr next = apply_full(c, now, inner);
  args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(take));
  return apply(next, std::move(args), use);
}

ValuePtr Calls::apply_full(const Closure& c, const std::vector<ValuePtr>& args, const Use& use) {
  switch (c.code) {
    case Closure::kDef: return apply_def(c, args, use);
    case Closure::kLetFun: {
      const ELetFun& f = *c.let_fun;
      code_.name_body(f.name.name, *f.value);
      Env env = bind_instance(types_, c, f.type_param_ids, f.tparams, f.type, c.env);
      env = bind_params(types_, f.params, f.type_param_ids, f.tparams, args, env);
      return inline_body(code_, evaluator_, *f.value, env, use.span);
    }
    case Closure::kLambda: {
      Env env = bind_params(types_, c.lambda->params, {}, {}, args, c.env);
      // The body stands in the text where it is used: no call in the back trace.
      return inline_body(code_, evaluator_, *c.lambda->body, env, {});
    }
    case Closure::kBuiltin:
      if (c.name == "neg") return operators_.negate(args.at(0));
      if (c.name == "!") return operators_.complement(args.at(0));
      return operators_.binary(c.name, args.at(0), args.at(1));
    case Closure::kIntrinsic: return intrinsics_.apply(c, args, use);
    case Closure::kRight: return apply(c.args[0], {args.at(0), c.args[1]}, use);
    case Closure::kHole: return hole_value(code_, types_, c.use_type->to, c.use_env, use.span);
    case Closure::kPath: return path_value(code_, *c.path, args.at(0), indices_in(types_, c.env));
  }
  SKALD_BUG("unknown function");
}

ValuePtr Calls::apply_def(const Closure& c, const std::vector<ValuePtr>& args, const Use& use) {
  const DVal& def = *c.def;
  code_.name_body(def.name.name, *def.body);
  Env env = bind_instance(types_, c, def.type_param_ids, def.tparams, def.type, c.env);
  if (functions_.wants_function(c, args)) {
    if (ValuePtr v = functions_.call(c, env, args, use)) return v;
  }
  env = bind_params(types_, def, args, env);
  uint32_t before = code_.program().names.size();
  ValuePtr v = inline_body(code_, evaluator_, *def.body, env, use.span);
  functions_.note_inlined(def, code_.program().names.size() - before);
  return v;
}

}  // namespace skald::futhark::elab
