// SPDX-License-Identifier: Apache-2.0
// Types, sizes, and parameters of both kinds.
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ptr<TypeExp> Parser::type_exp() {
  Nest nest(*this);
  if (at_named_param()) return named_arrow();
  if (at(Tok::kQuestion)) return exists_type();
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<TypeExp> from = type_term();
  if (!accept(Tok::kArrow)) return from;
  chain.wrap();
  Ptr<TypeExp> whole;
  auto& arrow = start<TEArrow>(whole);
  arrow.from = std::move(from);
  arrow.to = type_exp();
  return finish(whole, b);
}

// (n: i64) -> t
Ptr<TypeExp> Parser::named_arrow() {
  const uint32_t b = begin(), open = pos_;
  Ptr<TypeExp> t;
  auto& arrow = start<TEArrow>(t);
  next();
  arrow.param = ident("a name");
  next();
  arrow.from = type_exp();
  close(open, Tok::kRParen);
  expect(Tok::kArrow, "only the parameter of a function type has a name");
  arrow.to = type_exp();
  return finish(t, b);
}

// ?[n].t
Ptr<TypeExp> Parser::exists_type() {
  const uint32_t b = begin();
  Ptr<TypeExp> t;
  auto& exists = start<TEExists>(t);
  next();
  if (!at_bracket()) expected("`[`");
  while (at_bracket()) exists.dims.push_back(size_binder());
  expect(Tok::kDot);
  exists.inner = type_exp();
  return finish(t, b);
}

Ptr<TypeExp> Parser::type_term() {
  if (at(Tok::kConstr)) return sum_type();
  if (at(Tok::kOp) && text().starts_with("**"))
    expected("a type", {}, "put a space between the stars");
  if (!at(Tok::kStar)) return type_apply();
  Nest nest(*this);
  const uint32_t b = begin();
  Ptr<TypeExp> t;
  auto& unique = start<TEUnique>(t);
  next();
  unique.inner = type_term();
  return finish(t, b);
}

Ptr<TypeExp> Parser::sum_type() {
  const uint32_t b = begin();
  Ptr<TypeExp> t;
  auto& sum = start<TESum>(t);
  do {
    if (!at(Tok::kConstr)) {
      expected("a constructor");
      break;
    }
    TESum::Constr& constr = sum.constrs.emplace_back();
    constr.name = {std::string(text().substr(1)), here()};
    next();
    while (starts_type_atom(at())) constr.payload.push_back(type_atom());
  } while (accept(Tok::kPipe));
  return finish(t, b);
}

Ptr<TypeExp> Parser::type_apply() {
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<TypeExp> t = type_atom();
  while (starts_type_atom(at())) {
    chain.wrap();
    Ptr<TypeExp> whole;
    auto& node = start<TEApply>(whole);
    node.fn = std::move(t);
    if (at_bracket()) {
      node.size_arg = size();
    } else {
      node.type_arg = type_atom();
    }
    t = finish(whole, b);
  }
  return t;
}

bool Parser::starts_type_atom(Tok kind) {
  return kind == Tok::kLParen || kind == Tok::kLBrace || kind == Tok::kLBracket ||
         kind == Tok::kIndex || kind == Tok::kIdent;
}

Ptr<TypeExp> Parser::type_atom() {
  const uint32_t b = begin();
  Ptr<TypeExp> t;
  switch (at()) {
    case Tok::kLParen: return paren_type();
    case Tok::kLBrace: return record_type();
    case Tok::kLBracket:
    case Tok::kIndex: {
      Nest nest(*this);
      auto& array = start<TEArray>(t);
      array.size = size();
      array.elem = type_term();
      return finish(t, b);
    }
    case Tok::kIdent: start<TEVar>(t).name = qual_name("a type"); return finish(t, b);
    default: expected("a type"); return leaf<TETuple, TypeExp>();
  }
}

Ptr<TypeExp> Parser::paren_type() {
  const uint32_t b = begin(), open = pos_;
  Ptr<TypeExp> whole;
  next();
  if (accept(Tok::kRParen)) {
    start<TETuple>(whole);
    return finish(whole, b);
  }
  Ptr<TypeExp> first = type_exp();
  if (at(Tok::kComma)) {
    auto& tuple = start<TETuple>(whole);
    tuple.elems.push_back(std::move(first));
    next();
    comma_list(Tok::kRParen, [&] { tuple.elems.push_back(type_exp()); });
    if (tuple.elems.size() == 1 && at(Tok::kRParen)) expected("a type");
  } else {
    start<TEParens>(whole).inner = std::move(first);
  }
  close(open, Tok::kRParen);
  return finish(whole, b);
}

Ptr<TypeExp> Parser::record_type() {
  const uint32_t b = begin(), open = pos_;
  Ptr<TypeExp> t;
  auto& record = start<TERecord>(t);
  next();
  comma_list(Tok::kRBrace, [&] {
    TERecord::Field& field = record.fields.emplace_back();
    field.name = field_name();
    expect(Tok::kColon);
    field.type = type_exp();
  });
  close(open, Tok::kRBrace);
  return finish(t, b);
}

Ptr<Exp> Parser::size() {
  const uint32_t open = pos_;
  Ptr<Exp> e;
  next();
  if (!at(Tok::kRBracket)) e = exp();
  close(open, Tok::kRBracket);
  return e;
}

Ident Parser::size_binder() {
  const uint32_t open = pos_;
  next();
  Ident name = ident("the name of a size");
  close(open, Tok::kRBracket);
  return name;
}

std::vector<TypeParam> Parser::type_params() {
  std::vector<TypeParam> out;
  for (;;) {
    TypeParam param;
    param.kind = TypeParam::kType;
    switch (at()) {
      case Tok::kLBracket:
      case Tok::kIndex:
        param.kind = TypeParam::kSize;
        param.name = size_binder();
        out.push_back(std::move(param));
        continue;
      case Tok::kApostrophe: break;
      case Tok::kApostropheTilde: param.lifted = Liftedness::kSizeLifted; break;
      case Tok::kApostropheHat: param.lifted = Liftedness::kLifted; break;
      default: return out;
    }
    next();
    param.name = ident("the name of a type parameter");
    out.push_back(std::move(param));
  }
}

Liftedness Parser::liftedness() {
  if (accept(Tok::kTilde)) return Liftedness::kSizeLifted;
  if (accept(Tok::kHat)) return Liftedness::kLifted;
  return Liftedness::kUnlifted;
}

}  // namespace skald::futhark
