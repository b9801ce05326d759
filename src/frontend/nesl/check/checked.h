// SPDX-License-Identifier: Apache-2.0
// A program whose names are resolved and whose types are known.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/nesl/ast/ast.h"
#include "frontend/nesl/check/types.h"

namespace skald::nesl {

// What a name outside of functions stands for.
struct Global {
  enum Kind : uint8_t { kFunction, kPrimitive, kConstructor, kValue, kConstant };
  Kind kind = kFunction;
  std::string name = {};
  Span span = {};
  TypeRef type = nullptr;            // its variables may be any types of their classes
  const FunctionDef* def = nullptr;  // kFunction; the one with the body, if there is one
  int form = 0;                      // kValue: which form gives it
  bool is_library = false;
  const Exp* constant = nullptr;  // kConstant: of the library, written out where it is used
};

struct CheckedForm {
  const Binding* binding = nullptr;
  Span span;
  std::vector<int> names = {};  // globals that it gives, in the order of the pattern
  TypeRef type = nullptr;
};

struct CheckedProgram {
  // The library first.
  std::vector<std::unique_ptr<SourceProgram>> sources;
  Types types;
  std::vector<Global> globals;
  // What a Var stands for; none: something local.
  std::unordered_map<const Exp*, int> references;
  // Functions that give the defaults of parameters.
  std::vector<std::unique_ptr<FunctionDef>> defaults;
  // Arguments of calls that leave some to their defaults, with these.
  std::unordered_map<const Exp*, ExpPtr> full_arguments;
  std::vector<CheckedForm> forms;
  // Inner types of datatypes: "vect" is an arrow from what is inside to the datatype.
  std::unordered_map<std::string, TypeRef> datatypes;
};

}  // namespace skald::nesl
