// SPDX-License-Identifier: Apache-2.0
// Expressions (ast.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/futhark/ast/ast_patterns.h"

namespace skald::futhark {

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

}  // namespace skald::futhark
