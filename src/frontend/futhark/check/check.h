// SPDX-License-Identifier: Apache-2.0
// The type checker: AST → annotated AST.
//
// Three steps for every top-level definition, each in its own files:
//   unsized   Hindley–Milner with overloaded literals and operators; no sizes     (unify, infer)
//   sizes     syntax-directed size inference on top of the unsized solution        (sizes)
//   consume   uniqueness, aliases, consumption                                     (consume)
// around them the module level: names, imports, module types, parametric modules   (modules).
//
// Note [Abstract types].  In the annotated AST a type abbreviation is always expanded, so a kNamed
// type is a type parameter or an abstract type.  An abstract type has an id that is introduced at
// one place in the AST: a module parameter, an ascription (MAscript, the type of a DModule, the
// result of an MLambda) or an application (MApply; its result gets new ids every time).  Each of
// these nodes has a list `bindings`: an id and the path from the module value inwards to the type
// that the id stands for there.  Whoever evaluates modules binds these ids when the node is
// evaluated, to the type found at that path, and keeps the binding in the environment of the
// declarations that follow (closures of parametric modules included, whose bodies are annotated
// once but evaluated for every application).  At the end of a path there is a DType, which has its
// definition as `type`, or another module's binding.
//
// Values need the same care only because sizes may mention them: `val n : i64` of a parameter is an
// EVar with an id in the type [n]i32.  Parameters and applications therefore also list their values
// (is_type false).  An ascription does not: a value keeps its id when it is seen through one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/futhark/check/base/checked_program.h"
#include "source/diagnostic.h"

namespace skald::futhark {

// Loads, parses and checks a program and all that it imports.  Null if there are errors; they are
// in `diagnostics`.  Never throws for what the user wrote.
std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics,
                                              const CheckOptions& options = {});

// Checks one program after the other and reads the prelude only once; for who has many small ones.
// Memory grows with every program until the Checker is destroyed.
class Checker {
 public:
  explicit Checker(const CheckOptions& options = {});
  ~Checker();

  // Whether the program is right.  What was said about it, and its files, stay until the next call.
  bool check(std::string name, std::string text);
  const source::Diagnostics& diagnostics() const;
  const source::SourceMap& sources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skald::futhark
