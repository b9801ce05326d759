// SPDX-License-Identifier: Apache-2.0
// The type checker: AST → annotated AST.
//
// Three steps for every top-level definition, each in its own files:
//   unsized   Hindley–Milner with overloaded literals and operators; no sizes     (unify, infer)
//   sizes     syntax-directed size inference on top of the unsized solution        (sizes)
//   consume   uniqueness, aliases, consumption                                     (consume)
// around them the module level: names, imports, module types, parametric modules   (modules).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/futhark/ast.h"
#include "frontend/futhark/types.h"
#include "source/diagnostic.h"

namespace skald::futhark {

struct CheckedFile {
  source::FileId file;
  // What `import` names it: "lib/foo/bar", without ".fut"; the prelude's files are "/prelude/…".
  std::string import_path;
  Program ast;
};

struct CheckedProgram {
  TypeArena types;
  // The prelude first, imported files before those that import them, the program itself last.
  std::vector<std::unique_ptr<CheckedFile>> files;
};

struct CheckOptions {
  bool warnings = true;
};

// Loads, parses and checks a program and all that it imports.  Null if there are errors; they are
// in `diagnostics`.  Never throws for what the user wrote.
std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics,
                                              const CheckOptions& options = {});

}  // namespace skald::futhark
