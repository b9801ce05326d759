// SPDX-License-Identifier: Apache-2.0
// Expressions: operators and application.  Atoms are in parse_atom.cpp, what begins with a keyword
// in parse_control.cpp.
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ptr<Exp> Parser::only_exp() {
  Ptr<Exp> e = exp();
  if (!panic_ && !at(Tok::kEof)) expected("the end of the expression");
  if (damaged_) return nullptr;
  return e;
}

Ptr<Exp> Parser::exp() {
  Nest nest(*this);
  Chain chain(*this, kMaxHeight);
  const uint32_t b = begin();
  Ptr<Exp> e = binary(kRangeLevel);
  if (at(Tok::kColon) || at(Tok::kColonGt)) ascriptions(e, chain, b);
  return e;
}

void Parser::ascriptions(Ptr<Exp>& e, Chain& chain, uint32_t b) {
  while (at(Tok::kColon) || at(Tok::kColonGt)) {
    const bool coerce = at(Tok::kColonGt);
    next();
    chain.wrap();
    Ptr<TypeExp> type = type_exp();
    Ptr<Exp> whole;
    if (coerce) {
      start<ECoerce>(whole) = {std::move(e), std::move(type)};
    } else {
      start<EAscript>(whole) = {std::move(e), std::move(type)};
    }
    e = finish(whole, b);
  }
}

bool Parser::at_section_end() const {
  if (!at(Tok::kBackquote)) return at_infix_operator() && ahead(1) == Tok::kRParen;
  size_t n = 1;
  while (ahead(n) == Tok::kIdent && ahead(n + 1) == Tok::kDot) n += 2;
  return ahead(n) == Tok::kIdent && ahead(n + 1) == Tok::kBackquote && ahead(n + 2) == Tok::kRParen;
}

Ptr<Exp> Parser::inner_binary(int min) {
  Nest nest(*this);
  return binary(min);
}

Ptr<Exp> Parser::binary(int min, bool section) {
  Chain chain(*this, kMaxHeight);
  const uint32_t b = begin();
  Ptr<Exp> e = operand();
  while (token().level >= min) {
    if (section && at_section_end()) break;
    chain.wrap();
    switch (token().level) {
      case kRangeLevel: range(e, b); break;
      case kWithLevel: update(e, b); break;
      default: infix(e, b);
    }
  }
  return e;
}

void Parser::infix(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start<EBinary>(whole);
  const int level = token().level;
  node.op = infix_operator(node.backquoted);
  node.lhs = std::move(e);
  node.rhs = inner_binary(level == kPipeLeftLevel ? level : level + 1);
  e = finish(whole, b);
}

void Parser::update(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start<EUpdate>(whole);
  node.src = std::move(e);
  next();
  node.path = path(true);
  expect(Tok::kEquals, "an update has the form `e with [i] = v` or `e with f = v`");
  node.value = inner_binary(kWithLevel + 1);
  e = finish(whole, b);
}

void Parser::range(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start<ERange>(whole);
  node.start = std::move(e);
  node.kind = ERange::kInclusive;
  if (at(Tok::kDotDot)) {
    const Span dots = here();
    next();
    node.step = inner_binary(kRangeLevel + 1);
    if (!panic_ && token().level != kRangeLevel) {
      complain(dots, "a range needs `...`, `..<` or `..>` in front of its end",
               "write `a...b` for all numbers from a to b, `a..<b` without b");
      e = finish(whole, b);
      return;
    }
  }
  switch (at()) {
    case Tok::kDotDotDot: break;
    case Tok::kDotDotLess: node.kind = ERange::kUpTo; break;
    case Tok::kDotDotGreater: node.kind = ERange::kDownTo; break;
    default: expected("`...`, `..<` or `..>`");
  }
  next();
  node.end = inner_binary(kRangeLevel);
  e = finish(whole, b);
}

Ptr<Exp> Parser::operand() {
  switch (at()) {
    case Tok::kIf: return if_exp();
    case Tok::kLet: return let();
    case Tok::kLoop: return loop();
    case Tok::kMatch: return match();
    case Tok::kAssert: return assert_exp();
    case Tok::kHashBracket: return attr_exp();
    case Tok::kMinus:
    case Tok::kBang: return prefix();
    case Tok::kBackslash: return lambda();
    default: return apply();
  }
}

Ptr<Exp> Parser::prefix() {
  Nest nest(*this);
  const uint32_t b = begin();
  const bool minus = at(Tok::kMinus);
  next();
  Ptr<Exp> e;
  if (minus) {
    start<ENegate>(e).arg = operand();
  } else {
    start<ENot>(e).arg = operand();
  }
  return finish(e, b);
}

Ptr<Exp> Parser::apply() {
  Chain chain(*this, kMaxHeight);
  const uint32_t b = begin();
  Ptr<Exp> head = postfix();
  if (!starts_atom(at()) && !at(Tok::kBackslash)) return head;
  std::vector<Ptr<Exp>> args;
  while (starts_atom(at())) {
    if (args.empty() && at(Tok::kLBracket) && std::holds_alternative<EIndex>(head->node))
      complain(here(), "this bracket does not index: a space stands before it",
               "write `a[i, j]` or `a[i][j]`");
    args.push_back(postfix());
  }
  if (at(Tok::kBackslash)) args.push_back(lambda());
  chain.wrap();
  if (auto* constr = std::get_if<EConstr>(&head->node)) {
    constr->args = std::move(args);
    return finish(head, b);
  }
  Ptr<Exp> e;
  start<EApply>(e) = {std::move(head), std::move(args)};
  return finish(e, b);
}

}  // namespace skald::futhark
