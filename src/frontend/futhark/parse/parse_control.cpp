// SPDX-License-Identifier: Apache-2.0
// Expressions that begin with a keyword and reach as far to the right as they can.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

void KeywordExpParser::missing_in(std::string_view what, uint32_t let) {
  if (tokens_.panics()) return;
  const std::string start = is_keyword(tokens_.text())
                                ? fmt::format("Unexpected \"{}\"", tokens_.text())
                                : tokens_.found();
  tokens_.fail(fmt::format("{}, expected `in` or another `let`", start),
               fmt::format("the scope of {} begins behind `in`", what),
               "write `in` before the result of the last `let`", {let, "this `let` has no `in`"});
}

// A chain of `let`s is read in a loop and closed from the inside out: programs have long ones.
Ptr<Exp> KeywordExpParser::let() {
  struct Open {
    Ptr<Exp> exp;
    uint32_t begin;
    Ptr<Exp>* body;
  };
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  std::vector<Open> open;
  Ptr<Exp> body;
  for (;;) {
    const uint32_t b = tokens_.begin(), first = tokens_.position();
    LetHead head = let_head();
    const bool has_in = *head.has_in = tokens_.accept(Tok::kIn);
    open.push_back({std::move(head.exp), b, head.body});
    if (tokens_.at(Tok::kLet)) continue;
    if (has_in) {
      body = grammar_.exps.exp();
      break;
    }
    missing_in(head.what, first);
    break;
  }
  if (!body) body = grammar_.exps.missing_exp();
  while (!open.empty()) {
    chain.wrap();
    Open& o = open.back();
    *o.body = std::move(body);
    body = tokens_.finish(o.exp, o.begin);
    open.pop_back();
  }
  return body;
}

// A `let` up to its `in`.
KeywordExpParser::LetHead KeywordExpParser::let_head() {
  const Tok second = tokens_.ahead(2);
  if (tokens_.ahead(1) != Tok::kIdent || second == Tok::kEquals || second == Tok::kColon)
    return let_pattern();
  return second == Tok::kIndex || second == Tok::kDot ? let_with() : let_function();
}

// let x[i].f = v in e
KeywordExpParser::LetHead KeywordExpParser::let_with() {
  LetHead head;
  auto& node = start_node<ELetWith>(head.exp);
  tokens_.next();
  node.dst = node.src = grammar_.names.ident("a name");
  node.path = grammar_.exps.path(false);
  tokens_.expect(Tok::kEquals);
  node.value = grammar_.exps.exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the new value";
  return head;
}

// let f x y = v in e
KeywordExpParser::LetHead KeywordExpParser::let_function() {
  LetHead head;
  auto& node = start_node<ELetFun>(head.exp);
  tokens_.next();
  node.name = grammar_.names.ident("a name");
  node.tparams = grammar_.types.type_params();
  node.params = grammar_.patterns.params();
  if (node.params.empty()) tokens_.expected(node.tparams.empty() ? "`=`" : "a parameter");
  if (tokens_.accept(Tok::kColon)) node.result = grammar_.types.type_exp();
  tokens_.expect(Tok::kEquals);
  node.value = grammar_.exps.exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the function";
  return head;
}

// let [n] p = v in e
KeywordExpParser::LetHead KeywordExpParser::let_pattern() {
  LetHead head;
  auto& node = start_node<ELet>(head.exp);
  tokens_.next();
  while (grammar_.types.at_bracket()) node.sizes.push_back(grammar_.types.size_binder());
  node.pat = grammar_.patterns.pat();
  tokens_.expect(Tok::kEquals);
  node.value = grammar_.exps.exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the names bound here";
  return head;
}

// As with `let`s: a chain of `else if` is read in a loop and closed from the inside out.
Ptr<Exp> KeywordExpParser::if_exp() {
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  std::vector<OpenIf> open;
  do open.push_back(if_head());
  while (tokens_.at(Tok::kIf));
  Ptr<Exp> e = grammar_.exps.exp();
  while (!open.empty()) {
    chain.wrap();
    OpenIf& o = open.back();
    *o.else_branch = std::move(e);
    e = tokens_.finish(o.exp, o.begin);
    open.pop_back();
  }
  return e;
}

// An `if` up to its `else`.
KeywordExpParser::OpenIf KeywordExpParser::if_head() {
  OpenIf out;
  out.begin = tokens_.begin();
  auto& node = start_node<EIf>(out.exp);
  out.else_branch = &node.else_branch;
  const uint32_t first = tokens_.position();
  tokens_.next();
  node.cond = grammar_.exps.exp();
  if (tokens_.at(Tok::kEquals)) tokens_.expected("`then`", {}, "write `==` to compare");
  tokens_.expect(Tok::kThen);
  node.then_branch = grammar_.exps.exp();
  if (!tokens_.at(Tok::kElse) && !tokens_.panics())
    tokens_.fail(fmt::format("{}, expected {}", tokens_.found(), token_name(Tok::kElse)),
                 "an `if` has a value, so it needs both branches", {},
                 {first, "this `if` has no `else`"});
  tokens_.accept(Tok::kElse);
  return out;
}

Ptr<Exp> KeywordExpParser::loop() {
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  auto& node = start_node<ELoop>(e);
  tokens_.next();
  node.pat = grammar_.patterns.pat();
  if (tokens_.accept(Tok::kEquals)) node.init = grammar_.exps.exp();
  node.form = ELoop::kWhile;
  if (tokens_.accept(Tok::kWhile)) {
    node.bound = grammar_.exps.exp();
  } else if (tokens_.accept(Tok::kFor)) {
    if (tokens_.at(Tok::kIdent) && tokens_.ahead(1) == Tok::kLess) {
      node.form = ELoop::kFor;
      node.var = grammar_.names.ident("a name");
      tokens_.next();
    } else {
      node.form = ELoop::kForIn;
      node.elem = grammar_.patterns.pat();
      if (!tokens_.at(Tok::kIn)) tokens_.expected("`in` or `<`");
      tokens_.next();
    }
    node.bound = grammar_.exps.exp();
  } else {
    tokens_.expected(node.init ? "`for` or `while`" : "`=`, `for` or `while`");
  }
  tokens_.expect(Tok::kDo);
  node.body = grammar_.exps.exp();
  return tokens_.finish(e, b);
}

Ptr<Exp> KeywordExpParser::match() {
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  auto& node = start_node<EMatch>(e);
  tokens_.next();
  node.scrutinee = grammar_.exps.exp();
  if (!tokens_.at(Tok::kCase)) tokens_.expected("`case`");
  while (tokens_.at(Tok::kCase)) {
    const uint32_t case_begin = tokens_.begin();
    EMatch::Case& one = node.cases.emplace_back();
    tokens_.next();
    one.pat = grammar_.patterns.pat();
    tokens_.expect(Tok::kArrow);
    one.body = grammar_.exps.exp();
    one.span = tokens_.since(case_begin);
  }
  return tokens_.finish(e, b);
}

Ptr<Exp> KeywordExpParser::lambda() {
  const TokenCursor::Nest nest(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  auto& node = start_node<ELambda>(e);
  tokens_.next();
  node.params = grammar_.patterns.params();
  if (node.params.empty()) tokens_.expected("a parameter");
  if (tokens_.accept(Tok::kColon)) node.result = grammar_.types.type_term();
  tokens_.expect(Tok::kArrow);
  node.body = grammar_.exps.exp();
  return tokens_.finish(e, b);
}

Ptr<Exp> KeywordExpParser::assert_exp() {
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  auto& node = start_node<EAssert>(e);
  tokens_.next();
  {
    const TokenCursor::Nest nest(tokens_);
    node.cond = grammar_.exps.postfix();
  }
  node.inner = grammar_.exps.exp();
  return tokens_.finish(e, b);
}

Ptr<Exp> KeywordExpParser::attr_exp() {
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  auto& node = start_node<EAttr>(e);
  node.attr = grammar_.names.bracketed_attr();
  node.inner = grammar_.exps.exp();
  return tokens_.finish(e, b);
}

}  // namespace skald::futhark
