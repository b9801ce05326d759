// SPDX-License-Identifier: Apache-2.0
// The parser of the text form, private to parse.cpp (tokens, names, types, functions),
// parse_exp.cpp (bodies and expressions) and parse_soac.cpp (combinators and kernels): recursive
// descent over the tokens of lex.h, in the order of the printer.  The first problem is kept and
// everything after it is skipped, so no function here needs to look whether an earlier one failed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/program.h"
#include "core/text/lex.h"
#include "source/diagnostic.h"

namespace skald::core::detail {

// Bodies inside bodies.  Everything that walks over programs is recursive.
constexpr int kMaxDepth = 1000;

class Parser {
 public:
  Parser(source::FileId file, std::string_view text)
      : file_(file), tokens_(core::lex(text)), end_(tokens_.size() - 1) {
    reserve_ids();
  }
  Result<Program, source::Diagnostic> program();

 private:
  // ---- tokens
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, end_)]; }
  bool at_symbol(std::string_view symbol) const {
    return peek().kind == Token::kSymbol && peek().text == symbol;
  }
  bool at_word(std::string_view word) const {
    return peek().kind == Token::kWord && peek().text == word;
  }
  bool accept(std::string_view text) {
    if (!at_symbol(text) && !at_word(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail(fmt::format("expected `{}`", text));
  }
  void fail(std::string what) { fail(peek(), std::move(what)); }
  void fail(const Token& token, std::string what);

  // item, item, … up to `end`; the opening bracket is already read.
  template <class F>
  auto list(std::string_view end, F&& item) {
    std::vector<decltype(item())> items;
    if (accept(end)) return items;
    do {
      items.push_back(item());
    } while (accept(","));
    expect(end);
    return items;
  }
  template <class F>
  auto braces(F&& item) {
    expect("{");
    return list("}", item);
  }

  // ---- words
  void reserve_ids();
  bool at_name() const { return peek().kind == Token::kWord && name_id(peek().text).has_value(); }
  static std::optional<uint32_t> name_id(std::string_view word);
  Name name();
  std::string word();
  std::string string();
  int integer();
  Prim prim();
  Operand operand();
  Const special_float(bool negative);
  std::vector<Name> names() {
    return braces([&] { return name(); });
  }
  std::vector<Operand> operands() {
    return braces([&] { return operand(); });
  }

  // ---- declarations
  std::vector<Operand> dims();
  std::vector<Operand> shape();
  Space space();
  Type type();
  Param param();
  Ret ret();
  template <class Hints>
  Hints hints();
  Loc place();
  EntryPoint entry();
  std::vector<EntryValue> entry_values(int& sizes);
  Function function();

  // ---- code
  Body body();
  Stmt stmt();
  Lambda lambda();
  Operator op();
  Exp exp();
  Exp scalar_op();
  std::vector<DimSlice> slice();
  std::vector<FlatDim> flat_dims();

  // (a, b, …): fields of a node, each in the text form of its type.
  template <class... Args>
  void args(Args&... out) {
    expect("(");
    int i = 0;
    ((i++ ? expect(",") : void(), field(out)), ...);
    expect(")");
  }
  void field(Operand& out) { out = operand(); }
  void field(Name& out) { out = name(); }
  void field(int& out) { out = integer(); }
  void field(Lambda& out) { out = lambda(); }
  void field(std::vector<Name>& out) { out = names(); }
  void field(std::vector<Operand>& out) { out = shape(); }
  void field(std::vector<FlatDim>& out) { out = flat_dims(); }

  Exp name_exp();
  Exp opaque_exp();
  Exp tunable_exp();
  Exp select_exp();
  Exp array_exp();
  Exp flat_index_exp();
  Exp flat_update_exp();
  Exp concat_exp();
  Exp replicate_exp();
  Exp scratch_exp();
  Exp reshape_exp();
  Exp rearrange_exp();
  Exp copy_exp();
  Exp assert_exp();
  Exp if_exp();
  Exp loop_exp();
  Exp call_exp();
  Exp map_exp();
  Exp soac_exp();
  template <class Node, class F>
  void writing_exp(Node& e, F&& dest);
  Exp hist_exp();
  Exp scatter_exp();
  Exp partition_exp();
  Exp flatmap_exp();
  Exp with_acc_exp();
  Exp update_acc_exp();
  Exp kernel_exp();
  Exp alloc_exp();
  Exp free_exp();
  Domain domain();
  Sink sink(Sink::Kind kind);

  struct Form {
    std::string_view word;
    Exp (Parser::*parse)();
  };
  static const Form kForms[];

  source::FileId file_;
  std::vector<Token> tokens_;
  size_t end_;
  size_t at_ = 0;
  int depth_ = 0;
  Program prog_;
  std::optional<source::Diagnostic> problem_;
  // How each id was first written.
  std::unordered_map<uint32_t, std::string_view> bases_;
  // What stands for the id 0, which renumbered text uses and a Name cannot have.
  uint32_t zero_id_ = 0;
};

}  // namespace skald::core::detail
