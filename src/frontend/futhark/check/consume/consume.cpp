// SPDX-License-Identifier: Apache-2.0
// Consumption: variables, and expressions that pass aliases on.
#include "frontend/futhark/check/consume/consume.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

std::string Consume::describe(uint32_t id) {
  if (auto it = results_.find(id); it != results_.end()) {
    const Artificial& made = it->second;
    const std::string at = ctx_.where(made.span);
    if (made.is_loop) return "result of loop at " + at;
    return made.function.empty()
               ? "result of application at " + at
               : "result of applying " + quote(made.function) + " (at " + at + ")";
  }
  if (auto it = names_.find(id); it != names_.end()) return "variable " + quote(it->second);
  return "variable";
}

// The name of a variable; empty for what has none.
std::string Consume::name_of(uint32_t id) {
  if (results_.contains(id)) return {};
  auto it = names_.find(id);
  return it == names_.end() ? std::string() : it->second;
}

std::string Consume::use_hint(uint32_t id) {
  const std::string name = name_of(id);
  if (name.empty()) return "consume a copy instead: `copy` makes a value that nothing else shares";
  return "consume a copy instead, with `copy " + name +
         "`; or go on with the new value instead of `" + name + "`";
}

void Consume::not_consumable(uint32_t id, const AliasSet& set, Span span) {
  if (!forgiven_.insert(id).second) return;
  std::vector<source::Label> labels;
  const std::string name = name_of(id);
  std::string hint =
      name.empty() ? "consume a copy: `copy (…)`" : "consume a copy: `copy " + name + "`";
  auto at = ctx_.bound_at.find(id);
  auto it = env_.find(id);
  const bool is_parameter = it != env_.end() && !it->second.consumable;
  // What was written may be another name for it.
  uint32_t written = id;
  for (const Alias& a : set)
    if (auto other = env_.find(a.var); other != env_.end() && !name_of(a.var).empty() &&
                                       it != env_.end() && other->second.order > it->second.order)
      written = a.var;
  if (written != id) {
    if (at != ctx_.bound_at.end()) labels.push_back({at->second, "it may share memory with this"});
    return report_.error("not-consumable", span,
                         "Consuming " + describe(id) + ", which is not consumable.",
                         std::move(labels),
                         "consume a copy: `copy " + name_of(written) + "`; `" + name_of(written) +
                             "` may share its memory with `" + name + "`");
  }
  if (at != ctx_.bound_at.end() && !name.empty()) {
    if (is_parameter) {
      labels.push_back({at->second, "a parameter without `*` is only lent"});
      hint += "; or take it away from the caller, with `*` before the type of `" + name + "`";
    } else {
      labels.push_back({at->second, "bound outside of the function or loop that consumes it"});
    }
  }
  report_.error("not-consumable", span, "Consuming " + describe(id) + ", which is not consumable.",
                std::move(labels), std::move(hint));
}

void Consume::bind(uint32_t id, AliasesPtr aliases, bool consumable) {
  env_[id] = {std::move(aliases), consumable, ++order_};
}

std::vector<uint32_t> Consume::names_of(const Pat& p) {
  std::vector<uint32_t> out;
  for_each_bound(p, [&](const Ident& n, const Pat&) {
    out.push_back(n.id);
    names_[n.id] = n.name;
  });
  return out;
}

AliasesPtr Consume::leave(const AliasesPtr& a, const std::vector<uint32_t>& names) {
  return map_sets(a, [&](const AliasSet& s) {
    AliasSet out = s;
    for (Alias& x : out)
      if (std::ranges::find(names, x.var) != names.end()) x.out_of_scope = true;
    std::ranges::sort(out);
    const auto [first, last] = std::ranges::unique(out);
    out.erase(first, last);
    return out;
  });
}

void Consume::bind_pattern(const Pat& p, const AliasesPtr& a) {
  if (auto* v = std::get_if<PVar>(&p.node)) {
    names_[v->name.id] = v->name.name;
    bind(v->name.id, insert_self(a, v->name.id), true);
  } else if (auto* x = std::get_if<PParens>(&p.node)) {
    bind_pattern(*x->inner, a);
  } else if (auto* x = std::get_if<PAttr>(&p.node)) {
    bind_pattern(*x->inner, a);
  } else if (auto* x = std::get_if<PAscript>(&p.node)) {
    bind_pattern(*x->inner, a);
  } else if (auto* x = std::get_if<PTuple>(&p.node)) {
    for (size_t i = 0; i < x->elems.size(); ++i)
      bind_pattern(*x->elems[i], field_of(a, std::to_string(i)));
  } else if (auto* x = std::get_if<PRecord>(&p.node)) {
    for (const auto& field : x->fields) {
      const AliasesPtr part = field_of(a, field.name.name);
      if (field.pat) {
        bind_pattern(*field.pat, part);
      } else {
        names_[field.name.id] = field.name.name;
        bind(field.name.id, insert_self(part, field.name.id), true);
      }
    }
  } else if (auto* x = std::get_if<PConstr>(&p.node)) {
    for (const auto& [name, payload] : a->constrs)
      if (name == x->name.name)
        for (size_t i = 0; i < x->args.size() && i < payload.size(); ++i)
          bind_pattern(*x->args[i], payload[i]);
  }
}

void Consume::bind_param(const Pat& p, bool force_observe) {
  // Sizes are evaluated to make the type, and may not consume.
  for_each_size(p.type, [&](const Exp* e, SizePos, const IdSet&) {
    if (std::holds_alternative<EVar>(e->node) || std::holds_alternative<ELiteral>(e->node)) return;
    const uint32_t barrier = barrier_;
    barrier_ = order_;
    exp(const_cast<Exp&>(*e));
    barrier_ = barrier;
  });
  for_each_bound(p, [&](const Ident& n, const Pat& at) {
    const Type* t = at.type;
    if (std::holds_alternative<PRecord>(at.node)) t = find_field(*at.type, n.name);
    names_[n.id] = n.name;
    bind(n.id, self_aliases(t, n.id), !force_observe && is_consuming(t));
  });
}

void Consume::use(const AliasSet& set, Span span) {
  for (const Alias& a : set) {
    auto it = consumed_.find(a.var);
    if (it == consumed_.end() || forgiven_.contains(a.var)) continue;
    report_.error("use-after-consume", span,
                  (name_of(a.var).empty() ? "this" : quote(name_of(a.var))) +
                      " is used after it was consumed\nUsing " + describe(a.var) +
                      ", but this was consumed at " + ctx_.where(it->second) +
                      ".  (Possibly through aliases.)",
                  {{it->second, "consumed here"}}, use_hint(a.var));
    forgiven_.insert(a.var);
  }
}

void Consume::consume(const AliasSet& set, Span span) {
  for (const Alias& a : set) {
    if (a.out_of_scope) continue;
    auto it = env_.find(a.var);
    if (it == env_.end() || !it->second.consumable || it->second.order <= barrier_)
      not_consumable(a.var, set, span);
  }
  use(set, span);
  for (const Alias& a : set) consumed_.emplace(a.var, span);
}

Consume::Consumed Consume::contain(const std::function<void()>& f) {
  const Consumed before = consumed_;
  f();
  Consumed fresh;
  for (const auto& [id, span] : consumed_)
    if (!before.contains(id)) fresh.emplace(id, span);
  consumed_ = before;
  return fresh;
}

namespace {

// Functions and values of abstract types that are global alias nothing.
AliasesPtr arrays_only(const AliasesPtr& a) {
  if (a->kind == Aliases::kRecord || a->kind == Aliases::kSum) {
    Aliases out = *a;
    for (auto& [name, field] : out.fields) field = arrays_only(field);
    for (auto& [name, payload] : out.constrs)
      for (auto& p : payload) p = arrays_only(p);
    return std::make_shared<const Aliases>(std::move(out));
  }
  if (a->kind == Aliases::kLeaf && !a->opaque) return a;
  return map_sets(a, [](const AliasSet&) { return AliasSet{}; });
}

}  // namespace

AliasesPtr Consume::var(uint32_t id, const Type* t, Span span) {
  auto it = env_.find(id);
  if (it != env_.end()) {
    use(all_aliases(it->second.aliases), span);
    return it->second.aliases;
  }
  // A global.  One that is polymorphic is made anew for every use, like a function's result; that
  // can be seen from sizes in its type that are local names.
  bool local_size = false;
  if (t->kind != Type::kPrim && t->kind != Type::kArrow)
    for (uint32_t v : free_sizes(t)) local_size |= env_.contains(v);
  if (local_size) return aliases_everywhere(t, {});
  return arrays_only(self_aliases(t, id));
}

AliasesPtr Consume::exp(Exp& e) {
  if (report_.halted()) return aliases_everywhere(e.type, {});
  return exp_node(e);
}

void Consume::children(Exp& e) {
  for_each_child(e, [&](Exp& child) { exp(child); });
}

AliasesPtr Consume::branches(Exp& e, const std::vector<std::function<AliasesPtr()>>& parts) {
  Consumed all;
  AliasesPtr result = aliases_everywhere(e.type, {});
  for (const auto& part : parts) {
    AliasesPtr a;
    const Consumed c = contain([&] { a = part(); });
    all.insert(c.begin(), c.end());
    result = combine(result, a);
  }
  add_consumed(all);
  return map_sets(result, [&](const AliasSet& s) {
    AliasSet out;
    for (const Alias& a : s)
      if (!all.contains(a.var)) out.push_back(a);
    return out;
  });
}

AliasesPtr Consume::path(const EVar& x, const Exp& e) {
  names_.emplace(x.id, x.name.name);
  if (x.fields.empty()) return var(x.id, e.type, e.span);
  auto it = env_.find(x.id);
  AliasesPtr a = it != env_.end() ? it->second.aliases : nullptr;
  if (!a) {
    // A global record: a part of it is aliased to that part.
    std::string fields;
    for (const Ident& f : x.fields) fields += "." + f.name;
    return arrays_only(self_aliases(e.type, x.id, fields));
  }
  for (const Ident& f : x.fields) a = field_of(a, f.name);
  use(all_aliases(a), e.span);
  return a;
}

AliasesPtr Consume::record(ERecord& x, const Type* type) {
  std::unordered_map<std::string, AliasesPtr> parts;
  for (auto& field : x.fields) {
    const Type* t = find_field(*type, field.name.name);
    names_.emplace(field.name.id, field.name.name);
    parts[field.name.name] =
        field.value ? exp(*field.value) : var(field.name.id, t ? t : f_.unit(), field.name.span);
  }
  Aliases out;
  out.kind = Aliases::kRecord;
  out.type = type;
  for (const auto& [name, t] : type->fields) out.fields.emplace_back(name, parts[name]);
  return std::make_shared<const Aliases>(std::move(out));
}

AliasesPtr Consume::match(EMatch& x, Exp& e) {
  const AliasesPtr scrutinee = exp(*x.scrutinee);
  std::vector<std::function<AliasesPtr()>> parts;
  for (auto& c : x.cases)
    parts.push_back([&, this] {
      bind_pattern(*c.pat, scrutinee);
      return leave(exp(*c.body), names_of(*c.pat));
    });
  return branches(e, parts);
}

AliasesPtr Consume::exp_node(Exp& e) {
  if (auto* x = std::get_if<EVar>(&e.node)) return path(*x, e);
  if (auto* x = std::get_if<EParens>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EAscript>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<ECoerce>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<ELocalOpen>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EAttr>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EAssert>(&e.node)) {
    exp(*x->cond);
    return exp(*x->inner);
  }
  if (auto* x = std::get_if<ETuple>(&e.node)) {
    Aliases out;
    out.kind = Aliases::kRecord;
    out.type = e.type;
    for (size_t i = 0; i < x->elems.size(); ++i)
      out.fields.emplace_back(std::to_string(i), exp(*x->elems[i]));
    return std::make_shared<const Aliases>(std::move(out));
  }
  if (auto* x = std::get_if<ERecord>(&e.node)) return record(*x, e.type);
  if (auto* x = std::get_if<EConstr>(&e.node)) {
    std::vector<AliasesPtr> args;
    for (auto& a : x->args) args.push_back(exp(*a));
    Aliases out = *aliases_everywhere(e.type, {});
    for (auto& [name, payload] : out.constrs)
      if (name == x->name.name) payload = args;
    return std::make_shared<const Aliases>(std::move(out));
  }
  if (auto* x = std::get_if<EProject>(&e.node)) return field_of(exp(*x->record), x->field.name);
  if (auto* x = std::get_if<EIndex>(&e.node)) {
    const AliasesPtr a = exp(*x->array);
    for_each_in_dims(x->dims, [&](Exp& d) { exp(d); });
    return aliases_everywhere(e.type, all_aliases(a));
  }
  if (auto* x = std::get_if<EIf>(&e.node)) {
    exp(*x->cond);
    return branches(e,
                    {[&] { return exp(*x->then_branch); }, [&] { return exp(*x->else_branch); }});
  }
  if (auto* x = std::get_if<EMatch>(&e.node)) return match(*x, e);
  if (auto* x = std::get_if<EApply>(&e.node)) return apply(*x, e.span);
  if (auto* x = std::get_if<EBinary>(&e.node)) return binary(*x, e.type, e.span);
  if (auto* x = std::get_if<ELet>(&e.node)) return let(*x);
  if (auto* x = std::get_if<ELetFun>(&e.node)) return let_fun(*x, e.span);
  if (auto* x = std::get_if<ELambda>(&e.node)) return lambda(e, *x);
  if (auto* x = std::get_if<ELetWith>(&e.node)) return let_with(*x, e.span);
  if (auto* x = std::get_if<EUpdate>(&e.node)) return update(*x, e.type, e.span);
  if (auto* x = std::get_if<ELoop>(&e.node)) return loop(*x, e.type, e.span);
  if (auto* x = std::get_if<EOpSection>(&e.node)) {
    names_.emplace(x->id, x->op.name);
    return x->id ? var(x->id, e.type, e.span) : aliases_everywhere(e.type, {});
  }
  if (auto* x = std::get_if<ELeftSection>(&e.node)) {
    AliasSet set = x->id ? all_aliases(var(x->id, e.type, e.span)) : AliasSet{};
    return aliases_everywhere(e.type, merge(set, all_aliases(exp(*x->lhs))));
  }
  if (auto* x = std::get_if<ERightSection>(&e.node)) {
    AliasSet set = x->id ? all_aliases(var(x->id, e.type, e.span)) : AliasSet{};
    return aliases_everywhere(e.type, merge(set, all_aliases(exp(*x->rhs))));
  }
  // Literals, ranges, arrays, arithmetic: values of their own.
  children(e);
  return aliases_everywhere(e.type, {});
}

}  // namespace skald::futhark
