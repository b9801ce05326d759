// SPDX-License-Identifier: Apache-2.0
// Module type expressions.
#include <algorithm>

#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/check/hints/suggest.h"
#include "frontend/futhark/check/modules/modules.h"

namespace skald::futhark {

ModType Modules::mod_type(ModTypeExp& e, const ScopePtr& scope) {
  if (auto* p = std::get_if<MTParens>(&e.node)) return mod_type(*p->inner, scope);
  if (auto* v = std::get_if<MTVar>(&e.node)) {
    ModTypeEntry* entry = Names(scope).mod_type(v->name);
    if (!entry) {
      unknown(NameKind::kModuleType, "module type", v->name, scope);
      return {};
    }
    return fresh_names(entry->type, false);
  }
  if (auto* s = std::get_if<MTSpecs>(&e.node)) {
    ModType out;
    Mod mod;
    Env* env = ctx_.new_env();
    specs(s->specs, *env, out.abstract, scope);
    mod.env = env;
    out.mod = ctx_.new_mod(std::move(mod));
    return out;
  }
  if (auto* w = std::get_if<MTWith>(&e.node)) return with(*w, scope, e.span);
  if (auto* a = std::get_if<MTArrow>(&e.node)) {
    ModType from = mod_type(*a->from, scope);
    if (!from.mod) return {};
    from = fresh_names(from, true);
    ScopePtr inner = scope;
    if (a->param) {
      a->param->id = f_.fresh_id();
      Env* env = ctx_.new_env();
      Env::Item item{a->param->name};
      item.term.mod = &ctx_.mods.emplace_back(
          ModEntry{{a->param->name, a->param->id}, a->param->span, from.mod});
      env->add(std::move(item));
      inner = std::make_shared<const Scope>(Scope{env, SIZE_MAX, scope});
    }
    Mod mod;
    mod.param_abstract = from.abstract;
    mod.param = from.mod;
    mod.generative_from = f_.fresh_id();
    mod.result = mod_type(*a->to, inner);
    if (mod.result.mod) mod.result = fresh_names(mod.result, true);
    mod.generative_to = f_.fresh_id();
    if (!mod.result.mod) return {};
    return {{}, ctx_.new_mod(std::move(mod))};
  }
  return {};
}

void Modules::specs(std::vector<Ptr<Spec>>& specs, Env& env, std::vector<AbstractType>& abstract,
                    const ScopePtr& scope) {
  std::unordered_map<std::string, Span> seen;
  auto see = [&](const char* space, const Ident& name) {
    auto [it, is_new] = seen.emplace(std::string(space) + " " + name.name, name.span);
    if (!is_new)
      error("duplicate-definition", name.span,
            std::string("Duplicate definition of ") + space + " " + name.name +
                ".\nPreviously defined at " + ctx_.where(it->second),
            {{it->second, "first defined here"}});
  };
  for (auto& spec : specs) {
    auto here = std::make_shared<const Scope>(Scope{&env, env.items.size(), scope});
    if (auto* v = std::get_if<SpecVal>(&spec->node)) {
      see("name", v->name);
      value_spec(*v, spec->span, env, here);
    } else if (auto* t = std::get_if<SpecType>(&spec->node)) {
      see("type", t->name);
      type_spec(*t, spec->span, env, abstract, here);
    } else if (auto* m = std::get_if<SpecModule>(&spec->node)) {
      see("name", m->name);
      ModType mt = mod_type(*m->type, here);
      if (!mt.mod) continue;
      mt = fresh_names(mt, true);
      m->name.id = f_.fresh_id();
      for (AbstractType a : mt.abstract) {
        a.path.insert(a.path.begin(), m->name.name);
        abstract.push_back(std::move(a));
      }
      Env::Item item{m->name.name};
      item.term.mod =
          &ctx_.mods.emplace_back(ModEntry{{m->name.name, m->name.id}, m->name.span, mt.mod});
      env.add(std::move(item));
    } else if (auto* i = std::get_if<SpecInclude>(&spec->node)) {
      include_spec(*i, spec->span, env, abstract, here);
    }
  }
}

namespace {

// The specification with names for the sizes that are written `[]` at these places.
std::string with_named_sizes(const Context& ctx, const SpecVal& v, const std::vector<Span>& open) {
  const Span whole = v.type->span;
  std::string text(ctx.sources.text(whole));
  std::vector<std::string> names = {"n", "m", "k", "l"};
  std::string params;
  for (const TypeParam& p : v.tparams) {
    if (p.kind != TypeParam::kSize) return {};
    params += " [" + p.name.name + "]";
    std::erase(names, p.name.name);
  }
  constexpr size_t kLongest = 60;
  if (open.size() > names.size() || text.size() > kLongest || text.find('\n') != std::string::npos)
    return {};
  for (size_t i = 0; i < open.size(); ++i) params += " [" + names[i] + "]";
  for (size_t i = open.size(); i-- > 0;) {
    if (open[i].begin < whole.begin || open[i].end > whole.end) return {};
    text.replace(open[i].begin - whole.begin, 2, "[" + names[i] + "]");
  }
  return "val " + v.name.name + params + " : " + text;
}

}  // namespace

void Modules::value_spec(SpecVal& v, Span span, Env& env, const ScopePtr& here) {
  CheckedType t = check_type(ctx_, *v.type, v.tparams, here);
  if (t.ok && (!t.anonymous.empty() || !t.exts.empty())) {
    std::vector<Span> open;
    for (const auto* names : {&t.anonymous, &t.exts})
      for (const VName& n : *names)
        if (auto it = ctx_.bound_at.find(n.id); it != ctx_.bound_at.end())
          open.push_back(it->second);
    std::ranges::sort(open, {}, &Span::begin);
    const bool complete = open.size() == t.anonymous.size() + t.exts.size();
    const std::string better = complete ? with_named_sizes(ctx_, v, open) : std::string();
    error("anonymous-size", open.empty() ? span : open[0],
          "All function parameters must have non-anonymous sizes.", {},
          better.empty() ? "add size parameters to " + quote(v.name.name)
                         : "give every size a name: `" + better + "`");
    t.ok = false;
  }
  ValEntry e;
  e.name = {v.name.name, f_.fresh_id()};
  e.span = v.name.span;
  v.name.id = e.name.id;
  e.params = std::move(t.params);
  e.type = t.type;
  e.broken = !t.ok;
  e.used = true;
  Env::Item item{v.name.name};
  item.term.val = ctx_.new_val(std::move(e));
  env.add(std::move(item));
}

void Modules::type_spec(SpecType& t, Span span, Env& env, std::vector<AbstractType>& abstract,
                        const ScopePtr& here) {
  Env::Item item{t.name.name};
  if (t.definition) {
    item.type = type_entry(t.name, t.lifted, t.params, *t.definition, span, here);
    if (!item.type) return;
  } else {
    TypeEntry e;
    e.name = {t.name.name, f_.fresh_id()};
    e.span = t.name.span;
    e.lifted = t.lifted;
    t.name.id = e.name.id;
    std::vector<TypeArg> args;
    std::unordered_map<std::string, Span> names;
    for (TypeParam& p : t.params) {
      auto [it, is_new] =
          names.emplace((p.kind == TypeParam::kSize ? "[" : "'") + p.name.name, p.name.span);
      if (!is_new)
        error("duplicate-name", p.name.span,
              "Type parameter " + quote(p.name.name) + " previously defined at " +
                  ctx_.where(it->second),
              {{it->second, "first bound here"}});
      p.name.id = f_.fresh_id();
      const VName name{p.name.name, p.name.id};
      e.def.params.push_back({name, p.kind == TypeParam::kSize, p.lifted, p.name.span});
      args.push_back(p.kind == TypeParam::kSize ? TypeArg{nullptr, {f_.size_var(name)}}
                                                : TypeArg{f_.named(name, p.lifted)});
    }
    e.def.type = f_.named(e.name, t.lifted, std::move(args));
    abstract.push_back({{t.name.name}, e.name, t.lifted});
    item.type = &ctx_.types.emplace_back(std::move(e));
  }
  env.add(std::move(item));
}

void Modules::include_spec(SpecInclude& i, Span span, Env& env, std::vector<AbstractType>& abstract,
                           const ScopePtr& here) {
  ModType mt = mod_type(*i.type, here);
  if (!mt.mod) return;
  if (!mt.mod->env) {
    error(
        "module-is-parametric", span,
        "a module type with a parameter cannot be included\nCannot include parametric module type.",
        {}, "ask for a module of that type instead: `module m : …`");
    return;
  }
  for (const AbstractType& a : mt.abstract) {
    if (a.path.size() == 1 && env.find_type(a.path[0]))
      ctx_.warn("inclusion-shadows", span, "Inclusion shadows type " + quote(a.path[0]));
    // What is shadowed cannot be asked of an implementation.
    std::erase_if(abstract, [&](const AbstractType& b) { return b.path == a.path; });
    abstract.push_back(a);
  }
  env.add_all(*mt.mod->env);
}

ModType Modules::with(MTWith& e, const ScopePtr& scope, Span span) {
  ModType inner = mod_type(*e.inner, scope);
  CheckedType t = check_type(ctx_, *e.definition, e.params, scope);
  if (!inner.mod || !t.ok) return inner;
  std::vector<std::string> path = e.type.quals;
  path.push_back(e.type.name);
  for (size_t i = 0; i < inner.abstract.size(); ++i) {
    const AbstractType a = inner.abstract[i];
    if (a.path != path) continue;
    // The parameters of the abstract type.
    const TypeEntry* entry = type_at(inner.mod, path);
    const std::vector<TParam> have = entry ? entry->def.params : std::vector<TParam>{};
    bool same = have.size() == t.params.size();
    for (size_t k = 0; same && k < have.size(); ++k)
      same = have[k].is_size == t.params[k].is_size &&
             (have[k].is_size || have[k].lifted <= t.params[k].lifted);
    if (!same) {
      auto text = [](const std::vector<TParam>& ps) {
        if (ps.empty()) return std::string("no type parameters");
        std::string out = "type parameters";
        for (const TParam& p : ps) out += p.is_size ? " [" + p.name.base + "]" : " '" + p.name.base;
        return out;
      };
      const std::string name = quote(qual_text(e.type));
      error(
          "refine-type", e.type.span.known() ? e.type.span : span,
          name +
              " must have the same parameters as in the module type\nCannot refine a type having " +
              text(t.params) + " with a type having " + text(have),
          {{entry ? entry->span : Span{}, "the module type has it with " + text(have)}},
          "write it with " + text(have));
      return {};
    }
    Renaming r;
    std::vector<VName> exts = t.anonymous;
    exts.insert(exts.end(), t.exts.begin(), t.exts.end());
    r.subst.types[a.name.id] = {t.params, t.type, exts};
    ModType out;
    out.abstract = inner.abstract;
    out.abstract.erase(out.abstract.begin() + static_cast<std::ptrdiff_t>(i));
    out.mod = rename(inner.mod, r);
    return out;
  }
  const TypeEntry* entry = type_at(inner.mod, path);
  std::vector<std::string> words;
  for (const AbstractType& a : inner.abstract) words.push_back(path_text(a.path));
  std::vector<std::string> near = nearest(qual_text(e.type), words);
  if (near.empty() && words.size() == 1) near = words;
  error("refine-type", e.type.span.known() ? e.type.span : span,
        quote(qual_text(e.type)) + " is not an abstract type in the module type.",
        {{entry ? entry->span : Span{}, "the module type says already what it is"}},
        near.empty() ? std::string() : "it leaves open what " + one_of(near) + " is");
  return {};
}

}  // namespace skald::futhark
