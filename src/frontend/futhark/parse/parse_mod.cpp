// SPDX-License-Identifier: Apache-2.0
// Modules, module types and specs.
#include "frontend/futhark/parse/grammar.h"

namespace skald::futhark {

Ptr<ModExp> ModuleParser::mod_exp() {
  const TokenCursor::Nest nest(tokens_);
  TokenCursor::Chain chain(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<ModExp> m = mod_exp_without_type();
  while (tokens_.accept(Tok::kColon)) {
    chain.wrap();
    Ptr<ModExp> whole;
    auto& node = start_node<MAscript>(whole);
    node.inner = std::move(m);
    node.type = mod_type();
    m = tokens_.finish(whole, b);
  }
  return m;
}

// A `:` behind a module function belongs to the whole function, not to its body.
Ptr<ModExp> ModuleParser::mod_exp_without_type() {
  const uint32_t b = tokens_.begin();
  Ptr<ModExp> whole;
  if (tokens_.at(Tok::kBackslash)) return mod_lambda();
  if (tokens_.accept(Tok::kImport)) {
    start_node<MImport>(whole).path = grammar_.names.string_literal();
    return tokens_.finish(whole, b);
  }
  TokenCursor::Chain chain(tokens_);
  Ptr<ModExp> m = mod_atom();
  while (tokens_.at(Tok::kIdent) || tokens_.at(Tok::kLParen) || tokens_.at(Tok::kLBrace)) {
    chain.wrap();
    auto& node = start_node<MApply>(whole);
    node.fn = std::move(m);
    node.arg = mod_atom();
    m = tokens_.finish(whole, b);
  }
  return m;
}

Ptr<ModExp> ModuleParser::mod_lambda() {
  const TokenCursor::Nest nest(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<ModExp> m;
  auto& node = start_node<MLambda>(m);
  tokens_.next();
  node.param = mod_param();
  if (tokens_.accept(Tok::kColon)) {
    if (tokens_.at(Tok::kIdent) || tokens_.at(Tok::kLParen)) {
      node.result = mod_type_atom();
    } else {
      tokens_.expected("the name of a module type or `(`");
    }
  }
  tokens_.expect(Tok::kArrow);
  node.body = mod_exp_without_type();
  return tokens_.finish(m, b);
}

Ptr<ModExp> ModuleParser::mod_atom() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<ModExp> m;
  switch (tokens_.at()) {
    case Tok::kIdent: start_node<MVar>(m).name = grammar_.names.qual_name("a module"); break;
    case Tok::kLParen:
      tokens_.next();
      start_node<MParens>(m).inner = mod_exp();
      tokens_.close(open, Tok::kRParen);
      break;
    case Tok::kLBrace:
      tokens_.next();
      start_node<MDecs>(m).decs = grammar_.declarations.decs(open);
      tokens_.close(open, Tok::kRBrace);
      break;
    default: tokens_.expected("a module"); return tokens_.leaf<MDecs, ModExp>();
  }
  return tokens_.finish(m, b);
}

ModParam ModuleParser::mod_param() {
  ModParam param;
  const uint32_t open = tokens_.position();
  tokens_.expect(Tok::kLParen);
  param.name = grammar_.names.ident("the name of a module parameter");
  tokens_.expect(Tok::kColon);
  param.type = mod_type();
  if (!tokens_.panics() || tokens_.kind_at(open) == Tok::kLParen) tokens_.close(open, Tok::kRParen);
  return param;
}

Ptr<ModTypeExp> ModuleParser::mod_type() {
  const TokenCursor::Nest nest(tokens_);
  TokenCursor::Chain chain(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<ModTypeExp> whole;
  if (grammar_.types.at_named_param()) {
    auto& arrow = start_node<MTArrow>(whole);
    const uint32_t open = tokens_.position();
    tokens_.next();
    arrow.param = grammar_.names.ident("a name");
    tokens_.next();
    arrow.from = mod_type();
    tokens_.close(open, Tok::kRParen);
    tokens_.expect(Tok::kArrow);
    arrow.to = mod_type();
    return tokens_.finish(whole, b);
  }
  Ptr<ModTypeExp> from = mod_type_with();
  if (!tokens_.accept(Tok::kArrow)) return from;
  chain.wrap();
  auto& arrow = start_node<MTArrow>(whole);
  arrow.from = std::move(from);
  arrow.to = mod_type();
  return tokens_.finish(whole, b);
}

Ptr<ModTypeExp> ModuleParser::mod_type_with() {
  TokenCursor::Chain chain(tokens_);
  const uint32_t b = tokens_.begin();
  Ptr<ModTypeExp> m = mod_type_atom();
  while (tokens_.accept(Tok::kWith)) {
    chain.wrap();
    Ptr<ModTypeExp> whole;
    auto& node = start_node<MTWith>(whole);
    node.inner = std::move(m);
    node.type = grammar_.names.qual_name("the name of a type");
    node.params = grammar_.types.type_params();
    tokens_.expect(Tok::kEquals);
    node.definition = grammar_.types.type_exp();
    m = tokens_.finish(whole, b);
  }
  return m;
}

Ptr<ModTypeExp> ModuleParser::mod_type_atom() {
  const uint32_t b = tokens_.begin(), open = tokens_.position();
  Ptr<ModTypeExp> m;
  switch (tokens_.at()) {
    case Tok::kIdent: start_node<MTVar>(m).name = grammar_.names.qual_name("a module type"); break;
    case Tok::kLParen:
      tokens_.next();
      start_node<MTParens>(m).inner = mod_type();
      tokens_.close(open, Tok::kRParen);
      break;
    case Tok::kLBrace:
      tokens_.next();
      start_node<MTSpecs>(m).specs = specs(open);
      tokens_.close(open, Tok::kRBrace);
      break;
    default: tokens_.expected("a module type"); return tokens_.leaf<MTSpecs, ModTypeExp>();
  }
  return tokens_.finish(m, b);
}

std::vector<Ptr<Spec>> ModuleParser::specs(uint32_t open) {
  return tokens_.declarations(open, [&] { return spec(); });
}

Ptr<Spec> ModuleParser::spec() {
  auto s = std::make_unique<Spec>();
  for (;;) {
    if (tokens_.at(Tok::kDoc)) {
      s->doc = grammar_.names.doc_comment();
    } else if (tokens_.at(Tok::kHashBracket)) {
      s->attrs.push_back(grammar_.names.bracketed_attr());
    } else {
      break;
    }
  }
  const uint32_t b = tokens_.begin();
  switch (tokens_.at()) {
    case Tok::kVal: {
      SpecVal val;
      tokens_.next();
      if (tokens_.at(Tok::kLParen)) {
        const uint32_t open = tokens_.position();
        tokens_.next();
        val.name = grammar_.names.binding_operator();
        tokens_.close(open, Tok::kRParen);
      } else if (grammar_.names.at_binding_operator()) {
        val.name = grammar_.names.binding_operator();
      } else {
        val.name = grammar_.names.ident("the name of a value");
      }
      val.tparams = grammar_.types.type_params();
      tokens_.expect(Tok::kColon, "a `val` in a module type needs a type");
      val.type = grammar_.types.type_exp();
      s->node = std::move(val);
      break;
    }
    case Tok::kType: {
      SpecType type;
      tokens_.next();
      type.lifted = grammar_.types.liftedness();
      type.name = grammar_.names.ident("the name of a type");
      type.params = grammar_.types.type_params();
      if (tokens_.accept(Tok::kEquals)) type.definition = grammar_.types.type_exp();
      s->node = std::move(type);
      break;
    }
    case Tok::kModule: {
      SpecModule module;
      tokens_.next();
      module.name = grammar_.names.ident("the name of a module");
      tokens_.expect(Tok::kColon);
      module.type = mod_type();
      s->node = std::move(module);
      break;
    }
    case Tok::kInclude: {
      SpecInclude include;
      tokens_.next();
      include.type = mod_type();
      s->node = std::move(include);
      break;
    }
    default: tokens_.expected("`val`, `type`, `module` or `include`");
  }
  s->span = tokens_.since(b);
  return s;
}

}  // namespace skald::futhark
