// SPDX-License-Identifier: Apache-2.0
// Builder: appends statements and hands back the names they bind.
//
//   Builder b(prog);
//   Operand two_x = b.binop(BinOpKind::kMul, Prim::kI32, x, const_int(Prim::kI32, 2), "two_x");
//   Body body = b.finish({two_x});
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/program.h"

namespace skald::core {

class Builder {
 public:
  explicit Builder(Program& prog) : prog_(prog) {}

  // Statements made from now on carry this place and these hints.
  void set_loc(Loc loc) { loc_ = loc; }
  Loc loc() const { return loc_; }
  void set_hints(Hints hints) { hints_ = std::move(hints); }

  // let {…} = exp, with fresh names of the given bases (the last one is repeated).  The names come
  // back.
  std::vector<Name> let(std::vector<Type> types, Exp exp, std::string_view base = "t",
                        std::vector<Name> tokens = {});
  Name let1(Type type, Exp exp, std::string_view base = "t", std::vector<Name> tokens = {});
  // With a pattern made before, where later types mention earlier names.
  void let_pat(std::vector<Param> pat, Exp exp, std::vector<Name> tokens = {});
  void append(Stmt stmt) { stmts_.push_back(std::move(stmt)); }

  // Scalars.  Constant operands are folded.
  Operand binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base = "t",
                std::vector<Name> tokens = {});
  Operand unop(UnOpKind op, Prim type, Operand arg, std::string_view base = "t");
  Operand cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base = "c");
  Operand ternop(TernOpKind op, Prim type, Operand a, Operand b, Operand c,
                 std::string_view base = "t");
  Operand convert(Prim from, Prim to, Operand arg, std::string_view base = "t");
  // i64 arithmetic for sizes; folds x+0, x*1 and the like too.
  Operand size_add(Operand a, Operand b);
  Operand size_sub(Operand a, Operand b);
  Operand size_mul(Operand a, Operand b);
  Operand logical_and(Operand a, Operand b);
  Operand logical_or(Operand a, Operand b);
  Operand logical_not(Operand a);

  // A check; gives its token, or no name if `cond` is the constant true.
  Name check(Operand cond, std::vector<MessagePart> message);

  // Ends the block: the statements so far with these results.  The builder is empty afterwards.
  Body finish(std::vector<Operand> result);

  Program& program() { return prog_; }
  NameTable& names() { return prog_.names; }
  const std::vector<Stmt>& stmts() const { return stmts_; }
  std::vector<Stmt>& stmts() { return stmts_; }
  // Before the statement at that position.
  void insert(size_t at, std::vector<Stmt> stmts);

 private:
  Program& prog_;
  std::vector<Stmt> stmts_;
  Loc loc_ = {};
  Hints hints_;
};

}  // namespace skald::core
