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
#include <string>
#include <variant>
#include <vector>

#include "frontend/futhark/ast/ast_exp.h"
#include "frontend/futhark/ast/ast_modules.h"

namespace skald::futhark {

struct DVal {
  bool is_entry = false;
  bool spelled_let = false;  // deprecated synonym of def
  bool infix = false;        // def x `f` y, def x + y: the pretty-printer keeps the form
  Ident name;
  std::vector<TypeParam> tparams;
  std::vector<Ptr<Pat>> params;
  Ptr<TypeExp> result;  // may be null
  Ptr<Exp> body;
  uint32_t token = 0;  // the parser's number for the first one
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
