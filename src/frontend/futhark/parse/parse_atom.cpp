// SPDX-License-Identifier: Apache-2.0
// Expressions that are one word or stand in brackets, with what is attached to them: fields,
// indices, paths.
#include "frontend/futhark/parse/lex_literal.h"
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ptr<Exp> Parser::postfix() {
  Chain chain(*this, kMaxHeight);
  const uint32_t b = begin();
  Ptr<Exp> e = atom();
  for (;;) {
    if (at(Tok::kIndex)) {
      chain.wrap();
      index(e, b);
    } else if (at(Tok::kDot)) {
      dot(e, chain, b);
    } else {
      return e;
    }
  }
}

void Parser::index(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start<EIndex>(whole);
  node.array = std::move(e);
  const uint32_t open = pos_;
  next();
  node.dims = dim_indices();
  close(open, Tok::kRBracket);
  e = finish(whole, b);
}

void Parser::dot(Ptr<Exp>& e, Chain& chain, uint32_t b) {
  next();
  auto* var = std::get_if<EVar>(&e->node);
  if (at(Tok::kIdent) && var != nullptr) {
    var->name.quals.push_back(std::move(var->name.name));
    var->name.name = text();
    next();
    var->name.span = e->span = since(b);
    return;
  }
  chain.wrap();
  Ptr<Exp> whole;
  if (at(Tok::kIdent) || at(Tok::kNat)) {
    auto& node = start<EProject>(whole);
    node.record = std::move(e);
    node.field = field_name();
    e = finish(whole, b);
    return;
  }
  if (!at(Tok::kLParen)) {
    return expected("the name of a field", {},
                    at_bracket() ? "an element is written `a[i]`, without a dot" : "");
  }
  if (var == nullptr)
    return fail("only a module can be opened with `.(`, not the value of an expression");
  auto& node = start<ELocalOpen>(whole);
  node.module = std::move(var->name);
  const uint32_t open = pos_;
  next();
  node.inner = exp();
  close(open, Tok::kRParen);
  e = finish(whole, b);
}

bool Parser::starts_atom(Tok kind) {
  switch (kind) {
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar:
    case Tok::kString:
    case Tok::kHole:
    case Tok::kIdent:
    case Tok::kConstr:
    case Tok::kLParen:
    case Tok::kLBracket:
    case Tok::kIndex:  // only directly after a keyword, as in `then[1]`
    case Tok::kLBrace: return true;
    default: return false;
  }
}

Ptr<Exp> Parser::atom() {
  switch (at()) {
    case Tok::kLParen: return paren();
    case Tok::kLBrace: return record();
    case Tok::kLBracket:
    case Tok::kIndex: return array();
    default: return small_atom();
  }
}

Ptr<Exp> Parser::small_atom() {
  const uint32_t b = begin();
  Ptr<Exp> e;
  switch (at()) {
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar: start<ELiteral>(e).lit = literal(); break;
    case Tok::kString: start<EString>(e).bytes = string_literal(); break;
    case Tok::kHole:
      start<EHole>(e);
      next();
      break;
    case Tok::kIdent: {
      auto& var = start<EVar>(e);
      var.name.name = text();
      var.name.span = here();
      next();
      break;
    }
    case Tok::kConstr:
      start<EConstr>(e).name = {std::string(text().substr(1)), here()};
      next();
      break;
    case Tok::kApostrophe:
      expected("an expression", {}, "'x' holds one character; a text is written \"xyz\"");
      return missing_exp();
    default: expected("an expression"); return missing_exp();
  }
  return finish(e, b);
}

Ptr<Exp> Parser::paren() {
  const uint32_t b = begin(), open = pos_;
  const Tok first = ahead(1);
  if (first == Tok::kDot) return path_section();
  if (at_operator_in_parens()) return operator_section();
  Ptr<Exp> e;
  next();
  if (accept(Tok::kRParen)) {
    start<ETuple>(e);
    return finish(e, b);
  }
  Nest nest(*this);
  Chain chain(*this, kMaxHeight);
  const uint32_t inner_begin = begin();
  e = binary(kRangeLevel, true);
  Ptr<Exp> whole;
  if (token().level > kRangeLevel && at_section_end()) {
    auto& node = start<ELeftSection>(whole);
    node.lhs = std::move(e);
    node.op = infix_operator(node.backquoted);
  } else {
    ascriptions(e, chain, inner_begin);
    if (at(Tok::kComma)) {
      tuple(e, open);
      return finish(e, b);
    }
    start<EParens>(whole).inner = std::move(e);
  }
  close(open, Tok::kRParen);
  return finish(whole, b);
}

void Parser::tuple(Ptr<Exp>& e, uint32_t open) {
  Ptr<Exp> whole;
  auto& node = start<ETuple>(whole);
  node.elems.push_back(std::move(e));
  next();
  comma_list(Tok::kRParen, [&] { node.elems.push_back(exp()); });
  if (node.elems.size() == 1 && at(Tok::kRParen)) expected("an expression");
  close(open, Tok::kRParen);
  e = std::move(whole);
}

// (.f[i].g)
Ptr<Exp> Parser::path_section() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Exp> e;
  auto& node = start<EPathSection>(e);
  next();
  next();
  node.path.push_back(at(Tok::kLBracket) ? slice_step() : field_step());
  if (at(Tok::kDot) || at(Tok::kIndex))
    for (PathStep& step : path(false)) node.path.push_back(std::move(step));
  close(open, Tok::kRParen);
  return finish(e, b);
}

// (+), (+ e)
Ptr<Exp> Parser::operator_section() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Exp> e;
  bool backquoted = false;
  next();
  if (at(Tok::kBang)) {
    fail("`!` is a prefix operator: it cannot be used as infix operator", {},
         "write `\\x -> !x` for the function");
    close(open, Tok::kRParen);
    return missing_exp();
  }
  QualName op = infix_operator(backquoted);
  if (at(Tok::kRParen)) {
    start<EOpSection>(e).op = std::move(op);
  } else {
    auto& node = start<ERightSection>(e);
    node.op = std::move(op);
    node.backquoted = backquoted;
    node.rhs = inner_binary(kRangeLevel);
  }
  close(open, Tok::kRParen);
  return finish(e, b);
}

Ptr<Exp> Parser::array() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Exp> e;
  auto& node = start<EArray>(e);
  next();
  comma_list(Tok::kRBracket, [&] { node.elems.push_back(exp()); });
  close(open, Tok::kRBracket);
  return finish(e, b);
}

Ptr<Exp> Parser::record() {
  const uint32_t b = begin(), open = pos_;
  Ptr<Exp> e;
  auto& node = start<ERecord>(e);
  next();
  comma_list(Tok::kRBrace, [&] { record_field(node); });
  close(open, Tok::kRBrace);
  return finish(e, b);
}

void Parser::record_field(ERecord& record) {
  const bool number = at(Tok::kNat);
  record.fields.push_back({field_name(), nullptr});
  if (at(Tok::kColon)) {
    expected("`=`", {}, "a field of a record value is written `name = value`");
  } else if (number || at(Tok::kEquals)) {
    expect(Tok::kEquals);
    record.fields.back().value = exp();
  }
}

std::vector<DimIndex> Parser::dim_indices() {
  std::vector<DimIndex> dims;
  comma_list(Tok::kRBracket, [&] { dims.push_back(dim_index()); });
  return dims;
}

DimIndex Parser::dim_index() {
  DimIndex dim;
  const uint32_t b = begin();
  const auto part = [&] {
    return at(Tok::kColon) || at(Tok::kComma) || at(Tok::kRBracket) ? nullptr
                                                                    : inner_binary(kRangeLevel);
  };
  dim.start = part();
  if (accept(Tok::kColon)) {
    dim.is_slice = true;
    dim.end = part();
    if (accept(Tok::kColon)) dim.stride = inner_binary(kRangeLevel);
  } else {
    dim.index = std::move(dim.start);
    if (!dim.index) expected("an index");
  }
  dim.span = since(b);
  return dim;
}

PathStep Parser::slice_step() {
  const uint32_t b = begin(), open = pos_;
  next();
  std::vector<DimIndex> dims = dim_indices();
  close(open, Tok::kRBracket);
  return {std::move(dims), since(b)};
}

PathStep Parser::field_step() {
  const uint32_t b = begin();
  Ident field = field_name();
  return {std::move(field), since(b)};
}

std::vector<PathStep> Parser::path(bool bare) {
  std::vector<PathStep> steps;
  for (;;) {
    if (at(Tok::kIndex) || (bare && at(Tok::kLBracket))) {
      steps.push_back(slice_step());
    } else if (at(Tok::kDot)) {
      next();
      steps.push_back(field_step());
    } else if (bare && (at(Tok::kIdent) || at(Tok::kNat))) {
      steps.push_back(field_step());
    } else {
      if (steps.empty()) expected("the name of a field or an index in brackets");
      return steps;
    }
  }
}

}  // namespace skald::futhark
