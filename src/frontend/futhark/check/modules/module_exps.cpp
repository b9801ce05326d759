// SPDX-License-Identifier: Apache-2.0
// Module expressions: ascription, parametric modules and their application.
#include "frontend/futhark/check/modules/modules.h"

namespace skald::futhark {

namespace {

void list_values(const Mod* mod, std::vector<std::string>& path, std::vector<ModBinding>& out) {
  if (!mod || !mod->env) return;
  for (const Env::Item& item : mod->env->items) {
    path.push_back(item.name);
    if (item.term.val) out.push_back({item.term.val->name.id, path, false});
    if (item.term.mod) list_values(item.term.mod->mod, path, out);
    path.pop_back();
  }
}

}  // namespace

std::vector<ModBinding> Modules::bindings_of(const ModType& t, bool values) {
  std::vector<ModBinding> out;
  for (const AbstractType& a : t.abstract) out.push_back({a.name.id, a.path, true});
  std::vector<std::string> path;
  if (values) list_values(t.mod, path, out);
  return out;
}

ModType Modules::mod_exp(ModExp& e, const ScopePtr& scope) {
  if (auto* p = std::get_if<MParens>(&e.node)) return mod_exp(*p->inner, scope);
  if (auto* v = std::get_if<MVar>(&e.node)) {
    const Term t = Names(scope).term(v->name);
    if (!t.mod) {
      unknown(NameKind::kModule, "module", v->name, scope);
      return {};
    }
    if (v->name.quals.empty() && v->name.name == "intrinsics" && t.mod->name.id == 0) {
      error("intrinsics", e.span, "The 'intrinsics' module may not be used in module expressions.");
      return {};
    }
    return {{}, t.mod->mod};
  }
  if (auto* d = std::get_if<MDecs>(&e.node)) {
    const uint32_t before = f_.fresh_id();
    Mod mod;
    mod.env = decs(d->decs, scope, false);
    ModType out{{}, ctx_.new_mod(std::move(mod))};
    std::vector<std::string> path;
    collect_abstract(out.mod, before, path, out.abstract);
    return out;
  }
  if (auto* i = std::get_if<MImport>(&e.node)) {
    const Env* env = import_(i->path, e.span);
    if (!env) return {};
    Mod mod;
    mod.env = env;
    return {{}, ctx_.new_mod(std::move(mod))};
  }
  if (auto* a = std::get_if<MAscript>(&e.node)) {
    ModType inner = mod_exp(*a->inner, scope);
    if (!inner.mod) {
      mod_type(*a->type, scope);
      return {};
    }
    return ascribe(inner, *a->type, scope, a->type->span, a->bindings);
  }
  if (auto* l = std::get_if<MLambda>(&e.node))
    return functor({&l->param}, 0, l->result.get(), *l->body, l->bindings, scope,
                   l->result ? l->result->span : e.span);
  if (auto* a = std::get_if<MApply>(&e.node)) return apply(*a, e.span, scope);
  return {};
}

ModType Modules::ascribe(const ModType& mod, ModTypeExp& type, const ScopePtr& scope, Span span,
                         std::vector<ModBinding>& bindings) {
  ModType spec = mod_type(type, scope);
  if (!spec.mod) return {};
  Match m = match(mod.mod, spec, span, Match::kAscribed);
  if (!m.ok) return spec;
  // Values stay what they are; only their types are seen as specified.
  Renaming r;
  r.values = m.values;
  for (auto& [id, val] : m.values) r.subst.sizes[id] = f_.size_var(val->name);
  std::vector<AbstractType> abstract = spec.abstract;
  bindings = bindings_of({abstract, nullptr}, false);
  const Mod* seen = r.values.empty() ? spec.mod : rename(spec.mod, r);
  return {std::move(abstract), seen};
}

ModType Modules::functor(std::vector<ModParam*> params, size_t at, ModTypeExp* result, ModExp& body,
                         std::vector<ModBinding>& bindings, const ScopePtr& scope, Span span) {
  if (at == params.size()) {
    ModType mod = mod_exp(body, scope);
    if (!result) return mod;
    if (!mod.mod) {
      mod_type(*result, scope);
      return {};
    }
    return ascribe(mod, *result, scope, span, bindings);
  }
  ModParam& p = *params[at];
  ModType type = mod_type(*p.type, scope);
  if (!type.mod) return {};
  type = fresh_names(type, true);
  for (const AbstractType& a : type.abstract)
    ctx_.abstract_names[a.name.id] = p.name.name + "." + path_text(a.path);
  p.bindings = bindings_of(type, true);
  p.name.id = f_.fresh_id();
  Env* env = ctx_.new_env();
  Env::Item item{p.name.name};
  item.term.mod =
      &ctx_.mods.emplace_back(ModEntry{{p.name.name, p.name.id}, p.name.span, type.mod});
  env->add(std::move(item));
  auto inner = std::make_shared<const Scope>(Scope{env, SIZE_MAX, scope});
  Mod mod;
  mod.param_abstract = type.abstract;
  mod.param = type.mod;
  mod.generative_from = f_.fresh_id();
  mod.result = functor(params, at + 1, result, body, bindings, inner, span);
  mod.generative_to = f_.fresh_id();
  if (!mod.result.mod) return {};
  return {{}, ctx_.new_mod(std::move(mod))};
}

void Modules::not_parametric(const MApply& e, const ScopePtr& scope) {
  // The module that is applied, and to how many arguments that is right.
  const ModExp* fn = e.fn.get();
  size_t count = 0;
  for (;;) {
    const auto* parens = std::get_if<MParens>(&fn->node);
    const auto* application = std::get_if<MApply>(&fn->node);
    if (!parens && !application) break;
    count += application ? 1 : 0;
    fn = parens ? parens->inner.get() : application->fn.get();
  }
  const auto* v = std::get_if<MVar>(&fn->node);
  const ModEntry* entry = v ? Names(scope).term(v->name).mod : nullptr;
  std::vector<source::Label> labels;
  if (entry && entry->span.known() && entry->span.file.index >= ctx_.first_user_file)
    labels.push_back({entry->span, "defined here"});
  error("not-parametric", count ? e.arg->span : e.fn->span,
        (v ? quote(qual_text(v->name)) : "this module") + " takes " +
            (count == 0 ? "no argument" : "only " + std::to_string(count)) +
            (count == 0   ? ""
             : count == 1 ? " argument"
                          : " arguments") +
            "\nCannot apply non-parametric module.",
        std::move(labels));
}

ModType Modules::apply(MApply& e, Span span, const ScopePtr& scope) {
  ModType fn = mod_exp(*e.fn, scope);
  ModType arg = mod_exp(*e.arg, scope);
  if (!fn.mod || !arg.mod) return {};
  if (fn.mod->env) {
    not_parametric(e, scope);
    return {};
  }
  Match m = match(arg.mod, {fn.mod->param_abstract, fn.mod->param}, e.arg->span, Match::kPassed);
  if (!m.ok) return {};
  for (auto& [id, val] : m.values) mark_used(val);
  Renaming r;
  r.subst = m.subst;
  for (auto& [id, val] : m.values) r.subst.sizes[id] = f_.size_var(val->name);
  r.values = m.values;
  // What the body makes is new for every application.
  ModType out;
  for (const AbstractType& a : fn.mod->result.abstract) {
    AbstractType fresh = a;
    fresh.name.id = f_.fresh_id();
    std::vector<TypeArg> args;
    std::vector<TParam> params;
    const TypeEntry* entry = nullptr;
    const Mod* at = fn.mod->result.mod;
    for (size_t i = 0; i < a.path.size() && at && at->env; ++i) {
      if (i + 1 == a.path.size())
        entry = at->env->find_type(a.path[i]);
      else
        at = at->env->find_term(a.path[i]).mod ? at->env->find_term(a.path[i]).mod->mod : nullptr;
    }
    if (entry) params = entry->def.params;
    for (const TParam& p : params)
      args.push_back(p.is_size ? TypeArg{nullptr, {f_.size_var(p.name)}}
                               : TypeArg{f_.named(p.name, p.lifted)});
    r.subst.types[a.name.id] = {params, f_.named(fresh.name, a.lifted, args)};
    out.abstract.push_back(std::move(fresh));
  }
  r.fresh_from = fn.mod->generative_from;
  r.fresh_to = fn.mod->generative_to;
  out.mod = rename(fn.mod->result.mod, r);
  if (f_.arena().too_large()) {
    error("type-too-large", span, kTypeTooLarge);
    f_.arena().forget_too_large();
    return {};
  }
  e.bindings = bindings_of(out, true);
  return out;
}

}  // namespace skald::futhark
