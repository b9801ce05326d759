// SPDX-License-Identifier: Apache-2.0
// Declarations.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

Program DeclarationParser::program() {
  Program out;
  if (tokens_.at(Tok::kDoc)) out.doc = grammar_.names.doc_comment();
  out.decs = decs(TokenCursor::kNone);
  tokens_.report_end();
  return out;
}

Program DeclarationParser::outline(const source::Progress& progress) {
  names_only_ = true;
  progress_ = progress;
  Program out = program();
  names_only_ = false;
  return out;
}

DVal DeclarationParser::definition_at(uint32_t token) {
  tokens_.go_to(token);
  return val_dec();
}

std::vector<Ptr<Dec>> DeclarationParser::decs(uint32_t open) {
  return tokens_.declarations(open, [&] {
    if (progress_) progress_("reading", tokens_.consumed(), tokens_.bytes());
    return dec();
  });
}

Ptr<Dec> DeclarationParser::dec() {
  const TokenCursor::Nest nest(tokens_);
  auto d = std::make_unique<Dec>();
  if (tokens_.at(Tok::kDoc)) d->doc = grammar_.names.doc_comment();
  while (tokens_.at(Tok::kHashBracket)) d->attrs.push_back(grammar_.names.bracketed_attr());
  const uint32_t b = tokens_.begin();
  switch (tokens_.at()) {
    case Tok::kDef:
    case Tok::kLet:
    case Tok::kEntry: {
      auto& val = d->node.emplace<DVal>(val_dec());
      if (names_only_) DefinitionReader::empty(val);
      break;
    }
    case Tok::kType: {
      DType type;
      tokens_.next();
      type.lifted = grammar_.types.liftedness();
      type.name = grammar_.names.ident("the name of a type");
      type.params = grammar_.types.type_params();
      tokens_.expect(Tok::kEquals);
      type.definition = grammar_.types.type_exp();
      d->node = std::move(type);
      break;
    }
    case Tok::kModule:
      tokens_.next();
      if (tokens_.accept(Tok::kType)) {
        DModType type;
        type.name = grammar_.names.ident("the name of a module type");
        tokens_.expect(Tok::kEquals);
        type.body = grammar_.modules.mod_type();
        d->node = std::move(type);
      } else {
        d->node = module_dec();
      }
      break;
    case Tok::kOpen: {
      DOpen node;
      tokens_.next();
      node.module = grammar_.modules.mod_exp();
      d->node = std::move(node);
      break;
    }
    case Tok::kImport: {
      tokens_.next();
      d->node = DImport{grammar_.names.string_literal()};
      break;
    }
    case Tok::kLocal: {
      DLocal node;
      tokens_.next();
      node.inner = dec();
      d->node = std::move(node);
      break;
    }
    default: tokens_.expected("a declaration");
  }
  d->span = tokens_.since(b);
  return d;
}

DVal DeclarationParser::val_dec() {
  DVal val;
  val.token = tokens_.position();
  val.is_entry = tokens_.at(Tok::kEntry);
  val.spelled_let = tokens_.at(Tok::kLet);
  tokens_.next();
  if (grammar_.names.at_operator_in_parens()) {
    const uint32_t open = tokens_.position();
    tokens_.next();
    val.name = grammar_.names.binding_operator();
    tokens_.close(open, Tok::kRParen);
    val.tparams = grammar_.types.type_params();
    val.params = grammar_.patterns.params();
  } else {
    const uint32_t pat_begin = tokens_.begin();
    const bool name_first = tokens_.at(Tok::kIdent);
    Ptr<Pat> left;
    if (name_first || val.is_entry) {
      val.name = grammar_.names.ident("the name of a definition");
    } else if (grammar_.patterns.starts_simple_pat(tokens_.at())) {
      left = grammar_.patterns.simple_pat(false);
    } else {
      tokens_.expected("the name of a definition");
    }
    if (grammar_.names.at_binding_operator() && !val.is_entry) {
      if (name_first) {
        start_node<PVar>(left).name = std::move(val.name);
        left->span = tokens_.since(pat_begin);
      }
      val.infix = true;
      const std::string hint = tokens_.usual_mistake();
      if (name_first && !hint.empty()) tokens_.expected("`=`", {}, hint);
      val.name = grammar_.names.binding_operator();
      val.params.push_back(std::move(left));
      if (grammar_.patterns.starts_simple_pat(tokens_.at())) {
        val.params.push_back(grammar_.patterns.simple_pat(false));
      } else {
        tokens_.expected("a parameter");
      }
    } else if (left != nullptr && !tokens_.panics()) {
      if (tokens_.at(Tok::kEquals))
        tokens_.fail("patterns cannot be bound at top level", {}, "give the whole value one name");
      tokens_.expected("an operator");
    } else {
      val.tparams = grammar_.types.type_params();
      val.params = grammar_.patterns.params();
    }
  }
  if (tokens_.accept(Tok::kColon)) val.result = grammar_.types.type_exp();
  if (!tokens_.at(Tok::kEquals)) tokens_.expected(val.result ? "`=`" : "a parameter, `:` or `=`");
  tokens_.next();
  val.body = grammar_.exps.exp();
  return val;
}

DModule DeclarationParser::module_dec() {
  DModule module;
  module.name = grammar_.names.ident("the name of a module");
  while (tokens_.at(Tok::kLParen)) module.params.push_back(grammar_.modules.mod_param());
  if (tokens_.accept(Tok::kColon)) module.type = grammar_.modules.mod_type();
  tokens_.expect(Tok::kEquals);
  module.body = grammar_.modules.mod_exp();
  return module;
}

}  // namespace skald::futhark
