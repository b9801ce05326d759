// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/parse/lex.h"

#include <array>
#include <string_view>

namespace skald::nesl {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_number_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
char folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Longer ones first.
constexpr std::array<std::string_view, 14> kLongSymbols = {
    "->", "<-", "++", "==", "/=", "<=", ">=", "=>", "::", ":=", "||", "|=", "&=", ">>"};
constexpr std::string_view kShortSymbols = "-+#()*,/:;<=>@[]^{}|$";

class Lexer {
 public:
  Lexer(source::FileId file, const source::SourceMap& sources, source::Diagnostics& diagnostics)
      : file_(file), text_(sources.file(file).text()), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) next();
    begin_ = at_;
    add(Token::kEnd, "");
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  source::Span span(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  void add(Token::Kind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), span(begin_, at_)});
  }
  void error(std::string code, std::string what) {
    diagnostics_.error(std::move(code), span(begin_, at_), std::move(what));
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '%') {
        begin_ = at_++;
        while (at_ < text_.size() && text_[at_] != '%') ++at_;
        if (at_ == text_.size()) {
          diagnostics_.add({source::Severity::kError,
                            "nesl-unfinished",
                            "comment without an end",
                            {{span(begin_, begin_ + 1), "it begins here"}},
                            "a comment goes from one % to the next",
                            ""});
          return;
        }
        ++at_;
      } else {
        return;
      }
    }
  }

  void next() {
    begin_ = at_;
    const char c = peek();
    if (is_letter(c) || c == '_') return name();
    if (is_number_digit(c) || (c == '.' && is_number_digit(peek(1)))) return number();
    if (c == '"') return string();
    if (c == '`') return character();
    symbol();
  }

  void name() {
    std::string folded_name;
    while (is_letter(peek()) || is_number_digit(peek()) || peek() == '_')
      folded_name += folded(text_[at_++]);
    add(Token::kName, std::move(folded_name));
  }

  void digits() {
    while (is_number_digit(peek())) ++at_;
  }
  void number() {
    bool is_float = false;
    digits();
    if (peek() == '.') {
      is_float = true;
      ++at_;
      digits();
    }
    const bool sign = peek(1) == '+' || peek(1) == '-';
    if ((peek() == 'e' || peek() == 'E') && is_number_digit(peek(sign ? 2 : 1))) {
      is_float = true;
      at_ += sign ? 2 : 1;
      digits();
    }
    add(is_float ? Token::kFloat : Token::kInt, std::string(text_.substr(begin_, at_ - begin_)));
  }

  // A backslash takes the next character as it is.
  void string() {
    std::string meant;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      meant += text_[at_];
    }
    if (at_ >= text_.size()) {
      at_ = text_.size();
      diagnostics_.error("nesl-unfinished", span(begin_, begin_ + 1), "string without an end");
      return;
    }
    ++at_;
    add(Token::kString, std::move(meant));
  }

  void character() {
    ++at_;
    if (at_ == text_.size()) return error("nesl-unfinished", "a character must follow the `");
    const char c = text_[at_++];
    if (static_cast<unsigned char>(c) >= 0x80) {
      while ((static_cast<unsigned char>(peek()) & 0xC0) == 0x80) ++at_;
      return error("nesl-character", "a character is one byte; this one takes more");
    }
    add(Token::kChar, std::string(1, c));
  }

  // For those who come from other languages.
  std::string way_out(char c) const {
    if (c == '!') return peek() == '=' ? "`/=` is not equal" : "not(x)";
    if (c == '&') return "`and`";
    if (c == '\\') return "a function is written x => …";
    if (c == '\'') return "characters are `a, strings \"abc\"";
    return "";
  }

  void symbol() {
    for (const std::string_view each : kLongSymbols)
      if (text_.substr(at_).starts_with(each)) {
        at_ += each.size();
        return add(Token::kSymbol, std::string(each));
      }
    const char c = text_[at_++];
    if (kShortSymbols.find(c) != std::string_view::npos)
      return add(Token::kSymbol, std::string(1, c));
    while ((static_cast<unsigned char>(peek()) & 0xC0) == 0x80) ++at_;
    diagnostics_.add({source::Severity::kError,
                      "nesl-character",
                      "this character has no meaning in NESL",
                      {{span(begin_, at_), ""}},
                      "",
                      way_out(c)});
  }

  source::FileId file_;
  std::string_view text_;
  source::Diagnostics& diagnostics_;
  size_t at_ = 0, begin_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(source::FileId file, const source::SourceMap& sources,
                       source::Diagnostics& diagnostics) {
  return Lexer(file, sources, diagnostics).run();
}

}  // namespace skald::nesl
