// SPDX-License-Identifier: Apache-2.0
// A recursive-descent parser; the grammar is the comments in imp.h.
//
//   parse.cpp         functions, scalars, control
//   parse_term.cpp    names, operands, types
//   parse_memory.cpp  statements that touch memory
//   parse_lanes.cpp   the marks of loops in lanes
#pragma once

#include "imp/text/term_reader.h"

namespace skald::imp {

class Parser : private TermReader {
 public:
  explicit Parser(std::string_view text) : TermReader(text) {}

  Program program();

 private:
  // ---- declarations
  void loc();
  Function function();

  // ---- statements
  Body body();
  // Ends a statement that ends in a semicolon.
  Stmt ended(Node node);
  Stmt stmt();
  // Statements that begin with a type: let, tunable, load, store, chunk_size.
  Stmt typed(Shape shape = Shape::kUniform);
  // name_type(…): splits `word` at the last underscore.
  Exp operation(std::string_view word);
  Stmt var_stmt(Shape shape);
  Stmt if_stmt(bool maybe, Branch branch);
  Stmt for_stmt(LoopHint hint, bool masked);
  Stmt while_stmt(bool masked);
  Stmt call();
  LoopMark loop_mark();
  Stmt check();
  Stmt launch();
  Stmt parallel();

  // ---- parse_lanes.cpp
  // A statement that begins with a mark of a loop in lanes (ir/lanes.h); none if there is no mark.
  std::optional<Stmt> marked();
  LaneAccess access();
  Stragglers alone();
  // lanes (…), after the word.
  std::unique_ptr<LanePlan> plan();
  void plan_detail(LanePlan& plan);

  // ---- parse_memory.cpp
  Stmt transpose();
  Stmt scan(bool stream);
  Stmt earlier(Name name, Prim type);
  Stmt fetch_add(Name name, Prim type);
  Stmt misaligned(Name name);
  // A load or store, after the word.
  Stmt fresh();
  Stmt near();
  Stmt matrix();
  Stmt collect();
  Stmt atomic();
  Stmt lock();
  Stmt copy(bool overlap, bool stream);
  Stmt fill();
  Stmt trace();

  int depth_ = 0;
};

}  // namespace skald::imp
