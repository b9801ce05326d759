// SPDX-License-Identifier: Apache-2.0
// Expressions that are one word or stand in brackets, with what is attached to them: fields,
// indices, paths.
#include "frontend/futhark/parse/grammar.h"
#include "frontend/futhark/parse/lex_literal.h"

namespace skald::futhark {

Ptr<Exp> ExpParser::postfix() {
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e = atom();
  for (;;) {
    if (tokens_.at(Tok::kIndex)) {
      chain.wrap();
      index(e, b);
    } else if (tokens_.at(Tok::kDot)) {
      dot(e, chain, b);
    } else {
      return e;
    }
  }
}

void ExpParser::index(Ptr<Exp>& e, uint32_t b) {
  Ptr<Exp> whole;
  auto& node = start_node<EIndex>(whole);
  node.array = std::move(e);
  const uint32_t open = tokens_.position();
  tokens_.next();
  node.dims = dim_indices();
  tokens_.close(open, Tok::kRBracket);
  e = tokens_.finish(whole, b);
}

void ExpParser::dot(Ptr<Exp>& e, TokenCursor::Chain& chain, uint32_t b) {
  tokens_.next();
  auto* var = std::get_if<EVar>(&e->node);
  if (tokens_.at(Tok::kIdent) && var != nullptr) {
    var->name.quals.push_back(std::move(var->name.name));
    var->name.name = tokens_.text();
    tokens_.next();
    var->name.span = e->span = tokens_.since(b);
    return;
  }
  chain.wrap();
  Ptr<Exp> whole;
  if (tokens_.at(Tok::kIdent) || tokens_.at(Tok::kNat)) {
    auto& node = start_node<EProject>(whole);
    node.record = std::move(e);
    node.field = grammar_.names.field_name();
    e = tokens_.finish(whole, b);
    return;
  }
  if (!tokens_.at(Tok::kLParen)) {
    return tokens_.expected(
        "the name of a field", {},
        grammar_.types.at_bracket() ? "an element is written `a[i]`, without a dot" : "");
  }
  if (var == nullptr)
    return tokens_.fail("only a module can be opened with `.(`, not the value of an expression");
  auto& node = start_node<ELocalOpen>(whole);
  node.module = std::move(var->name);
  const uint32_t open = tokens_.position();
  tokens_.next();
  node.inner = exp();
  tokens_.close(open, Tok::kRParen);
  e = tokens_.finish(whole, b);
}

bool ExpParser::starts_atom(Tok kind) {
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

Ptr<Exp> ExpParser::atom() {
  switch (tokens_.at()) {
    case Tok::kLParen: return paren();
    case Tok::kLBrace: return record();
    case Tok::kLBracket:
    case Tok::kIndex: return array();
    default: return small_atom();
  }
}

Ptr<Exp> ExpParser::small_atom() {
  const uint32_t b = tokens_.begin();
  Ptr<Exp> e;
  switch (tokens_.at()) {
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar: start_node<ELiteral>(e).lit = grammar_.names.literal(); break;
    case Tok::kString: start_node<EString>(e).bytes = grammar_.names.string_literal(); break;
    case Tok::kHole:
      start_node<EHole>(e);
      tokens_.next();
      break;
    case Tok::kIdent: {
      auto& var = start_node<EVar>(e);
      var.name.name = tokens_.text();
      var.name.span = tokens_.here();
      tokens_.next();
      break;
    }
    case Tok::kConstr:
      start_node<EConstr>(e).name = {std::string(tokens_.text().substr(1)), tokens_.here()};
      tokens_.next();
      break;
    case Tok::kApostrophe:
      tokens_.expected("an expression", {}, "'x' holds one character; a text is written \"xyz\"");
      return missing_exp();
    default: tokens_.expected("an expression"); return missing_exp();
  }
  return tokens_.finish(e, b);
}

Ptr<Exp> ExpParser::paren() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  const Tok first = tokens_.ahead(1);
  if (first == Tok::kDot) return path_section();
  if (grammar_.names.at_operator_in_parens()) return operator_section();
  Ptr<Exp> e;
  tokens_.next();
  if (tokens_.accept(Tok::kRParen)) {
    start_node<ETuple>(e);
    return tokens_.finish(e, b);
  }
  const TokenCursor::Nest nest(tokens_);
  TokenCursor::Chain chain(tokens_, kMaxHeight);
  const uint32_t inner_begin = tokens_.begin();
  e = binary(kRangeLevel, true);
  Ptr<Exp> whole;
  if (tokens_.token().level > kRangeLevel && at_section_end()) {
    auto& node = start_node<ELeftSection>(whole);
    node.lhs = std::move(e);
    node.op = grammar_.names.infix_operator(node.backquoted);
  } else {
    ascriptions(e, chain, inner_begin);
    if (tokens_.at(Tok::kComma)) {
      tuple(e, open);
      return tokens_.finish(e, b);
    }
    start_node<EParens>(whole).inner = std::move(e);
  }
  tokens_.close(open, Tok::kRParen);
  return tokens_.finish(whole, b);
}

void ExpParser::tuple(Ptr<Exp>& e, uint32_t open) {
  Ptr<Exp> whole;
  auto& node = start_node<ETuple>(whole);
  node.elems.push_back(std::move(e));
  tokens_.next();
  tokens_.comma_list(Tok::kRParen, [&] { node.elems.push_back(exp()); });
  if (node.elems.size() == 1 && tokens_.at(Tok::kRParen)) tokens_.expected("an expression");
  tokens_.close(open, Tok::kRParen);
  e = std::move(whole);
}

// (.f[i].g)
Ptr<Exp> ExpParser::path_section() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Exp> e;
  auto& node = start_node<EPathSection>(e);
  tokens_.next();
  tokens_.next();
  node.path.push_back(tokens_.at(Tok::kLBracket) ? slice_step() : field_step());
  if (tokens_.at(Tok::kDot) || tokens_.at(Tok::kIndex))
    for (PathStep& step : path(false)) node.path.push_back(std::move(step));
  tokens_.close(open, Tok::kRParen);
  return tokens_.finish(e, b);
}

// (+), (+ e)
Ptr<Exp> ExpParser::operator_section() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Exp> e;
  bool backquoted = false;
  tokens_.next();
  if (tokens_.at(Tok::kBang)) {
    tokens_.fail("`!` is a prefix operator: it cannot be used as infix operator", {},
                 "write `\\x -> !x` for the function");
    tokens_.close(open, Tok::kRParen);
    return missing_exp();
  }
  QualName op = grammar_.names.infix_operator(backquoted);
  if (tokens_.at(Tok::kRParen)) {
    start_node<EOpSection>(e).op = std::move(op);
  } else {
    auto& node = start_node<ERightSection>(e);
    node.op = std::move(op);
    node.backquoted = backquoted;
    node.rhs = inner_binary(kRangeLevel);
  }
  tokens_.close(open, Tok::kRParen);
  return tokens_.finish(e, b);
}

Ptr<Exp> ExpParser::array() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Exp> e;
  auto& node = start_node<EArray>(e);
  tokens_.next();
  tokens_.comma_list(Tok::kRBracket, [&] { node.elems.push_back(exp()); });
  tokens_.close(open, Tok::kRBracket);
  return tokens_.finish(e, b);
}

Ptr<Exp> ExpParser::record() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<Exp> e;
  auto& node = start_node<ERecord>(e);
  tokens_.next();
  tokens_.comma_list(Tok::kRBrace, [&] { record_field(node); });
  tokens_.close(open, Tok::kRBrace);
  return tokens_.finish(e, b);
}

void ExpParser::record_field(ERecord& record) {
  const bool number = tokens_.at(Tok::kNat);
  record.fields.push_back({grammar_.names.field_name(), nullptr});
  if (tokens_.at(Tok::kColon)) {
    tokens_.expected("`=`", {}, "a field of a record value is written `name = value`");
  } else if (number || tokens_.at(Tok::kEquals)) {
    tokens_.expect(Tok::kEquals);
    record.fields.back().value = exp();
  }
}

std::vector<DimIndex> ExpParser::dim_indices() {
  std::vector<DimIndex> dims;
  tokens_.comma_list(Tok::kRBracket, [&] { dims.push_back(dim_index()); });
  return dims;
}

DimIndex ExpParser::dim_index() {
  DimIndex dim;
  const uint32_t b = tokens_.begin();
  const auto part = [&] {
    return tokens_.at(Tok::kColon) || tokens_.at(Tok::kComma) || tokens_.at(Tok::kRBracket)
               ? nullptr
               : inner_binary(kRangeLevel);
  };
  dim.start = part();
  if (tokens_.accept(Tok::kColon)) {
    dim.is_slice = true;
    dim.end = part();
    if (tokens_.accept(Tok::kColon)) dim.stride = inner_binary(kRangeLevel);
  } else {
    dim.index = std::move(dim.start);
    if (!dim.index) tokens_.expected("an index");
  }
  dim.span = tokens_.since(b);
  return dim;
}

PathStep ExpParser::slice_step() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  tokens_.next();
  std::vector<DimIndex> dims = dim_indices();
  tokens_.close(open, Tok::kRBracket);
  return {std::move(dims), tokens_.since(b)};
}

PathStep ExpParser::field_step() {
  const uint32_t b = tokens_.begin();
  Ident field = grammar_.names.field_name();
  return {std::move(field), tokens_.since(b)};
}

std::vector<PathStep> ExpParser::path(bool bare) {
  std::vector<PathStep> steps;
  for (;;) {
    if (tokens_.at(Tok::kIndex) || (bare && tokens_.at(Tok::kLBracket))) {
      steps.push_back(slice_step());
    } else if (tokens_.at(Tok::kDot)) {
      tokens_.next();
      steps.push_back(field_step());
    } else if (bare && (tokens_.at(Tok::kIdent) || tokens_.at(Tok::kNat))) {
      steps.push_back(field_step());
    } else {
      if (steps.empty()) tokens_.expected("the name of a field or an index in brackets");
      return steps;
    }
  }
}

}  // namespace skald::futhark
