// SPDX-License-Identifier: Apache-2.0
#include "core/text/lex.h"

#include <algorithm>

namespace skald::core {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(next());
    } while (tokens.back().kind != Token::kEnd && tokens.back().kind != Token::kUnknown);
    if (tokens.back().kind == Token::kUnknown) tokens.push_back(make(Token::kEnd, at_));
    return tokens;
  }

 private:
  // The character `ahead` of here, 0 behind the end.
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Token make(Token::Kind kind, size_t begin) const {
    return {.kind = kind,
            .begin = static_cast<uint32_t>(begin),
            .end = static_cast<uint32_t>(at_),
            .text = text_.substr(begin, at_ - begin)};
  }
  Token unknown(size_t begin, std::string why) {
    Token token = make(Token::kUnknown, begin);
    token.value = std::move(why);
    return token;
  }

  void skip_space_and_comments() {
    for (;; ++at_) {
      if (peek() == '-' && peek(1) == '-')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      const char c = peek();
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    }
  }

  Token next() {
    skip_space_and_comments();
    const size_t begin = at_;
    if (at_ == text_.size()) return make(Token::kEnd, begin);
    const char c = peek();
    if (is_letter(c)) {
      while (is_letter(peek()) || is_digit(peek()) || peek() == '\'') ++at_;
      return make(Token::kWord, begin);
    }
    if (is_digit(c) || (c == '-' && is_digit(peek(1)))) return number();
    if (c == '"') return string();
    constexpr std::string_view kSymbols = "{}()[],:;=*\\@#<.-";
    if (kSymbols.find(c) == std::string_view::npos) {
      ++at_;
      return unknown(begin, "this character has no meaning here");
    }
    at_ += c == '-' && peek(1) == '>' ? 2 : 1;
    return make(Token::kSymbol, begin);
  }

  Token number() {
    const size_t begin = at_;
    if (peek() == '0' && peek(1) == 'x' && hex_digit(peek(2)) >= 0) {
      at_ += 2;
      while (hex_digit(peek()) >= 0) ++at_;
      return make(Token::kHex, begin);
    }
    ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const bool has_sign = peek(1) == '+' || peek(1) == '-';
    if (peek() == 'e' && is_digit(peek(has_sign ? 2 : 1))) {
      at_ += has_sign ? 2 : 1;
      while (is_digit(peek())) ++at_;
    }
    Token token = make(Token::kNumber, begin);
    const size_t suffix = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    token.suffix = text_.substr(suffix, at_ - suffix);
    token.end = static_cast<uint32_t>(at_);
    return token;
  }

  Token string() {
    const size_t begin = at_++;
    std::string value;
    while (peek() != '"') {
      if (at_ >= text_.size() || peek() == '\n') return unknown(begin, "this string has no end");
      if (peek() != '\\') {
        value += text_[at_++];
        continue;
      }
      const char c = peek(1);
      if (c == 'x' && hex_digit(peek(2)) >= 0 && hex_digit(peek(3)) >= 0) {
        value += static_cast<char>(hex_digit(peek(2)) * 16 + hex_digit(peek(3)));
        at_ += 4;
        continue;
      }
      if (c != 'n' && c != 't' && c != '"' && c != '\\') {
        const size_t escape = at_;
        at_ = std::min(at_ + 2, text_.size());
        return unknown(escape, "the escapes are \\n, \\t, \\\", \\\\ and \\xNN");
      }
      value += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      at_ += 2;
    }
    ++at_;
    Token token = make(Token::kString, begin);
    token.value = std::move(value);
    return token;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<Token> lex(std::string_view text) {
  return Lexer(text).all();
}

}  // namespace skald::core
