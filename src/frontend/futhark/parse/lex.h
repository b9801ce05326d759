// SPDX-License-Identifier: Apache-2.0
// Text → tokens.
//
// The whole file is cut into tokens before parsing starts, so the parser may look ahead as far as
// it likes.  A token is a kind and a byte range; what it stands for is read from the text when it
// is needed (lex_literal.h).  Ordinary comments and white space vanish here.
//
// Read next: token_cursor.h (who reads the tokens).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/diagnostic.h"
#include "source/source.h"

namespace skald::futhark {

enum class Tok : uint8_t {
  kEof,
  kError,   // already reported by the lexer
  kDoc,     // a `-- |` comment with its continuation lines
  kIdent,   // x, also _x
  kConstr,  // #x
  kNat,     // decimal integer without suffix: a literal or a field name
  kInt,     // any other integer literal
  kFloat,
  kChar,
  kString,
  // Operators.  Those with a kind of their own also have other uses in the grammar.
  kOp,
  kQualOp,  // M.+
  kStar,
  kMinus,
  kLess,
  kHat,
  kPipe,
  kBang,
  // Punctuation.
  kEquals,
  kLParen,
  kRParen,
  kLBracket,
  kIndex,  // `[` directly after a name, a number or a closing bracket
  kRBracket,
  kLBrace,
  kRBrace,
  kComma,
  kUnderscore,
  kQuestion,
  kArrow,
  kColon,
  kColonGt,
  kBackslash,
  kTilde,
  kApostrophe,
  kApostropheHat,
  kApostropheTilde,
  kBackquote,
  kHashBracket,
  kDotDotLess,
  kDotDotGreater,
  kDotDotDot,
  kDotDot,
  kDot,
  kHole,
  // Keywords.
  kTrue,
  kFalse,
  kIf,
  kThen,
  kElse,
  kDef,
  kLet,
  kLoop,
  kIn,
  kVal,
  kFor,
  kDo,
  kWith,
  kLocal,
  kOpen,
  kInclude,
  kImport,
  kType,
  kEntry,
  kModule,
  kWhile,
  kAssert,
  kMatch,
  kCase,
};

// How tightly infix tokens bind, loosest first.  Level 0 means: not infix.
inline constexpr uint8_t kRangeLevel = 2;
inline constexpr uint8_t kBackquoteLevel = 3;
inline constexpr uint8_t kWithLevel = 4;
inline constexpr uint8_t kPipeLeftLevel = 6;  // `<|`, the only level that associates to the right

// The level of an operator: that of the longest built-in operator it begins with.
uint8_t operator_level(std::string_view op);

struct Token {
  uint32_t begin = 0, end = 0;
  Tok kind = Tok::kEof;
  uint8_t level = 0;
  // The column (from 0, capped) of the first token of a line; kNotFirst for all others.
  uint16_t column = kNotFirst;
  static constexpr uint16_t kNotFirst = UINT16_MAX;
};

// Never fails: what is no token is reported and becomes a kError token.  The last token is kEof.
std::vector<Token> lex(source::FileId file, std::string_view text,
                       source::Diagnostics& diagnostics);

// For messages: "`)`", "a name", "an operator", ….
std::string_view token_name(Tok kind);

// kIdent for what is no keyword.
Tok keyword_or_name(std::string_view word);
bool is_keyword(std::string_view text);
// Whether `text` is an operator symbol (and not a name).
bool is_operator(std::string_view text);

}  // namespace skald::futhark
