// SPDX-License-Identifier: Apache-2.0
// What the type checker makes: the annotated files of a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/ast/types.h"
#include "source/progress.h"
#include "source/source.h"

namespace skald::futhark {

struct CheckedFile {
  source::FileId file;
  // What `import` names it: "lib/foo/bar", without ".fut"; the prelude's files are "/prelude/…".
  std::string import_path;
  Program ast;
};

struct CheckedProgram {
  TypeArena types;
  // The signatures of polymorphic intrinsics, which types point into.
  Program intrinsics;
  // The prelude first, imported files before those that import them, the program itself last.
  std::vector<std::unique_ptr<CheckedFile>> files;
};

// Conventions of the annotations that the AST's field comments do not say.
//   EVar::inst      lists type parameters and size parameters of the scheme, in its order; sizes
//                   are always given as expressions.  Intrinsics have parameters too.
//   Exp::ext        sizes of `type` first known after evaluation, also those that stand for an
//                   argument which cannot be a size expression itself.
//   a DVal without `type` was not checked because nothing refers to it (prelude only).

struct CheckOptions {
  bool warnings = true;
  // Nobody wants the checked program, only what is wrong with it: then definitions are held in
  // memory one at a time.
  bool only_messages = false;
  source::Progress progress = {};
};

}  // namespace skald::futhark
