// SPDX-License-Identifier: Apache-2.0
// The parser's parts: expressions (parse_exp.cpp), types and patterns (parse_type.cpp) and forms
// (parse.cpp).
//
// A mistake is reported once and thrown as SyntaxError, which ends the form; reading goes on behind
// the next `;` or `$`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/nesl/ast/ast.h"
#include "frontend/nesl/parse/lex.h"
#include "source/diagnostic.h"

namespace skald::nesl {

struct SyntaxError {};

class Parser {
 public:
  Parser(std::vector<Token> tokens, source::Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  SourceProgram program();

 private:
  // Tokens.
  const Token& token() const { return tokens_[at_]; }
  bool is(std::string_view text) const;
  bool at_end_of_form() const { return is(";") || is("$"); }
  Token take() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool accept(std::string_view text);
  void expect(std::string_view text, std::string_view where, std::string hint = "");
  Span since(Span begin) const;
  void report(Span span, std::string what, std::string hint);
  [[noreturn]] void fail(Span span, std::string what, std::string hint = "");
  [[noreturn]] void unexpected(std::string_view wanted, std::string hint = "");

  // Forms.
  Form form();
  FunctionDef function_def();
  DatatypeDef datatype_def();
  void take_defaults(ExpPtr params, FunctionDef& def, std::vector<ExpPtr>& plain);
  void skip_form();

  // Types and patterns.
  Signature signature();
  TypeExpPtr type_tuple();
  TypeExpPtr type_arrow();
  TypeExpPtr type_atom();
  PatternPtr pattern_of(ExpPtr exp);

  // Expressions.
  ExpPtr exp(int power);
  ExpPtr operand();
  ExpPtr keyword_operand();
  ExpPtr continued(ExpPtr left);
  ExpPtr number();
  ExpPtr if_exp();
  ExpPtr let_exp();
  ExpPtr brackets();
  ExpPtr braces();
  std::vector<Source> more_sources();
  Source source_of(ExpPtr pattern);
  ExpPtr call_library(std::string name, Span op, ExpPtr arg);
  ExpPtr infix(const Token& op, ExpPtr left);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  source::Diagnostics& diagnostics_;
};

template <class Node>
ExpPtr make_exp(Span span, Node node) {
  return std::make_unique<Exp>(Exp{span, std::move(node)});
}

}  // namespace skald::nesl
