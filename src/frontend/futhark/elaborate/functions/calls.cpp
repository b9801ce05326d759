// SPDX-License-Identifier: Apache-2.0
// Application: partial application, instantiation of type parameters, inlining.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

size_t Elaborator::arity(const Closure& c) {
  switch (c.code) {
    case Closure::kDef: return c.def->params.size();
    case Closure::kLetFun: return c.let_fun->params.size();
    case Closure::kLambda: return c.lambda->params.size();
    case Closure::kBuiltin: return c.name == "!" || c.name == "neg" ? 1 : 2;
    case Closure::kIntrinsic: {
      size_t n = 1;
      is_intrinsic(c.name, &n);
      return n;
    }
    case Closure::kRight:
    case Closure::kPath:
    case Closure::kHole: return 1;
  }
  return 1;
}

ValuePtr Elaborator::apply_exp(const Exp& e, const EApply& a, const Env& env) {
  // Right to left: a size in an argument's type may come from an argument after it.
  std::vector<ValuePtr> args(a.args.size());
  for (size_t i = a.args.size(); i-- > 0;) args[i] = exp(*a.args[i], env);
  ValuePtr fn = exp(*a.fn, env);
  return apply(fn, std::move(args), {e.span, e.type, env});
}

ValuePtr Elaborator::apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use) {
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

ValuePtr Elaborator::call1(const ValuePtr& fn, ValuePtr a, const Use& use) {
  return apply(fn, {std::move(a)}, use);
}

ValuePtr Elaborator::call2(const ValuePtr& fn, ValuePtr a, ValuePtr b, const Use& use) {
  return apply(fn, {std::move(a), std::move(b)}, use);
}

ValuePtr Elaborator::inline_body(const Exp& body, const Env& env, const Use& use) {
  core::Loc old_caller = caller_;
  if (use.span.known()) {
    caller_ = loc_;
    call_spans_.push_back(use.span);
  }
  size_t log = size_log_.size();
  const core::Hints hints = hints_;  // `#[sequential] f x` concerns the combinators f is made of
  ValuePtr v = exp(body, env);
  hints_ = hints;
  size_log_.resize(std::min(log, size_log_.size()));
  caller_ = old_caller;
  if (use.span.known()) call_spans_.pop_back();
  return v;
}

ValuePtr Elaborator::apply_full(const Closure& c, const std::vector<ValuePtr>& args,
                                const Use& use) {
  switch (c.code) {
    case Closure::kDef: return apply_def(c, args, use);
    case Closure::kLetFun: {
      const ELetFun& f = *c.let_fun;
      name_body(f.name.name, *f.value);
      Env env = bind_instance(c, f.type_param_ids, f.tparams, f.type, c.env);
      env = bind_params(f.params, f.type_param_ids, f.tparams, args, env);
      return inline_body(*f.value, env, use);
    }
    case Closure::kLambda: {
      Env env = bind_params(c.lambda->params, {}, {}, args, c.env);
      // The body stands in the text where it is used: no call in the back trace.
      return inline_body(*c.lambda->body, env, {});
    }
    case Closure::kBuiltin:
      if (c.name == "neg") return negate(args.at(0));
      if (c.name == "!") return complement(args.at(0));
      return builtin_binary(c.name, args.at(0), args.at(1));
    case Closure::kIntrinsic: return intrinsic(c.name, args, c, use);
    case Closure::kRight: return apply(c.args[0], {args.at(0), c.args[1]}, use);
    case Closure::kHole: return hole_value(c.use_type->to, c.use_env, use.span);
    case Closure::kPath: return path_value(*c.path, args.at(0), c.env);
  }
  SKALD_BUG("unknown function");
}

Env Elaborator::bind_instance(const Closure& c, const std::vector<uint32_t>& ids,
                              const std::vector<TypeParam>& tparams, const Type* def_type,
                              Env env) {
  if (ids.empty()) return env;
  std::unordered_set<uint32_t> open(ids.begin(), ids.end());
  auto name_of = [&](uint32_t id) -> std::string_view {
    for (const auto& p : tparams)
      if (p.name.id == id) return p.name.name;
    return {};
  };
  if (c.inst) {
    for (const TypeInst& inst : *c.inst) {
      if (!open.count(inst.param_id)) continue;
      if (inst.type) {
        TypeBinding binding;
        binding.type = inst.type;
        binding.env = c.use_env;
        env = bind_type(env, name_of(inst.param_id), inst.param_id, std::move(binding));
        open.erase(inst.param_id);
      } else if (inst.size) {
        Value thunk;
        thunk.kind = Value::kSize;
        thunk.size = {inst.size, c.use_env};
        env = bind_term(env, name_of(inst.param_id), inst.param_id,
                        std::make_shared<const Value>(std::move(thunk)));
        open.erase(inst.param_id);
      }
    }
  }
  if (!open.empty() && c.use_type) match_types(env, def_type, c.use_type, c.use_env, open);
  return env;
}

Env Elaborator::bind_params(const std::vector<Ptr<Pat>>& params, const std::vector<uint32_t>& ids,
                            const std::vector<TypeParam>& tparams,
                            const std::vector<ValuePtr>& args, Env env) {
  std::unordered_set<uint32_t> open(ids.begin(), ids.end());
  for (const auto& p : tparams) open.insert(p.name.id);
  for (size_t i = 0; i < params.size(); ++i) {
    if (!open.empty() && params[i]->type && args[i]->kind != Value::kClosure)
      bind_sizes(env, params[i]->type, rep_of(*args[i]), &open);
    env = bind_pattern(*params[i], args[i], env);
  }
  return env;
}

ValuePtr Elaborator::apply_def(const Closure& c, const std::vector<ValuePtr>& args,
                               const Use& use) {
  const DVal& def = *c.def;
  name_body(def.name.name, *def.body);
  Env env = bind_instance(c, def.type_param_ids, def.tparams, def.type, c.env);
  if (wants_function(c, args)) {
    if (ValuePtr v = call_function(c, env, args, use)) return v;
  }
  env = bind_params(def.params, def.type_param_ids, def.tparams, args, env);
  uint32_t before = prog_.names.size();
  ValuePtr v = inline_body(*def.body, env, use);
  size_t cost = prog_.names.size() - before;
  size_t& known = inline_cost_[&def];
  known = std::max(known, cost);
  return v;
}

}  // namespace skald::futhark::elab
