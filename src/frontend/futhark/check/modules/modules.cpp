// SPDX-License-Identifier: Apache-2.0
// Declarations.
#include "frontend/futhark/check/modules/modules.h"

#include <algorithm>
#include <array>

#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/check/define/definition_text.h"
#include "frontend/futhark/check/define/entry.h"

namespace skald::futhark {

void Modules::error(const std::string& code, Span span, const std::string& what,
                    std::vector<source::Label> more, const std::string& hint) {
  Reporter(ctx_).error(code, span, what, std::move(more), hint);
}

void Modules::unknown(NameKind kind, const char* space, const QualName& name,
                      const ScopePtr& scope) {
  const Names names(scope);
  if (names.excused(name)) return;
  NameHelp help = explain_unknown(ctx_, names, kind, name);
  source::Diagnostic d;
  d.code = "unknown-name";
  d.what = std::string("Unknown ") + space + " " + quote(qual_text(name));
  d.labels = std::move(help.labels);
  d.labels.insert(d.labels.begin(), {name.span, ""});
  d.why = std::move(help.why);
  d.hint = std::move(help.hint);
  Reporter(ctx_).error(std::move(d));
}

void Modules::mark_used(ValEntry* e) {
  e->used = true;
  if (!e->lazy || e->lazy->done) return;
  e->lazy->done = true;
  ctx_.pending.push_back(e->lazy);
}

void Modules::check_duplicates(const std::vector<Ptr<Dec>>& decs) {
  // By what kind of name it is, and the name.
  enum Space : uint8_t { kName, kType, kModType };
  static constexpr std::array kWords = {"name", "type", "module type"};
  std::array<std::unordered_map<std::string_view, Span>, kWords.size()> seen;
  for (const auto& d : decs) {
    const Ident* name = nullptr;
    Space space = kName;
    if (auto* v = std::get_if<DVal>(&d->node)) name = &v->name;
    if (auto* m = std::get_if<DModule>(&d->node)) name = &m->name;
    if (auto* t = std::get_if<DType>(&d->node)) name = &t->name, space = kType;
    if (auto* t = std::get_if<DModType>(&d->node)) name = &t->name, space = kModType;
    if (!name) continue;
    auto [it, is_new] = seen[space].emplace(name->name, name->span);
    if (!is_new)
      error("duplicate-definition", name->span,
            std::string("Duplicate definition of ") + kWords[space] + " " + name->name +
                ".\nPreviously defined at " + ctx_.where(it->second),
            {{it->second, "first defined here"}});
  }
}

Env* Modules::decs(std::vector<Ptr<Dec>>& decs, const ScopePtr& outer, bool top_level) {
  check_duplicates(decs);
  Env* full = ctx_.new_env();
  Env* exported = ctx_.new_env();
  full->source = &decs;
  for (auto& d : decs) {
    auto scope = std::make_shared<const Scope>(Scope{full, full->items.size(), outer});
    dec(*d, *full, *exported, scope, top_level, false);
  }
  return exported;
}

void Modules::incomplete(Env& full, Env& exported, bool is_local) {
  full.incomplete = true;
  if (!is_local) exported.incomplete = true;
}

void Modules::dec(Dec& d, Env& full, Env& exported, const ScopePtr& scope, bool top_level,
                  bool is_local) {
  for (const Attr& attr : d.attrs) warn_unknown(ctx_, attr);
  if (auto* v = std::get_if<DVal>(&d.node))
    return value(*v, d, full, exported, scope, top_level, is_local);
  if (auto* t = std::get_if<DType>(&d.node))
    return type(*t, d.span, full, exported, scope, is_local);
  if (auto* m = std::get_if<DModule>(&d.node)) return module(*m, full, exported, scope, is_local);
  if (auto* t = std::get_if<DModType>(&d.node)) {
    ModType mt = mod_type(*t->body, scope);
    if (!mt.mod) return incomplete(full, exported, is_local);
    ModTypeEntry entry{{t->name.name, f_.fresh_id()}, t->name.span, std::move(mt)};
    t->name.id = entry.name.id;
    Env::Item item{t->name.name};
    item.mod_type = &ctx_.mod_types.emplace_back(std::move(entry));
    if (!is_local) exported.add(item);
    return full.add(std::move(item));
  }
  if (auto* o = std::get_if<DOpen>(&d.node)) {
    ModType mt = mod_exp(*o->module, scope);
    if (!mt.mod) return incomplete(full, exported, is_local);
    if (!mt.mod->env) {
      incomplete(full, exported, is_local);
      return error("module-is-parametric", o->module->span, "Cannot open parametric module.");
    }
    full.add_all(*mt.mod->env);
    if (!is_local) exported.add_all(*mt.mod->env);
    return;
  }
  if (auto* i = std::get_if<DImport>(&d.node)) {
    if (i->path.starts_with("/prelude/") || i->path.starts_with("/futlib/"))
      return error("prelude-import", d.span, i->path + " may not be explicitly imported", {},
                   "leave the import out");
    if (const Env* env = import_(i->path, d.span))
      full.add_all(*env);
    else
      full.incomplete = true;
    return;
  }
  if (auto* l = std::get_if<DLocal>(&d.node))
    return dec(*l->inner, full, exported, scope, top_level, true);
}

void Modules::value(DVal& v, Dec& d, Env& full, Env& exported, const ScopePtr& scope,
                    bool top_level, bool is_local) {
  ValEntry e;
  e.name = {v.name.name, f_.fresh_id()};
  e.span = v.name.span;
  ValEntry* entry = ctx_.new_val(std::move(e));
  v.name.id = entry->name.id;
  if (v.is_entry && !top_level)
    error("nested-entry", d.span, "Entry points may not be declared inside modules.");
  bool declared = false;
  if (lazy_) {
    declared = declare_definition(ctx_, v, entry, scope, d.span);
    if (declared) {
      LazyDef lazy;
      lazy.def = &v;
      lazy.entry = entry;
      lazy.scope = scope;
      entry->lazy = &ctx_.lazy.emplace_back(std::move(lazy));
    }
  }
  if (!declared) {
    DefinitionText text(ctx_, v, *entry);
    check_definition(ctx_, v, entry, scope, d.span);
    if ((v.is_entry || (top_level && root_ && v.name.name == "main")) && !entry->broken)
      check_entry(ctx_, v, *entry);
    text.keep_entry();
  }
  Env::Item item{v.name.name};
  item.term.val = entry;
  if (!is_local) exported.add(item);
  full.add(std::move(item));
}

TypeEntry* Modules::type_entry(Ident& name, Liftedness lifted, std::vector<TypeParam>& params,
                               TypeExp& te, Span span, const ScopePtr& scope) {
  CheckedType t = check_type(ctx_, te, params, scope);
  TypeEntry entry;
  entry.name = {name.name, f_.fresh_id()};
  entry.span = name.span;
  entry.lifted = lifted;
  name.id = entry.name.id;
  if (!t.ok) return nullptr;
  const Witnesses w = size_witnesses(t.type);
  const IdSet used = free_sizes(t.type);
  bool ok = true;
  auto complain = [&](const char* code, Span at, const std::string& what) {
    if (ok) error(code, at, what);
    ok = false;
  };
  for (const VName& a : t.anonymous)
    if (!w.witnessed.contains(a.id))
      complain("anonymous-nonconstructive", te.span,
               "Type abbreviation contains an anonymous size not used constructively as an array "
               "size");
  for (const TParam& p : t.params)
    if (p.is_size && !used.contains(p.name.id))
      complain("unused-size", span, "Size parameter " + quote("[" + p.name.base + "]") + " unused");
  if (t.lifted == Liftedness::kLifted && lifted < Liftedness::kLifted)
    complain("lifted-type", span,
             "Non-lifted type abbreviations may not contain functions.\nHint: consider using "
             "'type^'.");
  if (t.lifted == Liftedness::kSizeLifted && lifted < Liftedness::kSizeLifted)
    complain("lifted-type", span,
             "Non-size-lifted type abbreviations may not contain size-lifted types.\nHint: "
             "consider using 'type~'.");
  std::vector<VName> exts = t.anonymous;
  exts.insert(exts.end(), t.exts.begin(), t.exts.end());
  if (lifted == Liftedness::kUnlifted && !exts.empty())
    complain("lifted-type", span,
             "Non-lifted type abbreviations may not use existential sizes in their "
             "definition.\nHint: use 'type~' or add size parameters to " +
                 quote(name.name) + ".");
  if (!ok) return nullptr;
  entry.def = {std::move(t.params), t.type, std::move(exts)};
  return &ctx_.types.emplace_back(std::move(entry));
}

void Modules::type(DType& t, Span span, Env& full, Env& exported, const ScopePtr& scope,
                   bool is_local) {
  TypeEntry* entry = type_entry(t.name, t.lifted, t.params, *t.definition, span, scope);
  if (!entry) {
    // Later uses of the name are not the user's mistake.
    TypeEntry unit;
    unit.name = {t.name.name, t.name.id};
    unit.def.type = f_.unit();
    unit.broken = true;
    for (const TypeParam& p : t.params)
      unit.def.params.push_back({{p.name.name, p.name.id}, p.kind == TypeParam::kSize});
    entry = &ctx_.types.emplace_back(std::move(unit));
  }
  t.type = entry->def.type;
  t.exts = entry->def.exts;
  Env::Item item{t.name.name};
  item.type = entry;
  if (!is_local) exported.add(item);
  full.add(std::move(item));
}

const Mod* Modules::module_value(DModule& m, const ScopePtr& scope) {
  std::vector<ModParam*> params;
  for (ModParam& p : m.params) params.push_back(&p);
  const ModType mt = functor(params, 0, m.type.get(), *m.body, m.bindings, scope, m.name.span);
  for (const AbstractType& a : mt.abstract) {
    std::string& name = ctx_.abstract_names[a.name.id];
    name = m.name.name;
    for (const std::string& step : a.path) name += "." + step;
  }
  if (mt.mod) return mt.mod;
  Env* env = ctx_.new_env();
  env->incomplete = true;
  return ctx_.new_mod({env});
}

void Modules::module(DModule& m, Env& full, Env& exported, const ScopePtr& scope, bool is_local) {
  LazyMod mod;
  if (lazy_) {
    // Its ids must not fall among those of the module that happens to need it first.
    constexpr uint32_t kIdsOfOneModule = 1 << 16;
    const uint32_t first = f_.reserve_ids(kIdsOfOneModule);
    mod = LazyMod([&ctx = ctx_, import = import_, &m, scope, first] {
      const TypeFactory::Use lasting(ctx.f, ctx.f.lasting());
      const uint32_t here = ctx.f.last_id();
      ctx.f.set_last_id(first);
      const Mod* made = Modules(ctx, import, true, false).module_value(m, scope);
      SKALD_CHECK(ctx.f.last_id() <= first + kIdsOfOneModule, "a prelude module is too large");
      ctx.f.set_last_id(here);
      return made;
    });
  } else {
    mod = module_value(m, scope);
  }
  m.name.id = f_.fresh_id();
  ModEntry entry{{m.name.name, m.name.id}, m.name.span, std::move(mod)};
  Env::Item item{m.name.name};
  item.term.mod = &ctx_.mods.emplace_back(std::move(entry));
  if (!is_local) exported.add(item);
  full.add(std::move(item));
}

}  // namespace skald::futhark
