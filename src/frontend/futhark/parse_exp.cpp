// SPDX-License-Identifier: Apache-2.0
// Expressions: operators, application, atoms.  Those that begin with a keyword are in
// parse_control.cpp.
#include "frontend/futhark/lex_literal.h"
#include "frontend/futhark/parse_state.h"

namespace skald::futhark {

Ptr<Exp> Parser::only_exp() {
  Ptr<Exp> e = exp();
  if (!panic_ && !at(Tok::kEof)) expected("the end of the expression");
  if (damaged_) return nullptr;
  return e;
}

Ptr<Exp> Parser::exp() {
  Nest nest(*this);
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<Exp> e = binary(kRangeLevel);
  return ascriptions(std::move(e), chain, b);
}

Ptr<Exp> Parser::ascriptions(Ptr<Exp> e, Chain& chain, uint32_t b) {
  while (at(Tok::kColon) || at(Tok::kColonGt)) {
    const bool coerce = at(Tok::kColonGt);
    next();
    Ptr<TypeExp> type = type_exp();
    chain.wrap();
    e = coerce ? make_exp(ECoerce{std::move(e), std::move(type)}, b)
               : make_exp(EAscript{std::move(e), std::move(type)}, b);
  }
  return e;
}

bool Parser::at_section_end() const {
  if (!at(Tok::kBackquote)) return at_infix_operator() && ahead(1) == Tok::kRParen;
  size_t n = 1;
  while (ahead(n) == Tok::kIdent && ahead(n + 1) == Tok::kDot) n += 2;
  return ahead(n) == Tok::kIdent && ahead(n + 1) == Tok::kBackquote && ahead(n + 2) == Tok::kRParen;
}

Ptr<Exp> Parser::inner_binary(int min) {
  Nest nest(*this);
  return binary(min);
}

Ptr<Exp> Parser::binary(int min, bool section) {
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<Exp> e = operand();
  while (token().level >= min) {
    const int level = token().level;
    if (section && at_section_end()) break;
    if (level == kRangeLevel) {
      e = range(std::move(e), b);
    } else if (level == kWithLevel) {
      next();
      std::vector<PathStep> steps = path(true);
      expect(Tok::kEquals, "an update has the form `e with [i] = v` or `e with f = v`");
      Ptr<Exp> value = inner_binary(kWithLevel + 1);
      e = make_exp(EUpdate{std::move(e), std::move(steps), std::move(value)}, b);
    } else {
      EBinary node;
      node.op = infix_operator(node.backquoted);
      node.lhs = std::move(e);
      node.rhs = inner_binary(level == kPipeLeftLevel ? level : level + 1);
      e = make_exp(std::move(node), b);
    }
    chain.wrap();
  }
  return e;
}

Ptr<Exp> Parser::range(Ptr<Exp> start, uint32_t b) {
  ERange node;
  node.start = std::move(start);
  if (at(Tok::kDotDot)) {
    const Span dots = here();
    next();
    node.step = inner_binary(kRangeLevel + 1);
    if (!panic_ && token().level != kRangeLevel) {
      complain(dots, "a range needs `...`, `..<` or `..>` in front of its end",
               "write `a...b` for all numbers from a to b, `a..<b` without b");
      return node.step ? std::move(node.step) : missing_exp();
    }
  }
  switch (at()) {
    case Tok::kDotDotDot: node.kind = ERange::kInclusive; break;
    case Tok::kDotDotLess: node.kind = ERange::kUpTo; break;
    case Tok::kDotDotGreater: node.kind = ERange::kDownTo; break;
    default: expected("`...`, `..<` or `..>`"); node.kind = ERange::kInclusive;
  }
  next();
  node.end = inner_binary(kRangeLevel);
  return make_exp(std::move(node), b);
}

Ptr<Exp> Parser::operand() {
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kIf: return if_exp();
    case Tok::kLet: return let();
    case Tok::kLoop: return loop();
    case Tok::kMatch: return match();
    case Tok::kAssert: return assert_exp();
    case Tok::kHashBracket: return attr_exp();
    case Tok::kMinus:
    case Tok::kBang: {
      Nest nest(*this);
      const bool minus = at(Tok::kMinus);
      next();
      Ptr<Exp> arg = operand();
      return minus ? make_exp(ENegate{std::move(arg)}, b) : make_exp(ENot{std::move(arg)}, b);
    }
    default: return apply();
  }
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

Ptr<Exp> Parser::apply() {
  if (at(Tok::kBackslash)) return lambda();
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<Exp> head = postfix();
  std::vector<Ptr<Exp>> args;
  while (starts_atom(at())) {
    if (args.empty() && at(Tok::kLBracket) && std::holds_alternative<EIndex>(head->node))
      complain(here(), "this bracket does not index: a space stands before it",
               "write `a[i, j]` or `a[i][j]`");
    args.push_back(postfix());
  }
  if (at(Tok::kBackslash)) args.push_back(lambda());
  if (args.empty()) return head;
  chain.wrap();
  if (auto* constr = std::get_if<EConstr>(&head->node)) {
    constr->args = std::move(args);
    head->span = since(b);
    return head;
  }
  return make_exp(EApply{std::move(head), std::move(args)}, b);
}

Ptr<Exp> Parser::postfix() {
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<Exp> e = atom();
  for (;;) {
    if (at(Tok::kIndex)) {
      EIndex node;
      node.array = std::move(e);
      const uint32_t open = pos_;
      next();
      node.dims = dim_indices();
      close(open, Tok::kRBracket);
      e = make_exp(std::move(node), b);
      chain.wrap();
    } else if (at(Tok::kDot)) {
      next();
      auto* var = std::get_if<EVar>(&e->node);
      if (at(Tok::kIdent) && var != nullptr) {
        var->name.quals.push_back(std::move(var->name.name));
        var->name.name = text();
        next();
        var->name.span = e->span = since(b);
      } else if (at(Tok::kIdent) || at(Tok::kNat)) {
        Ident field = field_name();
        e = make_exp(EProject{std::move(e), std::move(field)}, b);
        chain.wrap();
      } else if (at(Tok::kLParen) && var != nullptr) {
        ELocalOpen node;
        node.module = std::move(var->name);
        const uint32_t open = pos_;
        next();
        node.inner = exp();
        close(open, Tok::kRParen);
        e = make_exp(std::move(node), b);
        chain.wrap();
      } else if (at(Tok::kLParen)) {
        fail("only a module can be opened with `.(`, not the value of an expression");
      } else {
        expected("the name of a field");
      }
    } else {
      return e;
    }
  }
}

Ptr<Exp> Parser::atom() {
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kNat:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar: {
      Literal lit = literal();
      return make_exp(ELiteral{std::move(lit)}, b);
    }
    case Tok::kString: {
      std::string bytes = string_literal();
      return make_exp(EString{std::move(bytes)}, b);
    }
    case Tok::kHole: next(); return make_exp(EHole{}, b);
    case Tok::kIdent: {
      EVar var;
      var.name.name = text();
      var.name.span = here();
      next();
      return make_exp(std::move(var), b);
    }
    case Tok::kConstr: {
      EConstr constr;
      constr.name = {std::string(text().substr(1)), here()};
      next();
      return make_exp(std::move(constr), b);
    }
    case Tok::kLParen: return paren();
    case Tok::kLBrace: return record();
    case Tok::kLBracket:
    case Tok::kIndex: {
      EArray array;
      const uint32_t open = pos_;
      next();
      comma_list(Tok::kRBracket, [&] { array.elems.push_back(exp()); });
      close(open, Tok::kRBracket);
      return make_exp(std::move(array), b);
    }
    default: expected("an expression"); return missing_exp();
  }
}

Ptr<Exp> Parser::paren() {
  const uint32_t b = begin(), open = pos_;
  next();
  if (accept(Tok::kRParen)) return make_exp(ETuple{}, b);
  if (at(Tok::kDot)) {
    std::vector<PathStep> steps;
    next();
    steps.push_back(at(Tok::kLBracket) ? slice_step() : field_step());
    if (!panic_ && !at(Tok::kRParen))
      for (PathStep& step : path(false)) steps.push_back(std::move(step));
    close(open, Tok::kRParen);
    return make_exp(EPathSection{std::move(steps)}, b);
  }
  const bool minus = at(Tok::kMinus) && ahead(1) != Tok::kRParen;
  if (at_infix_operator() && !minus) {
    bool backquoted = false;
    QualName op = infix_operator(backquoted);
    if (accept(Tok::kRParen)) return make_exp(EOpSection{std::move(op)}, b);
    ERightSection node;
    node.op = std::move(op);
    node.backquoted = backquoted;
    node.rhs = inner_binary(kRangeLevel);
    close(open, Tok::kRParen);
    return make_exp(std::move(node), b);
  }
  Nest nest(*this);
  Chain chain(*this);
  const uint32_t inner_begin = begin();
  Ptr<Exp> first = binary(kRangeLevel, true);
  if (token().level > kRangeLevel && at_section_end()) {
    ELeftSection node;
    node.lhs = std::move(first);
    node.op = infix_operator(node.backquoted);
    close(open, Tok::kRParen);
    return make_exp(std::move(node), b);
  }
  first = ascriptions(std::move(first), chain, inner_begin);
  if (!at(Tok::kComma)) {
    close(open, Tok::kRParen);
    return make_exp(EParens{std::move(first)}, b);
  }
  next();
  ETuple tuple;
  tuple.elems.push_back(std::move(first));
  comma_list(Tok::kRParen, [&] { tuple.elems.push_back(exp()); });
  if (tuple.elems.size() == 1 && !panic_ && at(Tok::kRParen)) expected("an expression");
  close(open, Tok::kRParen);
  return make_exp(std::move(tuple), b);
}

Ptr<Exp> Parser::record() {
  const uint32_t b = begin(), open = pos_;
  ERecord record;
  next();
  comma_list(Tok::kRBrace, [&] {
    const bool number = at(Tok::kNat);
    ERecord::Field field;
    field.name = field_name();
    if (number || at(Tok::kEquals)) {
      expect(Tok::kEquals);
      field.value = exp();
    } else if (at(Tok::kColon)) {
      fail(fmt::format("{}, expected `=`", found()), {},
           "a field of a record value is written `name = value`");
    }
    record.fields.push_back(std::move(field));
  });
  close(open, Tok::kRBrace);
  return make_exp(std::move(record), b);
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
