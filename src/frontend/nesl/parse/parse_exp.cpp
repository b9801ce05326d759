// SPDX-License-Identifier: Apache-2.0
// Expressions, by the power of operators.
#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "frontend/nesl/parse/parser.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

constexpr int kApplication = 30;
constexpr int kMaxDepth = 20000;

// How strongly an infix operator holds what is left of it, and with what power its right operand is
// read.
struct Power {
  int left, right;
};
const std::unordered_map<std::string_view, Power>& infix_powers() {
  static const std::unordered_map<std::string_view, Power> powers = {
      {"->", {24, 23}}, {"<-", {23, 23}}, {"^", {22, 22}}, {"*", {21, 21}},  {"/", {21, 21}},
      {"||", {21, 21}}, {"+", {20, 20}},  {"-", {20, 20}}, {"++", {20, 20}}, {"==", {10, 10}},
      {"/=", {10, 10}}, {"<", {10, 10}},  {">", {10, 10}}, {"<=", {10, 10}}, {">=", {10, 10}},
      {"and", {8, 8}},  {"nand", {8, 8}}, {"or", {7, 7}},  {"nor", {7, 7}},  {"xor", {7, 7}},
      {"=>", {5, 4}},   {":=", {5, 4}},   {",", {4, 3}},
  };
  return powers;
}

// What ends every expression, whatever power is asked for.
bool is_closing(const Token& token) {
  if (token.kind == Token::kEnd) return true;
  if (token.kind == Token::kName)
    return token.text == "then" || token.text == "else" || token.text == "in";
  if (token.kind != Token::kSymbol) return false;
  const std::string& text = token.text;
  return text == ")" || text == "]" || text == "}" || text == ":" || text == "|" || text == "::" ||
         text == ";" || text == "$" || text == "=" || text == "|=" || text == "&=" || text == ">>";
}

int left_power(const Token& token) {
  if (is_closing(token)) return 0;
  if (token.kind == Token::kSymbol || token.kind == Token::kName)
    if (const auto found = infix_powers().find(token.text); found != infix_powers().end())
      return found->second.left;
  return kApplication;
}

}  // namespace

ExpPtr Parser::exp(int power) {
  if (++depth_ > kMaxDepth) fail(token().span, "this expression is nested too deeply");
  const int depth = depth_;
  ExpPtr result = operand();
  while (power < left_power(token())) {
    if (++depth_ > kMaxDepth) fail(token().span, "this expression is nested too deeply");
    result = continued(std::move(result));
  }
  depth_ = depth - 1;
  return result;
}

ExpPtr Parser::call_library(std::string name, Span op, ExpPtr arg) {
  const Span span = source::join(op, arg->span);
  return make_exp(span, Apply{make_exp(op, Var{std::move(name), true}), std::move(arg)});
}

ExpPtr Parser::infix(const Token& op, ExpPtr left) {
  const Power power = infix_powers().at(op.text);
  if (is_closing(token())) unexpected(fmt::format("the right operand of `{}`", op.text));
  ExpPtr right = exp(power.right);
  const Span span = source::join(left->span, right->span);
  if (op.text == ",") return make_exp(span, Pair{std::move(left), std::move(right)});
  if (op.text == "=>") return make_exp(span, Lambda{pattern_of(std::move(left)), std::move(right)});
  if (op.text == ":=") {
    const auto* name = std::get_if<Var>(&left->node);
    if (name == nullptr) fail(left->span, "a name should be left of `:=`");
    return make_exp(span, Named{name->name, std::move(right)});
  }
  ExpPtr both = make_exp(span, Pair{std::move(left), std::move(right)});
  return make_exp(span, Apply{make_exp(op.span, Var{op.text, true}), std::move(both)});
}

// An operator, a subscript or an argument behind `left`.
ExpPtr Parser::continued(ExpPtr left) {
  const bool is_word = token().kind == Token::kSymbol || token().kind == Token::kName;
  if (is_word && infix_powers().contains(token().text)) return infix(take(), std::move(left));
  if (is("[")) {
    const Span begin = take().span;
    ExpPtr index = exp(3);
    expect("]", "after a subscript", is(":") ? "subseq(xs, start, end) is a part of xs" : "");
    const Span span = since(left->span);
    ExpPtr both = make_exp(span, Pair{std::move(left), std::move(index)});
    return make_exp(span, Apply{make_exp(begin, Var{"elt", true}), std::move(both)});
  }
  const auto* name = std::get_if<Var>(&left->node);
  if (name != nullptr && name->name == "time" && is("(")) {
    ExpPtr value = exp(kApplication);
    return make_exp(since(left->span), Time{std::move(value)});
  }
  ExpPtr arg = exp(kApplication);
  const Span span = source::join(left->span, arg->span);
  return make_exp(span, Apply{std::move(left), std::move(arg)});
}

ExpPtr Parser::number() {
  const Token digits = take();
  if (digits.kind == Token::kFloat)
    return make_exp(digits.span, FloatLit{std::strtod(digits.text.c_str(), nullptr)});
  int64_t value = 0;
  const char* end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, value).ec != std::errc())
    fail(digits.span, "this number is too large for an int, which has 64 bits");
  return make_exp(digits.span, IntLit{value});
}

ExpPtr Parser::if_exp() {
  const Span begin = take().span;
  ExpPtr cond = exp(3);
  expect("then", "after the condition of an `if`", is("=") ? "`==` compares" : "");
  ExpPtr then = exp(3);
  expect("else", "after the first branch of an `if`",
         at_end_of_form() ? "an `if` has a value, so it has two branches" : "");
  ExpPtr otherwise = exp(3);
  return make_exp(since(begin), If{std::move(cond), std::move(then), std::move(otherwise)});
}

ExpPtr Parser::let_exp() {
  const Span begin = take().span;
  std::vector<Let> bindings;
  do {
    if (is("in")) break;
    ExpPtr bound = exp(3);
    if (at_end_of_form())
      unexpected("`=` after the pattern of a `let`", "`in` stands before the value of a `let`");
    PatternPtr pattern = pattern_of(std::move(bound));
    expect("=", "after the pattern of a `let`");
    bindings.push_back({std::move(pattern), exp(3), nullptr});
  } while (accept(";"));
  if (bindings.empty()) unexpected("a binding");
  expect("in", "or `;` after a binding of a `let`",
         is("=") ? "bindings of a `let` are separated by `;`" : "");
  ExpPtr body = exp(3);
  for (size_t k = bindings.size(); k-- > 0;) {
    const Span span = source::join(k == 0 ? begin : bindings[k].pattern->span, body->span);
    bindings[k].body = std::move(body);
    body = make_exp(span, std::move(bindings[k]));
  }
  return body;
}

// [] type, [a, b, c] and [start : end : stride].
ExpPtr Parser::brackets() {
  const Span begin = take().span;
  if (accept("]")) {
    TypeExpPtr element = type_atom();
    return make_exp(since(begin), EmptySequence{std::move(element)});
  }
  ExpPtr first = exp(4);
  if (accept(":")) {
    ExpPtr end = exp(3);
    ExpPtr stride = accept(":") ? exp(3) : nullptr;
    expect("]", "at the end of a range", is("in") ? "{body : x in xs} stands in braces" : "");
    return make_exp(since(begin), Range{std::move(first), std::move(end), std::move(stride)});
  }
  SequenceLit sequence;
  sequence.elements.push_back(std::move(first));
  while (accept(",")) sequence.elements.push_back(exp(4));
  expect("]", "or `,` in a sequence");
  return make_exp(since(begin), std::move(sequence));
}

// A bare name x stands for x in x.
Source Parser::source_of(ExpPtr pattern) {
  if (accept("in")) {
    PatternPtr bound = pattern_of(std::move(pattern));
    return {std::move(bound), exp(3)};
  }
  const auto* name = std::get_if<Var>(&pattern->node);
  if (name == nullptr)
    unexpected("`in` and a sequence", is("|") ? "{body : x in xs | condition}" : "");
  ExpPtr sequence = make_exp(pattern->span, Var{name->name});
  return {pattern_of(std::move(pattern)), std::move(sequence)};
}

std::vector<Source> Parser::more_sources() {
  std::vector<Source> sources;
  while (accept(";")) sources.push_back(source_of(exp(3)));
  return sources;
}

namespace {

ExpPtr exp_of(const Pattern& pattern) {
  if (const auto* var = std::get_if<PatternVar>(&pattern.node))
    return make_exp(pattern.span, Var{var->name});
  if (const auto* pair = std::get_if<PatternPair>(&pattern.node))
    return make_exp(pattern.span, Pair{exp_of(*pair->first), exp_of(*pair->second)});
  const auto& record = std::get<PatternRecord>(pattern.node);
  return make_exp(pattern.span,
                  Apply{make_exp(pattern.span, Var{record.name}), exp_of(*record.inner)});
}

}  // namespace

ExpPtr Parser::braces() {
  const Span begin = take().span;
  Each each;
  each.is_serial = accept("*");
  ExpPtr first = exp(3);
  if (accept(":")) {
    each.body = std::move(first);
    each.sources.push_back(source_of(exp(3)));
  } else {
    each.sources.push_back(source_of(std::move(first)));
    each.body = exp_of(*each.sources.front().pattern);
  }
  for (Source& source : more_sources()) each.sources.push_back(std::move(source));
  if (accept("|")) each.filter = exp(3);
  const char* hint = is(":")    ? "the body comes first: {body : x in xs | condition}"
                     : is("=")  ? "`==` compares"
                     : is("in") ? "the sources are separated by `;`: {body : x in xs; y in ys}"
                                : "";
  expect("}", "at the end of an apply-to-each", hint);
  return make_exp(since(begin), std::move(each));
}

ExpPtr Parser::keyword_operand() {
  if (is("if")) return if_exp();
  if (is("let")) return let_exp();
  if (is("[")) return brackets();
  if (is("{")) return braces();
  const Span begin = token().span;
  if (accept("(")) {
    if (is(")"))
      fail(since(begin), "there is no empty tuple", "a function has at least one argument");
    ExpPtr inner = exp(3);
    expect(
        ")", "at the end of an expression in parentheses",
        is(":") ? "types stand behind the parameters: function f(x, y) : (int, int) -> int" : "");
    inner->span = since(begin);
    return inner;
  }
  if (accept("#")) return call_library("#", begin, exp(25));
  if (accept("@")) return call_library("@", begin, exp(25));
  if (accept("-")) return call_library("negate", begin, exp(25));
  return nullptr;
}

ExpPtr Parser::operand() {
  switch (token().kind) {
    case Token::kInt:
    case Token::kFloat: return number();
    case Token::kChar: {
      const Token c = take();
      return make_exp(c.span, CharLit{static_cast<uint8_t>(c.text[0])});
    }
    case Token::kString: {
      const Token text = take();
      return make_exp(text.span, StringLit{text.text});
    }
    default: break;
  }
  if (ExpPtr special = keyword_operand()) return special;
  if (is_closing(token())) unexpected("an expression");
  if (infix_powers().contains(token().text) && token().text != "and" && token().text != "or" &&
      token().text != "xor" && token().text != "nand" && token().text != "nor")
    fail(token().span, fmt::format("`{}` lacks its left operand", token().text),
         fmt::format("a function that does the same is (a, b) => a {} b", token().text));
  const Token name = take();
  if (name.kind != Token::kName) fail(name.span, "an expression should be here");
  if (name.text == "t" || name.text == "f") return make_exp(name.span, BoolLit{name.text == "t"});
  return make_exp(name.span, Var{name.text});
}

}  // namespace skald::nesl
