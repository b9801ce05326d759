// SPDX-License-Identifier: Apache-2.0
// Advice for syntax errors: habits from other languages, and where a bracket may have to be closed.
#include "frontend/futhark/parse/token_cursor.h"

namespace skald::futhark {

namespace {

struct Habit {
  std::string_view text, hint;
};

// By the token that nobody expected.
constexpr Habit kHabits[] = {
    {"//", "comments begin with `--`"},
    {"/*", "comments begin with `--` and end with the line"},
    {"=>", "a function is written `\\x -> …`, a case `case x -> …`"},
    {":=", "a name is bound with `let x = …`"},
    {"<-", "a name is bound with `let x = …`"},
    {"->", "a function without a name begins with `\\`, as in `\\x -> …`"},
    {"then", "`else if` begins another condition"},
    {"fn", "a definition begins with `def`, a function without a name with `\\`"},
    {"fun", "a definition begins with `def`, a function without a name with `\\`"},
    {"func", "a definition begins with `def`, a function without a name with `\\`"},
    {"function", "a definition begins with `def`, a function without a name with `\\`"},
    {"const", "a definition begins with `def`"},
    {"var", "a definition begins with `def`"},
    {"for", "a loop is written `loop acc = start for i < n do …`"},
    {"while", "a loop is written `loop x = start while condition do …`"},
    {"case", "cases follow `match e`"},
    {"with", "an update is written `xs with [i] = v`"},
};

}  // namespace

std::string TokenCursor::usual_mistake() const {
  const std::string_view shown = text();
  for (const Habit& h : kHabits)
    if (shown == h.text) return std::string(h.hint);
  // `x =-1`: signs next to each other are one operator.
  if (shown.size() == 2 && shown[0] == '=' && (shown[1] == '-' || shown[1] == '!'))
    return fmt::format("a blank is missing: `= {}`; `{}` is an operator of its own", shown[1],
                       shown);
  return {};
}

// The bracket opened at token `open` was not closed before the present token.  Whoever wrote it
// indents what is inside: the bracket should be closed before the first line that is not.
Span TokenCursor::closing_place(uint32_t open) const {
  uint32_t first = open;
  while (first > 0 && tokens_[first].column == Token::kNotFirst) --first;
  const uint16_t indentation = tokens_[first].column;
  for (uint32_t i = open + 1; i <= pos_ && i <= eof_; ++i) {
    const Token& t = tokens_[i];
    const bool leaves = t.column != Token::kNotFirst && t.column <= indentation;
    if (!leaves && i != eof_) continue;
    const Token& before = tokens_[i - 1];
    return i - 1 > open ? Span{file_, before.end - 1, before.end} : Span{};
  }
  return {};
}

}  // namespace skald::futhark
