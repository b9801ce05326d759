// SPDX-License-Identifier: Apache-2.0
// Types as they are written (ast.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/futhark/ast/ast_names.h"

namespace skald::futhark {

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

}  // namespace skald::futhark
