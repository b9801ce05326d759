// SPDX-License-Identifier: Apache-2.0
// Types, and patterns, which are read as expressions first.
#include <algorithm>
#include <set>

#include "frontend/nesl/parse/parser.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

TypeExpPtr type_node(Span span, std::string name, TypeExpPtr a, TypeExpPtr b = nullptr) {
  auto type = std::make_unique<TypeExp>();
  type->span = span;
  type->name = std::move(name);
  type->args.push_back(std::move(a));
  if (b != nullptr) type->args.push_back(std::move(b));
  return type;
}

}  // namespace

// type [:: (a in class; b in class)]
Signature Parser::signature() {
  Signature result;
  result.type = type_tuple();
  if (!accept("::")) return result;
  const bool in_parentheses = accept("(");
  do {
    const Token variable = take();
    expect("in", "between a type variable and its class");
    const Token name = take();
    if (variable.kind != Token::kName || name.kind != Token::kName)
      fail(variable.span, "a class context consists of parts such as `a in number`");
    result.bounds.push_back({source::join(variable.span, name.span), variable.text, name.text});
  } while (in_parentheses ? accept(";") : is(";") && tokens_[at_ + 2].text == "in" && accept(";"));
  if (in_parentheses) expect(")", "at the end of the class context");
  return result;
}

TypeExpPtr Parser::type_tuple() {
  TypeExpPtr first = type_arrow();
  if (!accept(",")) return first;
  TypeExpPtr rest = type_tuple();
  const Span span = source::join(first->span, rest->span);
  return type_node(span, ",", std::move(first), std::move(rest));
}

TypeExpPtr Parser::type_arrow() {
  TypeExpPtr from = type_atom();
  if (!accept("->")) return from;
  TypeExpPtr to = type_arrow();
  const Span span = source::join(from->span, to->span);
  return type_node(span, "->", std::move(from), std::move(to));
}

TypeExpPtr Parser::type_atom() {
  if (++depth_ > 5000) fail(token().span, "this type is nested too deeply");
  const Token first = take();
  if (first.kind == Token::kSymbol && first.text == "[") {
    TypeExpPtr element = type_tuple();
    expect("]", "at the end of the type of a sequence");
    return type_node(since(first.span), "[]", std::move(element));
  }
  if (first.kind == Token::kSymbol && first.text == "(") {
    TypeExpPtr inner = type_tuple();
    expect(")", "at the end of the type");
    return inner;
  }
  if (first.kind != Token::kName) fail(first.span, "a type should be here");
  auto type = std::make_unique<TypeExp>();
  type->name = first.text;
  if (accept("(")) {
    do type->args.push_back(type_arrow());
    while (accept(","));
    expect(")", "after the arguments of a type");
  }
  type->span = since(first.span);
  return type;
}

PatternPtr Parser::pattern_of(ExpPtr exp) {
  auto pattern = std::make_unique<Pattern>();
  pattern->span = exp->span;
  if (const auto* var = std::get_if<Var>(&exp->node); var != nullptr && !var->is_library) {
    pattern->node = PatternVar{var->name};
  } else if (auto* pair = std::get_if<Pair>(&exp->node)) {
    PatternPtr first = pattern_of(std::move(pair->first));
    pattern->node = PatternPair{std::move(first), pattern_of(std::move(pair->second))};
  } else if (auto* apply = std::get_if<Apply>(&exp->node)) {
    const auto* name = std::get_if<Var>(&apply->fn->node);
    if (name == nullptr || name->is_library)
      fail(exp->span, "this is no pattern", "a pattern has names, tuples and datatypes");
    const std::string record = name->name;
    pattern->node = PatternRecord{record, pattern_of(std::move(apply->arg))};
  } else {
    const bool is_bool = std::holds_alternative<BoolLit>(exp->node);
    fail(exp->span,
         is_bool ? "`t` and `f` are the booleans and cannot be names" : "this is no pattern",
         is_bool ? "" : "a pattern has names, tuples and datatypes");
  }
  return pattern;
}

}  // namespace skald::nesl
