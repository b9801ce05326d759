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
  if (abstract) return out;
  out += " = ";
  if (!t.def.exts.empty()) {
    out += "?";
    for (const VName& x : t.def.exts) out += "[" + x.base + "]";
    out += ".";
  }
  return out + pretty(*d);
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

void Modules::fail(Match& m, const std::string& code, Span at, const std::string& what,
                   std::vector<source::Label> labels, const std::string& hint) {
  m.ok = false;
  // A module that lacks more was probably meant for something else.
  constexpr size_t kMost = 5;
  if (m.said.size() == kMost || std::ranges::find(m.said, what) != m.said.end()) return;
  m.said.push_back(what);
  if (at != m.span)
    labels.push_back({m.span, m.role == Match::kPassed ? "the module is passed here"
                                                       : "this module must fit the module type"});
  error(code, at, what, std::move(labels), hint);
}

// The module lacks a value, type or module that `asked` specifies.
void Modules::missing(Match& m, const char* code, const char* kind, const Env& env,
                      const std::string& path, const std::string& name, Span asked) {
  std::vector<std::string> words;
  const std::string_view what = kind;
  for (const Env::Item& item : env.items)
    if (what == "value"  ? item.term.val != nullptr
        : what == "type" ? item.type != nullptr
                         : item.term.mod != nullptr)
      words.push_back(item.name);
  const std::vector<std::string> near = nearest(name, words);
  const std::string hint =
      near.empty() ? (m.role == Match::kPassed ? "pass a module that defines `" + path + name + "`"
                                               : "define `" + path + name + "` in the module")
                   : "it defines " + one_of(near) + "; is that meant to be `" + name + "`?";
  fail(m, code, m.span,
       std::string("Module does not define a ") + kind + " named " + quote(path + name) + ".",
       {{asked, "the module type asks for it here"}}, hint);
}

namespace {

// Where the member itself is wrong, if it was written by the user.
Span place_of(const Context& ctx, Span member, Span module) {
  return member.known() && member.file.index >= ctx.first_user_file ? member : module;
}

}  // namespace

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

// Whether a type may stand for an abstract one: that may be known to hold no functions, or no
// arrays of different sizes.
void Modules::match_lifted(const TypeEntry& have, const AbstractType& abstract, Span asked,
                           Match& m) {
  const bool hides = abstract.lifted == Liftedness::kUnlifted && !have.def.exts.empty();
  if (have.lifted <= abstract.lifted && !hides) return;
  const std::string name = path_text(abstract.path);
  std::vector<std::string> quals(abstract.path.begin(), abstract.path.end() - 1);
  const std::string prefix = quals.empty() ? "" : path_text(quals) + ".";
  const bool functions = have.lifted == Liftedness::kLifted;
  const char* required =
      abstract.lifted == Liftedness::kUnlifted ? "a non-lifted type" : "a size-lifted type";
  const std::string what = functions ? "may hold functions" : "hides a size";
  const std::string mark = functions ? "type^ " : "type~ ";
  fail(m, "lifted-type", place_of(ctx_, have.span, m.span),
       "the type " + quote(name) + " " + what +
           ", but the module type asks for one that does not\nModule defines\n" +
           indented(type_entry_text(have, prefix)) + "\n" +
           (hides && have.lifted <= abstract.lifted
                ? "which contains anonymous sizes, but module type requires non-lifted type."
                : std::string("but module type requires ") + required + "."),
       {{asked, "the module type asks for it here"}},
       "the module type may allow it: `" + mark + abstract.path.back() + "`");
}

void Modules::match_abstract(const Mod* mod, const std::vector<AbstractType>& abstract,
                             const Mod* spec, Match& m) {
  for (const AbstractType& a : abstract) {
    const TypeEntry* asked = type_at(spec, a.path);
    const Span asked_at = asked ? asked->span : Span{};
    const Mod* at = mod;
    const Mod* asked_in = spec;
    const TypeEntry* have = nullptr;
    std::string path;
    for (size_t i = 0; i < a.path.size() && at && at->env; ++i) {
      const std::string& step = a.path[i];
      if (i + 1 == a.path.size()) {
        have = at->env->find_type(step);
        if (!have) missing(m, "missing-type", "type", *at->env, path, step, asked_at);
        break;
      }
      const ModEntry* inner = at->env->find_term(step).mod;
      const ModEntry* wanted =
          asked_in && asked_in->env ? asked_in->env->find_term(step).mod : nullptr;
      if (!inner)
        missing(m, "missing-module", "module", *at->env, path, step,
                wanted ? wanted->span : asked_at);
      at = inner ? inner->mod : nullptr;
      asked_in = wanted ? wanted->mod : nullptr;
      path += step + ".";
    }
    m.ok = m.ok && have && !have->broken;
    if (!have || have->broken) continue;
    match_lifted(*have, a, asked_at, m);
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

Modules::Match Modules::match(const Mod* mod, const ModType& type, Span span, Match::Role role) {
  Match m;
  m.span = span;
  m.role = role;
  if (mod->env && mod->env->incomplete) {
    m.ok = false;
    return m;
  }
  // One with parameters has no types of its own.
  if (mod->env) match_abstract(mod, type.abstract, type.mod, m);
  if (!m.ok) return m;
  note_values(mod, type.mod, m);
  match_mods(mod, type.mod, "", m);
  return m;
}

void Modules::match_mods(const Mod* mod, const Mod* spec, const std::string& path, Match& m) {
  const std::string what = path.empty() ? "this module" : quote(path.substr(0, path.size() - 1));
  if (mod->env && !spec->env)
    return fail(m, "module-is-parametric", m.span,
                what +
                    " has no parameter, but its module type has one\nCannot match non-parametric "
                    "module with parametric module type.",
                {}, "give the module a parameter: `module m (x: t) = …`");
  if (!mod->env && spec->env)
    return fail(m, "module-is-parametric", m.span,
                what +
                    " has a parameter, but its module type has none\nCannot match parametric "
                    "module with non-parametric module type.",
                {},
                m.role == Match::kPassed
                    ? "apply it to a module first: `m (arg)`"
                    : "write the parameter before the module type: `module m (x: t) : s = …`");
  if (mod->env) return match_envs(*mod->env, *spec->env, path, m);
  // The module must accept every argument that the specified one does …
  Match params = m;
  match_abstract(spec->param, mod->param_abstract, mod->param, params);
  if (params.ok) {
    note_values(spec->param, mod->param, params);
    match_mods(spec->param, mod->param, path, params);
  }
  m.ok = m.ok && params.ok;
  if (!m.ok) return;
  // … and give a result that fits, its parameter being the specified one.
  Renaming r;
  r.subst = params.subst;
  const Mod* result = rename(mod->result.mod, r);
  Match results = m;
  match_abstract(result, spec->result.abstract, spec->result.mod, results);
  if (results.ok) {
    note_values(result, spec->result.mod, results);
    match_mods(result, spec->result.mod, path, results);
  }
  m.ok = m.ok && results.ok;
}

void Modules::match_type(const TypeEntry& have, const TypeEntry& spec, const std::string& path,
                         Match& m) {
  if (have.broken || spec.broken) {
    m.ok = false;
    return;
  }
  const Type* want = spec.def.type;
  auto differ = [&] {
    TypeEntry shown = spec;
    shown.def.type = subst_type(f_, want, m.subst);
    fail(m, "type-mismatch", place_of(ctx_, have.span, m.span),
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
            m, "anonymous-nonconstructive", place_of(ctx_, have.span, m.span),
            "Type\n" + indented(type_entry_text(have, path)) +
                "\ncannot be made abstract because size parameter\n" + indented(p.name.base) +
                "\nis not used constructively as an array size in the definition.",
            {{spec.span, "the module type hides what it is"}},
            "keep an array of that size in the type, as in `([" + p.name.base + "]i64, …)`");
  }
  std::vector<VName> exts;
  const Type* wanted = subst_type(f_, want, m.subst, &exts);
  const Type* mine = subst_type(f_, have.def.type, rename_params);
  std::vector<VName> open = have.def.exts;
  open.insert(open.end(), exts.begin(), exts.end());
  open.insert(open.end(), spec.def.exts.begin(), spec.def.exts.end());
  if (!match_values(ctx_, spec.def.params, wanted, {}, mine, open).empty()) differ();
}

void Modules::match_value(const ValEntry& have, const ValEntry& want, const std::string& path,
                          Match& m) {
  if (have.broken || want.broken || !have.type || !want.type) return;
  const std::string name = path + want.name.base;
  std::vector<VName> exts;
  const Type* type = subst_type(f_, want.type, m.subst, &exts);
  std::vector<TParam> params = want.params;
  if (!exts.empty()) {
    const Witnesses w = size_witnesses(type);
    for (const VName& x : exts) {
      if (w.witnessed.contains(x.id))
        return fail(
            m, "top-level-size", m.span,
            "Type substitution in " + quote(want.name.base) + " results in a top-level size.",
            {{want.span, "the module type asks for it here"}});
      params.push_back({x, true});
    }
  }
  const std::string problem = match_values(ctx_, params, type, have.params, have.type);
  if (problem.empty()) return;
  fail(m, "value-mismatch", place_of(ctx_, have.span, m.span),
       quote(name) + " has another type than the module type asks for" +
           "\nModule type specifies\n" + indented(val_text(name, params, type)) +
           "\nbut module provides\n" + indented(val_text(name, have.params, have.type)) + "\n" +
           problem,
       {{want.span, "the module type asks for it here"}});
}

void Modules::match_envs(const Env& env, const Env& spec, const std::string& path, Match& m) {
  for (const Env::Item& item : spec.items) {
    if (!item.type || spec.find_type(item.name) != item.type) continue;
    if (const TypeEntry* have = env.find_type(item.name))
      match_type(*have, *item.type, path, m);
    else
      missing(m, "missing-type", "type", env, path, item.name, item.type->span);
  }
  // What the values must be follows from the types.
  if (!m.ok) return;
  for (const Env::Item& item : spec.items) {
    if (item.term.val && spec.find_term(item.name).val == item.term.val) {
      if (const ValEntry* have = env.find_term(item.name).val)
        match_value(*have, *item.term.val, path, m);
      else
        missing(m, "missing-value", "value", env, path, item.name, item.term.val->span);
    }
    if (item.term.mod && spec.find_term(item.name).mod == item.term.mod) {
      if (const ModEntry* have = env.find_term(item.name).mod)
        match_mods(have->mod, item.term.mod->mod, path + item.name + ".", m);
      else
        missing(m, "missing-module", "module", env, path, item.name, item.term.mod->span);
    }
  }
}

}  // namespace skald::futhark
