// SPDX-License-Identifier: Apache-2.0
// A place among the tokens of the text form (lex.h), and the first problem that was met.  After it
// the cursor stands at the end and everything is skipped, so no function of the parser needs to
// look whether an earlier one failed.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/lex.h"
#include "source/diagnostic.h"

namespace skald::core::detail {

class TokenCursor {
 public:
  TokenCursor(source::FileId file, std::string_view text)
      : file_(file), tokens_(core::lex(text)), end_(tokens_.size() - 1) {}

  const std::vector<Token>& all() const { return tokens_; }
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, end_)]; }
  bool at_symbol(std::string_view symbol) const {
    return peek().kind == Token::kSymbol && peek().text == symbol;
  }
  bool at_word(std::string_view word) const {
    return peek().kind == Token::kWord && peek().text == word;
  }
  void skip(size_t count = 1) { at_ += count; }
  Token& take() { return tokens_[at_++]; }
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
  std::optional<source::Diagnostic>& problem() { return problem_; }

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

  // One more level, as long as it lives.
  class Nest {
   public:
    explicit Nest(TokenCursor& cursor) : cursor_(cursor) {
      if (++cursor_.depth_ > kMaxDepth)
        cursor_.fail(fmt::format("this is nested more than {} levels deep", kMaxDepth));
    }
    ~Nest() { --cursor_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    TokenCursor& cursor_;
  };

 private:
  // Bodies inside bodies.  Everything that walks over programs is recursive.
  static constexpr int kMaxDepth = 1000;

  source::FileId file_;
  std::vector<Token> tokens_;
  size_t end_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<source::Diagnostic> problem_;
};

}  // namespace skald::core::detail
