// SPDX-License-Identifier: Apache-2.0
// Patterns.
#include "frontend/futhark/parse_state.h"

namespace skald::futhark {

Ptr<Pat> Parser::pat() {
  Nest nest(*this);
  const uint32_t b = begin();
  if (at(Tok::kHashBracket)) {
    Attr attribute = bracketed_attr();
    Ptr<Pat> inner = pat();
    return make_pat(PAttr{std::move(attribute), std::move(inner)}, b);
  }
  const bool constr = at(Tok::kConstr);
  Chain chain(*this);
  Ptr<Pat> p = simple_pat(true);
  if (constr && (starts_simple_pat(at()) || at(Tok::kMinus))) {
    auto& args = std::get<PConstr>(p->node).args;
    while (starts_simple_pat(at()) || at(Tok::kMinus)) args.push_back(simple_pat(true));
    chain.wrap();
    p->span = since(b);
    return p;
  }
  if (!accept(Tok::kColon)) return p;
  Ptr<TypeExp> type = type_exp();
  chain.wrap();
  return make_pat(PAscript{std::move(p), std::move(type)}, b);
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
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kIdent: {
      Ident name = ident("a name");
      return make_pat(PVar{std::move(name)}, b);
    }
    case Tok::kUnderscore: next(); return make_pat(PWild{}, b);
    case Tok::kLParen: return paren_pat();
    case Tok::kLBrace: return record_pat();
    case Tok::kConstr: {
      PConstr constr;
      constr.name = {std::string(text().substr(1)), here()};
      next();
      return make_pat(std::move(constr), b);
    }
    case Tok::kMinus: {
      if (!negative) break;
      next();
      PLiteral node;
      if (at_number()) {
        node.lit = literal();
      } else {
        expected("a number");
      }
      node.lit.negative = true;
      return make_pat(std::move(node), b);
    }
    default:
      if (starts_simple_pat(at())) {
        Literal lit = literal();
        return make_pat(PLiteral{std::move(lit)}, b);
      }
  }
  expected("a pattern");
  return make_pat(PWild{}, b);
}

Ptr<Pat> Parser::paren_pat() {
  const uint32_t b = begin(), open = pos_;
  next();
  if (accept(Tok::kRParen)) return make_pat(PTuple{}, b);
  if (at_binding_operator() && !(at(Tok::kMinus) && ahead(1) != Tok::kRParen)) {
    Ident name = binding_operator();
    close(open, Tok::kRParen);
    return make_pat(PVar{std::move(name)}, b);
  }
  Ptr<Pat> first = pat();
  if (!at(Tok::kComma)) {
    close(open, Tok::kRParen);
    return make_pat(PParens{std::move(first)}, b);
  }
  next();
  PTuple tuple;
  tuple.elems.push_back(std::move(first));
  comma_list(Tok::kRParen, [&] { tuple.elems.push_back(pat()); });
  if (tuple.elems.size() == 1 && !panic_ && at(Tok::kRParen)) expected("a pattern");
  close(open, Tok::kRParen);
  return make_pat(std::move(tuple), b);
}

Ptr<Pat> Parser::record_pat() {
  const uint32_t b = begin(), open = pos_;
  PRecord record;
  next();
  comma_list(Tok::kRBrace, [&] {
    PRecord::Field field;
    const uint32_t field_begin = begin();
    field.name = field_name();
    if (accept(Tok::kEquals)) {
      field.pat = pat();
    } else if (accept(Tok::kColon)) {
      Ptr<Pat> var = make_pat(PVar{field.name}, field_begin);
      Ptr<TypeExp> type = type_exp();
      field.pat = make_pat(PAscript{std::move(var), std::move(type)}, field_begin);
    }
    record.fields.push_back(std::move(field));
  });
  close(open, Tok::kRBrace);
  return make_pat(std::move(record), b);
}

std::vector<Ptr<Pat>> Parser::params() {
  std::vector<Ptr<Pat>> out;
  Nest nest(*this);
  while (starts_simple_pat(at())) out.push_back(simple_pat(false));
  return out;
}

}  // namespace skald::futhark
