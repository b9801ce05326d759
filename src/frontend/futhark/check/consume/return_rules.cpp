// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/consume/return_rules.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

namespace {

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

void ReturnRules::check_parts(const std::vector<Ptr<Pat>>& params, const Type* result,
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

void ReturnRules::check_globals(const std::vector<Ptr<Pat>>& params, const AliasesPtr& body,
                                Span span) {
  if (params.empty()) return;
  for (const Alias& a : all_aliases(body, false))
    if (!a.out_of_scope && !owned_.find(a.var) && !owned_.is_result(a.var))
      report_.error("alias-free-variable", span,
                    "Function result aliases the free variable " + quote(owned_.name_of(a.var)) +
                        ".\nUse \"copy\" to break the aliasing.");
}

const Type* ReturnRules::with_unique_parts(const std::vector<Ptr<Pat>>& params, const Type* result,
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

}  // namespace skald::futhark
