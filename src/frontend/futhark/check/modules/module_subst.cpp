// SPDX-License-Identifier: Apache-2.0
// Substitution and renaming in module types.
#include "frontend/futhark/check/modules/modules.h"

namespace skald::futhark {

const Env* Modules::rename(const Env& env, Renaming& r) {
  Env* out = ctx_.new_env();
  for (const Env::Item& old : env.items) {
    Env::Item item = old;
    if (old.term.val) {
      const ValEntry& v = *old.term.val;
      std::vector<VName> exts;
      const Type* t = v.type ? subst_type(f_, v.type, r.subst, &exts) : nullptr;
      auto provided = r.values.find(v.name.id);
      const bool fresh = v.name.id > r.fresh_from && v.name.id < r.fresh_to;
      if (t != v.type || provided != r.values.end() || fresh) {
        ValEntry e = v;
        e.type = t;
        e.erased = nullptr;
        for (const VName& x : exts) e.params.push_back({x, true});
        if (provided != r.values.end()) {
          e.name = {v.name.base, provided->second->name.id};
          e.lazy = provided->second->lazy;
          e.broken = provided->second->broken;
          e.intrinsic = provided->second->intrinsic;
        } else if (fresh) {
          e.name.id = f_.fresh_id();
          r.subst.sizes[v.name.id] = f_.size_var(e.name);
        }
        item.term.val = ctx_.new_val(std::move(e));
      }
    }
    if (old.term.mod) {
      ModEntry e = *old.term.mod;
      e.mod = rename(e.mod, r);
      if (e.mod.get() != old.term.mod->mod.get())
        item.term.mod = &ctx_.mods.emplace_back(std::move(e));
    }
    if (old.type) {
      TypeEntry e = *old.type;
      e.def.type = subst_type(f_, e.def.type, r.subst, &e.def.exts);
      if (e.def.type != old.type->def.type) item.type = &ctx_.types.emplace_back(std::move(e));
    }
    if (old.mod_type) {
      ModTypeEntry e = *old.mod_type;
      e.type = rename(e.type, r);
      item.mod_type = &ctx_.mod_types.emplace_back(std::move(e));
    }
    out->add(std::move(item));
  }
  return out;
}

const Mod* Modules::rename(const Mod* mod, Renaming& r) {
  Mod out = *mod;
  if (mod->env) {
    out.env = rename(*mod->env, r);
  } else {
    out.param = rename(mod->param, r);
    out.result = rename(mod->result, r);
  }
  return ctx_.new_mod(std::move(out));
}

ModType Modules::rename(const ModType& type, Renaming& r) {
  ModType out = type;
  if (type.mod) out.mod = rename(type.mod, r);
  return out;
}

namespace {

// The parameters of the abstract type at a path.
std::vector<TParam> params_at(const Mod* mod, const std::vector<std::string>& path) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (!mod || !mod->env) return {};
    if (i + 1 == path.size()) {
      const TypeEntry* t = mod->env->find_type(path[i]);
      return t ? t->def.params : std::vector<TParam>{};
    }
    const Term t = mod->env->find_term(path[i]);
    mod = t.mod ? t.mod->mod : nullptr;
  }
  return {};
}

uint32_t largest_value(const Mod* mod, uint32_t& smallest) {
  uint32_t largest = 0;
  if (!mod || !mod->env) return 0;
  for (const Env::Item& item : mod->env->items) {
    if (item.term.val) {
      largest = std::max(largest, item.term.val->name.id);
      smallest = std::min(smallest, item.term.val->name.id);
    }
    if (item.term.mod) largest = std::max(largest, largest_value(item.term.mod->mod, smallest));
  }
  return largest;
}

}  // namespace

ModType Modules::fresh_names(const ModType& type, bool values) {
  if (!type.mod) return type;
  Renaming r;
  ModType out;
  for (const AbstractType& a : type.abstract) {
    AbstractType fresh = a;
    fresh.name.id = f_.fresh_id();
    const std::vector<TParam> params = params_at(type.mod, a.path);
    std::vector<TypeArg> args;
    for (const TParam& p : params)
      args.push_back(p.is_size ? TypeArg{nullptr, {f_.size_var(p.name)}}
                               : TypeArg{f_.named(p.name, p.lifted)});
    r.subst.types[a.name.id] = {params, f_.named(fresh.name, a.lifted, args)};
    out.abstract.push_back(std::move(fresh));
  }
  if (values) {
    uint32_t smallest = UINT32_MAX;
    r.fresh_to = largest_value(type.mod, smallest) + 1;
    r.fresh_from = smallest == UINT32_MAX ? 0 : smallest - 1;
  }
  if (r.subst.empty() && !values) return type;
  out.mod = rename(type.mod, r);
  return out;
}

void Modules::collect_abstract(const Mod* mod, uint32_t after, std::vector<std::string>& path,
                               std::vector<AbstractType>& out) {
  if (!mod || !mod->env) return;
  for (const Env::Item& item : mod->env->items) {
    path.push_back(item.name);
    if (item.type) {
      const Type* t = item.type->def.type;
      bool known = t->kind != Type::kNamed || t->name.id <= after;
      for (const AbstractType& a : out) known |= a.name.id == t->name.id;
      for (const TParam& p : item.type->def.params) known |= p.name.id == t->name.id;
      // Only a type that is the abstract one itself, not an application of it.
      if (!known && t->args.size() == item.type->def.params.size())
        out.push_back({path, t->name, t->lifted});
    }
    if (item.term.mod) collect_abstract(item.term.mod->mod, after, path, out);
    path.pop_back();
  }
}

}  // namespace skald::futhark
