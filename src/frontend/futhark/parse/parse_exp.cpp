// SPDX-License-Identifier: Apache-2.0
// Expressions: operators and application.  Atoms are in parse_atom.cpp, what begins with a keyword
// in parse_control.cpp.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

Ptr<Exp> ExpParser::only_exp() {
  Ptr<Exp> e = exp();
  if (!tokens_.panics() && !tokens_.at(Tok::kEof)) tokens_.expected("the end of the expression");
  if (tokens_.damaged()) return nullptr;
  return e;
}

Ptr<Exp> ExpParser::exp() {
  const TokenCursor::Nest nest(tokens_);
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e = binary(kRangeLevel);
  if (tokens_.at(Tok::kColon) || tokens_.at(Tok::kColonGt)) ascriptions(e, chain, b);
  return e;
}

void ExpParser::ascriptions(Ptr<Exp>& e, TokenCursor::Chain& chain, uint32_t b) {
  while (tokens_.at(Tok::kColon) || tokens_.at(Tok::kColonGt)) {
    const bool coerce = tokens_.at(Tok::kColonGt);
    tokens_.next();
    chain.wrap();
    Ptr<TypeExp> type = grammar_.types.type_exp();
    Ptr<Exp> whole;
    if (coerce) {
      start_node<ECoerce>(whole) = {std::move(e), std::move(type)};
    } else {
      start_node<EAscript>(whole) = {std::move(e), std::move(type)};
    }
    e = tokens_.finish(whole, b);
  }
}

bool ExpParser::at_section_end() const {
  if (!tokens_.at(Tok::kBackquote))
    return grammar_.names.at_infix_operator() && tokens_.ahead(1) == Tok::kRParen;
  size_t n = 1;
  while (tokens_.ahead(n) == Tok::kIdent && tokens_.ahead(n + 1) == Tok::kDot) n += 2;
  return tokens_.ahead(n) == Tok::kIdent && tokens_.ahead(n + 1) == Tok::kBackquote &&
         tokens_.ahead(n + 2) == Tok::kRParen;
}

Ptr<Exp> ExpParser::inner_binary(int min) {
  const TokenCursor::Nest nest(tokens_);
  return binary(min);
}

Ptr<Exp> ExpParser::binary(int min, bool section) {
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e = operand();
  while (tokens_.token().level >= min) {
    if (section && at_section_end()) break;
    chain.wrap();
    switch (tokens_.token().level) {
      case kRangeLevel: range(e, b); break;
      case kWithLevel: update(e, b); break;
      default: infix(e, b);
    }
  }
  return e;
}

void ExpParser::infix(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start_node<EBinary>(whole);
  const int level = tokens_.token().level;
  node.op = grammar_.names.infix_operator(node.backquoted);
  node.lhs = std::move(e);
  node.rhs = inner_binary(level == kPipeLeftLevel ? level : level + 1);
  e = tokens_.finish(whole, b);
}

void ExpParser::update(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start_node<EUpdate>(whole);
  node.src = std::move(e);
  tokens_.next();
  node.path = path(true);
  tokens_.expect(Tok::kEquals, "an update has the form `e with [i] = v` or `e with f = v`");
  node.value = inner_binary(kWithLevel + 1);
  e = tokens_.finish(whole, b);
}

void ExpParser::range(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start_node<ERange>(whole);
  node.start = std::move(e);
  node.kind = ERange::kInclusive;
  if (tokens_.at(Tok::kDotDot)) {
    const Span dots = tokens_.here();
    tokens_.next();
    node.step = inner_binary(kRangeLevel + 1);
    if (!tokens_.panics() && tokens_.token().level != kRangeLevel) {
      tokens_.complain(dots, "a range needs `...`, `..<` or `..>` in front of its end",
                       "write `a...b` for all numbers from a to b, `a..<b` without b");
      e = tokens_.finish(whole, b);
      return;
    }
  }
  switch (tokens_.at()) {
    case Tok::kDotDotDot: break;
    case Tok::kDotDotLess: node.kind = ERange::kUpTo; break;
    case Tok::kDotDotGreater: node.kind = ERange::kDownTo; break;
    default: tokens_.expected("`...`, `..<` or `..>`");
  }
  tokens_.next();
  node.end = inner_binary(kRangeLevel);
  e = tokens_.finish(whole, b);
}

Ptr<Exp> ExpParser::operand() {
  switch (tokens_.at()) {
    case Tok::kIf: return grammar_.keywords.if_exp();
    case Tok::kLet: return grammar_.keywords.let();
    case Tok::kLoop: return grammar_.keywords.loop();
    case Tok::kMatch: return grammar_.keywords.match();
    case Tok::kAssert: return grammar_.keywords.assert_exp();
    case Tok::kHashBracket: return grammar_.keywords.attr_exp();
    case Tok::kMinus:
    case Tok::kBang: return prefix();
    case Tok::kBackslash: return grammar_.keywords.lambda();
    default: return apply();
  }
}

Ptr<Exp> ExpParser::prefix() {
  const TokenCursor::Nest nest(tokens_);
  const uint32_t b = tokens_.begin();
  const bool minus = tokens_.at(Tok::kMinus);
  tokens_.next();
  Ptr<Exp> e;
  if (minus) {
    start_node<ENegate>(e).arg = operand();
  } else {
    start_node<ENot>(e).arg = operand();
  }
  return tokens_.finish(e, b);
}

Ptr<Exp> ExpParser::apply() {
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  const uint32_t b = tokens_.begin();
  Ptr<Exp> head = postfix();
  if (!starts_atom(tokens_.at()) && !tokens_.at(Tok::kBackslash)) return head;
  std::vector<Ptr<Exp>> args;
  while (starts_atom(tokens_.at())) {
    if (args.empty() && tokens_.at(Tok::kLBracket) && std::holds_alternative<EIndex>(head->node))
      tokens_.complain(tokens_.here(), "this bracket does not index: a space stands before it",
                       "write `a[i, j]` or `a[i][j]`");
    args.push_back(postfix());
  }
  if (tokens_.at(Tok::kBackslash)) args.push_back(grammar_.keywords.lambda());
  chain.wrap();
  if (auto* constr = std::get_if<EConstr>(&head->node)) {
    constr->args = std::move(args);
    return tokens_.finish(head, b);
  }
  Ptr<Exp> e;
  start_node<EApply>(e) = {std::move(head), std::move(args)};
  return tokens_.finish(e, b);
}

}  // namespace skald::futhark
