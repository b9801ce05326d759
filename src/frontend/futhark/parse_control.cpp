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
  if (!panic_) {
    const std::string start =
        is_keyword(text()) ? fmt::format("Unexpected \"{}\"", text()) : found();
    fail(fmt::format("{}, expected `in` or another `let`", start),
         fmt::format("the scope of {} begins behind `in`", what));
  }
  return missing_exp();
}

Ptr<Exp> Parser::let() {
  const uint32_t b = begin();
  next();
  if (at(Tok::kIdent) && (ahead(1) == Tok::kIndex || ahead(1) == Tok::kDot)) {
    ELetWith node;
    node.dst = node.src = ident("a name");
    node.path = path(false);
    expect(Tok::kEquals);
    node.value = exp();
    node.body = let_body(node.has_in, "the new value");
    return make_exp(std::move(node), b);
  }
  if (at(Tok::kIdent) && ahead(1) != Tok::kEquals && ahead(1) != Tok::kColon) {
    ELetFun node;
    node.name = ident("a name");
    node.tparams = type_params();
    node.params = params();
    if (node.params.empty()) expected(node.tparams.empty() ? "`=`" : "a parameter");
    if (accept(Tok::kColon)) node.result = type_exp();
    expect(Tok::kEquals);
    node.value = exp();
    node.body = let_body(node.has_in, "the function");
    return make_exp(std::move(node), b);
  }
  ELet node;
  while (at_bracket()) node.sizes.push_back(size_binder());
  node.pat = pat();
  expect(Tok::kEquals);
  node.value = exp();
  node.body = let_body(node.has_in, "the names bound here");
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::if_exp() {
  const uint32_t b = begin();
  EIf node;
  next();
  node.cond = exp();
  if (at(Tok::kEquals))
    fail(fmt::format("{}, expected `then`", found()), {}, "write `==` to compare");
  expect(Tok::kThen);
  node.then_branch = exp();
  expect(Tok::kElse, "an `if` has a value, so it needs both branches");
  node.else_branch = exp();
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::loop() {
  const uint32_t b = begin();
  ELoop node;
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
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::match() {
  const uint32_t b = begin();
  EMatch node;
  next();
  node.scrutinee = exp();
  if (!at(Tok::kCase)) expected("`case`");
  while (at(Tok::kCase)) {
    EMatch::Case one;
    const uint32_t case_begin = begin();
    next();
    one.pat = pat();
    expect(Tok::kArrow);
    one.body = exp();
    one.span = since(case_begin);
    node.cases.push_back(std::move(one));
  }
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::lambda() {
  const uint32_t b = begin();
  ELambda node;
  next();
  node.params = params();
  if (node.params.empty()) expected("a parameter");
  if (accept(Tok::kColon)) node.result = type_term();
  expect(Tok::kArrow);
  node.body = exp();
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::assert_exp() {
  const uint32_t b = begin();
  EAssert node;
  next();
  {
    Nest nest(*this);
    node.cond = postfix();
  }
  node.inner = exp();
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::attr_exp() {
  const uint32_t b = begin();
  EAttr node;
  node.attr = bracketed_attr();
  node.inner = exp();
  return make_exp(std::move(node), b);
}

}  // namespace skald::futhark
