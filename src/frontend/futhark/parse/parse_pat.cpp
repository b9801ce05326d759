// SPDX-License-Identifier: Apache-2.0
// Patterns.
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ptr<Pat> Parser::pat() {
  Nest nest(*this);
  const uint32_t b = begin();
  Ptr<Pat> whole;
  if (at(Tok::kHashBracket)) {
    auto& node = start<PAttr>(whole);
    node.attr = bracketed_attr();
    node.inner = pat();
    return finish(whole, b);
  }
  const bool constr = at(Tok::kConstr);
  Chain chain(*this);
  Ptr<Pat> p = simple_pat(true);
  if (constr && (starts_simple_pat(at()) || at(Tok::kMinus))) {
    auto& args = std::get<PConstr>(p->node).args;
    while (starts_simple_pat(at()) || at(Tok::kMinus)) args.push_back(simple_pat(true));
    chain.wrap();
    return finish(p, b);
  }
  if (!accept(Tok::kColon)) return p;
  chain.wrap();
  auto& node = start<PAscript>(whole);
  node.inner = std::move(p);
  node.type = type_exp();
  return finish(whole, b);
}

bool Parser::starts_simple_pat(Tok kind) {
  switch (kind) {
    case Tok::kIdent:
    case Tok::kUnderscore:
    case Tok::kLParen:
    case Tok::kLBrace:
    case Tok::kConstr:
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar: return true;
    default: return false;
  }
}

Ptr<Pat> Parser::simple_pat(bool negative) {
  switch (at()) {
    case Tok::kLParen: return paren_pat();
    case Tok::kLBrace: return record_pat();
    default: return small_pat(negative);
  }
}

Ptr<Pat> Parser::small_pat(bool negative) {
  const uint32_t b = begin();
  Ptr<Pat> p;
  if (at(Tok::kIdent)) {
    start<PVar>(p).name = ident("a name");
  } else if (at(Tok::kUnderscore)) {
    start<PWild>(p);
    next();
  } else if (at(Tok::kConstr)) {
    start<PConstr>(p).name = {std::string(text().substr(1)), here()};
    next();
  } else if (at(Tok::kMinus) && negative) {
    auto& node = start<PLiteral>(p);
    next();
    if (at_number()) {
      node.lit = literal();
    } else {
      expected("a number");
    }
    node.lit.negative = true;
  } else if (starts_simple_pat(at())) {
    start<PLiteral>(p).lit = literal();
  } else {
    expected("a pattern");
    return leaf<PWild, Pat>();
  }
  return finish(p, b);
}

Ptr<Pat> Parser::paren_pat() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Pat> whole;
  if (at_operator_in_parens()) {
    next();
    start<PVar>(whole).name = binding_operator();
    close(open, Tok::kRParen);
    return finish(whole, b);
  }
  next();
  if (accept(Tok::kRParen)) {
    start<PTuple>(whole);
    return finish(whole, b);
  }
  Ptr<Pat> first = pat();
  if (at(Tok::kComma)) {
    auto& tuple = start<PTuple>(whole);
    tuple.elems.push_back(std::move(first));
    next();
    comma_list(Tok::kRParen, [&] { tuple.elems.push_back(pat()); });
    if (tuple.elems.size() == 1 && at(Tok::kRParen)) expected("a pattern");
  } else {
    start<PParens>(whole).inner = std::move(first);
  }
  close(open, Tok::kRParen);
  return finish(whole, b);
}

Ptr<Pat> Parser::record_pat() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Pat> p;
  auto& record = start<PRecord>(p);
  next();
  comma_list(Tok::kRBrace, [&] {
    const uint32_t field_begin = begin();
    PRecord::Field& field = record.fields.emplace_back();
    field.name = field_name();
    if (accept(Tok::kEquals)) {
      field.pat = pat();
    } else if (at(Tok::kColon)) {
      // {f: t} is short for {f = f: t}.
      auto& ascript = start<PAscript>(field.pat);
      start<PVar>(ascript.inner).name = field.name;
      ascript.inner->span = field.name.span;
      next();
      ascript.type = type_exp();
      field.pat->span = since(field_begin);
    }
  });
  close(open, Tok::kRBrace);
  return finish(p, b);
}

std::vector<Ptr<Pat>> Parser::params() {
  std::vector<Ptr<Pat>> out;
  Nest nest(*this);
  while (starts_simple_pat(at())) out.push_back(simple_pat(false));
  return out;
}

}  // namespace skald::futhark
