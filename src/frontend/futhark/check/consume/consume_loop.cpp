// SPDX-License-Identifier: Apache-2.0
// Consumption in loops.  The body may consume any parameter; which ones it does consume decides
// what happens to the initial value.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/consume/consume.h"

namespace skald::futhark {

// Marks the parameters that are consumed as such.  Written types stay as they are unless `written`.
void Consume::set_diets(Pat& p, const std::function<bool(uint32_t)>& consumed, bool written) {
  if (auto* v = std::get_if<PVar>(&p.node)) {
    p.type = f_.with_unique(p.type, consumed(v->name.id));
  } else if (std::holds_alternative<PWild>(p.node)) {
    p.type = f_.with_unique(p.type, false);
  } else if (auto* x = std::get_if<PParens>(&p.node)) {
    set_diets(*x->inner, consumed, written);
    p.type = x->inner->type;
  } else if (auto* x = std::get_if<PAttr>(&p.node)) {
    set_diets(*x->inner, consumed, written);
    p.type = x->inner->type;
  } else if (auto* x = std::get_if<PAscript>(&p.node); x && written) {
    set_diets(*x->inner, consumed, written);
    p.type = x->inner->type;
  } else if (auto* x = std::get_if<PTuple>(&p.node)) {
    std::vector<const Type*> ts;
    for (auto& e : x->elems) {
      set_diets(*e, consumed, written);
      ts.push_back(e->type);
    }
    p.type = f_.tuple(ts);
  } else if (auto* x = std::get_if<PRecord>(&p.node)) {
    std::vector<std::pair<std::string, const Type*>> fields;
    for (auto& field : x->fields) {
      const Type* t = find_field(*p.type, field.name.name);
      if (field.pat) {
        set_diets(*field.pat, consumed, written);
        t = field.pat->type;
      } else {
        t = f_.with_unique(t, consumed(field.name.id));
      }
      fields.emplace_back(field.name.name, t);
    }
    p.type = f_.record(std::move(fields));
  }
}

void Consume::merge_return(Pat& p, const AliasesPtr& a, const std::vector<uint32_t>& params,
                           Span span, AliasSet& consumed, AliasSet& observed) {
  auto one = [&](const Ident& name, const Type* t, const AliasesPtr& x) {
    const AliasSet here = all_aliases(x);
    const bool consuming = is_consuming(t);
    const std::string quoted = quote(name.name);
    if (consuming)
      for (const Alias& v : here)
        if (!v.out_of_scope && std::ranges::find(params, v.var) == params.end())
          report_.error("consuming-loop-param-aliases", span,
                        "Return value for consuming loop parameter " + quoted + " aliases " +
                            quote(owned_.name_of(v.var)) + ".",
                        {}, "return a copy of it: `copy " + owned_.name_of(v.var) + "`");
    if (overlap(here, consumed))
      report_.error(
          "loop-parameter-aliases-other", span,
          "Return value for loop parameter " + quoted + " aliases other consumed loop parameter.",
          {}, "return a copy: `copy` makes a value that nothing else shares");
    if (consuming && (overlap(here, consumed) || overlap(here, observed)))
      report_.error("aliases-previously-returned", span,
                    "Return value for consuming loop parameter " + quoted +
                        " aliases previously returned value.",
                    {},
                    "return a copy of one of them: `copy` makes a value that nothing else shares");
    (consuming ? consumed : observed) = merge(consuming ? consumed : observed, here);
  };
  if (auto* v = std::get_if<PVar>(&p.node)) {
    one(v->name, p.type, a);
  } else if (auto* x = std::get_if<PParens>(&p.node)) {
    merge_return(*x->inner, a, params, span, consumed, observed);
  } else if (auto* x = std::get_if<PAttr>(&p.node)) {
    merge_return(*x->inner, a, params, span, consumed, observed);
  } else if (auto* x = std::get_if<PAscript>(&p.node)) {
    merge_return(*x->inner, a, params, span, consumed, observed);
  } else if (auto* x = std::get_if<PTuple>(&p.node)) {
    for (size_t i = 0; i < x->elems.size(); ++i)
      merge_return(*x->elems[i], field_of(a, std::to_string(i)), params, span, consumed, observed);
  } else if (auto* x = std::get_if<PRecord>(&p.node)) {
    for (auto& field : x->fields) {
      const AliasesPtr part = field_of(a, field.name.name);
      if (field.pat)
        merge_return(*field.pat, part, params, span, consumed, observed);
      else
        one(field.name, find_field(*p.type, field.name.name), part);
    }
  }
}

namespace {

// Whether each name of a pattern is consumed.
std::vector<bool> diets_of(const Pat& p) {
  std::vector<bool> out;
  for_each_bound(p, [&](const Ident& n, const Pat& at) {
    const bool record = std::holds_alternative<PRecord>(at.node);
    out.push_back(is_consuming(record ? find_field(*at.type, n.name) : at.type));
  });
  return out;
}

}  // namespace

// A `*` that is written counts only where a single round settles what is consumed.  If the body
// shows more than was known, all parameters are inferred: one that is written `*` and that the body
// only looks at does then not consume its initial value.
void Consume::converge(ELoop& e, std::vector<uint32_t>& body_consumed, const AliasesPtr& body,
                       Span span) {
  const std::vector<uint32_t> params = names_of(*e.pat);
  set_diets(*e.pat, [](uint32_t) { return false; }, false);
  std::vector<bool> before = diets_of(*e.pat);
  for (bool written = false;; written = true) {
    set_diets(
        *e.pat,
        [&](uint32_t id) { return std::ranges::find(body_consumed, id) != body_consumed.end(); },
        written);
    AliasSet consumed, observed;
    merge_return(*e.pat, body, params, span, consumed, observed);
    bool grown = false;
    for (const Alias& a : consumed)
      if (std::ranges::find(body_consumed, a.var) == body_consumed.end()) {
        body_consumed.push_back(a.var);
        grown = true;
      }
    std::vector<bool> after = diets_of(*e.pat);
    if ((!grown && after == before) || report_.failed()) return;
    before = std::move(after);
  }
}

AliasesPtr Consume::loop(ELoop& e, const Type* type, Span span) {
  AliasesPtr bound;
  if (e.form != ELoop::kWhile) bound = exp(*e.bound);
  const uint32_t before = owned_.order();
  const uint32_t barrier = owned_.raise_barrier();
  set_diets(*e.pat, [](uint32_t) { return true; }, false);
  bind_param(*e.pat);
  if (e.form == ELoop::kFor) {
    owned_.name(e.var.id, e.var.name);
    owned_.bind(e.var.id, aliases_everywhere(f_.i64(), {}), false);
  }
  if (e.form == ELoop::kForIn) bind_param(*e.elem, true);
  if (e.form == ELoop::kWhile) exp(*e.bound);
  AliasesPtr body;
  const Ownership::Consumed c = owned_.contain([&] { body = exp(*e.body); });
  owned_.set_barrier(barrier);
  std::vector<uint32_t> body_consumed;
  for (const auto& [id, at] : c) body_consumed.push_back(id);
  converge(e, body_consumed, body, span);
  body = leave(body, names_of(*e.pat));
  if (e.elem) body = leave(body, names_of(*e.elem));

  Exp* init = e.init.get();
  if (!init) init = d_.loop_init[&e].get();
  AliasesPtr start;
  const Ownership::Consumed at_start =
      owned_.contain([&] { start = argument({}, is_consuming(e.pat->type), *init, e.pat->type); });
  owned_.add_consumed(at_start);
  // The body runs after the initial value was consumed.
  auto check_free = [&](const char* what, const Exp& part) {
    for (uint32_t id : names_in(part)) {
      const Ownership::Entry* entry = owned_.find(id);
      if (!entry || entry->order > before) continue;
      for (const Alias& a : all_aliases(entry->aliases))
        if (!a.out_of_scope && at_start.contains(a.var))
          report_.error("use-after-consume", span,
                        std::string(what) + " uses " + owned_.describe(id) +
                            " (or an alias),\nbut this is consumed by the initial loop argument.");
    }
  };
  check_free("Loop body", *e.body);
  if (e.form == ELoop::kWhile) check_free("Loop condition", *e.bound);
  // An element is read when its turn comes.
  if (e.form == ELoop::kForIn)
    for (const Alias& a : all_aliases(bound))
      if (!a.out_of_scope && at_start.contains(a.var))
        report_.error("use-after-consume", e.bound->span,
                      "Loop goes over the elements of " + owned_.describe(a.var) +
                          " (or an alias),\nbut this is consumed by the initial loop argument.");

  const uint32_t id = owned_.add_result({.span = span, .is_loop = true});
  const AliasSet app{{id, "", true}};
  std::function<AliasesPtr(const Type*, const Type*, const AliasesPtr&)> result =
      [&](const Type* param, const Type* t, const AliasesPtr& a) -> AliasesPtr {
    if (param->kind == Type::kRecord && a->kind == Aliases::kRecord && t->kind == Type::kRecord) {
      Aliases out;
      out.kind = Aliases::kRecord;
      out.type = t;
      for (const auto& [name, field] : param->fields)
        out.fields.emplace_back(name, result(field, find_field(*t, name), field_of(a, name)));
      return std::make_shared<const Aliases>(std::move(out));
    }
    const bool consumes = is_consuming(param);
    return result_aliases(app, consumes ? f_.with_unique(t, true) : t, consumes, a);
  };
  return combine(result(e.pat->type, type, start), body);
}

}  // namespace skald::futhark
