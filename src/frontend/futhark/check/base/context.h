// SPDX-License-Identifier: Apache-2.0
// What all parts of the checker share: the type arena, the entries of all environments, and how
// mistakes are reported.
#pragma once

#include <fmt/ranges.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/checked_program.h"
#include "frontend/futhark/check/base/env.h"
#include "frontend/futhark/check/base/places.h"
#include "frontend/futhark/parse/parse.h"
#include "frontend/futhark/pretty/pretty.h"
#include "source/diagnostic.h"

namespace skald::futhark {

struct Context {
  Context(CheckedProgram& program, source::SourceMap& source_map, source::Diagnostics& diags,
          const CheckOptions& opts)
      : f(program.types), prog(program), sources(source_map), diagnostics(diags), options(opts) {}

  TypeFactory f;
  // For types that are needed only while one definition is checked.
  TypeArena scratch{TypeArena::Lives::kForAWhile};
  CheckedProgram& prog;
  source::SourceMap& sources;
  source::Diagnostics& diagnostics;
  const CheckOptions& options;
  // Of files of which only an outline is in memory, by the index of the file.
  std::unordered_map<uint32_t, std::unique_ptr<DefinitionReader>> readers;

  std::deque<ValEntry> vals;
  std::deque<TypeEntry> types;
  std::deque<ModEntry> mods;
  std::deque<ModTypeEntry> mod_types;
  std::deque<Mod> mod_values;
  std::deque<Env> envs;
  std::deque<LazyDef> lazy;
  // Lazy definitions that something refers to and that are still to be checked.
  std::vector<LazyDef*> pending;
  // Files before this one are the prelude's.
  uint32_t first_user_file = UINT32_MAX;
  // What abstract types of modules are called outside of them; for messages.
  std::unordered_map<uint32_t, std::string> abstract_names;
  // Where names are bound; for messages.
  Places bound_at;

  ValEntry* new_val(ValEntry e) { return &vals.emplace_back(std::move(e)); }
  Env* new_env() { return &envs.emplace_back(); }
  const Mod* new_mod(Mod m) { return &mod_values.emplace_back(std::move(m)); }

  std::string where(Span span) const { return sources.describe(span); }
  void warn(const std::string& code, Span span, const std::string& what,
            const std::string& hint = {}) {
    if (options.warnings && span.known() && span.file.index >= first_user_file)
      diagnostics.add({source::Severity::kWarning, code, what, {{span, ""}}, "", hint});
  }
};

// A definition whose type is known from its annotations and whose body has not been checked.
struct LazyDef {
  DVal* def = nullptr;
  ValEntry* entry = nullptr;
  ScopePtr scope = {};
  bool done = false;
};

// Mistakes of one definition.  A step that knows how to go on after one reports those that lie
// elsewhere too; of other steps only the first is reported: later ones tend to follow from it.
class Reporter {
 public:
  explicit Reporter(Context& ctx) : ctx_(ctx) {}
  bool failed() const { return failed_; }
  // How often error() was called.
  size_t count() const { return count_; }
  // Nothing that is found now would be reported.
  bool halted() const { return failed_ && (!goes_on_ || reported_.size() >= kMost); }
  // Whether these very words have been reported.
  bool said(const std::string& what) const;
  void go_on() { goes_on_ = true; }
  void stop_at_first() { goes_on_ = false; }
  // Something it depends on is wrong and has been reported already.
  void fail_silently() { failed_ = true; }
  // A label in `more` that is about `where` is what is said there.
  void error(std::string code, Span where, std::string what, std::vector<source::Label> more = {},
             std::string hint = {});
  void error(source::Diagnostic d);
  // Reports a type that is too large to work with, if one was made since the last call.
  void type_size(Span where);
  // From now on errors go here instead of to the user.
  void capture(std::vector<source::Diagnostic>* held) { capture_ = held; }

 private:
  Context& ctx_;
  // Of one definition.
  static constexpr size_t kMost = 10;

  bool said_before(const source::Diagnostic& d) const;

  bool failed_ = false, goes_on_ = false;
  size_t count_ = 0;
  struct Said {
    Span where;
    std::string what;
  };
  std::vector<Said> reported_ = {};
  std::vector<source::Diagnostic>* capture_ = nullptr;
};

// What a type of more than Type::kMostParts parts is rejected with.
constexpr const char* kTypeTooLarge =
    "This has a type that is too large: written out it has more than 131072 parts";
static_assert(Type::kMostParts == 131072);

// "name" in double quotes, shortened in the middle if it is very long.
std::string quote(const std::string& s);
std::string shortened(const std::string& s);
std::string qual_text(const QualName& name);
// Lines moved right by two blanks.
std::string indented(const std::string& text);
// The source text of an expression on one line, shortened in the middle if it is long.
std::string short_text(const Exp& e);

}  // namespace skald::futhark
