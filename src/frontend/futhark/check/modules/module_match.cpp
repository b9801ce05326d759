// SPDX-License-Identifier: Apache-2.0
// Does a module have a module type?
#include <algorithm>

#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/check/hints/suggest.h"
#include "frontend/futhark/check/modules/modules.h"

namespace skald::futhark {

std::string type_entry_text(const TypeEntry& t, const std::string& path) {
  static const char* const kMarks[] = {"", "~", "^"};
  std::string out =
      std::string("type") + kMarks[static_cast<size_t>(t.lifted)] + " " + path + t.name.base;
  for (const TParam& p : t.def.params)
    out += p.is_size ? " [" + p.name.base + "]" : " '" + p.name.base;
  const Type* d = t.def.type;
  const bool abstract = d->kind == Type::kNamed && d->name.base == t.name.base &&
                        d->args.size() == t.def.params.size();
  return abstract ? out : out + " = " + pretty(*d);
}

std::string val_text(const std::string& name, const std::vector<TParam>& params, const Type* type) {
  std::string out = "val " + name;
  for (const TParam& p : params)
    out += p.is_size ? " [" + p.name.base + "]"
                     : std::string(" '") +
                           (p.lifted == Liftedness::kLifted       ? "^"
                            : p.lifted == Liftedness::kSizeLifted ? "~"
                                                                  : "") +
                           p.name.base;
  return out + " : " + pretty(*type);
}

void Modules::fail(Match& m, const std::string& code, Span span, const std::string& what,
                   std::vector<source::Label> labels, const std::string& hint) {
  if (m.ok) error(code, span, what, std::move(labels), hint);
  m.ok = false;
}

// The module lacks a value, type or module that `asked` specifies.
void Modules::missing(Match& m, const char* code, const char* kind, const Env& env,
                      const std::string& path, const std::string& name, Span asked, Span span) {
  std::vector<std::string> words;
  const std::string_view what = kind;
  for (const Env::Item& item : env.items)
    if (what == "value"  ? item.term.val != nullptr
        : what == "type" ? item.type != nullptr
                         : item.term.mod != nullptr)
      words.push_back(item.name);
  const std::vector<std::string> near = nearest(name, words);
  const std::string hint =
      near.empty() ? "define `" + path + name + "` in the module"
                   : "it defines " + one_of(near) + "; is that meant to be `" + name + "`?";
  fail(m, code, span,
       std::string("Module does not define a ") + kind + " named " + quote(path + name) + ".",
       {{asked, "the module type asks for it here"}}, hint);
}

namespace {

// Where the member itself is wrong, if it was written by the user.
Span place_of(const Context& ctx, Span member, Span module) {
  return member.known() && member.file.index >= ctx.first_user_file ? member : module;
}

}  // namespace

namespace {

const TypeEntry* type_at(const Mod* mod, const std::vector<std::string>& path) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (!mod || !mod->env) return nullptr;
    if (i + 1 == path.size()) return mod->env->find_type(path[i]);
    const Term t = mod->env->find_term(path[i]);
    mod = t.mod ? t.mod->mod : nullptr;
  }
  return nullptr;
}

std::string path_text(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& p : path) out += (out.empty() ? "" : ".") + p;
  return out;
}

}  // namespace

void Modules::match_abstract(const Mod* mod, const std::vector<AbstractType>& abstract, Match& m,
                             Span span) {
  for (const AbstractType& a : abstract) {
    const TypeEntry* have = type_at(mod, a.path);
    if (!have) {
      fail(m, "missing-type", span,
           "Module does not define a type named " + quote(path_text(a.path)) + ".");
      continue;
    }
    if (have->broken) {
      m.ok = false;
      continue;
    }
    std::vector<std::string> quals(a.path.begin(), a.path.end() - 1);
    const std::string prefix = quals.empty() ? "" : path_text(quals) + ".";
    if (have->lifted > a.lifted) {
      const char* what = a.lifted == Liftedness::kUnlifted     ? "a non-lifted type"
                         : a.lifted == Liftedness::kSizeLifted ? "a size-lifted type"
                                                               : "a lifted type";
      fail(m, "lifted-type", span,
           "Module defines\n" + indented(type_entry_text(*have, prefix)) +
               "\nbut module type requires " + what + ".");
      continue;
    }
    if (a.lifted == Liftedness::kUnlifted && !have->def.exts.empty()) {
      fail(m, "lifted-type", span,
           "Module defines\n" + indented(type_entry_text(*have, prefix)) +
               "\nwhich contains anonymous sizes, but module type requires non-lifted type.");
      continue;
    }
    m.subst.types[a.name.id] = have->def;
  }
}

// Values first, so that sizes which mention them can be compared.
void Modules::note_values(const Mod* mod, const Mod* spec, Match& m) {
  if (!mod || !spec || !mod->env || !spec->env) return;
  for (const Env::Item& item : spec->env->items) {
    if (item.term.val) {
      ValEntry* have = mod->env->find_term(item.name).val;
      if (!have) continue;
      m.values[item.term.val->name.id] = have;
      m.subst.sizes[item.term.val->name.id] = f_.size_var(have->name);
    }
    if (item.term.mod)
      if (const ModEntry* have = mod->env->find_term(item.name).mod)
        note_values(have->mod, item.term.mod->mod, m);
  }
}

Modules::Match Modules::match(const Mod* mod, const ModType& type, Span span) {
  Match m;
  if (mod->env && mod->env->incomplete) {
    m.ok = false;
    return m;
  }
  match_abstract(mod, type.abstract, m, span);
  if (!m.ok) return m;
  note_values(mod, type.mod, m);
  match_mods(mod, type.mod, "", m, span);
  return m;
}

void Modules::match_mods(const Mod* mod, const Mod* spec, const std::string& path, Match& m,
                         Span span) {
  if (mod->env && !spec->env)
    return fail(m, "module-is-parametric", span,
                "Cannot match non-parametric module with parametric module type.");
  if (!mod->env && spec->env)
    return fail(m, "module-is-parametric", span,
                "Cannot match parametric module with non-parametric module type.");
  if (mod->env) return match_envs(*mod->env, *spec->env, path, m, span);
  // The module must accept every argument that the specified one does …
  Match params;
  params.subst = m.subst;
  params.values = m.values;
  match_abstract(spec->param, mod->param_abstract, params, span);
  if (params.ok) {
    note_values(spec->param, mod->param, params);
    match_mods(spec->param, mod->param, path, params, span);
  }
  m.ok = m.ok && params.ok;
  if (!m.ok) return;
  // … and give a result that fits, its parameter being the specified one.
  Renaming r;
  r.subst = params.subst;
  const Mod* result = rename(mod->result.mod, r);
  Match results;
  results.subst = m.subst;
  results.values = m.values;
  match_abstract(result, spec->result.abstract, results, span);
  if (results.ok) {
    note_values(result, spec->result.mod, results);
    match_mods(result, spec->result.mod, path, results, span);
  }
  m.ok = m.ok && results.ok;
}

void Modules::match_type(const TypeEntry& have, const TypeEntry& spec, const std::string& path,
                         Match& m, Span span) {
  if (have.broken || spec.broken) {
    m.ok = false;
    return;
  }
  const Type* want = spec.def.type;
  auto differ = [&] {
    TypeEntry shown = spec;
    shown.def.type = subst_type(f_, want, m.subst);
    fail(m, "type-mismatch", place_of(ctx_, have.span, span),
         "The type " + quote(path + have.name.base) +
             " is not the one that the module type asks for" + "\nModule defines\n" +
             indented(type_entry_text(have, path)) + "\nbut module type requires\n" +
             indented(type_entry_text(shown, path)),
         {{spec.span, "the module type asks for it here"}});
  };
  if (have.def.params.size() != spec.def.params.size()) return differ();
  TypeSubst rename_params;
  for (size_t i = 0; i < have.def.params.size(); ++i) {
    const TParam &p = have.def.params[i], &q = spec.def.params[i];
    if (p.is_size != q.is_size) return differ();
    if (p.is_size)
      rename_params.sizes[p.name.id] = f_.size_var(q.name);
    else
      rename_params.types[p.name.id] = {{}, f_.named(q.name, q.lifted)};
  }
  const bool abstract = want->kind == Type::kNamed && m.subst.types.contains(want->name.id);
  if (abstract) {
    // A value of an abstract type t [n] must have an array of size n somewhere inside.
    const Witnesses w = size_witnesses(have.def.type);
    for (const TParam& p : have.def.params)
      if (p.is_size && !w.witnessed.contains(p.name.id))
        return fail(
            m, "anonymous-nonconstructive", span,
            "Type\n" + indented(type_entry_text(have, path)) +
                "\ncannot be made abstract because size parameter\n" + indented(p.name.base) +
                "\nis not used constructively as an array size in the definition.",
            {}, "keep an array of that size in the type, as in `([" + p.name.base + "]i64, …)`");
  }
  std::vector<VName> exts;
  const Type* wanted = subst_type(f_, want, m.subst, &exts);
  const Type* mine = subst_type(f_, have.def.type, rename_params);
  std::vector<VName> open = have.def.exts;
  open.insert(open.end(), exts.begin(), exts.end());
  open.insert(open.end(), spec.def.exts.begin(), spec.def.exts.end());
  if (!match_values(ctx_, spec.def.params, wanted, {}, mine, open).empty()) differ();
}

void Modules::match_envs(const Env& env, const Env& spec, const std::string& path, Match& m,
                         Span span) {
  for (size_t i = 0; i < spec.items.size() && m.ok; ++i) {
    const Env::Item& item = spec.items[i];
    if (item.type && spec.find_type(item.name) == item.type) {
      const TypeEntry* have = env.find_type(item.name);
      if (!have)
        missing(m, "missing-type", "type", env, path, item.name, item.type->span, span);
      else
        match_type(*have, *item.type, path, m, span);
    }
  }
  for (size_t i = 0; i < spec.items.size() && m.ok; ++i) {
    const Env::Item& item = spec.items[i];
    if (item.term.val && spec.find_term(item.name).val == item.term.val) {
      const ValEntry* have = env.find_term(item.name).val;
      if (!have) {
        missing(m, "missing-value", "value", env, path, item.name, item.term.val->span, span);
        continue;
      }
      const ValEntry& want = *item.term.val;
      if (have->broken || want.broken || !have->type || !want.type) continue;
      std::vector<VName> exts;
      const Type* type = subst_type(f_, want.type, m.subst, &exts);
      std::vector<TParam> params = want.params;
      if (!exts.empty()) {
        const Witnesses w = size_witnesses(type);
        for (const VName& x : exts) {
          if (w.witnessed.contains(x.id))
            return fail(
                m, "top-level-size", span,
                "Type substitution in " + quote(want.name.base) + " results in a top-level size.");
          params.push_back({x, true});
        }
      }
      const std::string problem = match_values(ctx_, params, type, have->params, have->type);
      if (!problem.empty())
        fail(m, "value-mismatch", place_of(ctx_, have->span, span),
             quote(path + item.name) + " has another type than the module type asks for" +
                 "\nModule type specifies\n" + indented(val_text(path + item.name, params, type)) +
                 "\nbut module provides\n" +
                 indented(val_text(path + item.name, have->params, have->type)) + "\n" + problem,
             {{want.span, "the module type asks for it here"}});
    }
    if (item.term.mod && spec.find_term(item.name).mod == item.term.mod) {
      const ModEntry* have = env.find_term(item.name).mod;
      if (!have)
        missing(m, "missing-module", "module", env, path, item.name, item.term.mod->span, span);
      else
        match_mods(have->mod, item.term.mod->mod, path + item.name + ".", m, span);
    }
  }
}

}  // namespace skald::futhark
