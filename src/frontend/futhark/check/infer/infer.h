// SPDX-License-Identifier: Apache-2.0
// The first step of checking a definition: names and unsized types.
//
// Resolves every name to an entry with a unique id and finds the type of every expression and
// pattern, without sizes.  Types are left in the AST with inference variables inside; the size step
// reads them through the Unifier.  Type expressions are evaluated once, here, and kept for the size
// step with their sizes.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/hints/name_hints.h"
#include "frontend/futhark/check/infer/unify.h"

namespace skald::futhark {

// A type expression, understood.
struct TypeExpResult {
  const Type* type = nullptr;         // sized; sizes are the expressions of the AST
  std::vector<VName> anonymous = {};  // sizes written []
  std::vector<VName> exts = {};       // ?[n]., and those of abbreviations
  Liftedness lifted = Liftedness::kUnlifted;
  std::vector<Exp*> sizes = {};  // the size expressions inside, in order
};

// What the steps of one definition know about it.
struct DefState {
  DefState(Context& c, ScopePtr scope)
      : ctx(c), names(std::move(scope)), report(c), uni(c, report) {
    // Enough for most definitions.
    locals.reserve(20);
    refs.reserve(50);
  }
  Context& ctx;
  Names names;
  Reporter report;
  Unifier uni;
  std::unordered_map<const TypeExp*, TypeExpResult> type_exps = {};
  std::deque<ValEntry> local_vals = {};
  std::deque<TypeEntry> local_types = {};
  // Entries of local names by id, and of the names in implicit record fields.
  std::unordered_map<uint32_t, ValEntry*> locals = {};
  std::unordered_map<const Ident*, std::vector<TypeInst>> field_inst = {};
  // The entry that an occurrence of a name refers to (EVar, sections, operators, fields).
  std::unordered_map<const void*, ValEntry*> refs = {};
  std::unordered_map<const ELoop*, Ptr<Exp>> loop_init = {};
  // For liftedness: instantiations of type parameters.
  struct Inst {
    Span span;
    std::string name;
    Liftedness lifted;
    const Type* type;
  };
  std::vector<Inst> insts = {};
};

// A definition or local function, seen by the steps.
struct FunParts {
  Ident* name = nullptr;
  std::vector<TypeParam>* tparams = nullptr;
  std::vector<Ptr<Pat>>* params = nullptr;
  TypeExp* result = nullptr;
  Exp* body = nullptr;
  Span span = {};
};

// What a message about an argument says besides its type.
struct CallNotes {
  std::function<std::string()> hint = {};
  Span defined = {};  // the function, if the user has written it
};

class Infer {
 public:
  explicit Infer(DefState& d)
      : d_(d), ctx_(d.ctx), f_(d.ctx.f), names_(d.names), uni_(d.uni), report_(d.report) {}

  // A definition at the level of modules.  `self` is bound inside the body if it has parameters.
  // Returns the unsized type, metas inside.
  const Type* definition(const FunParts& parts, ValEntry* self);
  // A size expression on its own.
  void size_exp(Exp& e);
  TypeExpResult type_exp(TypeExp& te);

  // Creates and binds entries for type and size parameters.
  std::vector<TParam> bind_tparams(std::vector<TypeParam>& tparams);
  void check_duplicates(const std::vector<TypeParam>& tparams, const std::vector<const Pat*>& pats);
  void check_duplicates_in_type(const TypeExp& te, std::unordered_map<std::string, Span>& seen);

 private:
  // infer_exp.cpp
  const Type* exp(Exp& e);
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
  void require(Exp& e, PrimSet prims, const char* why);
  // infer_apply.cpp
  const Type* var(EVar& v, Span span);
  ValEntry* lookup(const QualName& name, const void* node, Span span);
  const Type* instantiate(ValEntry* entry, const QualName& name, std::vector<TypeInst>& inst,
                          Span span);
  const Type* operator_type(const QualName& op, const void* node, uint32_t& id,
                            std::vector<TypeInst>& inst, Span span);
  const Type* apply(EApply& e, Span span);
  const Type* binary(EBinary& e, Span span);
  // The type of a function of type `fn` applied to an argument.  `arg` may be null (sections).
  const Type* apply_one(const std::string& fname, size_t index, const Type* fn, const Exp* arg,
                        const Type* arg_type, Span span, const CallNotes& notes = {});
  // infer_calls.cpp
  Span user_definition(const Exp& fn);
  const Type* too_many_arguments(const EApply& e, size_t index, const Type* fn, Span span);
  std::string operand_hint(const EBinary& e, const Type* lhs, const Type* rhs);
  static std::string fraction_hint(const Exp& literal, const Exp& other, Prim prim);
  std::string call_hint(const EApply& e, size_t index, const Type* fn);
  static std::string text_of_call(const EApply& e, size_t count);
  // Gives the type of what has none.  (infer_apply.cpp)
  const Type* unknown(NameKind kind, const QualName& name, Span span);
  // infer_bind.cpp
  const Type* let(ELet& e);
  const Type* let_fun(ELetFun& e, Span span);
  const Type* let_with(ELetWith& e);
  const Type* lambda(ELambda& e);
  const Type* loop(ELoop& e, Span span);
  Ptr<Exp> loop_init_exp(const Pat& pat);
  const Type* function(const FunParts& parts, std::vector<const Type*>& params);
  void bind_value(Ident& name, const Type* type);
  // infer_update.cpp
  const Type* index(EIndex& e, Span span);
  const Type* update(EUpdate& e, Span span);
  void dims(std::vector<DimIndex>& dims);
  const Type* array_of(const Type* elem, size_t rank);
  void path_steps(std::vector<PathStep>& path);
  void must_have(const std::vector<PathStep>& path, size_t from, const Type* whole,
                 const Type* part, Span span);
  // infer_pat.cpp
  const Type* pattern(Pat& p);
  void bind_pattern(Pat& p);
  // `from` has the type `value`; null if no expression has it.
  void let_pattern(Pat& p, const Type* value, Span value_span, const Exp* from = nullptr);
  // type_exp.cpp
  TypeExpResult eval_type(TypeExp& te);
  TypeExpResult eval_apply(TypeExp& te);
  TypeExpResult eval_record(TERecord& t, const TypeExp& te);
  TypeExpResult eval_array(TEArray& t, const TypeExp& te);
  TypeExpResult eval_arrow(TEArrow& t);
  TypeExpResult eval_exists(TEExists& t, const TypeExp& te);
  TypeExpResult eval_sum(TESum& t, const TypeExp& te);
  const Exp* eval_size(Exp* size, TypeExpResult& out);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Names& names_;
  Unifier& uni_;
  Reporter& report_;
  bool in_size_ = false;  // the expression at hand is a size in a type
};

}  // namespace skald::futhark
