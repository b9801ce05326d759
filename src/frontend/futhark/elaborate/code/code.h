// SPDX-License-Identifier: Apache-2.0
// The code under construction: blocks of statements, the places they come from, checks, hints.
//
//   Block body = code.block(params, [&] { return …; });   // statements made meanwhile go there
//   Operand x = code.emit1(type, core::Copy{array}, "copy");
//
// What belongs to the function under construction is in `OpenFunction`.  Three small classes
// change how code is made for as long as they live: `AtPlace`, `InCall`, `InFunction`.
//
// Read next: coerce.h (shapes), blocks.h (moving statements), sharing.h (who may be written to).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/futhark/elaborate/code/sharing.h"
#include "frontend/futhark/elaborate/values/known_ids.h"
#include "source/diagnostic.h"
#include "source/source.h"

namespace skald::futhark::elab {

using core::BinOpKind;
using core::CmpOpKind;
using core::DimSlice;
using core::MessagePart;
using core::TernOpKind;
using core::UnOpKind;
using Tokens = std::vector<Name>;

// Statements with the value they compute.
struct Block {
  std::vector<core::Param> params = {};
  std::vector<core::Stmt> stmts = {};
  ValuePtr value = {};
};

// What belongs to the core function under construction.
struct OpenFunction {
  std::vector<core::Stmt> prologue = {};  // computed before all else
  std::map<const void*, ValuePtr> constants = {};
};

// How statements are made.
struct Mode {
  core::Hints hints = {};
  bool unsafe = false;       // without checks
  Span warn_checks_at = {};  // #[warn(safety_checks)] around, if known
  int strip_mine = 0;        // levels of the loop that comes next, by #[stripmine]
};

class Code {
 public:
  class AtPlace;
  class InCall;
  class InFunction;

  Code(core::Program& prog, const source::SourceMap& sources, source::Diagnostics& diagnostics,
       KnownIds& ids)
      : prog_(prog), sources_(sources), diagnostics_(diagnostics), ids_(ids) {}

  core::Program& program() { return prog_; }
  source::Diagnostics& diagnostics() { return diagnostics_; }
  Mode& mode() { return mode_; }
  Sharing& sharing() { return sharing_; }
  // Null outside of functions.
  OpenFunction* function() { return function_; }

  // The builder of the innermost block.
  core::Builder& b() { return scope_->builder; }
  Name fresh(std::string_view base) { return prog_.names.fresh(base); }
  Block block(std::vector<core::Param> params, const std::function<ValuePtr()>& f);
  // A block that will be spliced in right here: sizes found inside stay known.
  Block open_block(const std::function<ValuePtr()>& f);
  // Goes on at the end of a block.
  void extend(Block& block, const std::function<ValuePtr()>& f);
  void splice(std::vector<core::Stmt> stmts);
  // As if no block were around.
  void outside(const std::function<void()>& f);
  // Of a name bound in a block around, or in the prologue.
  std::optional<core::Type> type_of(Name name) const;

  // Statements with the hints of the mode, where they take hints.
  std::vector<Operand> emit(const std::vector<core::Type>& types, core::Exp exp,
                            std::string_view base, Tokens tokens = {});
  Operand emit1(core::Type type, core::Exp exp, std::string_view base, Tokens tokens = {});
  void emit_pat(std::vector<core::Param> pat, core::Exp exp);
  Tokens check(Operand cond, std::vector<MessagePart> message);
  // If a number was just computed as a product, that may have overflowed: its factors, for
  // messages.
  std::optional<std::pair<Operand, Operand>> factors_of(const Operand& number) const;
  // An array about to be consumed: itself, or a copy if others may still look at it.
  Name consume(const Operand& array, const core::Type& type);

  core::Loc place(Span span);
  // From now on, places in `body` are said to be in the function of that name.
  void name_body(const std::string& name, const Exp& body);
  core::Loc loc() const { return loc_; }
  // Says that we cannot do this yet: once, and where the user wrote it.
  void report_limitation(Span span, const std::string& what);

 private:
  struct Scope {
    core::Builder builder;
    std::vector<core::Param> params;
    Scope* parent;
  };

  // Of a function in the text; by where it begins.
  struct NamedBody {
    uint32_t end;
    std::string name;
  };
  // The innermost function whose text a span is in; may be empty.
  std::string function_at(Span span) const;

  core::Program& prog_;
  const source::SourceMap& sources_;
  source::Diagnostics& diagnostics_;
  KnownIds& ids_;
  Sharing sharing_;
  Mode mode_;
  Scope* scope_ = nullptr;
  OpenFunction* function_ = nullptr;
  core::Loc loc_ = {};            // of the statements being made
  core::Loc caller_ = {};         // of the function being inlined
  std::vector<Span> call_spans_;  // of the functions being inlined
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, core::Loc> places_;
  std::map<std::pair<uint32_t, uint32_t>, NamedBody> bodies_;  // by file and beginning
};

// Statements come from this place.
class Code::AtPlace {
 public:
  AtPlace(Code& code, Span span);
  ~AtPlace();
  AtPlace(const AtPlace&) = delete;
  AtPlace& operator=(const AtPlace&) = delete;

 private:
  Code& code_;
  core::Loc old_;
};

// Statements belong to a function that is inlined at `span`; if that is not known they stand in the
// text where they are used, with no call in the back trace.
class Code::InCall {
 public:
  InCall(Code& code, Span span);
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  Code& code_;
  bool known_;
  core::Loc old_caller_;
  core::Hints old_hints_;
  size_t old_sizes_;
};

// A function of core is under construction.
class Code::InFunction {
 public:
  InFunction(Code& code, core::Loc loc);
  ~InFunction();
  InFunction(const InFunction&) = delete;
  InFunction& operator=(const InFunction&) = delete;

 private:
  Code& code_;
  OpenFunction function_;
  OpenFunction* old_function_;
  core::Loc old_loc_, old_caller_;
  bool old_unsafe_;
};

}  // namespace skald::futhark::elab
