// SPDX-License-Identifier: Apache-2.0
// Expressions that begin with a keyword and reach as far to the right as they can.
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

void Parser::missing_in(std::string_view what, uint32_t let) {
  if (panic_) return;
  const std::string start = is_keyword(text()) ? fmt::format("Unexpected \"{}\"", text()) : found();
  fail(fmt::format("{}, expected `in` or another `let`", start),
       fmt::format("the scope of {} begins behind `in`", what),
       "write `in` before the result of the last `let`", {let, "this `let` has no `in`"});
}

// A chain of `let`s is read in a loop and closed from the inside out: programs have long ones.
Ptr<Exp> Parser::let() {
  struct Open {
    Ptr<Exp> exp;
    uint32_t begin;
    Ptr<Exp>* body;
  };
  Chain chain(*this, kMaxHeight);
  std::vector<Open> open;
  Ptr<Exp> body;
  for (;;) {
    const uint32_t b = begin(), first = pos_;
    LetHead head = let_head();
    const bool has_in = *head.has_in = accept(Tok::kIn);
    open.push_back({std::move(head.exp), b, head.body});
    if (at(Tok::kLet)) continue;
    if (has_in) {
      body = exp();
      break;
    }
    missing_in(head.what, first);
    break;
  }
  if (!body) body = missing_exp();
  while (!open.empty()) {
    chain.wrap();
    Open& o = open.back();
    *o.body = std::move(body);
    body = finish(o.exp, o.begin);
    open.pop_back();
  }
  return body;
}

// A `let` up to its `in`.
Parser::LetHead Parser::let_head() {
  const Tok second = ahead(2);
  if (ahead(1) != Tok::kIdent || second == Tok::kEquals || second == Tok::kColon)
    return let_pattern();
  return second == Tok::kIndex || second == Tok::kDot ? let_with() : let_function();
}

// let x[i].f = v in e
Parser::LetHead Parser::let_with() {
  LetHead head;
  auto& node = start<ELetWith>(head.exp);
  next();
  node.dst = node.src = ident("a name");
  node.path = path(false);
  expect(Tok::kEquals);
  node.value = exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the new value";
  return head;
}

// let f x y = v in e
Parser::LetHead Parser::let_function() {
  LetHead head;
  auto& node = start<ELetFun>(head.exp);
  next();
  node.name = ident("a name");
  node.tparams = type_params();
  node.params = params();
  if (node.params.empty()) expected(node.tparams.empty() ? "`=`" : "a parameter");
  if (accept(Tok::kColon)) node.result = type_exp();
  expect(Tok::kEquals);
  node.value = exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the function";
  return head;
}

// let [n] p = v in e
Parser::LetHead Parser::let_pattern() {
  LetHead head;
  auto& node = start<ELet>(head.exp);
  next();
  while (at_bracket()) node.sizes.push_back(size_binder());
  node.pat = pat();
  expect(Tok::kEquals);
  node.value = exp();
  head.body = &node.body;
  head.has_in = &node.has_in;
  head.what = "the names bound here";
  return head;
}

// As with `let`s: a chain of `else if` is read in a loop and closed from the inside out.
Ptr<Exp> Parser::if_exp() {
  Chain chain(*this, kMaxHeight);
  std::vector<OpenIf> open;
  do open.push_back(if_head());
  while (at(Tok::kIf));
  Ptr<Exp> e = exp();
  while (!open.empty()) {
    chain.wrap();
    OpenIf& o = open.back();
    *o.else_branch = std::move(e);
    e = finish(o.exp, o.begin);
    open.pop_back();
  }
  return e;
}

// An `if` up to its `else`.
Parser::OpenIf Parser::if_head() {
  OpenIf out;
  out.begin = begin();
  auto& node = start<EIf>(out.exp);
  out.else_branch = &node.else_branch;
  const uint32_t first = pos_;
  next();
  node.cond = exp();
  if (at(Tok::kEquals)) expected("`then`", {}, "write `==` to compare");
  expect(Tok::kThen);
  node.then_branch = exp();
  if (!at(Tok::kElse) && !panic_)
    fail(fmt::format("{}, expected {}", found(), token_name(Tok::kElse)),
         "an `if` has a value, so it needs both branches", {}, {first, "this `if` has no `else`"});
  accept(Tok::kElse);
  return out;
}

Ptr<Exp> Parser::loop() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<ELoop>(e);
  next();
  node.pat = pat();
  if (accept(Tok::kEquals)) node.init = exp();
  node.form = ELoop::kWhile;
  if (accept(Tok::kWhile)) {
    node.bound = exp();
  } else if (accept(Tok::kFor)) {
    if (at(Tok::kIdent) && ahead(1) == Tok::kLess) {
      node.form = ELoop::kFor;
      node.var = ident("a name");
      next();
    } else {
      node.form = ELoop::kForIn;
      node.elem = pat();
      if (!at(Tok::kIn)) expected("`in` or `<`");
      next();
    }
    node.bound = exp();
  } else {
    expected(node.init ? "`for` or `while`" : "`=`, `for` or `while`");
  }
  expect(Tok::kDo);
  node.body = exp();
  return finish(e, b);
}

Ptr<Exp> Parser::match() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<EMatch>(e);
  next();
  node.scrutinee = exp();
  if (!at(Tok::kCase)) expected("`case`");
  while (at(Tok::kCase)) {
    const uint32_t case_begin = begin();
    EMatch::Case& one = node.cases.emplace_back();
    next();
    one.pat = pat();
    expect(Tok::kArrow);
    one.body = exp();
    one.span = since(case_begin);
  }
  return finish(e, b);
}

Ptr<Exp> Parser::lambda() {
  Nest nest(*this);
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<ELambda>(e);
  next();
  node.params = params();
  if (node.params.empty()) expected("a parameter");
  if (accept(Tok::kColon)) node.result = type_term();
  expect(Tok::kArrow);
  node.body = exp();
  return finish(e, b);
}

Ptr<Exp> Parser::assert_exp() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<EAssert>(e);
  next();
  {
    Nest nest(*this);
    node.cond = postfix();
  }
  node.inner = exp();
  return finish(e, b);
}

Ptr<Exp> Parser::attr_exp() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<EAttr>(e);
  node.attr = bracketed_attr();
  node.inner = exp();
  return finish(e, b);
}

}  // namespace skald::futhark
