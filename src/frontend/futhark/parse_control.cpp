// SPDX-License-Identifier: Apache-2.0
// Expressions that begin with a keyword and reach as far to the right as they can.
#include "frontend/futhark/parse_state.h"

namespace skald::futhark {

// What follows the value of a `let`: `in` and an expression, or directly another `let`.
Ptr<Exp> Parser::let_body(bool& has_in, std::string_view what) {
  has_in = accept(Tok::kIn);
  if (has_in) return exp();
  if (at(Tok::kLet)) {
    Nest nest(*this);
    return let();
  }
  missing_in(what);
  return missing_exp();
}

void Parser::missing_in(std::string_view what) {
  if (panic_) return;
  const std::string start = is_keyword(text()) ? fmt::format("Unexpected \"{}\"", text()) : found();
  fail(fmt::format("{}, expected `in` or another `let`", start),
       fmt::format("the scope of {} begins behind `in`", what));
}

Ptr<Exp> Parser::let() {
  const Tok second = ahead(2);
  if (ahead(1) != Tok::kIdent || second == Tok::kEquals || second == Tok::kColon)
    return let_pattern();
  return second == Tok::kIndex || second == Tok::kDot ? let_with() : let_function();
}

// let x[i].f = v in e
Ptr<Exp> Parser::let_with() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<ELetWith>(e);
  next();
  node.dst = node.src = ident("a name");
  node.path = path(false);
  expect(Tok::kEquals);
  node.value = exp();
  node.body = let_body(node.has_in, "the new value");
  return finish(e, b);
}

// let f x y = v in e
Ptr<Exp> Parser::let_function() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<ELetFun>(e);
  next();
  node.name = ident("a name");
  node.tparams = type_params();
  node.params = params();
  if (node.params.empty()) expected(node.tparams.empty() ? "`=`" : "a parameter");
  if (accept(Tok::kColon)) node.result = type_exp();
  expect(Tok::kEquals);
  node.value = exp();
  node.body = let_body(node.has_in, "the function");
  return finish(e, b);
}

// let [n] p = v in e
Ptr<Exp> Parser::let_pattern() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<ELet>(e);
  next();
  while (at_bracket()) node.sizes.push_back(size_binder());
  node.pat = pat();
  expect(Tok::kEquals);
  node.value = exp();
  node.body = let_body(node.has_in, "the names bound here");
  return finish(e, b);
}

Ptr<Exp> Parser::if_exp() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  auto& node = start<EIf>(e);
  next();
  node.cond = exp();
  if (at(Tok::kEquals)) expected("`then`", {}, "write `==` to compare");
  expect(Tok::kThen);
  node.then_branch = exp();
  expect(Tok::kElse, "an `if` has a value, so it needs both branches");
  node.else_branch = exp();
  return finish(e, b);
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
