// SPDX-License-Identifier: Apache-2.0
// Modules and module types (ast.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/futhark/ast/ast_types.h"

namespace skald::futhark {

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

}  // namespace skald::futhark
