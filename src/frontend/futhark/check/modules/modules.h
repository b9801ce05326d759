// SPDX-License-Identifier: Apache-2.0
// The module level: declarations, module expressions, module types.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/hints/name_hints.h"

namespace skald::futhark {

class Modules {
 public:
  // `import` resolves an import of the file being checked; null if it failed (and was reported).
  using Import = std::function<const Env*(const std::string& path, Span span)>;
  // `lazy`: bodies are checked when they are needed.  `root`: `main` is an entry point.
  Modules(Context& ctx, Import import, bool lazy, bool root)
      : ctx_(ctx), f_(ctx.f), import_(std::move(import)), lazy_(lazy), root_(root) {}

  // Checks the declarations of a file or module; returns what they export.
  Env* decs(std::vector<Ptr<Dec>>& decs, const ScopePtr& outer, bool top_level);

 private:
  // modules.cpp
  static void incomplete(Env& full, Env& exported, bool is_local);
  void dec(Dec& d, Env& full, Env& exported, const ScopePtr& scope, bool top_level, bool is_local);
  void value(DVal& v, Dec& d, Env& full, Env& exported, const ScopePtr& scope, bool top_level,
             bool is_local);
  void type(DType& t, Span span, Env& full, Env& exported, const ScopePtr& scope, bool is_local);
  void module(DModule& m, Env& full, Env& exported, const ScopePtr& scope, bool is_local);
  const Mod* module_value(DModule& m, const ScopePtr& scope);
  void check_duplicates(const std::vector<Ptr<Dec>>& decs);
  TypeEntry* type_entry(Ident& name, Liftedness lifted, std::vector<TypeParam>& params, TypeExp& te,
                        Span span, const ScopePtr& scope);

  // module_exps.cpp; an empty `mod` means that it failed
  ModType mod_exp(ModExp& e, const ScopePtr& scope);
  ModType ascribe(const ModType& mod, ModTypeExp& type, const ScopePtr& scope, Span span,
                  std::vector<ModBinding>& bindings);
  ModType functor(std::vector<ModParam*> params, size_t at, ModTypeExp* result, ModExp& body,
                  std::vector<ModBinding>& bindings, const ScopePtr& scope, Span span);
  ModType apply(MApply& e, Span span, const ScopePtr& scope);
  void not_parametric(const MApply& e, const ScopePtr& scope);
  std::vector<ModBinding> bindings_of(const ModType& t, bool values);

  // module_types.cpp
  ModType mod_type(ModTypeExp& e, const ScopePtr& scope);
  void specs(std::vector<Ptr<Spec>>& specs, Env& env, std::vector<AbstractType>& abstract,
             const ScopePtr& scope);
  void value_spec(SpecVal& v, Span span, Env& env, const ScopePtr& here);
  void type_spec(SpecType& t, Span span, Env& env, std::vector<AbstractType>& abstract,
                 const ScopePtr& here);
  void include_spec(SpecInclude& i, Span span, Env& env, std::vector<AbstractType>& abstract,
                    const ScopePtr& here);
  ModType with(MTWith& e, const ScopePtr& scope, Span span);

  // module_subst.cpp
  struct Renaming {
    TypeSubst subst;
    std::unordered_map<uint32_t, ValEntry*> values = {};  // replaced as a whole
    // Values with ids in this range get new ones.
    uint32_t fresh_from = 0, fresh_to = 0;
  };
  const Mod* rename(const Mod* mod, Renaming& r);
  const Env* rename(const Env& env, Renaming& r);
  ModType rename(const ModType& type, Renaming& r);
  // New ids for the abstract types (and values, if asked).
  ModType fresh_names(const ModType& type, bool values);
  void collect_abstract(const Mod* mod, uint32_t after, std::vector<std::string>& path,
                        std::vector<AbstractType>& out);

  // module_match.cpp
  struct Match {
    // What must fit, and why: its place, if nothing narrower is known.
    Span span = {};
    enum Role : uint8_t { kAscribed, kPassed } role = kAscribed;
    TypeSubst subst = {};                                 // abstract types, sizes
    std::unordered_map<uint32_t, ValEntry*> values = {};  // specified → provided
    bool ok = true;
    std::vector<std::string> said = {};
  };
  Match match(const Mod* mod, const ModType& type, Span span, Match::Role role);
  void match_abstract(const Mod* mod, const std::vector<AbstractType>& abstract, const Mod* spec,
                      Match& m);
  void match_lifted(const TypeEntry& have, const AbstractType& abstract, Span asked, Match& m);
  void match_mods(const Mod* mod, const Mod* spec, const std::string& path, Match& m);
  void match_envs(const Env& env, const Env& spec, const std::string& path, Match& m);
  void match_type(const TypeEntry& have, const TypeEntry& spec, const std::string& path, Match& m);
  void match_value(const ValEntry& have, const ValEntry& want, const std::string& path, Match& m);
  void note_values(const Mod* mod, const Mod* spec, Match& m);
  void fail(Match& m, const std::string& code, Span at, const std::string& what,
            std::vector<source::Label> labels = {}, const std::string& hint = {});
  void missing(Match& m, const char* code, const char* kind, const Env& env,
               const std::string& path, const std::string& name, Span asked);

  void error(const std::string& code, Span span, const std::string& what,
             std::vector<source::Label> more = {}, const std::string& hint = {});
  void unknown(NameKind kind, const char* space, const QualName& name, const ScopePtr& scope);
  void mark_used(ValEntry* e);

  Context& ctx_;
  TypeFactory& f_;
  Import import_;
  bool lazy_, root_;
};

// The type at the end of a path of modules; null if there is none.
const TypeEntry* type_at(const Mod* mod, const std::vector<std::string>& path);
std::string path_text(const std::vector<std::string>& path);
// "type^ t 'a = …", as the user would write it.
std::string type_entry_text(const TypeEntry& t, const std::string& path);
std::string val_text(const std::string& name, const std::vector<TParam>& params, const Type* type);

}  // namespace skald::futhark
