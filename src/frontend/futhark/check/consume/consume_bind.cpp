// SPDX-License-Identifier: Apache-2.0
// Consumption: let, functions, updates.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/consume/consume.h"

namespace skald::futhark {

AliasesPtr Consume::let(ELet& e) {
  AliasesPtr a;
  const Ownership::Consumed c = owned_.contain([&] { a = exp(*e.value); });
  owned_.add_consumed(c);
  if (!c.empty() && !is_function_free(e.value->type))
    report_.error("contains-consumption", e.value->span,
                  "Let-bound expression of higher-order type\n" + indented(pretty(*e.value->type)) +
                      "\ncontains consumption, which is not allowed.");
  bind_pattern(*e.pat, a);
  return leave(exp(*e.body), names_of(*e.pat));
}

namespace {

// Names that occur in an expression.
void collect_names(const Exp& e, IdSet& out) {
  if (auto* v = std::get_if<EVar>(&e.node)) out.insert(v->id);
  if (auto* b = std::get_if<EBinary>(&e.node)) out.insert(b->id);
  if (auto* s = std::get_if<EOpSection>(&e.node)) out.insert(s->id);
  if (auto* s = std::get_if<ELeftSection>(&e.node)) out.insert(s->id);
  if (auto* s = std::get_if<ERightSection>(&e.node)) out.insert(s->id);
  if (auto* w = std::get_if<ELetWith>(&e.node)) out.insert(w->src_id);
  if (auto* r = std::get_if<ERecord>(&e.node))
    for (const auto& f : r->fields)
      if (!f.value) out.insert(f.name.id);
  for_each_child(e, [&](const Exp& c) { collect_names(c, out); });
}

}  // namespace

std::vector<uint32_t> names_in(const Exp& e) {
  IdSet names;
  collect_names(e, names);
  std::vector<uint32_t> out(names.begin(), names.end());
  std::ranges::sort(out);
  return out;
}

AliasSet Consume::closure_of(const Exp& e, uint32_t before) {
  AliasSet out;
  for (uint32_t id : names_in(e)) {
    const Ownership::Entry* entry = owned_.find(id);
    if (entry && entry->order <= before) out = merge(out, all_aliases(entry->aliases));
  }
  return out;
}

Consume::Function Consume::function(std::vector<Ptr<Pat>>& params, Exp& body, const Type* result,
                                    bool declared, Span span) {
  const uint32_t before = owned_.order();
  const uint32_t barrier = owned_.raise_barrier();
  for (auto& p : params) bind_param(*p);
  AliasesPtr a;
  owned_.contain([&] { a = exp(body); });
  if (!report_.failed()) {
    const Span last = result_exp(body).span;
    returns_.check_parts(params, result, a, last.known() ? last : span);
    returns_.check_globals(params, a, last.known() ? last : span);
  }
  Function out{
      declared || report_.failed() ? result : returns_.with_unique_parts(params, result, a),
      closure_of(body, before)};
  owned_.set_barrier(barrier);
  return out;
}

const Type* with_result(TypeFactory& f, const Type* t, size_t params, const Type* result) {
  if (params == 0 || t->kind != Type::kArrow) return result;
  Type copy = *t;
  copy.to = with_result(f, t->to, params - 1, result);
  return f.make(std::move(copy));
}

AliasesPtr Consume::let_fun(ELetFun& e, Span span) {
  Function fn = function(e.params, *e.value, e.result_type, e.result != nullptr, span);
  e.result_type = fn.result;
  e.type = with_result(f_, e.type, e.params.size(), fn.result);
  owned_.name(e.name.id, e.name.name);
  owned_.bind(e.name.id, aliases_everywhere(e.type, fn.closure), false);
  return exp(*e.body);
}

AliasesPtr Consume::lambda(Exp& whole, ELambda& e) {
  Function fn = function(e.params, *e.body, e.result_type, e.result != nullptr, whole.span);
  e.result_type = fn.result;
  whole.type = with_result(f_, whole.type, e.params.size(), fn.result);
  return aliases_everywhere(whole.type, fn.closure);
}

namespace {

bool has_index(const std::vector<PathStep>& path) {
  return std::ranges::any_of(
      path, [](const PathStep& s) { return !std::holds_alternative<Ident>(s.step); });
}

}  // namespace

void Consume::overlap_check(const std::string& src, const AliasesPtr& src_aliases, const Exp& value,
                            const AliasesPtr& value_aliases) {
  if (!overlap(all_aliases(src_aliases), all_aliases(value_aliases))) return;
  report_.error("overlapping-update", value.span,
                "Source array for in-place update\n" + indented(src) +
                    "\nmight alias update value\n" + indented(pretty(value)) +
                    "\nHint: use \"copy\" to remove aliases from the value.");
}

AliasesPtr Consume::let_with(ELetWith& e, Span span) {
  for_each_in_path(e.path, [&](Exp& d) { exp(d); });
  const AliasesPtr value = exp(*e.value);
  owned_.name(e.src_id, e.src.name);
  const Type* t = nullptr;
  if (auto it = d_.locals.find(e.dst.id); it != d_.locals.end()) t = it->second->sized;
  const AliasesPtr src = var(e.src_id, t ? t : f_.unit(), e.src.span);
  if (has_index(e.path)) {
    overlap_check(e.src.name, src, *e.value, value);
    owned_.consume(all_aliases(src), e.src.span.known() ? e.src.span : span);
  }
  owned_.name(e.dst.id, e.dst.name);
  owned_.bind(e.dst.id, self_aliases(t ? t : f_.unit(), e.dst.id), true);
  return leave(exp(*e.body), {e.dst.id});
}

AliasesPtr Consume::update(EUpdate& e, const Type* type, Span span) {
  for_each_in_path(e.path, [&](Exp& d) { exp(d); });
  const AliasesPtr value = exp(*e.value);
  const AliasesPtr src = exp(*e.src);
  if (has_index(e.path)) {
    overlap_check(pretty(*e.src), src, *e.value, value);
    owned_.consume(all_aliases(src), e.src->span.known() ? e.src->span : span);
    return aliases_everywhere(type, {});
  }
  std::function<AliasesPtr(const AliasesPtr&, size_t)> put = [&](const AliasesPtr& a,
                                                                 size_t at) -> AliasesPtr {
    if (at == e.path.size()) return value;
    Aliases out = *a;
    for (auto& [name, field] : out.fields)
      if (name == std::get<Ident>(e.path[at].step).name) field = put(field, at + 1);
    return std::make_shared<const Aliases>(std::move(out));
  };
  return put(src, 0);
}

const Type* Consume::definition(const FunParts& parts, const Type* result) {
  if (parts.result && parts.params->empty() && is_consuming(result))
    report_.error("unique-constant", parts.result->span,
                  "A top-level constant cannot have a unique type.");
  return function(*parts.params, *parts.body, result, parts.result != nullptr, parts.span).result;
}

}  // namespace skald::futhark
