// SPDX-License-Identifier: Apache-2.0
// The surface syntax of Futhark, as the parser makes it and as the type checker annotates it.
//
// Every construct keeps the form the user wrote (parentheses, sections, trailing lambdas), so that
// the pretty-printer can give it back.  Fields under "set by the checker" are empty after parsing;
// nothing else changes later.
//
// Read next: types.h (semantic types), parse.h (text → AST), check/check.h (AST → annotated AST),
// elaborate/elaborate.h (annotated AST → core).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "source/source.h"

namespace skald::futhark {

using source::Span;

struct Type;  // types.h

// A name made unique by the checker.  `id` 0 means "not resolved yet".
struct VName {
  std::string base;
  uint32_t id = 0;
  friend bool operator==(const VName& a, const VName& b) {
    return a.id == b.id && (a.id != 0 || a.base == b.base);
  }
};

// An identifier or operator where it is bound.
struct Ident {
  std::string name;
  Span span;
  // Set by the checker.
  uint32_t id = 0;
};

// M.N.x, or just x.  Also for operators: M.+
struct QualName {
  std::vector<std::string> quals;
  std::string name;
  Span span;
};

struct Exp;
struct Pat;
struct TypeExp;
struct Dec;
struct ModExp;
struct ModTypeExp;
// Takes the expression apart in a loop, because chains of `let`s and operators are long.
void delete_exp(Exp* e);

}  // namespace skald::futhark

template <>
struct std::default_delete<skald::futhark::Exp> {
  void operator()(skald::futhark::Exp* e) const { skald::futhark::delete_exp(e); }
};

namespace skald::futhark {

template <class T>
using Ptr = std::unique_ptr<T>;

// ---- attributes -------------------------------------------------------------------------------

// #[name], #[12], #[name(arg, …)]
struct Attr {
  std::string name;  // or the digits of an integer
  bool is_int = false;
  std::vector<Attr> args;
  Span span;
};

// ---- types as written ---------------------------------------------------------------------------

// A size or type parameter: [n], 'a, '~a, '^a
enum class Liftedness : uint8_t { kUnlifted, kSizeLifted, kLifted };
struct TypeParam {
  enum Kind : uint8_t { kSize, kType } kind;
  Liftedness lifted = Liftedness::kUnlifted;  // of a type parameter
  Ident name;
};

struct TEVar {
  QualName name;
};
struct TEParens {
  Ptr<TypeExp> inner;
};
struct TETuple {
  std::vector<Ptr<TypeExp>> elems;
};
struct TERecord {
  struct Field {
    Ident name;
    Ptr<TypeExp> type;
  };
  std::vector<Field> fields;
};
// [size]elem; `size` is null for []elem.
struct TEArray {
  Ptr<Exp> size;
  Ptr<TypeExp> elem;
};
// *t
struct TEUnique {
  Ptr<TypeExp> inner;
};
// t arg, where arg is a type or a size ([e] or []).
struct TEApply {
  Ptr<TypeExp> fn;
  Ptr<TypeExp> type_arg;  // null if this is a size argument
  Ptr<Exp> size_arg;      // null for a type argument, and for the anonymous size []
};
// (name: from) -> to
struct TEArrow {
  std::optional<Ident> param;
  Ptr<TypeExp> from, to;
};
struct TESum {
  struct Constr {
    Ident name;
    std::vector<Ptr<TypeExp>> payload;
  };
  std::vector<Constr> constrs;
};
// ?[n][m].t
struct TEExists {
  std::vector<Ident> dims;
  Ptr<TypeExp> inner;
};

struct TypeExp {
  using Node = std::variant<TEVar, TEParens, TETuple, TERecord, TEArray, TEUnique, TEApply, TEArrow,
                            TESum, TEExists>;
  Node node;
  Span span;
};

// ---- patterns -----------------------------------------------------------------------------------

// A literal as written; which type an unsuffixed one has is decided by the checker.
struct Literal {
  enum Kind : uint8_t { kInt, kFloat, kBool, kChar } kind;
  std::string text;       // without suffix and underscores; for kChar the code point in decimal
  std::string suffix;     // "i32", "f64", … or empty
  bool negative = false;  // only in patterns: -1
};

struct PVar {
  Ident name;
};  // also (op)
struct PWild {};
struct PParens {
  Ptr<Pat> inner;
};
struct PTuple {
  std::vector<Ptr<Pat>> elems;
};  // () has no elements
struct PRecord {
  struct Field {
    Ident name;
    Ptr<Pat> pat;
  };  // null: {x} binds x
  std::vector<Field> fields;
};
struct PLiteral {
  Literal lit;
};
struct PConstr {
  Ident name;
  std::vector<Ptr<Pat>> args;
};
struct PAscript {
  Ptr<Pat> inner;
  Ptr<TypeExp> type;
};
struct PAttr {
  Attr attr;
  Ptr<Pat> inner;
};

struct Pat {
  using Node =
      std::variant<PVar, PWild, PParens, PTuple, PRecord, PLiteral, PConstr, PAscript, PAttr>;
  Node node;
  Span span;
  // Set by the checker: the type of what the pattern matches.  For a PRecord field {x} without a
  // pattern see the field of this record type.
  const Type* type = nullptr;
};

// ---- expressions
// ----------------------------------------------------------------------------------

// One component of an index: a[i] or a[start:end:stride], any part of the latter may be null.
struct DimIndex {
  bool is_slice = false;
  Ptr<Exp> index;               // if !is_slice
  Ptr<Exp> start, end, stride;  // if is_slice
  Span span;
};

// A step of a path in updates and sections: .field or [i, j:k]
struct PathStep {
  std::variant<Ident, std::vector<DimIndex>> step;
  Span span;
};

// What a polymorphic name was used at: one entry for each type or size parameter of its definition.
struct TypeInst {
  uint32_t param_id = 0;       // the parameter's id in the definition's scheme
  const Type* type = nullptr;  // for a type parameter
  const Exp* size = nullptr;   // for a size parameter; null if it follows from the arguments
};

struct ELiteral {
  Literal lit;
};
struct EString {
  std::string bytes;
};  // after escapes, UTF-8
// x, M.x, and also r.f.g when the head `r` turned out to be a value: then `fields` holds .f.g
struct EVar {
  QualName name;
  // Set by the checker.
  uint32_t id = 0;                 // the definition this refers to
  std::vector<Ident> fields = {};  // trailing quals that are projections after all
  std::vector<TypeInst> inst = {};
};
struct EHole {};
struct EParens {
  Ptr<Exp> inner;
};
struct ETuple {
  std::vector<Ptr<Exp>> elems;
};  // () has no elements
struct ERecord {
  struct Field {
    Ident name;
    Ptr<Exp> value;
  };  // null: {x}
  std::vector<Field> fields;
};
struct EArray {
  std::vector<Ptr<Exp>> elems;
};
struct EIndex {
  Ptr<Exp> array;
  std::vector<DimIndex> dims;
};
struct EProject {
  Ptr<Exp> record;
  Ident field;
};
// M.(e)
struct ELocalOpen {
  QualName module;
  Ptr<Exp> inner;
};
// f a b: `args` has at least one element.
struct EApply {
  Ptr<Exp> fn;
  std::vector<Ptr<Exp>> args;
};
// a + b, a `f` b.  `op.name` is "+" or the name between the backquotes.
struct EBinary {
  Ptr<Exp> lhs, rhs;
  QualName op;
  bool backquoted = false;
  // Set by the checker: as in EVar.  Built-in operators have id 0 after checking.
  uint32_t id = 0;
  std::vector<TypeInst> inst = {};
};
struct ENegate {
  Ptr<Exp> arg;
};
struct ENot {
  Ptr<Exp> arg;
};
struct EConstr {
  Ident name;
  std::vector<Ptr<Exp>> args;
};
// e : t
struct EAscript {
  Ptr<Exp> inner;
  Ptr<TypeExp> type;
};
// e :> t
struct ECoerce {
  Ptr<Exp> inner;
  Ptr<TypeExp> type;
};
// start..step...end and friends; `step` may be null.
struct ERange {
  enum Kind : uint8_t { kInclusive, kUpTo, kDownTo } kind;
  Ptr<Exp> start, step, end;
};
struct EIf {
  Ptr<Exp> cond, then_branch, else_branch;
};
// let [n] p = e in body
struct ELet {
  std::vector<Ident> sizes;
  Ptr<Pat> pat;
  Ptr<Exp> value, body;
  bool has_in = true;
};
// let f 'a [n] p q : t = e in body
struct ELetFun {
  Ident name;
  std::vector<TypeParam> tparams;
  std::vector<Ptr<Pat>> params;
  Ptr<TypeExp> result;  // may be null
  Ptr<Exp> value, body;
  bool has_in = true;
  // Set by the checker.
  const Type* type = nullptr;  // of the function
  const Type* result_type = nullptr;
  std::vector<uint32_t> type_param_ids = {};  // all parameters of the scheme, inferred ones too
};
// let x[i].f = v in body: rebinds x.
struct ELetWith {
  Ident dst, src;  // the same text
  std::vector<PathStep> path;
  Ptr<Exp> value, body;
  bool has_in = true;
  uint32_t src_id = 0;  // set by the checker: the definition that `src` refers to
};
// src with path = value
struct EUpdate {
  Ptr<Exp> src;
  std::vector<PathStep> path;
  Ptr<Exp> value;
};
struct ELambda {
  std::vector<Ptr<Pat>> params;
  Ptr<TypeExp> result;
  Ptr<Exp> body;
  const Type* result_type = nullptr;  // set by the checker
};
struct ELoop {
  std::vector<Ident> sizes;
  Ptr<Pat> pat;
  Ptr<Exp> init;  // null: the variables of `pat` themselves
  enum Form : uint8_t { kFor, kForIn, kWhile } form;
  Ident var;       // kFor: i
  Ptr<Pat> elem;   // kForIn: p
  Ptr<Exp> bound;  // kFor: n; kForIn: the array; kWhile: the condition
  Ptr<Exp> body;
  // Set by the checker: sizes in the type of `pat` that may change from one iteration to the next.
  // Each iteration binds them from the shape of the values that it starts with.
  std::vector<VName> size_params = {};
};
struct EMatch {
  struct Case {
    Ptr<Pat> pat;
    Ptr<Exp> body;
    Span span;
  };
  Ptr<Exp> scrutinee;
  std::vector<Case> cases;
};
struct EAttr {
  Attr attr;
  Ptr<Exp> inner;
};
// assert cond e
struct EAssert {
  Ptr<Exp> cond, inner;
};
// (+), (M.+)
struct EOpSection {
  QualName op;
  uint32_t id = 0;
  std::vector<TypeInst> inst = {};
};
// (e +)
struct ELeftSection {
  Ptr<Exp> lhs;
  QualName op;
  bool backquoted = false;
  uint32_t id = 0;
  std::vector<TypeInst> inst = {};
};
// (+ e)
struct ERightSection {
  QualName op;
  Ptr<Exp> rhs;
  bool backquoted = false;
  uint32_t id = 0;
  std::vector<TypeInst> inst = {};
};
// (.f[i].g)
struct EPathSection {
  std::vector<PathStep> path;
};

struct Exp {
  using Node =
      std::variant<ELiteral, EString, EVar, EHole, EParens, ETuple, ERecord, EArray, EIndex,
                   EProject, ELocalOpen, EApply, EBinary, ENegate, ENot, EConstr, EAscript, ECoerce,
                   ERange, EIf, ELet, ELetFun, ELetWith, EUpdate, ELambda, ELoop, EMatch, EAttr,
                   EAssert, EOpSection, ELeftSection, ERightSection, EPathSection>;
  Node node;
  Span span;
  // Set by the checker: the type of the expression's value …
  const Type* type = nullptr;
  // … and the sizes in `type` that become known only when the expression is evaluated (results of
  // filter, of branches with different sizes, …).  Each is bound here, by comparing `type` with the
  // value's real shape.
  std::vector<VName> ext = {};
};

// ---- modules
// --------------------------------------------------------------------------------------

// A member of a module that the checker knows by an id of its own from here on.  Set by the checker
// where a module is bound to a parameter, ascribed, or results from an application; see
// Note [Abstract types] in check/check.h.
struct ModBinding {
  uint32_t id = 0;
  std::vector<std::string> path;  // from the module inwards: {"inner", "t"}
  bool is_type = true;            // otherwise a value
};

struct ModParam {
  Ident name;
  Ptr<ModTypeExp> type;
  std::vector<ModBinding> bindings = {};  // set by the checker: of the argument
};

struct MVar {
  QualName name;
};
struct MParens {
  Ptr<ModExp> inner;
};
struct MDecs {
  std::vector<Ptr<Dec>> decs;
};
struct MAscript {
  Ptr<ModExp> inner;
  Ptr<ModTypeExp> type;
  std::vector<ModBinding> bindings = {};  // set by the checker: of `inner`
};
struct MLambda {
  ModParam param;
  Ptr<ModTypeExp> result;
  Ptr<ModExp> body;
  std::vector<ModBinding> bindings = {};  // set by the checker: of `body`, if there is a `result`
};
struct MApply {
  Ptr<ModExp> fn, arg;
  std::vector<ModBinding> bindings = {};  // set by the checker: of the result
};
struct MImport {
  std::string path;
};
struct ModExp {
  using Node = std::variant<MVar, MParens, MDecs, MAscript, MLambda, MApply, MImport>;
  Node node;
  Span span;
};

struct Spec;
struct MTVar {
  QualName name;
};
struct MTParens {
  Ptr<ModTypeExp> inner;
};
struct MTSpecs {
  std::vector<Ptr<Spec>> specs;
};
// mt with t params = type
struct MTWith {
  Ptr<ModTypeExp> inner;
  QualName type;
  std::vector<TypeParam> params;
  Ptr<TypeExp> definition;
};
struct MTArrow {
  std::optional<Ident> param;
  Ptr<ModTypeExp> from, to;
};
struct ModTypeExp {
  using Node = std::variant<MTVar, MTParens, MTSpecs, MTWith, MTArrow>;
  Node node;
  Span span;
};

struct SpecVal {
  Ident name;
  std::vector<TypeParam> tparams;
  Ptr<TypeExp> type;
};
// type t params, or type t params = definition
struct SpecType {
  Liftedness lifted;
  Ident name;
  std::vector<TypeParam> params;
  Ptr<TypeExp> definition;
};
struct SpecModule {
  Ident name;
  Ptr<ModTypeExp> type;
};
struct SpecInclude {
  Ptr<ModTypeExp> type;
};
struct Spec {
  std::variant<SpecVal, SpecType, SpecModule, SpecInclude> node;
  Span span;
  std::vector<Attr> attrs = {};
  std::string doc = {};
};

// ---- declarations
// ---------------------------------------------------------------------------------

struct DVal {
  bool is_entry = false;
  bool spelled_let = false;  // deprecated synonym of def
  bool infix = false;        // def x `f` y, def x + y: the pretty-printer keeps the form
  Ident name;
  std::vector<TypeParam> tparams;
  std::vector<Ptr<Pat>> params;
  Ptr<TypeExp> result;  // may be null
  Ptr<Exp> body;
  // Set by the checker.
  bool sees_itself = true;            // false: its name in its body means an earlier definition
  const Type* type = nullptr;         // of the whole definition
  const Type* result_type = nullptr;  // after all parameters
  std::vector<uint32_t> type_param_ids = {};  // all parameters of the scheme, inferred ones too
};
struct DType {
  Liftedness lifted;
  Ident name;
  std::vector<TypeParam> params;
  Ptr<TypeExp> definition;
  // Set by the checker: the definition as a type over the parameters' ids; `exts` are its sizes
  // that are existential (type~).
  const Type* type = nullptr;
  std::vector<VName> exts = {};
};
struct DModule {
  Ident name;
  std::vector<ModParam> params;
  Ptr<ModTypeExp> type;
  Ptr<ModExp> body;
  std::vector<ModBinding> bindings = {};  // set by the checker: of `body`, if there is a `type`
};
struct DModType {
  Ident name;
  Ptr<ModTypeExp> body;
};
struct DOpen {
  Ptr<ModExp> module;
};
struct DImport {
  std::string path;
};
struct DLocal {
  Ptr<Dec> inner;
};
struct Dec {
  std::variant<DVal, DType, DModule, DModType, DOpen, DImport, DLocal> node;
  Span span;
  std::vector<Attr> attrs = {};
  std::string doc = {};  // the text of a `-- |` comment in front, without the dashes
};

struct Program {
  std::string doc;  // the leading file comment, if there is one
  std::vector<Ptr<Dec>> decs;
};

}  // namespace skald::futhark
