// SPDX-License-Identifier: Apache-2.0
// Consumption: let, functions, updates.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/consume/consume.h"

namespace skald::futhark {

AliasesPtr Consume::let(ELet& e) {
  AliasesPtr a;
  const Consumed c = contain([&] { a = exp(*e.value); });
  add_consumed(c);
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

bool may_be_consumed(const Type* t) {
  switch (t->kind) {
    case Type::kPrim: return true;
    case Type::kArray:
    case Type::kNamed: return t->unique;
    case Type::kRecord:
      return std::ranges::all_of(t->fields, [](auto& x) { return may_be_consumed(x.second); });
    case Type::kSum:
      return std::ranges::all_of(
          t->constrs, [](auto& c) { return std::ranges::all_of(c.second, may_be_consumed); });
    default: return false;
  }
}

}  // namespace

std::vector<uint32_t> Consume::names_in(const Exp& e) {
  IdSet names;
  collect_names(e, names);
  std::vector<uint32_t> out(names.begin(), names.end());
  std::ranges::sort(out);
  return out;
}

AliasSet Consume::closure_of(const Exp& e, uint32_t before) {
  AliasSet out;
  for (uint32_t id : names_in(e)) {
    auto it = env_.find(id);
    if (it != env_.end() && it->second.order <= before)
      out = merge(out, all_aliases(it->second.aliases));
  }
  return out;
}

void Consume::check_return(const std::vector<Ptr<Pat>>& params, const Type* result,
                           const AliasesPtr& body, Span span) {
  AliasSet unique_seen, all_seen;
  std::function<void(const Type*, const AliasesPtr&)> walk = [&](const Type* t,
                                                                 const AliasesPtr& a) {
    if (t->kind == Type::kRecord && a->kind == Aliases::kRecord) {
      for (const auto& [name, field] : t->fields) walk(field, field_of(a, name));
      return;
    }
    const AliasSet here = all_aliases(a);
    const bool unique = is_consuming(t);
    if (overlap(unique ? all_seen : unique_seen, here))
      report_.error("unique-return-aliased", span,
                    "A unique-typed component of the return value is aliased to some other "
                    "component.",
                    {}, "return a copy of one of them: `copy x`");
    if (unique) {
      for (const auto& p : params)
        for_each_bound(*p, [&](const Ident& n, const Pat& at) {
          const Type* pt = at.type;
          if (std::holds_alternative<PRecord>(at.node)) pt = find_field(*at.type, n.name);
          if (may_be_consumed(pt)) return;
          if (std::ranges::any_of(here, [&](const Alias& x) { return x.var == n.id; }))
            report_.error("return-aliased", span,
                          "Unique-typed return value is aliased to " + quote(n.name) +
                              ", which is not consumable.",
                          {{n.span, "a parameter without `*` is only lent"}},
                          "return `copy " + n.name +
                              "`, or leave out the `*` of the result; with `*` "
                              "before the type of `" +
                              n.name + "` the caller gives it away");
        });
      unique_seen = merge(unique_seen, here);
    }
    all_seen = merge(all_seen, here);
  };
  walk(result, body);
}

void Consume::check_globals(const std::vector<Ptr<Pat>>& params, const AliasesPtr& body,
                            Span span) {
  if (params.empty()) return;
  for (const Alias& a : all_aliases(body, false))
    if (!a.out_of_scope && !env_.contains(a.var) && !results_.contains(a.var))
      report_.error("alias-free-variable", span,
                    "Function result aliases the free variable " + quote(names_[a.var]) +
                        ".\nUse \"copy\" to break the aliasing.");
}

const Type* Consume::infer_unique(const std::vector<Ptr<Pat>>& params, const Type* result,
                                  const AliasesPtr& body) {
  if (params.empty()) return f_.with_unique(result, false);
  IdSet consuming;
  for (const auto& p : params)
    for_each_bound(*p, [&](const Ident& n, const Pat& at) {
      const Type* t = at.type;
      if (std::holds_alternative<PRecord>(at.node)) t = find_field(*at.type, n.name);
      if (is_consuming(t)) consuming.insert(n.id);
    });
  // What occurs in more than one part cannot be unique.
  std::unordered_map<uint32_t, int> count;
  std::function<void(const AliasesPtr&)> tally = [&](const AliasesPtr& a) {
    if (a->kind == Aliases::kRecord) {
      for (const auto& [name, field] : a->fields) tally(field);
      return;
    }
    IdSet vars;
    for (const Alias& x : all_aliases(a)) vars.insert(x.var);
    for (uint32_t v : vars) count[v] += a->opaque ? 2 : 1;
  };
  tally(body);
  std::function<const Type*(const Type*, const AliasesPtr&)> walk =
      [&](const Type* t, const AliasesPtr& a) -> const Type* {
    if (t->kind == Type::kRecord && a->kind == Aliases::kRecord) {
      Type copy = *t;
      for (auto& [name, field] : copy.fields) field = walk(field, field_of(a, name));
      return f_.make(std::move(copy));
    }
    if (t->kind == Type::kSum && a->kind == Aliases::kSum) {
      Type copy = *t;
      for (size_t i = 0; i < copy.constrs.size() && i < a->constrs.size(); ++i)
        for (size_t k = 0; k < copy.constrs[i].second.size() && k < a->constrs[i].second.size();
             ++k)
          copy.constrs[i].second[k] = walk(copy.constrs[i].second[k], a->constrs[i].second[k]);
      return f_.make(std::move(copy));
    }
    bool unique = true;
    for (const Alias& x : all_aliases(a, false))
      if (!x.out_of_scope && !consuming.contains(x.var)) unique = false;
    for (const Alias& x : all_aliases(a))
      if (count[x.var] > 1) unique = false;
    return f_.with_unique(t, unique);
  };
  return walk(result, body);
}

Consume::Function Consume::function(std::vector<Ptr<Pat>>& params, Exp& body, const Type* result,
                                    bool declared, Span span) {
  const uint32_t barrier = barrier_;
  const uint32_t before = order_;
  barrier_ = order_;
  for (auto& p : params) bind_param(*p);
  AliasesPtr a;
  contain([&] { a = exp(body); });
  if (!report_.failed()) {
    const Span last = result_exp(body).span;
    check_return(params, result, a, last.known() ? last : span);
    check_globals(params, a, last.known() ? last : span);
  }
  Function out{declared || report_.failed() ? result : infer_unique(params, result, a),
               closure_of(body, before)};
  barrier_ = barrier;
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
  names_[e.name.id] = e.name.name;
  bind(e.name.id, aliases_everywhere(e.type, fn.closure), false);
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
  names_.emplace(e.src_id, e.src.name);
  const Type* t = nullptr;
  if (auto it = d_.locals.find(e.dst.id); it != d_.locals.end()) t = it->second->sized;
  const AliasesPtr src = var(e.src_id, t ? t : f_.unit(), e.src.span);
  if (has_index(e.path)) {
    overlap_check(e.src.name, src, *e.value, value);
    consume(all_aliases(src), e.src.span.known() ? e.src.span : span);
  }
  names_[e.dst.id] = e.dst.name;
  bind(e.dst.id, self_aliases(t ? t : f_.unit(), e.dst.id), true);
  return leave(exp(*e.body), {e.dst.id});
}

AliasesPtr Consume::update(EUpdate& e, const Type* type, Span span) {
  for_each_in_path(e.path, [&](Exp& d) { exp(d); });
  const AliasesPtr value = exp(*e.value);
  const AliasesPtr src = exp(*e.src);
  if (has_index(e.path)) {
    overlap_check(pretty(*e.src), src, *e.value, value);
    consume(all_aliases(src), e.src->span.known() ? e.src->span : span);
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
