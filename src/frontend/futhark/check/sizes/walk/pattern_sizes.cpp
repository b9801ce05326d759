// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/walk/pattern_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

// The type a type expression stands for; anonymous sizes are left to be found.
const Type* PatternSizes::type_exp(const TypeExp& te, std::vector<VName>* exts) {
  auto it = d_.type_exps.find(&te);
  if (it == d_.type_exps.end()) return f_.unit();
  const TypeExpResult& r = it->second;
  // Names bound by function types inside; sizes may mention them.
  for (Exp* e : r.sizes) exps_.exp(*e);
  for (const auto* names : {&r.anonymous, &r.exts})
    for (const VName& n : *names) {
      SizeVar v;
      v.level = table_.level;
      v.name = n;
      v.span = te.span;
      v.usage = "anonymous size in type expression";
      table_.put(std::move(v));
      if (exts) exts->push_back(n);
    }
  return r.type;
}

const Type* PatternSizes::pattern(Pat& p, const Type* expected, const SizeBinders& sizes,
                                  Span value) {
  const Type* unsized = p.type;
  const Type* t = expected;
  if (std::holds_alternative<PVar>(p.node) || std::holds_alternative<PWild>(p.node)) {
    if (!t) t = fresh_.replace_metas(unsized, p.span, false);
  } else if (auto* x = std::get_if<PParens>(&p.node)) {
    t = pattern(*x->inner, expected, sizes, value);
  } else if (auto* a = std::get_if<PAttr>(&p.node)) {
    t = pattern(*a->inner, expected, sizes, value);
  } else if (auto* tup = std::get_if<PTuple>(&p.node)) {
    std::vector<const Type*> ts;
    for (size_t i = 0; i < tup->elems.size(); ++i) {
      const Type* want = expected && expected->kind == Type::kRecord && i < expected->fields.size()
                             ? expected->fields[i].second
                             : nullptr;
      ts.push_back(pattern(*tup->elems[i], want, sizes, value));
    }
    t = f_.tuple(ts);
  } else if (auto* r = std::get_if<PRecord>(&p.node)) {
    std::vector<std::pair<std::string, const Type*>> fields;
    for (auto& field : r->fields) {
      const Type* want = expected ? find_field(*expected, field.name.name) : nullptr;
      const Type* ft = want;
      if (field.pat) {
        ft = pattern(*field.pat, want, sizes, value);
      } else if (!ft) {
        const Type* u = find_field(*unsized, field.name.name);
        ft = u ? fresh_.replace_metas(u, p.span, false) : f_.unit();
      }
      fields.emplace_back(field.name.name, ft);
    }
    t = f_.record(std::move(fields));
  } else if (std::holds_alternative<PLiteral>(p.node)) {
    t = uni_.zonk(unsized);
  } else if (auto* c = std::get_if<PConstr>(&p.node)) {
    if (!t) t = fresh_.replace_metas(unsized, p.span, false);
    const auto* payload = find_constr(*t, c->name.name);
    if (payload) {
      Type copy = *t;
      std::vector<const Type*> ts = *payload;
      for (size_t i = 0; i < c->args.size() && i < ts.size(); ++i)
        ts[i] = pattern(*c->args[i], ts[i], sizes, value);
      for (auto& [name, old] : copy.constrs)
        if (name == c->name.name) old = ts;
      t = f_.make(std::move(copy));
    }
  } else if (auto* asc = std::get_if<PAscript>(&p.node)) {
    const Type* declared = type_exp(*asc->type);
    if (expected) {
      const Type* flexible = declared;
      if (!sizes.empty()) {
        TypeSubst s;
        s.sizes = {sizes.begin(), sizes.end()};
        flexible = subst_type(f_, declared, s);
      }
      unifier_.unify(f_.with_unique(flexible, false), f_.with_unique(expected, false),
                     {p.span,
                      "explicit type ascription",
                      [&] {
                        return "Pattern\n" + indented(pretty(p)) +
                               "\ncannot match value of type\n" + indented(words_.show(expected));
                      },
                      {{value, "the value"}},
                      nullptr,
                      SizeWhy::kPattern});
    }
    t = pattern(*asc->inner, declared, sizes, value);
  }
  p.type = t ? t : f_.unit();
  return p.type;
}

void PatternSizes::bind_pattern(Pat& p) {
  for_each_bound(p, [&](Ident& name, Pat& at) {
    const Type* t = at.type;
    if (std::holds_alternative<PRecord>(at.node)) t = find_field(*at.type, name.name);
    table_.bind_param({name.name, name.id}, name.span);
    // In messages a size that is still open goes by the first array of that size.
    if (t && t->kind == Type::kArray && t->size.exp)
      if (SizeVar* v = table_.find(size_var_id(t->size.exp));
          v && !v->is_rigid() && v->array.empty())
        v->array = name.name;
    if (auto it = d_.locals.find(name.id); it != d_.locals.end())
      it->second->sized = f_.with_unique(t ? t : f_.unit(), false);
  });
}

void PatternSizes::let_pattern(Pat& p, const Type* t, std::vector<Ident>& sizes, Span value) {
  SizeBinders binders;
  for (Ident& s : sizes)
    binders[s.id] =
        f_.size_var(table_.flexible(s.span, s.name, "ambiguous size of bound expression"));
  pattern(p, t, binders, value);
  const Witnesses w = size_witnesses(p.type);
  const IdSet used = free_sizes(p.type);
  for (Ident& s : sizes) {
    if (w.unwitnessed.contains(s.id))
      report_.error("unused-size", s.span,
                    "Cannot bind [" + s.name +
                        "] as it is never used as the size of a concrete (non-function) value");
    else if (!used.contains(s.id))
      report_.error("unused-size", s.span, "Size [" + s.name + "] unused in pattern");
  }
  bind_pattern(p);
}

IdSet PatternSizes::pattern_ids(const Pat& p) {
  IdSet ids;
  for_each_bound(p, [&](const Ident& name, const Pat&) { ids.insert(name.id); });
  return ids;
}

}  // namespace skald::futhark
