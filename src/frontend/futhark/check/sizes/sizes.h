// SPDX-License-Identifier: Apache-2.0
// The second step of checking a definition: sizes.
//
// The unsized types are known; this walk gives every expression its sized type.  A size is an
// expression; those not known yet are variables in a table that unification fills in.  Where a size
// cannot be an expression in terms of what is in scope, a fresh unknown size is made and recorded
// in Exp::ext, where evaluation binds it.
//
// Note [Instantiated sizes].  When a name of type (a -> b) -> a -> b is used, the unsized step has
// found what a and b are, but not their sizes, nor whether these are the same in each place: in
// `xs |> filter p` the type b is ?[m].[m]t in the argument, so its two occurrences must not share a
// size; in `xs |> map f` they must.  The first occurrence gets sizes of kind kInst, later ones
// copies (kCopy) that are equal to the first as long as nothing is learnt to the contrary.  If an
// instantiated size meets a size bound inside the other type (an existential, a parameter), it
// becomes kExistential, unless the type parameter is unlifted; applications then bind each copy
// anew.  Sizes of holes, constructors and results of lambdas may become existential in the same
// way.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

struct SizeVar {
  enum Kind : uint8_t {
    kParam,        // a name in scope: equal only to itself
    kUnknown,      // computed somewhere: equal only to itself
    kFlex,         // to be found, or found if `solution` is set
    kInst,         // to be found; may turn out to be existential if `lifted` allows it
    kCopy,         // another occurrence of the kInst `canon`
    kExistential,  // a kInst that turned out to be existential
    kWrong,        // a mistake with it was reported: agrees with all sizes
  } kind = kFlex;
  int level = 0;
  VName name = {};
  Span span = {};
  std::string usage = {};                     // why it exists
  const Exp* solution = nullptr;              // kFlex
  Liftedness lifted = Liftedness::kUnlifted;  // kInst
  uint32_t canon = 0, occurrence = 0;         // kCopy
  uint32_t key = 0;                           // kExistential: the size it met
  bool computed = false;                      // kExistential: that was a kUnknown at `span`
  bool of_type = false;                       // kParam: bound by a type that was put together here
  std::string note = {};                      // kUnknown: where it comes from
  std::string plain = {};                     // kUnknown: the same in a few words
  Span decided = {};                          // kFlex with a solution: what asked for it
  std::string shown = {};                     // what it is called in messages, if not by its name
};

// Why two sized types must agree.
struct SizeWhy {
  Span span;
  std::string use;                         // "use as function argument"
  std::function<std::string()> head = {};  // first lines of a message
  std::vector<source::Label> labels = {};
  // The expression at `span`, and what it is there.
  const Exp* value = nullptr;
  enum Role : uint8_t { kOther, kArgument, kResult, kLoop, kElement, kUpdate } role = kOther;
  std::string function = {};  // kArgument: its name
};

class Sizes {
 public:
  explicit Sizes(DefState& d) : d_(d), ctx_(d.ctx), f_(d.ctx.f), uni_(d.uni), report_(d.report) {}

  struct Definition {
    std::vector<TParam> params;  // of the scheme
    const Type* type = nullptr;
    const Type* result = nullptr;
    std::vector<VName> exts;  // of the result
  };
  // A definition at the level of modules; `generalised` are type parameters that the unsized step
  // found.  Annotations in the AST are final afterwards.
  Definition definition(const FunParts& parts, ValEntry* self, std::vector<TParam> tparams);
  // A size expression on its own.
  void size_exp(Exp& e);
  // Is a value of the second scheme good where the first is expected?  `inst` says what the type
  // parameters of the second are.
  bool match_schemes(const std::vector<TParam>& spec_params, const Type* spec,
                     const std::vector<TParam>& params, const Type* type,
                     std::vector<TypeInst>& inst, const std::vector<VName>& flexible_sizes);

 private:
  // -- sizes_vars.cpp: the table
  SizeVar* find(uint32_t id);
  VName add(const std::string& base, SizeVar v);
  VName flexible(Span span, const std::string& base, const std::string& usage);
  VName unknown(Span span, const std::string& base, const std::string& note,
                const std::string& plain = {});
  void bind_param(const VName& name, Span span, bool of_type = false);
  const Exp* resolve(uint32_t id);
  const Exp* norm(const Exp* e);
  const Type* norm(const Type* t);
  bool is_rigid(const SizeVar& v) const;
  // The size that agrees with all others, so that nothing follows from a mistake.
  const Exp* wrong_size();
  const Type* with_wrong_sizes(const Type* t);
  // Sizes that are still open become wrong.
  void spoil(const Exp* e);
  void spoil(const Type* t);
  bool is_spoilt(const Exp* e);
  bool is_spoilt(const Type* t);
  // The level if it may still be linked.
  std::optional<int> nonrigid(uint32_t id);
  std::string show(const Exp* e);
  const Exp* as_shown(const Exp* e);
  std::string notes_for(const Exp* e);
  // The unsized type with fresh sizes everywhere.
  const Type* fresh_sizes(const Type* unsized, const std::function<Size()>& make, Span span);
  const Type* replace_metas(const Type* unsized, Span span, bool absorbable);
  const Type* instantiate(const std::vector<TParam>& params, const Type* scheme,
                          std::vector<TypeInst>& inst, const std::string& name, Span span);
  const Type* replace_metas_in(const Type* t, Span span, bool absorbable,
                               std::unordered_map<uint32_t, const Type*>& seen);

  // -- sizes_unify.cpp
  bool unify(const Type* expected, const Type* actual, const SizeWhy& why);
  struct Unifying;
  bool sub(Unifying& u, bool swapped, const Type* a, const Type* b);
  bool sub_arrow(Unifying& u, bool swapped, const Type* a, const Type* b);
  bool sub_sizes(Unifying& u, const Exp* a, const Exp* b);
  bool link(Unifying& u, uint32_t id, const Exp* e);
  bool local_link(Unifying& u, const Exp* var, const Exp* other);
  bool absorb(Unifying& u, const Exp* var, const Exp* other);
  bool is_bound(const Unifying& u, const Exp* e) const;
  // -- size_messages.cpp
  std::string show(const Type* t);
  std::string show_open(const Type* t);
  bool is_invented(const Exp* e);
  bool can_be_written(const Type* t);
  std::string size_words(const Exp* e);
  void label_origins(const Exp* e, std::vector<source::Label>& labels);
  std::string size_headline(const Unifying& u);
  std::string size_hint(const Unifying& u, const Type* expected, const Type* actual);
  bool size_mismatch(Unifying& u, const Exp* a, const Exp* b);
  void report_mismatch(const Unifying& u, const Type* expected, const Type* actual);
  bool told_before(const Unifying& u);
  // -- sizes_unify.cpp
  // Sizes that differ become fresh unknown ones.
  const Type* unify_branches(const Type* a, const Type* b, Span span, std::vector<VName>& ext);

  // -- sizes_scope.cpp
  using Killer = std::function<uint32_t(const Exp&)>;  // an id that makes the size unusable, or 0
  const Type* free_killed(const Type* t, Span span, const Killer& killer, std::vector<VName>& ext);
  const Type* unscope(const Type* t, Span span, const IdSet& gone, std::vector<VName>& ext);
  const Type* unscope_unknown(const Type* t);
  // kInst sizes that turned out existential, and the common name of equal copies.
  struct Pending {
    IdSet ids;
    std::unordered_map<uint32_t, uint32_t> reps;
  };
  Pending pending_insts();
  void collapse_insts(int min_level);

  // -- sizes_exp.cpp
  const Type* exp(Exp& e);
  const Type* exp_node(Exp& e, const Type* unsized);
  const Type* record(ERecord& x, const Type* unsized);
  const Type* binary(EBinary& x, const Type* unsized, Exp& e);
  const Type* ascription(EAscript& x, Span span);
  const Type* coercion(ECoerce& x, Span span);
  const Type* var(const void* node, const QualName& name, std::vector<TypeInst>& inst,
                  const Type* unsized, Span span);
  const Type* project(const Type* t, const std::string& field);
  const Type* array_lit(EArray& e, const Type* unsized, Span span);
  const Type* range(ERange& e, Span span, std::vector<VName>& ext);
  const Type* match(EMatch& e, Span span, std::vector<VName>& ext);
  const Type* constr(EConstr& e, const Type* unsized, Span span);
  // -- sizes_apply.cpp
  const Type* apply(EApply& e, Span span, std::vector<VName>& ext);
  const Type* result_of(const Type* fn, const std::string& what, Span span,
                        std::vector<VName>& made);
  static void find_produced(const Type* type, IdSet& produced, IdSet& needed);
  bool check_produced(const Type* to, const Exp& arg, const std::string& what, Span span,
                      const std::vector<VName>& made);
  const Type* with_argument(const Type* to, uint32_t param, Exp& arg, const std::string& what,
                            std::vector<VName>& made);
  const Type* apply_one(const std::string& fname, const Type* fn, Exp& arg, Span span,
                        std::vector<VName>& ext);
  const Type* without_huge_sizes(const Type* t, const std::string& what, Span span,
                                 std::vector<VName>& made);
  const Type* left_section(ELeftSection& e, const Type* unsized, Span span,
                           std::vector<VName>& ext);
  const Type* right_section(ERightSection& e, const Type* unsized, Span span,
                            std::vector<VName>& ext);
  const Type* op_type(const void* node, const QualName& op, std::vector<TypeInst>& inst, Span span);
  std::string param_name_of(const Type* fn);
  // -- sizes_index.cpp
  enum class SliceMode : uint8_t { kKnown, kFlexible, kExistential };
  const Type* slice(const Type* array, std::vector<DimIndex>& dims, SliceMode mode, Span span,
                    std::vector<VName>& ext);
  void dims(std::vector<DimIndex>& dims);
  const Type* update_target(std::vector<PathStep>& path, const Type* src, Span span);
  const Type* update_fields(const std::vector<PathStep>& path, size_t at, const Type* src,
                            const Type* value, const Exp* src_exp, Span span);
  const Type* update(EUpdate& e);
  const Type* let_with(ELetWith& e, Span span, std::vector<VName>& ext);
  const Type* path_section(EPathSection& e, const Type* unsized, Span span);
  // -- sizes_pat.cpp
  using SizeBinders = std::unordered_map<uint32_t, const Exp*>;  // let-bound size → flexible one
  const Type* pattern(Pat& p, const Type* expected, const SizeBinders& sizes);
  void bind_pattern(Pat& p);
  void let_pattern(Pat& p, const Type* t, std::vector<Ident>& sizes);
  const Type* type_exp(const TypeExp& te, std::vector<VName>* exts = nullptr);
  IdSet pattern_ids(const Pat& p);
  // -- sizes_bind.cpp
  const Type* let(ELet& e, Span span, std::vector<VName>& ext);
  const Type* let_fun(ELetFun& e, Span span, std::vector<VName>& ext);
  const Type* lambda(ELambda& e, const Type* unsized, Span span);
  const Type* fun_type(const std::vector<Ptr<Pat>>& params, const Type* result,
                       std::vector<VName> exts);
  const Type* fun_body(const FunParts& parts, const Type* declared);
  const Type* rename_binders(const Type* t);
  Definition binding(const FunParts& parts, ValEntry* self, std::vector<TParam> tparams);
  void generalise(const FunParts& parts, Definition& def, const Type* result);
  void assume_type(const FunParts& parts, Definition& def, const Type* declared, const Type* body);
  void warn_fixed_sizes(const FunParts& parts);
  void verify_params(const std::string& name, const std::vector<Ptr<Pat>>& params);
  void ambiguous_sizes();
  // -- sizes_loop.cpp
  const Type* loop(ELoop& e, Span span, std::vector<VName>& ext);
  struct LoopSizes;
  void report_hidden_size(const ELoop& e, const LoopSizes& ls, const Type* param,
                          const SizeVar& made);
  void report_escape(const ELoop& e, uint32_t changing, int level, Span span);
  // Returns false after a mistake.
  bool loop_body(ELoop& e, LoopSizes& ls, Span span);
  struct Produced;
  using ProducedSizes = std::unordered_map<uint32_t, Produced>;
  ProducedSizes sizes_of_body(const LoopSizes& ls, const Type* body);
  const Exp* initial_size(const LoopSizes& ls, uint32_t id);
  static IdSet variant_sizes(const ProducedSizes& how);
  void settle_loop(ELoop& e, LoopSizes& ls, const ProducedSizes& how, const IdSet& variant);
  bool same_var(uint32_t a, uint32_t b);
  uint32_t var_root(uint32_t id);
  const Type* refresh(const Type* t, const std::vector<uint32_t>& ids, bool distinct,
                      const std::function<VName()>& make, std::vector<VName>* made);
  // -- sizes_final.cpp: solved sizes into the AST
  void finish(const FunParts& parts, Definition& def);
  void finish_exp(Exp& e);
  void finish_pat(Pat& p);
  void finish_inst(std::vector<TypeInst>& inst);
  void check_size_arguments(const EVar& v, Span span);
  const Type* finish_type(const Type* t, std::vector<VName>* ext = nullptr);
  const Exp* finish_size(const Exp* e);
  void causality(Exp& body);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  int level_ = 0;
  uint32_t occurrences_ = 0;
  std::unordered_map<uint32_t, SizeVar> vars_;
  std::unordered_map<const Exp*, const Exp*> finished_sizes_;
  Pending final_pending_;
  VName wrong_;  // made when it is first needed
  // Variables whose sizes were reported as another one than needed.
  struct Told {
    uint32_t variable;
    const Exp *expected, *actual;
  };
  std::vector<Told> told_;
};

}  // namespace skald::futhark
