// SPDX-License-Identifier: Apache-2.0
// The elaborator's class; its members are spread over the files of this folder.
//
//   scopes.cpp     blocks of statements, checks, places, sharing
//   types.cpp      types → representations, sizes, coercions
//   patterns.cpp   binding and testing patterns
//   exps.cpp       the walk over expressions
//   control.cpp    if, match, && and ||
//   loops.cpp      loop
//   slices.cpp     indexing; updates.cpp  `with`; ranges.cpp  ranges
//   sums.cpp       constructors; equality.cpp  == and !=
//   calls.cpp      application, inlining; functions.cpp  functions and constants of core
//   operators.cpp  overloaded operators; prims.cpp  monomorphic primitives
//   soacs.cpp, arrays.cpp, accs.cpp  array intrinsics
//   modules.cpp    modules; entry.cpp  entry points
//
// Sizes.  Every value knows its shape as operands, and that is what the code goes by: a type from
// the checker is only asked where no value tells (empty arrays, sums, results of recursive
// functions, sizes that leave the block they were computed in).  Sizes that an expression brings
// into being (Exp::ext) are kept in `size_log_` until the enclosing let puts them into its
// environment.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/edit/builder.h"
#include "frontend/futhark/elaborate/elaborate.h"
#include "frontend/futhark/elaborate/values.h"

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

struct LambdaResult {
  core::Lambda fn;
  RepPtr rep;  // of the result; its sizes mean something outside
};

class Elaborator {
 public:
  Elaborator(const CheckedProgram& checked, const source::SourceMap& sources,
             source::Diagnostics& diagnostics, const ElaborateOptions& options, core::Program& out);
  ~Elaborator();
  Elaborator(const Elaborator&) = delete;
  Elaborator& operator=(const Elaborator&) = delete;

  void run();

 private:
  // ---- scopes.cpp
  struct Scope {
    core::Builder builder;
    std::vector<core::Param> params;
    Scope* parent;
  };
  // What belongs to the core function under construction.
  struct FnContext {
    std::vector<core::Stmt> prologue = {};
    std::map<const void*, ValuePtr> constants = {};
  };
  // Emits code at a place, for as long as it lives.
  class AtPlace {
   public:
    AtPlace(Elaborator& e, Span span);
    ~AtPlace();
    AtPlace(const AtPlace&) = delete;
    AtPlace& operator=(const AtPlace&) = delete;

   private:
    Elaborator& e_;
    core::Loc old_;
  };

  core::Builder& b() { return scope_->builder; }
  core::Loc place(Span span);
  // From now on, places in `body` are said to be in the function of that name.
  void name_body(const std::string& name, const Exp& body);
  // The innermost function whose text a span is in; may be empty.
  std::string function_at(Span span) const;
  Block block(std::vector<core::Param> params, const std::function<ValuePtr()>& f);
  // A block that will be spliced in right here: sizes found inside stay known.
  Block open_block(const std::function<ValuePtr()>& f);
  // Goes on at the end of a block.
  void extend(Block& block, const std::function<ValuePtr()>& f);
  void splice(std::vector<core::Stmt> stmts);
  static std::unordered_set<Name> bound_names(const Block& block);
  // Moves what computes `name` out of the block, to where we are.  `checks`: asserts may go along.
  bool hoist(Block& block, std::unordered_set<Name>& inner, Name name, bool checks);
  Tokens check(Operand cond, std::vector<MessagePart> message);
  // If a number was just computed as a product, that may have overflowed: its factors, for
  // messages.
  std::optional<std::pair<Operand, Operand>> factors_of(const Operand& number) const;
  std::vector<Operand> emit(const std::vector<core::Type>& types, core::Exp exp,
                            std::string_view base, Tokens tokens = {});
  Operand emit1(core::Type type, core::Exp exp, std::string_view base, Tokens tokens = {});
  // An array about to be consumed: itself, or a copy if others may still look at it.
  Name consume(const Operand& array, const core::Type& type);
  void share(const Value& v);
  void add_alias(Name name, const Operand& source);
  // The arrays that `name` may be a view of; itself if it is none.
  std::vector<Name> roots_of(Name name) const;
  bool is_shared(Name name) const;
  ValuePtr limitation(Span span, const std::string& what, const Type* type, const Env& env);

  // ---- types.cpp
  RepPtr resolve(const Type* type, const Env& env, int depth = 0);
  Env bind_type_args(const TypeBinding& binding, const Type& use, const Env& use_env);
  std::optional<Operand> try_size(const Exp* exp, const Env& env);
  std::optional<Operand> try_dim(const Dim& dim);
  bool size_is_known(const Exp& exp, const Env& env);
  // All sizes as operands; one that nobody knows becomes 0.
  RepPtr force(const RepPtr& rep);
  // Binds sizes and type parameters of `type` that are not known yet (or are in `ids`) from a
  // value's shape.
  void bind_sizes(Env& env, const Type* type, const RepPtr& rep,
                  std::unordered_set<uint32_t>* ids = nullptr);
  void log_sizes(const Exp& e, const Env& env, const Value& v);
  Env with_logged_sizes(Env env, size_t from);
  ValuePtr lookup_size(const Env& env, uint32_t id);
  ValuePtr coerce(const ValuePtr& v, const RepPtr& target, const std::vector<MessagePart>& message);
  void match_types(Env& env, const Type* def, const Type* use, const Env& use_env,
                   std::unordered_set<uint32_t>& ids, int depth = 0);
  void match_sizes(Env& env, const Exp* def, const Exp* use, const Env& use_env,
                   std::unordered_set<uint32_t>& ids);
  static bool contains_arrow(const Type& type);
  ValuePtr blank(const RepPtr& rep);  // unspecified contents
  std::vector<bool> unique_leaves(const Type* type, const RepPtr& rep);

  // ---- patterns.cpp
  Env bind_pattern(const Pat& pat, const ValuePtr& v, Env env);
  Operand test_pattern(const Pat& pat, const ValuePtr& v);
  // The name that a pattern binds, if it is one; and what its parts are called after.
  static std::string pattern_name(const Pat& pat);
  static std::string pattern_base(const Pat& pat);

  // ---- exps.cpp
  ValuePtr exp(const Exp& e, const Env& env);
  ValuePtr exp_node(const Exp& e, const Env& env);
  ValuePtr record_exp(const Exp& e, const ERecord& n, const Env& env);
  ValuePtr string_exp(const EString& n);
  ValuePtr update_exp(const EUpdate& n, const Env& env);
  ValuePtr left_section(const Exp& e, const ELeftSection& n, const Env& env);
  ValuePtr right_section(const Exp& e, const ERightSection& n, const Env& env);
  Operand scalar_exp(const Exp& e, const Env& env) { return scalar_of(*exp(e, env)); }
  Operand i64_exp(const Exp& e, const Env& env);
  ValuePtr literal(const Literal& lit, Prim prim);
  ValuePtr array_literal(const Exp& e, const EArray& a, const Env& env);
  ValuePtr var(const Exp& e, const EVar& v, const Env& env);
  ValuePtr use(ValuePtr v, const std::vector<TypeInst>& inst, const Type* type, const Env& env,
               Span span);
  ValuePtr find_name(const QualName& name, uint32_t id, const Env& env, size_t* projected);
  ValuePtr project(const ValuePtr& v, const std::string& field);
  ValuePtr attributed(const Exp& e, const EAttr& a, const Env& env);
  ValuePtr coercion(const Exp& e, const ECoerce& c, const Env& env);
  ValuePtr hole_value(const Type* type, const Env& env, Span span);
  ValuePtr assert_exp(const EAssert& a, const Env& env);
  std::vector<MessagePart> type_message(const Type& type, const Rep& rep);
  ValuePtr let_exp(const ELet& l, const Env& env);
  ValuePtr let_with(const ELetWith& l, const Env& env);
  ValuePtr op_value(const QualName& op, uint32_t id, const std::vector<TypeInst>& inst,
                    const Type* type, const Env& env, Span span);

  // ---- control.cpp
  ValuePtr if_exp(const Operand& cond, const std::function<ValuePtr()>& then_f,
                  const std::function<ValuePtr()>& else_f, const Type* type, const Env& env);
  struct Merged;
  Merged merge(const Block& then_block, const Block& else_block, const Type* type, const Env& env);
  ValuePtr match_cases(const EMatch& m, size_t i, const ValuePtr& v, const Exp& e, const Env& env);
  ValuePtr short_circuit(const Operand& lhs, bool is_and, const std::function<ValuePtr()>& rhs);
  // Calls f(dim, other) for corresponding sizes; `other` is null where the second rep has nothing.
  using DimMerge = std::function<Dim(const Dim&, const Dim*)>;
  static RepPtr zip_dims(const RepPtr& a, const RepPtr& b, const DimMerge& f);

  // ---- loops.cpp
  ValuePtr loop_exp(const Exp& e, const ELoop& l, const Env& env);
  struct LoopParts;
  void find_loop_sizes(LoopParts& parts);
  void loop_rounds(LoopParts& parts);
  void next_round(LoopParts& parts, Block body);
  void start_loop(LoopParts& parts, const Rep& init_rep);
  ValuePtr loop_results(LoopParts& parts);
  ValuePtr pattern_value(const Pat& pat, const Env& env);

  // ---- slices.cpp, updates.cpp, ranges.cpp
  struct Slice {
    std::vector<DimSlice> dims;
    Tokens tokens;
  };
  // What the expressions in indices and slices come to.
  using IndexOf = std::function<Operand(const Exp&)>;
  IndexOf indices_in(const Env& env);
  // The same for those on a path, which are all computed now.
  IndexOf computed_indices(const std::vector<PathStep>& path, const Env& env);
  // `name`: of the array, for messages; may be empty.
  Slice slice(const std::vector<DimIndex>& dims, const Value& array, const IndexOf& index_of,
              const std::string& name);
  struct SliceCheck;
  DimSlice slice_dim(const DimIndex& d, const Operand& w, const IndexOf& index_of,
                     SliceCheck& check);
  void check_range(const DimSlice& dim, const Operand& end, const Operand& w,
                   const Operand& backwards, SliceCheck& check);
  static RepPtr sliced_rep(const Value& array, const std::vector<DimSlice>& dims);
  ValuePtr index_value(const Value& array, const std::vector<DimSlice>& dims, const Tokens& tokens);
  ValuePtr index_at(const Value& array, const Operand& i, const Tokens& tokens = {});
  // `name`: of what is updated, for messages; may be empty.
  ValuePtr update_path(const ValuePtr& v, const std::vector<PathStep>& path, size_t i,
                       const std::function<ValuePtr()>& value, const IndexOf& index_of,
                       std::string name);
  ValuePtr update_slice(const Value& array, const std::vector<DimSlice>& dims, const Tokens& tokens,
                        const ValuePtr& value);
  ValuePtr path_value(const std::vector<PathStep>& path, const ValuePtr& v, const Env& env);
  ValuePtr range_exp(const ERange& r, const Env& env);

  // ---- sums.cpp, equality.cpp
  ValuePtr constr_exp(const Exp& e, const EConstr& c, const Env& env);
  ValuePtr payload(const Value& sum, size_t constr, size_t index);
  static size_t constr_index(const Rep& sum, std::string_view name);
  Operand equal(const ValuePtr& a, const ValuePtr& b);

  // ---- calls.cpp
  struct Use {
    Span span = {};
    // The type of the result, for sizes that no value tells.
    const Type* type = nullptr;
    Env env = {};
  };
  ValuePtr apply_exp(const Exp& e, const EApply& a, const Env& env);
  ValuePtr apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use);
  ValuePtr apply_full(const Closure& c, const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr apply_def(const Closure& c, const std::vector<ValuePtr>& args, const Use& use);
  Env bind_instance(const Closure& c, const std::vector<uint32_t>& ids,
                    const std::vector<TypeParam>& tparams, const Type* def_type, Env env);
  Env bind_params(const std::vector<Ptr<Pat>>& params, const std::vector<uint32_t>& ids,
                  const std::vector<TypeParam>& tparams, const std::vector<ValuePtr>& args,
                  Env env);
  ValuePtr inline_body(const Exp& body, const Env& env, const Use& use);
  static size_t arity(const Closure& c);
  ValuePtr call1(const ValuePtr& fn, ValuePtr a, const Use& use);
  ValuePtr call2(const ValuePtr& fn, ValuePtr a, ValuePtr b, const Use& use);

  // ---- functions.cpp
  struct CoreFn {
    std::string name = {};
    bool running = false;
    // While `running`: the result as declared, if a recursive call asked for it.
    RepPtr declared = {};
    std::vector<Name> size_params = {};
    std::vector<core::Param> leaf_params = {};
    std::vector<Operand> captured = {};
    RepPtr result = {};  // sizes in terms of parameters and of `result_sizes`
    std::vector<Name> result_sizes = {};
    bool inlined = false;  // turned out to have a static result
    bool generic = false;  // constant sizes of arguments are parameters, too
  };
  bool wants_function(const Closure& c, const std::vector<ValuePtr>& args);
  ValuePtr call_function(const Closure& c, const Env& env, const std::vector<ValuePtr>& args,
                         const Use& use);
  void finish_function(core::Function& fn, CoreFn& info, Block body, const RepPtr& declared,
                       const std::vector<bool>& unique);
  std::vector<ValuePtr> own_params(const std::vector<ValuePtr>& args,
                                   const std::vector<Operand>& dims, const CoreFn& info);
  void declare_result(const DVal& def, const Env& env, const std::vector<ValuePtr>& params,
                      CoreFn& info);
  std::vector<ValuePtr> make_params(const DVal& def, const std::vector<ValuePtr>& args,
                                    CoreFn& info, std::vector<core::Param>& params);
  void pass_captured(core::Function& fn, CoreFn& info);
  bool build_function(const Closure& c, const Env& env, const std::vector<ValuePtr>& args,
                      CoreFn& info);
  ValuePtr instantiate_call(const CoreFn& info, const std::vector<Operand>& sizes,
                            const std::vector<Operand>& leaves);
  ValuePtr constant(const Lazy& lazy, const Env& use_env, const std::vector<TypeInst>& inst,
                    const Type* type, Span span);
  Env settle_instance(const Closure& c, Env env, const std::vector<ValuePtr>& args,
                      std::string& key);
  std::string function_name(const std::string& base);
  static bool is_recursive(const DVal& def);
  RepPtr with_result_sizes(const RepPtr& rep, const std::unordered_set<Name>& inner,
                           std::vector<Name>& sizes, std::vector<Operand>& values);
  std::optional<core::Type> type_of_name(Name name) const;

  // ---- operators.cpp, prims.cpp
  bool is_builtin(const QualName& op, uint32_t id, const Env& env);
  const Type* operator_type(const void* node, const Type* lhs, const Type* rhs, const Type* result);
  ValuePtr binary_exp(const Exp& e, const EBinary& bin, const Env& env);
  // `written`: the right side in the text of the program, for messages.
  ValuePtr builtin_binary(const std::string& op, const ValuePtr& lhs, const ValuePtr& rhs,
                          const Exp* written = nullptr);
  ValuePtr negate(const ValuePtr& v);
  ValuePtr complement(const ValuePtr& v);
  Operand checked_division(BinOpKind op, Prim p, const Operand& lhs, const Operand& rhs,
                           const Exp* written = nullptr);
  Operand power(Prim p, const Operand& lhs, const Operand& rhs, const Exp* written = nullptr);
  Operand same_bits(Prim from, Prim to, const Operand& x);
  ValuePtr prim_intrinsic(const std::string& name, const std::vector<ValuePtr>& args);

  // ---- soacs.cpp, arrays.cpp, accs.cpp
  LambdaResult lambda(const std::vector<RepPtr>& params,
                      const std::function<ValuePtr(const std::vector<ValuePtr>&)>& f,
                      const RepPtr& hint, bool exact, std::string_view base);
  // The sizes of a block's result in terms that exist outside: as they are, or moved out of the
  // block, or from `hint`.
  RepPtr settle(Block& block, const RepPtr& rep, const RepPtr& hint);
  // Drops conversions that nothing uses.
  static void prune(Block& block);
  core::Operator operator_of(const ValuePtr& fn, const ValuePtr& neutral, const RepPtr& elem,
                             bool commutative, const Use& use);
  std::vector<Name> inputs_of(const Value& array, const Operand& width);
  ValuePtr with_width(const ValuePtr& array, const Operand& width);
  static bool is_intrinsic(const std::string& name, size_t* arity);
  ValuePtr intrinsic(const std::string& name, std::vector<ValuePtr> args, const Closure& c,
                     const Use& use);
  ValuePtr map_intrinsic(const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr reduce_intrinsic(const std::vector<ValuePtr>& args, bool comm, const Use& use);
  ValuePtr scan_intrinsic(const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr hist_intrinsic(int rank, const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr scatter_intrinsic(int rank, const std::vector<ValuePtr>& args);
  ValuePtr filter_intrinsic(const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr partition_intrinsic(int classes, const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr legacy_partition(const std::vector<ValuePtr>& args, const Use& use);
  std::vector<ValuePtr> partition_rows(const ValuePtr& xs, int classes,
                                       const std::function<Operand(const ValuePtr&)>& class_of);
  ValuePtr flatmap_intrinsic(const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr array_intrinsic(const std::string& name, const std::vector<ValuePtr>& args,
                           const Use& use);
  ValuePtr acc_intrinsic(const std::string& name, const std::vector<ValuePtr>& args,
                         const Use& use);
  ValuePtr acc_stream(bool hist, const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr flat_intrinsic(const std::string& name, const std::vector<ValuePtr>& args);
  Tokens flat_check(const Operand& offset, const Operand& size,
                    const std::vector<core::FlatDim>& dims);
  ValuePtr unzip_value(const std::vector<ValuePtr>& args);
  ValuePtr concat(const std::vector<ValuePtr>& args);
  ValuePtr rotate(const std::vector<ValuePtr>& args);
  ValuePtr transpose(const std::vector<ValuePtr>& args);
  ValuePtr unflatten(const std::vector<ValuePtr>& args);
  ValuePtr copy(const ValuePtr& v);
  ValuePtr reshape(const Value& array, const RepPtr& target, const Tokens& tokens);
  ValuePtr zip_values(const std::vector<ValuePtr>& arrays);
  ValuePtr replicate(const Operand& n, const ValuePtr& v, const Tokens& tokens);

  RepPtr elem_hint(const Use& use, const char* field = nullptr);

  // ---- modules.cpp
  void load_files();
  struct Exports {
    std::shared_ptr<Frame> frame;
    Env outer;
    std::shared_ptr<Module> module;
    std::string file;
  };
  void declarations(const std::vector<Ptr<Dec>>& decs, Exports& out);
  void declaration(const Dec& dec, Exports& out, bool local);
  void declare_value(const Dec& dec, const DVal& d, Exports& out, bool local);
  void declare_module(const DModule& d, Exports& out, bool local);
  Env now(const Exports& e) { return enter_frame(e.outer, e.frame, e.frame->seq); }
  void declare_term(Exports& out, const std::string& name, uint32_t id, ValuePtr v, bool local);
  void open_module(const Value& module, Exports& out, bool local);
  // `frame`: of the declarations that will see what is bound here.
  ValuePtr module_exp(const ModExp& m, const Env& env, const std::string& file, Frame* frame);
  ValuePtr force_module(const ValuePtr& v);
  ValuePtr apply_functor(const Functor& f, const ValuePtr& arg, Frame* frame);
  ValuePtr imported(const std::string& path, const std::string& from, Span span);
  Env bind_members(const std::vector<ModBinding>& bindings, const ValuePtr& module, Env env,
                   Frame* frame);
  // The module in which the last step of a path is found.
  ValuePtr module_at(const ValuePtr& module, const std::vector<std::string>& path);
  void names_of(const ModTypeExp& mt, const Env& env, std::set<std::string>& terms,
                std::set<std::string>& types, int depth = 0);
  ValuePtr restrict(ValuePtr module, const ModTypeExp* mt, const Env& env);
  std::shared_ptr<Frame> new_frame();

  // ---- entry.cpp
  void entry_point(const DVal& def, const Dec& dec, const Env& env);
  struct EntryParts;
  std::optional<Operand> constant_size(const Dim& dim);
  Dim entry_size(const Dim& dim, EntryParts& parts);
  bool entry_parameter(const Type* type, const std::string& name, const TypeExp* written,
                       EntryParts& parts);
  Block entry_body(const DVal& def, const Type* result_type, const EntryParts& parts,
                   const std::vector<core::Param>& params);

  const CheckedProgram& checked_;
  const source::SourceMap& sources_;
  source::Diagnostics& diagnostics_;
  const ElaborateOptions& options_;
  core::Program& prog_;

  Scope* scope_ = nullptr;
  FnContext* fn_ = nullptr;
  core::Loc loc_ = {};            // of the statements being made
  core::Loc caller_ = {};         // of the function being inlined
  std::vector<Span> call_spans_;  // of the functions being inlined
  bool unsafe_ = false;
  Span warn_checks_at_;  // #[warn(safety_checks)] around
  int depth_ = 0;
  core::Hints hints_;  // of the statements being made
  std::vector<std::pair<uint32_t, ValuePtr>> size_log_;

  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, core::Loc> places_;
  struct NamedBody {
    uint32_t end;
    std::string name;
  };
  std::map<std::pair<uint32_t, uint32_t>, NamedBody> bodies_;  // by file and beginning
  std::unordered_set<Name> shared_;                    // arrays that values share without an alias
  std::unordered_map<Name, std::vector<Name>> alias_;  // array → the arrays it is a view of
  std::unordered_set<Name> consumed_;                  // roots
  std::vector<std::shared_ptr<Frame>> frames_;  // emptied at the end: they are part of cycles
  std::unordered_map<uint32_t, TypeBinding> abstract_;  // by id, the latest
  std::unordered_map<uint32_t, ValuePtr> global_ids_;   // by id, the latest
  std::unordered_map<std::string, ValuePtr> files_;     // import path → module
  Env prelude_;
  std::unordered_map<const DVal*, size_t> inline_cost_;
  std::unordered_map<const DVal*, bool> recursive_;
  std::unordered_map<std::string, CoreFn> functions_;
  std::unordered_map<const DVal*, int> running_;  // instances under construction
  std::vector<Env> kept_;                         // environments whose addresses are in keys
  std::unordered_map<std::string, int> names_used_;
  std::vector<std::pair<const DVal*, std::pair<const Dec*, Env>>> entries_;
  std::unordered_map<Name, Operand> reread_;  // an integer → what it was before a change of sign
  TypeArena made_types_;
  std::unordered_map<const void*, const Type*> operator_types_;  // by expression
  bool reported_depth_ = false;
};

}  // namespace skald::futhark::elab
