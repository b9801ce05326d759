// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/local_names.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

void LocalNames::bind_value(Ident& name, const Type* type) {
  ValEntry e;
  e.kind = ValEntry::kLocal;
  // A definition put off is walked twice and keeps its ids.
  e.name = {name.name, name.id ? name.id : f_.fresh_id()};
  e.span = name.span;
  e.type = type;
  ValEntry* entry = &d_.local_vals.emplace_back(std::move(e));
  name.id = entry->name.id;
  ctx_.bound_at[name.id] = name.span;
  d_.locals[name.id] = entry;
  if (name.name == "&&" || name.name == "||")
    report_.error("may-not-be-redefined", name.span,
                  "The " + name.name + " operator may not be redefined");
  names_.bind(name.name, {entry});
}

std::vector<TParam> LocalNames::bind_tparams(std::vector<TypeParam>& tparams) {
  std::vector<TParam> out;
  for (TypeParam& p : tparams) {
    if (p.kind == TypeParam::kSize) {
      bind_value(p.name, f_.i64());
      out.push_back({{p.name.name, p.name.id}, true, {}, p.name.span});
      continue;
    }
    TypeEntry entry;
    entry.name = {p.name.name, p.name.id ? p.name.id : f_.fresh_id()};
    entry.span = p.name.span;
    entry.lifted = p.lifted;
    entry.def.type = f_.named(entry.name, p.lifted);
    p.name.id = entry.name.id;
    ctx_.bound_at[p.name.id] = p.name.span;
    uni_.declare_param(p.name.id);
    out.push_back({entry.name, false, p.lifted, p.name.span});
    names_.bind_type(p.name.name, &d_.local_types.emplace_back(std::move(entry)));
  }
  return out;
}

void LocalNames::check_duplicates(const std::vector<TypeParam>& tparams,
                                  const std::vector<const Pat*>& pats) {
  std::unordered_map<std::string, Span> terms, types;
  auto see = [&](std::unordered_map<std::string, Span>& seen, const Ident& name) {
    auto [it, is_new] = seen.emplace(name.name, name.span);
    if (!is_new)
      report_.error("duplicate-name", name.span,
                    "Name " + quote(name.name) + " also bound at " + ctx_.where(it->second),
                    {{it->second, "first bound here"}});
  };
  for (const TypeParam& p : tparams) {
    auto& seen = p.kind == TypeParam::kSize ? terms : types;
    auto [it, is_new] = seen.emplace(p.name.name, p.name.span);
    if (!is_new)
      report_.error("duplicate-name", p.name.span,
                    "Type parameter " + quote(p.name.name) +
                        " previously defined (also bound) at " + "" + ctx_.where(it->second),
                    {{it->second, "first bound here"}});
  }
  for (const Pat* p : pats)
    for_each_bound(*p, [&](const Ident& name, const Pat&) { see(terms, name); });
}

const Type* LocalNames::unknown(NameKind kind, const QualName& name, Span span) {
  const Type* wrong = uni_.wrong(span);
  if (names_.excused(name)) {
    report_.fail_silently();
    return wrong;
  }
  source::Diagnostic d;
  d.code = "unknown-name";
  d.what = std::string("Unknown ") + (kind == NameKind::kType ? "type " : "name ") +
           quote(qual_text(name));
  // A program may have millions of them.
  if (report_.halted() || report_.said(d.what)) return wrong;
  if (kind == NameKind::kValue && in_size) kind = NameKind::kSize;
  NameHelp help = explain_unknown(ctx_, names_, kind, name);
  d.labels = std::move(help.labels);
  d.labels.insert(d.labels.begin(), {span, ""});
  d.why = std::move(help.why);
  d.hint = std::move(help.hint);
  report_.error(std::move(d));
  return wrong;
}

ValEntry* LocalNames::lookup(const QualName& name, const void* node, Span span) {
  const Term t = names_.term(name);
  if (!t.val) return nullptr;
  if (!name.quals.empty() && name.quals[0] == "intrinsics" && t.val->intrinsic)
    ctx_.warn("intrinsics", span,
              "Using intrinsic functions directly can easily crash the compiler or result in "
              "wrong code generation");
  ValEntry* e = t.val;
  e->used = true;
  if (e->broken) report_.fail_silently();
  if (e->lazy && !e->lazy->done) {
    ctx_.pending.push_back(e->lazy);
    e->lazy->done = true;
  }
  d_.refs[node] = e;
  return e;
}

const Type* LocalNames::instantiate(ValEntry* entry, const QualName& name,
                                    std::vector<TypeInst>& inst, Span span) {
  switch (entry->kind) {
    case ValEntry::kEquality: {
      const Type* t = uni_.fresh(span, Liftedness::kUnlifted);
      return f_.arrow(t, f_.arrow(t, f_.boolean()));
    }
    case ValEntry::kOverloaded: {
      const Type* t = uni_.fresh_prim(span, entry->overload);
      return f_.arrow(t, f_.arrow(t, entry->result_bool ? f_.boolean() : t));
    }
    case ValEntry::kSelf: return entry->type;
    default: break;
  }
  if (!entry->type) return uni_.wrong(span);
  if (!entry->erased && entry->kind == ValEntry::kLocal) entry->erased = entry->type;
  if (!entry->erased) {
    const TypeFactory::Use lasting(f_, f_.lasting());
    entry->erased = erase_sizes(f_, entry->type);
  }
  if (entry->params.empty()) return entry->erased;
  if (entry->kind == ValEntry::kLocal) entry->erased = uni_.zonk(entry->erased);
  TypeSubst s;
  inst.clear();
  for (const TParam& p : entry->params) {
    if (p.is_size) {
      inst.push_back({p.name.id});
      continue;
    }
    const Type* t = uni_.fresh(span, p.lifted, p.name.base.c_str());
    s.types[p.name.id] = TypeDef{{}, t};
    inst.push_back({p.name.id, t});
    d_.insts.push_back({span, qual_text(name), p.lifted, t});
  }
  return subst_type(f_, entry->erased, s);
}

const Type* LocalNames::operator_type(const QualName& op, const void* node, uint32_t& id,
                                      std::vector<TypeInst>& inst, Span span) {
  ValEntry* entry = lookup(op, node, op.span.known() ? op.span : span);
  if (!entry) return unknown(NameKind::kValue, op, op.span.known() ? op.span : span);
  const bool builtin = entry->kind == ValEntry::kOverloaded || entry->kind == ValEntry::kEquality ||
                       (entry->intrinsic && entry->params.empty());
  id = builtin ? 0 : entry->name.id;
  return instantiate(entry, op, inst, span);
}

}  // namespace skald::futhark
