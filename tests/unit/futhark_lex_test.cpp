// SPDX-License-Identifier: Apache-2.0
// Tokens and literals of the Futhark front end.
#include <gtest/gtest.h>

#include "frontend/futhark/parse/lex.h"
#include "frontend/futhark/parse/lex_literal.h"

namespace skald::futhark {
namespace {

// The texts of all tokens, separated by spaces; `[` that index are shown as `@[`.
std::string tokens(std::string_view text) {
  source::Diagnostics diagnostics;
  std::string out;
  for (const Token& t : lex({0}, text, diagnostics)) {
    if (t.kind == Tok::kEof) break;
    if (!out.empty()) out += ' ';
    if (t.kind == Tok::kIndex) out += '@';
    if (t.kind == Tok::kError) out += "ERROR:";
    out += text.substr(t.begin, t.end - t.begin);
  }
  return out;
}

Tok kind(std::string_view text) {
  source::Diagnostics diagnostics;
  const std::vector<Token> all = lex({0}, text, diagnostics);
  return all.size() == 2 ? all[0].kind : Tok::kError;
}

TEST(FutharkLex, SeparatesTokens) {
  EXPECT_EQ(tokens("x+1--c\ny"), "x + 1 y");
  EXPECT_EQ(tokens("a->b->>c"), "a -> b ->> c");
  EXPECT_EQ(tokens("0..<n"), "0 ..< n");
  EXPECT_EQ(tokens("1...2"), "1 ... 2");
  EXPECT_EQ(tokens("t.0.1"), "t . 0 . 1");
  EXPECT_EQ(tokens("t 0.1"), "t 0.1");
  EXPECT_EQ(tokens("M.N.+x"), "M.N.+ x");
  EXPECT_EQ(tokens("M.N.x"), "M . N . x");
  EXPECT_EQ(tokens("#foo #[bar]"), "#foo #[ bar ]");
  EXPECT_EQ(tokens("'a 'b' '^c '~d"), "' a 'b' '^ c '~ d");
  EXPECT_EQ(tokens("_ _x x'"), "_ _x x'");
  EXPECT_EQ(tokens("x:>t"), "x :> t");
  EXPECT_EQ(tokens("???"), "???");
}

TEST(FutharkLex, BracketsIndexOnlyWithoutSpace) {
  EXPECT_EQ(tokens("a[i] a [i] f(x)[0] {}[0] x'[1]"),
            "a @[ i ] a [ i ] f ( x ) @[ 0 ] { } [ 0 ] x' @[ 1 ]");
}

TEST(FutharkLex, KindsOfNumbers) {
  for (const char* text : {"0", "1_000", "007"}) EXPECT_EQ(kind(text), Tok::kNat) << text;
  for (const char* text : {"1i8", "0xFFu64", "0b1_01", "0rMCMLXXIVi16", "0X1f32"})
    EXPECT_EQ(kind(text), Tok::kInt) << text;
  for (const char* text : {"1.5", "1e5", "1E-5f64", "1f32", "0x1.8p3", "0x1.8p-3f16", "1_0.2_5"})
    EXPECT_EQ(kind(text), Tok::kFloat) << text;
  EXPECT_EQ(tokens("1. 1.e5 .5"), "1 . 1 . e5 . 5");
}

TEST(FutharkLex, ReportsWhatIsNoToken) {
  EXPECT_EQ(tokens("a \"b"), "a ERROR:\"b");
  EXPECT_EQ(tokens("a $ b"), "a ERROR:$ b");
  EXPECT_EQ(tokens("d\xc3\xa9j\xc3\xa0 x"), "d ERROR:\xc3\xa9j\xc3\xa0 x");
  EXPECT_EQ(tokens("'\\q' x"), "ERROR:'\\q' x");
}

TEST(FutharkLex, LevelsOfOperators) {
  EXPECT_LT(operator_level("|>"), operator_level("<|"));
  EXPECT_LT(operator_level("<|"), operator_level("||"));
  EXPECT_EQ(operator_level("||>"), operator_level("||"));
  EXPECT_EQ(operator_level(">->"), operator_level(">"));
  EXPECT_EQ(operator_level(">>>"), operator_level(">>"));
  EXPECT_EQ(operator_level("=<"), operator_level("=="));
  EXPECT_EQ(operator_level("+^"), operator_level("+"));
  EXPECT_LT(operator_level("*."), operator_level("**."));
}

void expect_number(const char* token, bool is_float, const char* text, const char* suffix) {
  const Literal literal = number_literal(token, is_float);
  EXPECT_EQ(literal.text, text) << token;
  EXPECT_EQ(literal.suffix, suffix) << token;
}

TEST(FutharkLiteral, Numbers) {
  expect_number("1_000i32", false, "1000", "i32");
  expect_number("0XF_fi8", false, "0xFf", "i8");
  expect_number("0x1f32", false, "0x1f32", "");
  expect_number("0B1_0u8", false, "0b10", "u8");
  expect_number("0rMCMLXXIV", false, "1974", "");
  expect_number("1f32", true, "1", "f32");
  expect_number("1_0.5e-3f16", true, "10.5e-3", "f16");
  expect_number("0x1.fp4f64", true, "0x1.fp4", "f64");
}

TEST(FutharkLiteral, IntegerValues) {
  bool overflow = true;
  EXPECT_TRUE(integer_value(number_literal("0xff", false), overflow) == 255);
  EXPECT_TRUE(integer_value(number_literal("0b101", false), overflow) == 5);
  EXPECT_TRUE(integer_value(number_literal("18446744073709551615", false), overflow) ==
              static_cast<__int128>(UINT64_MAX));
  EXPECT_FALSE(overflow);
  integer_value(number_literal(std::string(10000, '9'), false), overflow);
  EXPECT_TRUE(overflow);
}

TEST(FutharkLiteral, Escapes) {
  const auto string = [](std::string_view token) {
    const Result<std::string> value = string_value(token);
    return value ? *value : "failed: " + value.error();
  };
  EXPECT_EQ(string(R"("a\n\t\"\\b")"), "a\n\t\"\\b");
  EXPECT_EQ(string(R"("\65\x42\o103\&4")"), "ABC4");
  EXPECT_EQ(string(R"("\SOH\SO\&H\DEL\^A")"), "\x01\x0eH\x7f\x01");
  EXPECT_EQ(string(R"("a\   \b")"), "ab");
  EXPECT_EQ(string(R"("\955")"), "\xce\xbb");
  EXPECT_EQ(string("\"\xce\xbb\""), "\xce\xbb");
  EXPECT_FALSE(string_value(R"("\q")"));
  EXPECT_FALSE(string_value(R"("\1114112")"));
  EXPECT_EQ(*char_value("'\xce\xbb'"), 955u);
  EXPECT_EQ(*char_value(R"('\'')"), 39u);
}

}  // namespace
}  // namespace skald::futhark
