// SPDX-License-Identifier: Apache-2.0
// The small things that every part of the grammar uses: names, literals, attributes.
#include "frontend/futhark/parse/grammar.h"
#include "frontend/futhark/parse/lex_literal.h"

namespace skald::futhark {

Ident NameParser::ident(std::string_view what) {
  Ident out;
  out.span = tokens_.here();
  if (tokens_.at(Tok::kIdent)) {
    out.name = tokens_.text();
    tokens_.next();
  } else if (!tokens_.panics() && is_keyword(tokens_.text())) {
    tokens_.expected(what, fmt::format("`{}` is a keyword and cannot be a name", tokens_.text()));
  } else {
    tokens_.expected(what);
  }
  return out;
}

Ident NameParser::field_name() {
  if (tokens_.at(Tok::kLet))
    tokens_.expected("the name of a field", {}, "braces are for records; a body needs none");
  if (!tokens_.at(Tok::kNat)) return ident("the name of a field");
  Ident out{std::string(tokens_.text()), tokens_.here()};
  tokens_.next();
  return out;
}

QualName NameParser::qual_name(std::string_view what) {
  QualName out;
  const uint32_t b = tokens_.begin();
  out.name = ident(what).name;
  while (tokens_.at(Tok::kDot) && !tokens_.panics()) {
    tokens_.next();
    out.quals.push_back(std::move(out.name));
    out.name = ident(what).name;
  }
  out.span = tokens_.since(b);
  return out;
}

bool NameParser::at_infix_operator() const {
  switch (tokens_.at()) {
    case Tok::kOp:
    case Tok::kQualOp:
    case Tok::kStar:
    case Tok::kMinus:
    case Tok::kLess:
    case Tok::kHat:
    case Tok::kPipe:
    case Tok::kBackquote: return true;
    default: return false;
  }
}

QualName NameParser::infix_operator(bool& backquoted) {
  QualName out;
  backquoted = tokens_.at(Tok::kBackquote);
  if (backquoted) {
    tokens_.next();
    out = qual_name("a name");
    tokens_.expect(Tok::kBackquote);
    return out;
  }
  out.span = tokens_.here();
  std::string_view rest = tokens_.text();
  while (!is_operator(rest)) {
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos) break;
    out.quals.emplace_back(rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
  }
  out.name = rest;
  tokens_.next();
  return out;
}

Ident NameParser::binding_operator() {
  Ident out;
  if (tokens_.at(Tok::kBang)) {
    tokens_.fail("`!` is a prefix operator: it cannot be used as infix operator");
    return out;
  }
  if (!at_infix_operator()) {
    tokens_.expected("an operator");
    return out;
  }
  const bool qualified = tokens_.at(Tok::kQualOp);
  const Span where = tokens_.here();
  bool backquoted = false;
  QualName op = infix_operator(backquoted);
  if (qualified || !op.quals.empty())
    tokens_.complain(where, "a name that is defined here cannot be qualified");
  out.name = std::move(op.name);
  out.span = op.span;
  return out;
}

bool NameParser::at_operator_in_parens() const {
  if (!tokens_.at(Tok::kLParen)) return false;
  switch (tokens_.ahead(1)) {
    case Tok::kOp:
    case Tok::kQualOp:
    case Tok::kStar:
    case Tok::kLess:
    case Tok::kHat:
    case Tok::kPipe:
    case Tok::kBackquote: return true;
    case Tok::kBang:
    case Tok::kMinus: return tokens_.ahead(2) == Tok::kRParen;
    default: return false;
  }
}

Attr NameParser::bracketed_attr() {
  const uint32_t open = tokens_.position();
  tokens_.next();
  Attr out = attr();
  tokens_.close(open, Tok::kRBracket);
  return out;
}

Attr NameParser::attr() {
  const TokenCursor::Nest nest(tokens_);
  Attr out;
  const uint32_t b = tokens_.begin();
  if (tokens_.at(Tok::kNat) || tokens_.at(Tok::kInt)) {
    out.is_int = true;
    out.name = tokens_.text();
    tokens_.next();
  } else {
    out.name = ident("an attribute").name;
    if (tokens_.at(Tok::kLParen)) {
      const uint32_t open = tokens_.position();
      tokens_.next();
      tokens_.comma_list(Tok::kRParen, [&] { out.args.push_back(attr()); });
      tokens_.close(open, Tok::kRParen);
    }
  }
  out.span = tokens_.since(b);
  return out;
}

std::string NameParser::string_literal() {
  if (!tokens_.at(Tok::kString)) {
    tokens_.expected("a string");
    return {};
  }
  Result<std::string> value = string_value(tokens_.text());
  if (!value) tokens_.complain(tokens_.here(), fmt::format("bad string: {}", value.error()));
  tokens_.next();
  return value ? std::move(*value) : std::string();
}

Literal NameParser::literal() {
  Literal out;
  switch (tokens_.at()) {
    case Tok::kTrue:
    case Tok::kFalse:
      out.kind = Literal::kBool;
      out.text = tokens_.text();
      break;
    case Tok::kChar: {
      out.kind = Literal::kChar;
      const Result<uint32_t> value = char_value(tokens_.text());
      if (!value)
        tokens_.complain(tokens_.here(), fmt::format("bad character literal: {}", value.error()));
      out.text = std::to_string(value ? *value : 0);
      break;
    }
    default: out = number_literal(tokens_.text(), tokens_.at(Tok::kFloat));
  }
  tokens_.next();
  return out;
}

// The text without the dashes, each line without the one space behind them.
std::string NameParser::doc_comment() {
  std::string out;
  std::string_view rest = tokens_.text();
  for (bool first = true; !rest.empty(); first = false) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line.remove_prefix(line.find("--") + 2);
    if (first) line.remove_prefix(2);  // " |"
    if (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!first) out += '\n';
    out += line;
  }
  tokens_.next();
  return out;
}

}  // namespace skald::futhark
