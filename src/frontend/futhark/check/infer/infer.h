// SPDX-License-Identifier: Apache-2.0
// The first step of checking a definition: names and unsized types.
//
// Resolves every name to an entry with a unique id and finds the type of every expression and
// pattern, without sizes.  Types are left in the AST with inference variables inside; the size step
// reads them through the Unifier.  Type expressions are evaluated once, here, and kept for the size
// step with their sizes.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/infer/call_hints.h"
#include "frontend/futhark/check/infer/path_types.h"
#include "frontend/futhark/check/infer/pattern_types.h"

namespace skald::futhark {

// What a message about an argument says besides its type.
struct CallNotes {
  std::function<std::string()> hint = {};
  Span defined = {};  // the function, if the user has written it
};

class Infer {
 public:
  explicit Infer(DefState& d);
  Infer(const Infer&) = delete;
  Infer& operator=(const Infer&) = delete;

  // A definition at the level of modules.  `self` is bound inside the body if it has parameters.
  // Returns the unsized type, metas inside.
  const Type* definition(const FunParts& parts, ValEntry* self);
  // A type outside of definitions; its parameters are in `bound` afterwards.
  TypeExpResult type(std::vector<TypeParam>& params, TypeExp& te, std::vector<TParam>& bound);
  // A size expression on its own.
  void size_exp(Exp& e);
  const Type* exp(Exp& e);

 private:
  // infer_exp.cpp
  const Type* exp_node(Exp& e);
  const Type* array_lit(EArray& x, Span span);
  const Type* ascription(EAscript& x);
  const Type* left_section(ELeftSection& x, Span span);
  const Type* right_section(ERightSection& x, Span span);
  const Type* literal(const Literal& lit, Span span);
  const Type* record(ERecord& e);
  const Type* if_exp(EIf& e, Span span);
  const Type* match(EMatch& e, Span span);
  const Type* range(ERange& e);
  const Type* local_open(ELocalOpen& e, Span span);
  // infer_apply.cpp
  const Type* var(EVar& v, Span span);
  const Type* apply(EApply& e, Span span);
  const Type* binary(EBinary& e, Span span);
  // The type of a function of type `fn` applied to an argument.  `arg` may be null (sections).
  const Type* apply_one(const std::string& fname, size_t index, const Type* fn, const Exp* arg,
                        const Type* arg_type, Span span, const CallNotes& notes = {});
  // infer_bind.cpp
  const Type* let(ELet& e);
  const Type* let_fun(ELetFun& e, Span span);
  const Type* let_with(ELetWith& e);
  const Type* lambda(ELambda& e);
  const Type* loop(ELoop& e, Span span);
  Ptr<Exp> loop_init_exp(const Pat& pat);
  const Type* function(const FunParts& parts, std::vector<const Type*>& params);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Names& names_;
  Unifier& uni_;
  Reporter& report_;
  LocalNames locals_;
  TypeExps types_;
  PatternTypes patterns_;
  PathTypes paths_;
  CallHints hints_;
};

}  // namespace skald::futhark
