// SPDX-License-Identifier: Apache-2.0
// Patterns (ast.h).
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/futhark/ast/ast_types.h"

namespace skald::futhark {

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

}  // namespace skald::futhark
