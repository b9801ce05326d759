// SPDX-License-Identifier: Apache-2.0
// Patterns.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

Ptr<Pat> PatternParser::pat() {
  const TokenCursor::Nest nest(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<Pat> whole;
  if (tokens_.at(Tok::kHashBracket)) {
    auto& node = start_node<PAttr>(whole);
    node.attr = grammar_.names.bracketed_attr();
    node.inner = pat();
    return tokens_.finish(whole, b);
  }
  const bool constr = tokens_.at(Tok::kConstr);
  TokenCursor::Chain chain(tokens_);
  Ptr<Pat> p = simple_pat(true);
  if (constr && (starts_simple_pat(tokens_.at()) || tokens_.at(Tok::kMinus))) {
    auto& args = std::get<PConstr>(p->node).args;
    while (starts_simple_pat(tokens_.at()) || tokens_.at(Tok::kMinus))
      args.push_back(simple_pat(true));
    chain.wrap();
    return tokens_.finish(p, b);
  }
  if (!tokens_.accept(Tok::kColon)) return p;
  chain.wrap();
  auto& node = start_node<PAscript>(whole);
  node.inner = std::move(p);
  node.type = grammar_.types.type_exp();
  return tokens_.finish(whole, b);
}

bool PatternParser::starts_simple_pat(Tok kind) {
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

Ptr<Pat> PatternParser::simple_pat(bool negative) {
  switch (tokens_.at()) {
    case Tok::kLParen: return paren_pat();
    case Tok::kLBrace: return record_pat();
    default: return small_pat(negative);
  }
}

Ptr<Pat> PatternParser::small_pat(bool negative) {
  const uint32_t b = tokens_.begin();
  Ptr<Pat> p;
  if (tokens_.at(Tok::kIdent)) {
    start_node<PVar>(p).name = grammar_.names.ident("a name");
  } else if (tokens_.at(Tok::kUnderscore)) {
    start_node<PWild>(p);
    tokens_.next();
  } else if (tokens_.at(Tok::kConstr)) {
    start_node<PConstr>(p).name = {std::string(tokens_.text().substr(1)), tokens_.here()};
    tokens_.next();
  } else if (tokens_.at(Tok::kMinus) && negative) {
    auto& node = start_node<PLiteral>(p);
    tokens_.next();
    if (grammar_.names.at_number()) {
      node.lit = grammar_.names.literal();
    } else {
      tokens_.expected("a number");
    }
    node.lit.negative = true;
  } else if (starts_simple_pat(tokens_.at())) {
    start_node<PLiteral>(p).lit = grammar_.names.literal();
  } else {
    tokens_.expected("a pattern");
    return tokens_.leaf<PWild, Pat>();
  }
  return tokens_.finish(p, b);
}

Ptr<Pat> PatternParser::paren_pat() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Pat> whole;
  if (grammar_.names.at_operator_in_parens()) {
    tokens_.next();
    start_node<PVar>(whole).name = grammar_.names.binding_operator();
    tokens_.close(open, Tok::kRParen);
    return tokens_.finish(whole, b);
  }
  tokens_.next();
  if (tokens_.accept(Tok::kRParen)) {
    start_node<PTuple>(whole);
    return tokens_.finish(whole, b);
  }
  Ptr<Pat> first = pat();
  if (tokens_.at(Tok::kComma)) {
    auto& tuple = start_node<PTuple>(whole);
    tuple.elems.push_back(std::move(first));
    tokens_.next();
    tokens_.comma_list(Tok::kRParen, [&] { tuple.elems.push_back(pat()); });
    if (tuple.elems.size() == 1 && tokens_.at(Tok::kRParen)) tokens_.expected("a pattern");
  } else {
    start_node<PParens>(whole).inner = std::move(first);
  }
  tokens_.close(open, Tok::kRParen);
  return tokens_.finish(whole, b);
}

Ptr<Pat> PatternParser::record_pat() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Pat> p;
  auto& record = start_node<PRecord>(p);
  tokens_.next();
  tokens_.comma_list(Tok::kRBrace, [&] {
    const uint32_t field_begin = tokens_.begin();
    PRecord::Field& field = record.fields.emplace_back();
    field.name = grammar_.names.field_name();
    if (tokens_.accept(Tok::kEquals)) {
      field.pat = pat();
    } else if (tokens_.at(Tok::kColon)) {
      // {f: t} is short for {f = f: t}.
      auto& ascript = start_node<PAscript>(field.pat);
      start_node<PVar>(ascript.inner).name = field.name;
      ascript.inner->span = field.name.span;
      tokens_.next();
      ascript.type = grammar_.types.type_exp();
      field.pat->span = tokens_.since(field_begin);
    }
  });
  tokens_.close(open, Tok::kRBrace);
  return tokens_.finish(p, b);
}

std::vector<Ptr<Pat>> PatternParser::params() {
  std::vector<Ptr<Pat>> out;
  const TokenCursor::Nest nest(tokens_);
  while (starts_simple_pat(tokens_.at())) out.push_back(simple_pat(false));
  return out;
}

}  // namespace skald::futhark
