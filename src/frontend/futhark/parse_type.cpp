// SPDX-License-Identifier: Apache-2.0
// Types, sizes, and parameters of both kinds.
#include "frontend/futhark/parse_state.h"

namespace skald::futhark {

Ptr<TypeExp> Parser::type_exp() {
  Nest nest(*this);
  Chain chain(*this);
  const uint32_t b = begin();
  if (at_named_param()) {
    TEArrow arrow;
    const uint32_t open = pos_;
    next();
    arrow.param = ident("a name");
    next();
    arrow.from = type_exp();
    close(open, Tok::kRParen);
    expect(Tok::kArrow, "only the parameter of a function type has a name");
    arrow.to = type_exp();
    return make_type(std::move(arrow), b);
  }
  if (accept(Tok::kQuestion)) {
    TEExists exists;
    if (!at_bracket()) expected("`[`");
    while (at_bracket()) exists.dims.push_back(size_binder());
    expect(Tok::kDot);
    exists.inner = type_exp();
    return make_type(std::move(exists), b);
  }
  Ptr<TypeExp> from = type_term();
  if (!accept(Tok::kArrow)) return from;
  Ptr<TypeExp> to = type_exp();
  chain.wrap();
  return make_type(TEArrow{std::nullopt, std::move(from), std::move(to)}, b);
}

Ptr<TypeExp> Parser::type_term() {
  const uint32_t b = begin();
  if (accept(Tok::kStar)) {
    Nest nest(*this);
    Ptr<TypeExp> inner = type_term();
    return make_type(TEUnique{std::move(inner)}, b);
  }
  if (at(Tok::kOp) && text().find_first_not_of('*') == std::string_view::npos)
    fail(fmt::format("{}, expected a type", found()), {}, "put a space between the stars");
  if (at(Tok::kConstr)) return sum_type();
  return type_apply();
}

Ptr<TypeExp> Parser::sum_type() {
  const uint32_t b = begin();
  TESum sum;
  do {
    TESum::Constr constr;
    if (!at(Tok::kConstr)) {
      expected("a constructor");
      break;
    }
    constr.name = {std::string(text().substr(1)), here()};
    next();
    while (starts_type_atom(at())) constr.payload.push_back(type_atom());
    sum.constrs.push_back(std::move(constr));
  } while (accept(Tok::kPipe));
  return make_type(std::move(sum), b);
}

Ptr<TypeExp> Parser::type_apply() {
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<TypeExp> e = type_atom();
  while (starts_type_atom(at())) {
    TEApply node;
    node.fn = std::move(e);
    if (at_bracket()) {
      node.size_arg = size();
    } else {
      node.type_arg = type_atom();
    }
    e = make_type(std::move(node), b);
    chain.wrap();
  }
  return e;
}

bool Parser::starts_type_atom(Tok kind) {
  return kind == Tok::kLParen || kind == Tok::kLBrace || kind == Tok::kLBracket ||
         kind == Tok::kIndex || kind == Tok::kIdent;
}

Ptr<TypeExp> Parser::type_atom() {
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kLParen: return paren_type();
    case Tok::kLBrace: return record_type();
    case Tok::kLBracket:
    case Tok::kIndex: {
      TEArray array;
      array.size = size();
      Nest nest(*this);
      array.elem = type_term();
      return make_type(std::move(array), b);
    }
    case Tok::kIdent: {
      QualName name = qual_name("a type");
      return make_type(TEVar{std::move(name)}, b);
    }
    default: expected("a type"); return make_type(TETuple{}, b);
  }
}

Ptr<TypeExp> Parser::paren_type() {
  const uint32_t b = begin(), open = pos_;
  next();
  if (accept(Tok::kRParen)) return make_type(TETuple{}, b);
  Ptr<TypeExp> first = type_exp();
  if (!at(Tok::kComma)) {
    close(open, Tok::kRParen);
    return make_type(TEParens{std::move(first)}, b);
  }
  next();
  TETuple tuple;
  tuple.elems.push_back(std::move(first));
  comma_list(Tok::kRParen, [&] { tuple.elems.push_back(type_exp()); });
  if (tuple.elems.size() == 1 && !panic_ && at(Tok::kRParen)) expected("a type");
  close(open, Tok::kRParen);
  return make_type(std::move(tuple), b);
}

Ptr<TypeExp> Parser::record_type() {
  const uint32_t b = begin(), open = pos_;
  TERecord record;
  next();
  comma_list(Tok::kRBrace, [&] {
    TERecord::Field field;
    field.name = field_name();
    expect(Tok::kColon);
    field.type = type_exp();
    record.fields.push_back(std::move(field));
  });
  close(open, Tok::kRBrace);
  return make_type(std::move(record), b);
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
