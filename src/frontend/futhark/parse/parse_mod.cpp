// SPDX-License-Identifier: Apache-2.0
// Modules, module types and specs.
#include "frontend/futhark/parse/parse_state.h"

namespace skald::futhark {

Ptr<ModExp> Parser::mod_exp() {
  Nest nest(*this);
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<ModExp> m = mod_exp_without_type();
  while (accept(Tok::kColon)) {
    chain.wrap();
    Ptr<ModExp> whole;
    auto& node = start<MAscript>(whole);
    node.inner = std::move(m);
    node.type = mod_type();
    m = finish(whole, b);
  }
  return m;
}

// A `:` behind a module function belongs to the whole function, not to its body.
Ptr<ModExp> Parser::mod_exp_without_type() {
  const uint32_t b = begin();
  Ptr<ModExp> whole;
  if (at(Tok::kBackslash)) return mod_lambda();
  if (accept(Tok::kImport)) {
    start<MImport>(whole).path = string_literal();
    return finish(whole, b);
  }
  Chain chain(*this);
  Ptr<ModExp> m = mod_atom();
  while (at(Tok::kIdent) || at(Tok::kLParen) || at(Tok::kLBrace)) {
    chain.wrap();
    auto& node = start<MApply>(whole);
    node.fn = std::move(m);
    node.arg = mod_atom();
    m = finish(whole, b);
  }
  return m;
}

Ptr<ModExp> Parser::mod_lambda() {
  Nest nest(*this);
  const uint32_t b = begin();
  Ptr<ModExp> m;
  auto& node = start<MLambda>(m);
  next();
  node.param = mod_param();
  if (accept(Tok::kColon)) {
    if (at(Tok::kIdent) || at(Tok::kLParen)) {
      node.result = mod_type_atom();
    } else {
      expected("the name of a module type or `(`");
    }
  }
  expect(Tok::kArrow);
  node.body = mod_exp_without_type();
  return finish(m, b);
}

Ptr<ModExp> Parser::mod_atom() {
  const uint32_t b = begin(), open = pos_;
  Ptr<ModExp> m;
  switch (at()) {
    case Tok::kIdent: start<MVar>(m).name = qual_name("a module"); break;
    case Tok::kLParen:
      next();
      start<MParens>(m).inner = mod_exp();
      close(open, Tok::kRParen);
      break;
    case Tok::kLBrace:
      next();
      start<MDecs>(m).decs = decs(open);
      close(open, Tok::kRBrace);
      break;
    default: expected("a module"); return leaf<MDecs, ModExp>();
  }
  return finish(m, b);
}

ModParam Parser::mod_param() {
  ModParam param;
  const uint32_t open = pos_;
  expect(Tok::kLParen);
  param.name = ident("the name of a module parameter");
  expect(Tok::kColon);
  param.type = mod_type();
  if (!panic_ || tokens_[open].kind == Tok::kLParen) close(open, Tok::kRParen);
  return param;
}

Ptr<ModTypeExp> Parser::mod_type() {
  Nest nest(*this);
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<ModTypeExp> whole;
  if (at_named_param()) {
    auto& arrow = start<MTArrow>(whole);
    const uint32_t open = pos_;
    next();
    arrow.param = ident("a name");
    next();
    arrow.from = mod_type();
    close(open, Tok::kRParen);
    expect(Tok::kArrow);
    arrow.to = mod_type();
    return finish(whole, b);
  }
  Ptr<ModTypeExp> from = mod_type_with();
  if (!accept(Tok::kArrow)) return from;
  chain.wrap();
  auto& arrow = start<MTArrow>(whole);
  arrow.from = std::move(from);
  arrow.to = mod_type();
  return finish(whole, b);
}

Ptr<ModTypeExp> Parser::mod_type_with() {
  Chain chain(*this);
  const uint32_t b = begin();
  Ptr<ModTypeExp> m = mod_type_atom();
  while (accept(Tok::kWith)) {
    chain.wrap();
    Ptr<ModTypeExp> whole;
    auto& node = start<MTWith>(whole);
    node.inner = std::move(m);
    node.type = qual_name("the name of a type");
    node.params = type_params();
    expect(Tok::kEquals);
    node.definition = type_exp();
    m = finish(whole, b);
  }
  return m;
}

Ptr<ModTypeExp> Parser::mod_type_atom() {
  const uint32_t b = begin(), open = pos_;
  Ptr<ModTypeExp> m;
  switch (at()) {
    case Tok::kIdent: start<MTVar>(m).name = qual_name("a module type"); break;
    case Tok::kLParen:
      next();
      start<MTParens>(m).inner = mod_type();
      close(open, Tok::kRParen);
      break;
    case Tok::kLBrace:
      next();
      start<MTSpecs>(m).specs = specs(open);
      close(open, Tok::kRBrace);
      break;
    default: expected("a module type"); return leaf<MTSpecs, ModTypeExp>();
  }
  return finish(m, b);
}

std::vector<Ptr<Spec>> Parser::specs(uint32_t open) {
  std::vector<Ptr<Spec>> out;
  const bool outer_damaged = std::exchange(damaged_, false);
  while (!at(Tok::kRBrace) && !at(Tok::kEof)) {
    const uint32_t first = pos_;
    damaged_ = false;
    Ptr<Spec> s = spec();
    if (panic_) resume(first, open);
    if (!damaged_) out.push_back(std::move(s));
  }
  damaged_ = outer_damaged;
  return out;
}

Ptr<Spec> Parser::spec() {
  auto s = std::make_unique<Spec>();
  for (;;) {
    if (at(Tok::kDoc)) {
      s->doc = doc_comment();
    } else if (at(Tok::kHashBracket)) {
      s->attrs.push_back(bracketed_attr());
    } else {
      break;
    }
  }
  const uint32_t b = begin();
  switch (at()) {
    case Tok::kVal: {
      SpecVal val;
      next();
      if (at(Tok::kLParen)) {
        const uint32_t open = pos_;
        next();
        val.name = binding_operator();
        close(open, Tok::kRParen);
      } else if (at_binding_operator()) {
        val.name = binding_operator();
      } else {
        val.name = ident("the name of a value");
      }
      val.tparams = type_params();
      expect(Tok::kColon, "a `val` in a module type needs a type");
      val.type = type_exp();
      s->node = std::move(val);
      break;
    }
    case Tok::kType: {
      SpecType type;
      next();
      type.lifted = liftedness();
      type.name = ident("the name of a type");
      type.params = type_params();
      if (accept(Tok::kEquals)) type.definition = type_exp();
      s->node = std::move(type);
      break;
    }
    case Tok::kModule: {
      SpecModule module;
      next();
      module.name = ident("the name of a module");
      expect(Tok::kColon);
      module.type = mod_type();
      s->node = std::move(module);
      break;
    }
    case Tok::kInclude: {
      SpecInclude include;
      next();
      include.type = mod_type();
      s->node = std::move(include);
      break;
    }
    default: expected("`val`, `type`, `module` or `include`");
  }
  s->span = since(b);
  return s;
}

}  // namespace skald::futhark
