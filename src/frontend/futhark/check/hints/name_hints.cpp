// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/hints/name_hints.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "frontend/futhark/check/hints/suggest.h"

namespace skald::futhark {

namespace {

bool is_word(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
}

bool fits(NameKind kind, const Env::Item& item) {
  switch (kind) {
    case NameKind::kValue:
    case NameKind::kSize: return item.term.val != nullptr;
    case NameKind::kType: return item.type != nullptr;
    case NameKind::kModule: return item.term.mod != nullptr;
    case NameKind::kModuleType: return item.mod_type != nullptr;
  }
  return false;
}

// A numeric module has a conversion from every other primitive type.
bool is_prim_name(const std::string& name) {
  return prim_from_name(name).has_value();
}

class NameHelper {
 public:
  NameHelper(const Context& ctx, const Names& names, NameKind kind, const QualName& name)
      : ctx_(ctx), names_(names), kind_(kind), name_(name) {}

  NameHelp help() {
    if (!name_.quals.empty()) return qualified();
    if (defined_later() || other_kind()) return out_;
    if (!is_word(name_.name)) {
      std::vector<std::string> operators;
      names_.for_each([&](const Env::Item& item) {
        if (item.term.val && !is_word(item.name)) operators.push_back(item.name);
      });
      out_.hint = known_elsewhere_as_value(name_.name);
      if (out_.hint.empty()) out_.hint = did_you_mean(nearest(name_.name, operators));
      return out_;
    }
    const std::string elsewhere = kind_ == NameKind::kType ? known_elsewhere_as_type(name_.name)
                                                           : known_elsewhere_as_value(name_.name);
    std::vector<std::string> members =
        kind_ == NameKind::kModuleType ? std::vector<std::string>{} : in_modules();
    if (!members.empty()) {
      out_.hint = did_you_mean(members);
      if (members.size() > 1) out_.hint += "  Take the one for the type of the arguments.";
      return out_;
    }
    const std::vector<std::string> near = nearest(name_.name, visible());
    // `sise` is rather `size` than anything in the table, and the table knows exact words only.
    out_.hint = elsewhere.empty() ? did_you_mean(near) : elsewhere;
    if (out_.hint.empty()) fallback();
    return out_;
  }

 private:
  std::vector<std::string> visible() const {
    std::vector<std::string> out;
    names_.for_each([&](const Env::Item& item) {
      if (fits(kind_, item) && is_word(item.name)) out.push_back(item.name);
    });
    return out;
  }

  static std::vector<std::string> members_of(const Env& env, NameKind kind) {
    std::vector<std::string> out;
    for (const Env::Item& item : env.items)
      if (fits(kind, item)) out.push_back(item.name);
    return out;
  }

  // The members of modules that have exactly this name.
  std::vector<std::string> in_modules() const {
    std::vector<std::string> out;
    std::set<std::string> seen;
    auto look = [&](const std::string& module, const ModEntry* entry) {
      if (!entry || !seen.insert(module).second) return;
      const Mod* mod = entry->mod;
      if (!mod || !mod->env) return;
      for (const Env::Item& item : mod->env->items)
        if (item.name == name_.name && fits(kind_, item)) {
          out.push_back(module + "." + name_.name);
          return;
        }
    };
    names_.for_each([&](const Env::Item& item) {
      // The prelude's are made when they are needed, and most have the same names in them.
      if (item.term.mod && item.term.mod->span.known() &&
          item.term.mod->span.file.index >= ctx_.first_user_file)
        look(item.name, item.term.mod);
    });
    if (kind_ == NameKind::kValue)
      for (const char* prim : {"i32", "i64", "f32", "f64"}) look(prim, names_.term(prim).mod);
    if (out.size() > 4) out.resize(4);
    return out;
  }

  bool defined_later() {
    for (const Scope* s = names_.scope().get(); s; s = s->parent.get()) {
      if (!s->env->source) continue;
      for (const auto& dec : *s->env->source) {
        const Ident* found = defined_by(*dec);
        if (!found || found->name != name_.name) continue;
        const bool inside = dec->span.begin <= name_.span.begin && name_.span.end <= dec->span.end;
        out_.labels.push_back({found->span, inside ? "this is what is being defined"
                                                   : "it is defined here, further down"});
        out_.why = inside ? "only functions may use their own name in their definition"
                          : "names are visible from the line after their definition";
        out_.hint = inside ? "" : "move the definition of `" + found->name + "` up";
        return true;
      }
    }
    return false;
  }

  const Ident* defined_by(const Dec& dec) const {
    if (auto* l = std::get_if<DLocal>(&dec.node)) return defined_by(*l->inner);
    switch (kind_) {
      case NameKind::kValue:
      case NameKind::kSize:
        if (auto* v = std::get_if<DVal>(&dec.node)) return &v->name;
        return nullptr;
      case NameKind::kType:
        if (auto* t = std::get_if<DType>(&dec.node)) return &t->name;
        return nullptr;
      case NameKind::kModule:
        if (auto* m = std::get_if<DModule>(&dec.node)) return &m->name;
        return nullptr;
      case NameKind::kModuleType:
        if (auto* t = std::get_if<DModType>(&dec.node)) return &t->name;
        return nullptr;
    }
    return nullptr;
  }

  // The name is taken, but for something else.
  bool other_kind() {
    const std::string& n = name_.name;
    const bool is_value = kind_ == NameKind::kValue || kind_ == NameKind::kSize;
    if (is_value && is_prim_name(n) && names_.type(n)) {
      const std::string from = n == "f32" || n == "f64" ? "i64" : "f32";
      out_.hint = "`" + n + "` is a type; `" + n + "." + from + " x` converts an x of type " +
                  from + " to it";
      return true;
    }
    const Term term = names_.term(n);
    if (is_value && term.mod) {
      out_.hint = "`" + n + "` is a module; write `" + n + ".` in front of one of its members";
      return true;
    }
    if (is_value && names_.type(n)) {
      out_.hint = "`" + n + "` is a type, and a value is needed here";
      return true;
    }
    if (kind_ == NameKind::kType && term.val) {
      out_.hint = "`" + n + "` is a value, and a type is needed here";
      if (term.val->span.known()) out_.labels.push_back({term.val->span, "the value"});
      return true;
    }
    if (kind_ == NameKind::kModule && names_.mod_type(n)) {
      out_.hint = "`" + n + "` is a module type, and a module is needed here";
      return true;
    }
    if (kind_ == NameKind::kModuleType && term.mod) {
      out_.hint = "`" + n + "` is a module, and a module type is needed here";
      return true;
    }
    return false;
  }

  NameHelp qualified() {
    const Env* env = nullptr;
    std::string path;
    for (const std::string& q : name_.quals) {
      const Term t = env ? env->find_term(q) : names_.term(q);
      if (!t.mod) {
        std::vector<std::string> words;
        if (env)
          words = members_of(*env, NameKind::kModule);
        else
          names_.for_each([&](const Env::Item& item) {
            if (item.term.mod || (kind_ == NameKind::kValue && item.term.val))
              words.push_back(item.name);
          });
        std::vector<std::string> near = nearest(q, words);
        for (std::string& n : near) n = path + n + "." + name_.name;
        out_.hint = did_you_mean(near);
        if (out_.hint.empty())
          out_.hint = "there is no module `" + path + q +
                      "` here; `import` makes those of another "
                      "file visible";
        return out_;
      }
      path += q + ".";
      const Mod* mod = t.mod->mod;
      if (!mod || !mod->env) {
        out_.hint = "`" + q + "` is a parametric module; apply it to a module first";
        return out_;
      }
      env = mod->env;
    }
    std::vector<std::string> words = members_of(*env, kind_);
    std::vector<std::string> near = nearest(name_.name, words);
    for (std::string& n : near) n = path + n;
    out_.hint = did_you_mean(near);
    constexpr size_t kFew = 6;
    if (!out_.hint.empty()) return out_;
    if (names_.term(name_.name).val && kind_ == NameKind::kValue)
      out_.hint = "`" + name_.name + "` is in scope without `" + path + "`";
    else if (!words.empty() && words.size() <= kFew)
      out_.hint = "`" + path.substr(0, path.size() - 1) + "` has " + one_of(words);
    return out_;
  }

  void fallback() {
    if (kind_ == NameKind::kSize)
      out_.hint = "`[" + name_.name +
                  "]` in front of the parameters makes it a size parameter: `def f [" + name_.name +
                  "] (xs: [" + name_.name + "]i32) = …`";
    else if (kind_ == NameKind::kValue && std::isupper(static_cast<unsigned char>(name_.name[0])))
      out_.hint = "constructors are written with `#`, as in `#" + name_.name + "`";
  }

  const Context& ctx_;
  const Names& names_;
  NameKind kind_;
  const QualName& name_;
  NameHelp out_;
};

}  // namespace

void warn_unknown(Context& ctx, const Attr& attr) {
  if (attr.is_int) return;
  if (attr.name == "stripmine" &&
      !(attr.args.size() == 1 && attr.args[0].is_int && attr.args[0].name.size() == 1 &&
        attr.args[0].name >= "1" && attr.args[0].name <= "8"))
    ctx.warn("unknown-attribute", attr.span, "`stripmine` needs a number of loops, from 1 to 8",
             "`#[stripmine(2)]` makes two loops, one in the other");
  const std::string hint = attribute_hint(attr.name);
  if (!hint.empty())
    ctx.warn("unknown-attribute", attr.span, "Unknown attribute " + quote(attr.name), hint);
}

NameHelp explain_unknown(const Context& ctx, const Names& names, NameKind kind,
                         const QualName& name) {
  return NameHelper(ctx, names, kind, name).help();
}

}  // namespace skald::futhark
