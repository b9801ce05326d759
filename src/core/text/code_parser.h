// SPDX-License-Identifier: Apache-2.0
// Bodies, statements and expressions of the text form: recursive descent in the order of the
// printer.  Each form of an expression that begins with a word is a function of its own, found by
// that word in a table: those of parse_exp.cpp, and combinators, kernels and memory in
// parse_soac.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/term_reader.h"

namespace skald::core::detail {

struct CodeParser {
  TokenCursor& tokens;
  TermReader& terms;

  Body body();
  Stmt stmt();
  Lambda lambda();
  Operator op();
  Exp exp();

  std::vector<DimSlice> slice();
  std::vector<FlatDim> flat_dims();
  // add_i32(a, b), convert_i32_f32(a), iota_i64(n, a, b)
  Exp scalar_op();
  // x_1, xs_1[…], xs_1 with […] = v_2
  Exp name_exp();

  // (a, b, …): fields of a node, each in the text form of its type.
  template <class... Args>
  void args(Args&... out) {
    tokens.expect("(");
    int i = 0;
    ((i++ ? tokens.expect(",") : void(), field(out)), ...);
    tokens.expect(")");
  }
  void field(Operand& out) { out = terms.operand(); }
  void field(Name& out) { out = terms.name(); }
  void field(int& out) { out = terms.integer(); }
  void field(std::string& out) { out = terms.string(); }
  void field(Lambda& out) { out = lambda(); }
  void field(std::vector<Name>& out) { out = terms.names(); }
  void field(std::vector<Operand>& out) { out = terms.shape(); }
  void field(std::vector<FlatDim>& out) { out = flat_dims(); }
};

// An expression that begins with `word`, which has been read.
struct Form {
  std::string_view word;
  Exp (*parse)(CodeParser& p);
};
std::span<const Form> soac_forms();

// The form of a node that is nothing but its fields: word(a, b, …).
template <class Node, auto... kFields>
Exp of_fields(CodeParser& p) {
  Node e{};
  p.args((e.*kFields)...);
  return e;
}

}  // namespace skald::core::detail
