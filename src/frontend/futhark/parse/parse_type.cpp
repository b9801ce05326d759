// SPDX-License-Identifier: Apache-2.0
// Types, sizes, and parameters of both kinds.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

Ptr<TypeExp> TypeParser::type_exp() {
  const TokenCursor::Nest nest(tokens_);
  if (at_named_param()) return named_arrow();
  if (tokens_.at(Tok::kQuestion)) return exists_type();
  TokenCursor::Chain chain(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> from = type_term();
  if (!tokens_.accept(Tok::kArrow)) return from;
  chain.wrap();
  Ptr<TypeExp> whole;
  auto& arrow = start_node<TEArrow>(whole);
  arrow.from = std::move(from);
  arrow.to = type_exp();
  return tokens_.finish(whole, b);
}

// (n: i64) -> t
Ptr<TypeExp> TypeParser::named_arrow() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<TypeExp> t;
  auto& arrow = start_node<TEArrow>(t);
  tokens_.next();
  arrow.param = grammar_.names.ident("a name");
  tokens_.next();
  arrow.from = type_exp();
  tokens_.close(open, Tok::kRParen);
  tokens_.expect(Tok::kArrow, "only the parameter of a function type has a name");
  arrow.to = type_exp();
  return tokens_.finish(t, b);
}

// ?[n].t
Ptr<TypeExp> TypeParser::exists_type() {
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> t;
  auto& exists = start_node<TEExists>(t);
  tokens_.next();
  if (!at_bracket()) tokens_.expected("`[`");
  while (at_bracket()) exists.dims.push_back(size_binder());
  tokens_.expect(Tok::kDot);
  exists.inner = type_exp();
  return tokens_.finish(t, b);
}

Ptr<TypeExp> TypeParser::type_term() {
  if (tokens_.at(Tok::kConstr)) return sum_type();
  if (tokens_.at(Tok::kOp) && tokens_.text().starts_with("**"))
    tokens_.expected("a type", {}, "put a space between the stars");
  if (!tokens_.at(Tok::kStar)) return type_apply();
  const TokenCursor::Nest nest(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> t;
  auto& unique = start_node<TEUnique>(t);
  tokens_.next();
  unique.inner = type_term();
  return tokens_.finish(t, b);
}

Ptr<TypeExp> TypeParser::sum_type() {
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> t;
  auto& sum = start_node<TESum>(t);
  do {
    if (!tokens_.at(Tok::kConstr)) {
      tokens_.expected("a constructor");
      break;
    }
    TESum::Constr& constr = sum.constrs.emplace_back();
    constr.name = {std::string(tokens_.text().substr(1)), tokens_.here()};
    tokens_.next();
    while (starts_type_atom(tokens_.at())) constr.payload.push_back(type_atom());
  } while (tokens_.accept(Tok::kPipe));
  return tokens_.finish(t, b);
}

Ptr<TypeExp> TypeParser::type_apply() {
  TokenCursor::Chain chain(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> t = type_atom();
  while (starts_type_atom(tokens_.at())) {
    chain.wrap();
    Ptr<TypeExp> whole;
    auto& node = start_node<TEApply>(whole);
    node.fn = std::move(t);
    if (at_bracket()) {
      node.size_arg = size();
    } else {
      node.type_arg = type_atom();
    }
    t = tokens_.finish(whole, b);
  }
  return t;
}

bool TypeParser::starts_type_atom(Tok kind) {
  return kind == Tok::kLParen || kind == Tok::kLBrace || kind == Tok::kLBracket ||
         kind == Tok::kIndex || kind == Tok::kIdent;
}

Ptr<TypeExp> TypeParser::type_atom() {
  const uint32_t b = tokens_.begin();
  Ptr<TypeExp> t;
  switch (tokens_.at()) {
    case Tok::kLParen: return paren_type();
    case Tok::kLBrace: return record_type();
    case Tok::kLBracket:
    case Tok::kIndex: {
      const TokenCursor::Nest nest(tokens_);
      auto& array = start_node<TEArray>(t);
      array.size = size();
      array.elem = type_term();
      return tokens_.finish(t, b);
    }
    case Tok::kIdent:
      start_node<TEVar>(t).name = grammar_.names.qual_name("a type");
      return tokens_.finish(t, b);
    default: tokens_.expected("a type"); return tokens_.leaf<TETuple, TypeExp>();
  }
}

Ptr<TypeExp> TypeParser::paren_type() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<TypeExp> whole;
  tokens_.next();
  if (tokens_.accept(Tok::kRParen)) {
    start_node<TETuple>(whole);
    return tokens_.finish(whole, b);
  }
  Ptr<TypeExp> first = type_exp();
  if (tokens_.at(Tok::kComma)) {
    auto& tuple = start_node<TETuple>(whole);
    tuple.elems.push_back(std::move(first));
    tokens_.next();
    tokens_.comma_list(Tok::kRParen, [&] { tuple.elems.push_back(type_exp()); });
    if (tuple.elems.size() == 1 && tokens_.at(Tok::kRParen)) tokens_.expected("a type");
  } else {
    start_node<TEParens>(whole).inner = std::move(first);
  }
  tokens_.close(open, Tok::kRParen);
  return tokens_.finish(whole, b);
}

Ptr<TypeExp> TypeParser::record_type() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<TypeExp> t;
  auto& record = start_node<TERecord>(t);
  tokens_.next();
  tokens_.comma_list(Tok::kRBrace, [&] {
    TERecord::Field& field = record.fields.emplace_back();
    field.name = grammar_.names.field_name();
    tokens_.expect(Tok::kColon);
    field.type = type_exp();
  });
  tokens_.close(open, Tok::kRBrace);
  return tokens_.finish(t, b);
}

Ptr<Exp> TypeParser::size() {
  const uint32_t open = tokens_.position();
  Ptr<Exp> e;
  tokens_.next();
  if (!tokens_.at(Tok::kRBracket)) e = grammar_.exps.exp();
  tokens_.close(open, Tok::kRBracket);
  return e;
}

Ident TypeParser::size_binder() {
  const uint32_t open = tokens_.position();
  tokens_.next();
  Ident name = grammar_.names.ident("the name of a size");
  tokens_.close(open, Tok::kRBracket);
  return name;
}

std::vector<TypeParam> TypeParser::type_params() {
  std::vector<TypeParam> out;
  for (;;) {
    TypeParam param;
    param.kind = TypeParam::kType;
    switch (tokens_.at()) {
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
    tokens_.next();
    param.name = grammar_.names.ident("the name of a type parameter");
    out.push_back(std::move(param));
  }
}

Liftedness TypeParser::liftedness() {
  if (tokens_.accept(Tok::kTilde)) return Liftedness::kSizeLifted;
  if (tokens_.accept(Tok::kHat)) return Liftedness::kLifted;
  return Liftedness::kUnlifted;
}

}  // namespace skald::futhark
