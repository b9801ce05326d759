// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/pattern_types.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

namespace {

const Type* literal_pattern_type(Unifier& uni, TypeFactory& f, const Literal& lit, Span span) {
  if (!lit.suffix.empty())
    if (auto p = prim_from_name(lit.suffix)) return f.prim(*p);
  if (lit.kind == Literal::kBool) return f.boolean();
  return uni.fresh_prim(span, lit.kind == Literal::kFloat ? kFloatPrims : kNumberPrims);
}

}  // namespace

const Type* PatternTypes::pattern(Pat& p) {
  const Type* t = nullptr;
  if (std::holds_alternative<PVar>(p.node) || std::holds_alternative<PWild>(p.node)) {
    t = uni_.fresh(p.span, Liftedness::kLifted);
  } else if (auto* x = std::get_if<PParens>(&p.node)) {
    t = pattern(*x->inner);
  } else if (auto* a = std::get_if<PAttr>(&p.node)) {
    t = pattern(*a->inner);
  } else if (auto* tup = std::get_if<PTuple>(&p.node)) {
    std::vector<const Type*> ts;
    for (auto& e : tup->elems) ts.push_back(pattern(*e));
    t = f_.tuple(ts);
  } else if (auto* r = std::get_if<PRecord>(&p.node)) {
    std::vector<std::pair<std::string, const Type*>> fields;
    for (auto& field : r->fields) {
      if (!field.name.name.empty() && field.name.name[0] == '_')
        report_.error("underscore-field", field.name.span,
                      "Underscore-prefixed fields are not allowed.\nDid you mean " +
                          quote(field.name.name.substr(1) + "=_") + "?");
      if (std::ranges::any_of(fields, [&](auto& x) { return x.first == field.name.name; })) {
        report_.error("duplicate-field", p.span, "Duplicate fields in record pattern " + pretty(p));
        continue;
      }
      fields.emplace_back(field.name.name, field.pat ? pattern(*field.pat)
                                                     : uni_.fresh(p.span, Liftedness::kLifted));
    }
    t = f_.record(std::move(fields));
  } else if (auto* l = std::get_if<PLiteral>(&p.node)) {
    t = literal_pattern_type(uni_, f_, l->lit, p.span);
  } else if (auto* c = std::get_if<PConstr>(&p.node)) {
    std::vector<const Type*> ts;
    for (auto& e : c->args) ts.push_back(pattern(*e));
    t = uni_.fresh_sum(p.span, c->name.name, std::move(ts));
  } else if (auto* asc = std::get_if<PAscript>(&p.node)) {
    const Type* inner = pattern(*asc->inner);
    t = erase_sizes(f_, types_.type_exp(*asc->type).type);
    uni_.unify(inner, t,
               {p.span,
                [&] {
                  return "this pattern does not fit its type\nPattern\n" +
                         indented(pretty(*asc->inner)) + "\ncannot match ascribed type\n" +
                         indented(uni_.show(t));
                },
                {{asc->type->span, "the ascribed type"}}});
  }
  p.type = t;
  return t;
}

void PatternTypes::bind_pattern(Pat& p) {
  for_each_bound(p, [&](Ident& name, Pat& at) {
    const Type* t = at.type;
    if (std::holds_alternative<PRecord>(at.node)) t = find_field(*at.type, name.name);
    locals_.bind_value(name, t ? t : uni_.fresh(at.span, Liftedness::kLifted));
  });
}

void PatternTypes::let_pattern(Pat& p, const Type* value, Span value_span, const Exp* from) {
  const Type* t = pattern(p);
  uni_.unify(t, value,
             {p.span,
              [&] {
                return "this pattern does not fit the value\nPattern\n" + indented(pretty(p)) +
                       "\ncannot match value of type\n" + indented(uni_.show(value));
              },
              {{value_span, "the value"}},
              from,
              Reason::kSecond});
  bind_pattern(p);
}

}  // namespace skald::futhark
