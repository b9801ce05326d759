// SPDX-License-Identifier: Apache-2.0
// Declarations, and the small things that every part of the grammar uses: names, literals,
// attributes.
#include "frontend/futhark/parse/lex_literal.h"
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ident Parser::ident(std::string_view what) {
  Ident out;
  out.span = here();
  if (at(Tok::kIdent)) {
    out.name = text();
    next();
  } else if (!panic_ && is_keyword(text())) {
    expected(what, fmt::format("`{}` is a keyword and cannot be a name", text()));
  } else {
    expected(what);
  }
  return out;
}

Ident Parser::field_name() {
  if (at(Tok::kLet))
    expected("the name of a field", {}, "braces are for records; a body needs none");
  if (!at(Tok::kNat)) return ident("the name of a field");
  Ident out{std::string(text()), here()};
  next();
  return out;
}

QualName Parser::qual_name(std::string_view what) {
  QualName out;
  const uint32_t b = begin();
  out.name = ident(what).name;
  while (at(Tok::kDot) && !panic_) {
    next();
    out.quals.push_back(std::move(out.name));
    out.name = ident(what).name;
  }
  out.span = since(b);
  return out;
}

bool Parser::at_infix_operator() const {
  switch (at()) {
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

QualName Parser::infix_operator(bool& backquoted) {
  QualName out;
  backquoted = at(Tok::kBackquote);
  if (backquoted) {
    next();
    out = qual_name("a name");
    expect(Tok::kBackquote);
    return out;
  }
  out.span = here();
  std::string_view rest = text();
  while (!is_operator(rest)) {
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos) break;
    out.quals.emplace_back(rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
  }
  out.name = rest;
  next();
  return out;
}

Ident Parser::binding_operator() {
  Ident out;
  if (at(Tok::kBang)) {
    fail("`!` is a prefix operator: it cannot be used as infix operator");
    return out;
  }
  if (!at_infix_operator()) {
    expected("an operator");
    return out;
  }
  const bool qualified = at(Tok::kQualOp);
  const Span where = here();
  bool backquoted = false;
  QualName op = infix_operator(backquoted);
  if (qualified || !op.quals.empty())
    complain(where, "a name that is defined here cannot be qualified");
  out.name = std::move(op.name);
  out.span = op.span;
  return out;
}

bool Parser::at_operator_in_parens() const {
  if (!at(Tok::kLParen)) return false;
  switch (ahead(1)) {
    case Tok::kOp:
    case Tok::kQualOp:
    case Tok::kStar:
    case Tok::kLess:
    case Tok::kHat:
    case Tok::kPipe:
    case Tok::kBackquote: return true;
    case Tok::kBang:
    case Tok::kMinus: return ahead(2) == Tok::kRParen;
    default: return false;
  }
}

Attr Parser::bracketed_attr() {
  const uint32_t open = pos_;
  next();
  Attr out = attr();
  close(open, Tok::kRBracket);
  return out;
}

Attr Parser::attr() {
  Nest nest(*this);
  Attr out;
  const uint32_t b = begin();
  if (at(Tok::kNat) || at(Tok::kInt)) {
    out.is_int = true;
    out.name = text();
    next();
  } else {
    out.name = ident("an attribute").name;
    if (at(Tok::kLParen)) {
      const uint32_t open = pos_;
      next();
      comma_list(Tok::kRParen, [&] { out.args.push_back(attr()); });
      close(open, Tok::kRParen);
    }
  }
  out.span = since(b);
  return out;
}

std::string Parser::string_literal() {
  if (!at(Tok::kString)) {
    expected("a string");
    return {};
  }
  Result<std::string> value = string_value(text());
  if (!value) complain(here(), fmt::format("bad string: {}", value.error()));
  next();
  return value ? std::move(*value) : std::string();
}

Literal Parser::literal() {
  Literal out;
  switch (at()) {
    case Tok::kTrue:
    case Tok::kFalse:
      out.kind = Literal::kBool;
      out.text = text();
      break;
    case Tok::kChar: {
      out.kind = Literal::kChar;
      const Result<uint32_t> value = char_value(text());
      if (!value) complain(here(), fmt::format("bad character literal: {}", value.error()));
      out.text = std::to_string(value ? *value : 0);
      break;
    }
    default: out = number_literal(text(), at(Tok::kFloat));
  }
  next();
  return out;
}

// The text without the dashes, each line without the one space behind them.
std::string Parser::doc_comment() {
  std::string out;
  std::string_view rest = text();
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
  next();
  return out;
}

Program Parser::program() {
  Program out;
  if (at(Tok::kDoc)) out.doc = doc_comment();
  out.decs = decs(kNone);
  if (stopped())
    diagnostics_.error("syntax-error", {file_, tokens_[error_pos_].begin, tokens_[error_pos_].end},
                       fmt::format("giving up after {} syntax errors", kMaxErrors));
  return out;
}

Program Parser::outline(const source::Progress& progress) {
  names_only_ = true;
  progress_ = progress;
  Program out = program();
  names_only_ = false;
  pos_ = 0;
  return out;
}

DVal Parser::definition_at(uint32_t token) {
  pos_ = token;
  return val_dec();
}

std::vector<Ptr<Dec>> Parser::decs(uint32_t open) {
  std::vector<Ptr<Dec>> out;
  const bool outer_damaged = std::exchange(damaged_, false);
  while (!at(Tok::kEof) && !(open != kNone && at(Tok::kRBrace))) {
    const uint32_t first = pos_;
    damaged_ = false;
    Ptr<Dec> d = dec();
    if (progress_) progress_("reading", last_end_, text_.size());
    if (panic_) resume(first, open);
    if (!damaged_) out.push_back(std::move(d));
  }
  damaged_ = outer_damaged;
  return out;
}

Ptr<Dec> Parser::dec() {
  Nest nest(*this);
  auto d = std::make_unique<Dec>();
  if (at(Tok::kDoc)) d->doc = doc_comment();
  while (at(Tok::kHashBracket)) d->attrs.push_back(bracketed_attr());
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kDef:
    case Tok::kLet:
    case Tok::kEntry: {
      auto& val = d->node.emplace<DVal>(val_dec());
      if (names_only_) DefinitionReader::empty(val);
      break;
    }
    case Tok::kType: {
      DType type;
      next();
      type.lifted = liftedness();
      type.name = ident("the name of a type");
      type.params = type_params();
      expect(Tok::kEquals);
      type.definition = type_exp();
      d->node = std::move(type);
      break;
    }
    case Tok::kModule:
      next();
      if (accept(Tok::kType)) {
        DModType type;
        type.name = ident("the name of a module type");
        expect(Tok::kEquals);
        type.body = mod_type();
        d->node = std::move(type);
      } else {
        d->node = module_dec();
      }
      break;
    case Tok::kOpen: {
      DOpen node;
      next();
      node.module = mod_exp();
      d->node = std::move(node);
      break;
    }
    case Tok::kImport: {
      next();
      d->node = DImport{string_literal()};
      break;
    }
    case Tok::kLocal: {
      DLocal node;
      next();
      node.inner = dec();
      d->node = std::move(node);
      break;
    }
    default: expected("a declaration");
  }
  d->span = since(b);
  return d;
}

DVal Parser::val_dec() {
  DVal val;
  val.token = pos_;
  val.is_entry = at(Tok::kEntry);
  val.spelled_let = at(Tok::kLet);
  next();
  if (at_operator_in_parens()) {
    const uint32_t open = pos_;
    next();
    val.name = binding_operator();
    close(open, Tok::kRParen);
    val.tparams = type_params();
    val.params = params();
  } else {
    const uint32_t pat_begin = begin();
    const bool name_first = at(Tok::kIdent);
    Ptr<Pat> left;
    if (name_first || val.is_entry) {
      val.name = ident("the name of a definition");
    } else if (starts_simple_pat(at())) {
      left = simple_pat(false);
    } else {
      expected("the name of a definition");
    }
    if (at_binding_operator() && !val.is_entry) {
      if (name_first) {
        start<PVar>(left).name = std::move(val.name);
        left->span = since(pat_begin);
      }
      val.infix = true;
      const std::string hint = usual_mistake();
      if (name_first && !hint.empty()) expected("`=`", {}, hint);
      val.name = binding_operator();
      val.params.push_back(std::move(left));
      if (starts_simple_pat(at())) {
        val.params.push_back(simple_pat(false));
      } else {
        expected("a parameter");
      }
    } else if (left != nullptr && !panic_) {
      if (at(Tok::kEquals))
        fail("patterns cannot be bound at top level", {}, "give the whole value one name");
      expected("an operator");
    } else {
      val.tparams = type_params();
      val.params = params();
    }
  }
  if (accept(Tok::kColon)) val.result = type_exp();
  if (!at(Tok::kEquals)) expected(val.result ? "`=`" : "a parameter, `:` or `=`");
  next();
  val.body = exp();
  return val;
}

DModule Parser::module_dec() {
  DModule module;
  module.name = ident("the name of a module");
  while (at(Tok::kLParen)) module.params.push_back(mod_param());
  if (accept(Tok::kColon)) module.type = mod_type();
  expect(Tok::kEquals);
  module.body = mod_exp();
  return module;
}

}  // namespace skald::futhark
