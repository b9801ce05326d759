// SPDX-License-Identifier: Apache-2.0
// What is known of tokens by their text alone: keywords, levels of operators, names in messages.
#include <algorithm>
#include <array>

#include "frontend/futhark/parse/lex.h"

namespace skald::futhark {

namespace {

// Sorted; in quotes because messages show them so.
struct Keyword {
  std::string_view quoted;
  Tok kind;
  constexpr std::string_view word() const { return quoted.substr(1, quoted.size() - 2); }
};
constexpr std::array<Keyword, 24> kKeywords = {{
    {"`assert`", Tok::kAssert}, {"`case`", Tok::kCase},     {"`def`", Tok::kDef},
    {"`do`", Tok::kDo},         {"`else`", Tok::kElse},     {"`entry`", Tok::kEntry},
    {"`false`", Tok::kFalse},   {"`for`", Tok::kFor},       {"`if`", Tok::kIf},
    {"`import`", Tok::kImport}, {"`in`", Tok::kIn},         {"`include`", Tok::kInclude},
    {"`let`", Tok::kLet},       {"`local`", Tok::kLocal},   {"`loop`", Tok::kLoop},
    {"`match`", Tok::kMatch},   {"`module`", Tok::kModule}, {"`open`", Tok::kOpen},
    {"`then`", Tok::kThen},     {"`true`", Tok::kTrue},     {"`type`", Tok::kType},
    {"`val`", Tok::kVal},       {"`while`", Tok::kWhile},   {"`with`", Tok::kWith},
}};

}  // namespace

Tok keyword_or_name(std::string_view word) {
  if (word.size() < 2 || word.size() > 7) return Tok::kIdent;
  const auto* it =
      std::lower_bound(kKeywords.begin(), kKeywords.end(), word,
                       [](const Keyword& k, std::string_view w) { return k.word() < w; });
  return it != kKeywords.end() && it->word() == word ? it->kind : Tok::kIdent;
}

uint8_t operator_level(std::string_view op) {
  const char first = op.empty() ? '\0' : op[0];
  const char second = op.size() > 1 ? op[1] : '\0';
  switch (first) {
    case '|': return second == '>' ? 5 : second == '|' ? 7 : 10;
    case '<': return second == '|' ? kPipeLeftLevel : second == '<' ? 11 : 9;
    case '&': return second == '&' ? 8 : 10;
    case '^': return 10;
    case '>': return second == '>' ? 11 : 9;
    case '=':
    case '!': return 9;
    case '+':
    case '-': return 12;
    case '*': return second == '*' ? 14 : 13;
    case '/':
    case '%': return 13;
    default: return 0;
  }
}

std::string_view token_name(Tok kind) {
  for (const Keyword& k : kKeywords)
    if (k.kind == kind) return k.quoted;
  switch (kind) {
    case Tok::kEof: return "the end of the file";
    case Tok::kDoc: return "a documentation comment";
    case Tok::kIdent: return "a name";
    case Tok::kConstr: return "a constructor";
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat: return "a number";
    case Tok::kChar: return "a character";
    case Tok::kString: return "a string";
    case Tok::kOp:
    case Tok::kQualOp: return "an operator";
    case Tok::kStar: return "`*`";
    case Tok::kMinus: return "`-`";
    case Tok::kLess: return "`<`";
    case Tok::kHat: return "`^`";
    case Tok::kPipe: return "`|`";
    case Tok::kBang: return "`!`";
    case Tok::kEquals: return "`=`";
    case Tok::kLParen: return "`(`";
    case Tok::kRParen: return "`)`";
    case Tok::kLBracket:
    case Tok::kIndex: return "`[`";
    case Tok::kRBracket: return "`]`";
    case Tok::kLBrace: return "`{`";
    case Tok::kRBrace: return "`}`";
    case Tok::kComma: return "`,`";
    case Tok::kUnderscore: return "`_`";
    case Tok::kQuestion: return "`?`";
    case Tok::kArrow: return "`->`";
    case Tok::kColon: return "`:`";
    case Tok::kColonGt: return "`:>`";
    case Tok::kBackslash: return "`\\`";
    case Tok::kTilde: return "`~`";
    case Tok::kApostrophe: return "`'`";
    case Tok::kApostropheHat: return "`'^`";
    case Tok::kApostropheTilde: return "`'~`";
    case Tok::kBackquote: return "a backquote";
    case Tok::kHashBracket: return "`#[`";
    case Tok::kDotDotLess: return "`..<`";
    case Tok::kDotDotGreater: return "`..>`";
    case Tok::kDotDotDot: return "`...`";
    case Tok::kDotDot: return "`..`";
    case Tok::kDot: return "`.`";
    case Tok::kHole: return "`???`";
    default: return "something unreadable";
  }
}

bool is_keyword(std::string_view text) {
  return keyword_or_name(text) != Tok::kIdent;
}

}  // namespace skald::futhark
