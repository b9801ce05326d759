// SPDX-License-Identifier: Apache-2.0
// Text → AST, for the whole grammar.
//
// Read next: lex.h (text → tokens), token_cursor.h and grammar.h (how the parser works), pretty.h
// (AST → text).
#pragma once

#include <memory>
#include <string>

#include "frontend/futhark/ast/ast.h"
#include "source/diagnostic.h"
#include "source/progress.h"

namespace skald::futhark {

struct Grammar;  // grammar.h

// Always returns a program; what could not be understood is left out and reported.  The parser
// recovers at declarations (and inside brackets), so one run reports several mistakes.  Nesting
// deeper than what is said below is reported, never a stack overflow.
Program parse_program(source::FileId file, const source::SourceMap& sources,
                      source::Diagnostics& diagnostics);

// The same for a file that holds one expression; null if there was a mistake.
Ptr<Exp> parse_expression(source::FileId file, const source::SourceMap& sources,
                          source::Diagnostics& diagnostics);

// A file whose definitions are read twice: all of them at first, for mistakes, and then one by one
// when they are needed.  For who has no use for the whole program at once.
class DefinitionReader {
 public:
  DefinitionReader(source::FileId file, const source::SourceMap& sources,
                   source::Diagnostics& diagnostics);
  ~DefinitionReader();

  // As parse_program, but of value definitions there is only the name, wherever they are.
  Program outline(const source::Progress& progress);
  // Fills in a definition of the outline, provided that there were no mistakes.
  void fill(DVal& def);
  // Makes it as it is in the outline.
  static void empty(DVal& def);
  size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<Grammar> grammar_;
  size_t bytes_;
};

// Brackets, branches, types and so on nest at most this deep …
inline constexpr int kMaxDepth = 10'000;
// … and the trees that the parser makes of expressions are at most this high: long chains of
// `let`s, operators, fields and indices.  Who walks over them needs a large stack
// (support/stack.h).
inline constexpr int kMaxHeight = 120'000;

}  // namespace skald::futhark
