// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/parse/lex.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/futhark/parse/lex_literal.h"

namespace skald::futhark {

namespace {

using source::Span;

// What a byte may be part of, as bits.
enum : uint8_t { kLetter = 1, kDigit = 2, kOther = 4, kOperator = 8, kSpace = 16, kHex = 32 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> table = {};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = kLetter;
  for (int c = '0'; c <= '9'; ++c) table[c] = kDigit | kHex;
  for (int c = 'a'; c <= 'f'; ++c) table[c] |= kHex;
  for (int c = 'A'; c <= 'F'; ++c) table[c] |= kHex;
  table['_'] = table['\''] = kOther;
  for (const char c : std::string_view("+-*/%=!><|&^")) table[static_cast<uint8_t>(c)] = kOperator;
  for (const char c : std::string_view(" \t\r\n\f\v")) table[static_cast<uint8_t>(c)] = kSpace;
  return table;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool is(char c, int classes) {
  return (kClasses[static_cast<uint8_t>(c)] & classes) != 0;
}
constexpr int kAlnum = kLetter | kDigit;
constexpr int kConstituent = kLetter | kDigit | kOther;

class Lexer {
 public:
  Lexer(source::FileId file, std::string_view text, source::Diagnostics& diagnostics)
      : file_(file), text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4 + 16);
    if (text_.starts_with("\xef\xbb\xbf")) pos_ = 3;
    while (skip_space(), pos_ < text_.size()) token();
    start_ = pos_;
    add(Tok::kEof);
    return std::move(tokens_);
  }

 private:
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char here(size_t ahead = 0) const { return at(pos_ + ahead); }

  void skip_space() {
    for (; pos_ < text_.size() && is(text_[pos_], kSpace); ++pos_) {
      if (text_[pos_] == '\n') {
        line_start_ = pos_ + 1;
        first_on_line_ = true;
      }
    }
  }

  // Adds the token from start_ to pos_.
  void add(Tok kind, uint8_t level = 0) {
    Token t;
    t.begin = static_cast<uint32_t>(start_);
    t.end = static_cast<uint32_t>(pos_);
    t.kind = kind;
    t.level = level;
    if (first_on_line_)
      t.column = static_cast<uint16_t>(
          std::min<size_t>(start_ - std::min(line_start_, start_), Token::kNotFirst - 1));
    first_on_line_ = false;
    tokens_.push_back(t);
  }
  void add_fixed(size_t length, Tok kind, uint8_t level = 0) {
    pos_ += length;
    add(kind, level);
  }

  // A file of garbage is not worth a message for every byte of it.
  bool silent() const { return errors_ >= kMaxErrors; }
  void error(std::string_view what, std::string_view hint = {}) {
    if (!silent()) {
      source::Diagnostic d;
      d.code = "syntax-error";
      d.what = what;
      d.labels.push_back({{file_, static_cast<uint32_t>(start_), static_cast<uint32_t>(pos_)}, ""});
      d.hint = hint;
      diagnostics_.add(std::move(d));
    }
    ++errors_;
    add(Tok::kError);
  }

  void token();
  void comment();
  void name();
  void number();
  void operator_symbol();
  void apostrophe();
  void string();
  void hash();
  void dots();
  void bracket();
  void bad_character();

  void skip_class(int classes) {
    while (pos_ < text_.size() && is(text_[pos_], classes)) ++pos_;
  }
  void skip_digits(std::string_view digits) {
    while (pos_ < text_.size() && digits.find(text_[pos_]) != std::string_view::npos) ++pos_;
  }
  void skip_operator() {
    while (pos_ < text_.size() && (is(text_[pos_], kOperator) || text_[pos_] == '.')) ++pos_;
  }
  bool accept_any(std::initializer_list<std::string_view> options) {
    for (const std::string_view option : options) {
      if (!text_.substr(pos_, option.size()).starts_with(option)) continue;
      pos_ += option.size();
      return true;
    }
    return false;
  }
  bool accept_int_suffix() {
    return accept_any({"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"});
  }
  bool accept_float_suffix() { return accept_any({"f16", "f32", "f64"}); }
  // The end of the operator of M.N.+ whose first name ends at `end`, or 0 if there is none.
  size_t qualified_operator(size_t end);
  bool hex_float_tail();

  source::FileId file_;
  std::string_view text_;
  source::Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t pos_ = 0, start_ = 0, line_start_ = 0;
  bool first_on_line_ = true;
  static constexpr size_t kMaxErrors = 50;
  size_t errors_ = 0;
  // No name before this place begins a qualified operator.  Keeps a.b.c.… linear.
  size_t unqualified_until_ = 0;
};

void Lexer::token() {
  start_ = pos_;
  const char c = text_[pos_];
  if (is(c, kLetter) || (c == '_' && is(here(1), kAlnum))) return name();
  if (is(c, kDigit)) return number();
  if (c == '-' && here(1) == '-') return comment();
  if (is(c, kOperator)) return operator_symbol();
  switch (c) {
    case '(': return add_fixed(1, Tok::kLParen);
    case ')': return add_fixed(1, Tok::kRParen);
    case '[': return bracket();
    case ']': return add_fixed(1, Tok::kRBracket);
    case '{': return add_fixed(1, Tok::kLBrace);
    case '}': return add_fixed(1, Tok::kRBrace);
    case ',': return add_fixed(1, Tok::kComma);
    case '_': return add_fixed(1, Tok::kUnderscore);
    case '?':
      return here(1) == '?' && here(2) == '?' ? add_fixed(3, Tok::kHole)
                                              : add_fixed(1, Tok::kQuestion);
    case ':': return here(1) == '>' ? add_fixed(2, Tok::kColonGt) : add_fixed(1, Tok::kColon);
    case '\\': return add_fixed(1, Tok::kBackslash);
    case '~': return add_fixed(1, Tok::kTilde);
    case '\'': return apostrophe();
    case '`': return add_fixed(1, Tok::kBackquote, kBackquoteLevel);
    case '#': return hash();
    case '"': return string();
    case '.': return dots();
    default: return bad_character();
  }
}

void Lexer::comment() {
  const auto end_of_line = [&] {
    const size_t end = text_.find('\n', pos_);
    pos_ = end == std::string_view::npos ? text_.size() : end;
  };
  const bool doc = text_.substr(pos_).starts_with("-- |");
  end_of_line();
  if (!doc) return;
  for (;;) {
    size_t next = pos_ + 1;
    while (at(next) == ' ' || at(next) == '\t' || at(next) == '\f' || at(next) == '\v') ++next;
    if (at(next) != '-' || at(next + 1) != '-') break;
    pos_ = next;
    end_of_line();
  }
  add(Tok::kDoc);
}

size_t Lexer::qualified_operator(size_t end) {
  if (end < unqualified_until_) return 0;
  while (at(end) == '.') {
    size_t i = end + 1;
    if (is(at(i), kOperator)) {
      while (is(at(i), kOperator) || at(i) == '.') ++i;
      return i;
    }
    if (!is(at(i), kLetter) && !(at(i) == '_' && is(at(i + 1), kAlnum))) break;
    while (is(at(i), kConstituent)) ++i;
    end = i;
  }
  unqualified_until_ = end;
  return 0;
}

void Lexer::name() {
  skip_class(kConstituent);
  const std::string_view word = text_.substr(start_, pos_ - start_);
  if (here() == '.') {
    if (const size_t end = qualified_operator(pos_); end != 0) {
      pos_ = end;
      const std::string_view whole = text_.substr(start_, end - start_);
      const auto* op =
          std::find_if(whole.begin(), whole.end(), [](char c) { return is(c, kOperator); });
      return add(Tok::kQualOp, operator_level({op, static_cast<size_t>(whole.end() - op)}));
    }
  }
  const Tok kind = keyword_or_name(word);
  add(kind, kind == Tok::kWith ? kWithLevel : 0);
}

// The rest of a hexadecimal float behind its integer digits, if it is one: .8p3
bool Lexer::hex_float_tail() {
  const size_t saved = pos_;
  if (here() != '.' || !is(here(1), kHex)) return false;
  ++pos_;
  skip_digits("0123456789abcdefABCDEF_");
  if (here() == 'p' || here() == 'P') {
    ++pos_;
    if (here() == '+' || here() == '-') ++pos_;
    if (is(here(), kDigit)) {
      skip_digits("0123456789_");
      accept_float_suffix();
      return true;
    }
  }
  pos_ = saved;
  return false;
}

void Lexer::number() {
  const char letter = here() == '0' ? static_cast<char>(here(1) | 0x20) : '\0';
  if (letter == 'x' && is(here(2), kHex)) {
    pos_ += 2;
    skip_digits("0123456789abcdefABCDEF_");
    if (hex_float_tail()) return add(Tok::kFloat);
    accept_int_suffix();
    return add(Tok::kInt);
  }
  const std::string_view digits = letter == 'b' ? "01_" : letter == 'r' ? "IVXLCDM_" : "";
  if (here(2) != '_' && here(2) != '\0' && digits.find(here(2)) != std::string_view::npos) {
    pos_ += 2;
    skip_digits(digits);
    accept_int_suffix();
    return add(Tok::kInt);
  }
  skip_digits("0123456789_");
  // Behind a dot this is a field name: t.0.1 has no float in it.
  if (start_ == 0 || text_[start_ - 1] != '.') {
    bool is_float = false;
    if (here() == '.' && is(here(1), kDigit)) {
      ++pos_;
      skip_digits("0123456789_");
      is_float = true;
    }
    if (here() == 'e' || here() == 'E') {
      const size_t sign = here(1) == '+' || here(1) == '-' ? 1 : 0;
      if (is(here(1 + sign), kDigit)) {
        pos_ += 1 + sign;
        skip_digits("0123456789");
        is_float = true;
      }
    }
    if (accept_float_suffix() || is_float) return add(Tok::kFloat);
  }
  if (accept_int_suffix()) return add(Tok::kInt);
  add(Tok::kNat);
}

void Lexer::operator_symbol() {
  skip_operator();
  const std::string_view op = text_.substr(start_, pos_ - start_);
  if (op == "->") return add(Tok::kArrow);
  Tok kind = Tok::kOp;
  if (op.size() == 1) {
    switch (op[0]) {
      case '=': return add(Tok::kEquals);
      case '!': return add(Tok::kBang);
      case '*': kind = Tok::kStar; break;
      case '-': kind = Tok::kMinus; break;
      case '<': kind = Tok::kLess; break;
      case '^': kind = Tok::kHat; break;
      case '|': kind = Tok::kPipe; break;
      default: break;
    }
  }
  add(kind, operator_level(op));
}

void Lexer::bracket() {
  const char before = start_ > 0 ? text_[start_ - 1] : ' ';
  const bool index = is(before, kConstituent) || before == ')' || before == ']';
  add_fixed(1, index ? Tok::kIndex : Tok::kLBracket);
}

// 'x' is a character, 'x a type parameter.
void Lexer::apostrophe() {
  const char c = here(1);
  if (c != '\0' && c != '\'' && c != '\n' && c != '\r') {
    size_t pos = pos_ + 1;
    const Result<uint32_t> value = literal_char(text_, pos);
    if (value && at(pos) == '\'' && *value != kNothing) {
      pos_ = pos + 1;
      return add(Tok::kChar);
    }
    if (c == '\\') {
      while (pos_ < text_.size() && text_[pos_] != '\n' &&
             (pos_ < start_ + 3 || text_[pos_ - 1] != '\''))
        ++pos_;
      return error(value ? "this character literal is not closed"
                         : fmt::format("bad character literal: {}", value.error()));
    }
  }
  if (c == '^') return add_fixed(2, Tok::kApostropheHat);
  if (c == '~') return add_fixed(2, Tok::kApostropheTilde);
  add_fixed(1, Tok::kApostrophe);
}

void Lexer::string() {
  ++pos_;
  while (pos_ < text_.size() && text_[pos_] != '\n') {
    const char c = text_[pos_++];
    if (c == '"') return add(Tok::kString);
    if (c == '\\' && pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
  }
  error("this string is not closed before the end of the line",
        "close it with `\"`; a line break inside is written `\\n`");
}

void Lexer::hash() {
  if (here(1) == '[') return add_fixed(2, Tok::kHashBracket);
  if (is(here(1), kLetter) || (here(1) == '_' && is(here(2), kAlnum))) {
    ++pos_;
    skip_class(kConstituent);
    return add(Tok::kConstr);
  }
  ++pos_;
  error("`#` must be followed by the name of a constructor or by `[` for an attribute");
}

void Lexer::dots() {
  if (here(1) != '.') return add_fixed(1, Tok::kDot);
  switch (here(2)) {
    case '<': return add_fixed(3, Tok::kDotDotLess, kRangeLevel);
    case '>': return add_fixed(3, Tok::kDotDotGreater, kRangeLevel);
    case '.': return add_fixed(3, Tok::kDotDotDot, kRangeLevel);
    default: return add_fixed(2, Tok::kDotDot, kRangeLevel);
  }
}

void Lexer::bad_character() {
  const auto odd = [](char c) {
    return (c & 0x80) != 0 || (c < ' ' && !is(c, kSpace)) || c == 0x7f;
  };
  if (!odd(text_[pos_])) {
    ++pos_;
    return error(
        silent() ? std::string()
                 : fmt::format("the character `{}` has no meaning here", text_[start_]),
        text_[start_] == ';' ? "leave it out: definitions and `let`s end by themselves" : "");
  }
  while (pos_ < text_.size() && odd(text_[pos_])) ++pos_;
  size_t first_end = start_;
  const uint32_t first = next_code_point(text_, first_end);
  const std::string shown =
      first < 0x80
          ? fmt::format("U+{:04X}", first)
          : fmt::format("`{}` (U+{:04X})", text_.substr(start_, first_end - start_), first);
  // Letters next to it belong to the same would-be name.
  while (pos_ < text_.size() && (is(text_[pos_], kConstituent) || odd(text_[pos_]))) ++pos_;
  error(fmt::format("the character {} may appear only in strings, character literals and comments",
                    shown));
}

}  // namespace

std::vector<Token> lex(source::FileId file, std::string_view text,
                       source::Diagnostics& diagnostics) {
  return Lexer(file, text, diagnostics).run();
}

bool is_operator(std::string_view text) {
  return !text.empty() && is(text[0], kOperator);
}

}  // namespace skald::futhark
