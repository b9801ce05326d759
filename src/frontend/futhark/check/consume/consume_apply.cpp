// SPDX-License-Identifier: Apache-2.0
// Consumption by function application.
#include <algorithm>

#include "frontend/futhark/check/consume/consume.h"
#include "frontend/futhark/check/hints/mismatch.h"

namespace skald::futhark {

void Consume::no_self_aliases(const AliasesPtr& a, Span span) {
  AliasSet seen;
  std::function<void(const AliasesPtr&)> walk = [&](const AliasesPtr& x) {
    if (x->kind == Aliases::kRecord) {
      for (const auto& [name, field] : x->fields) walk(field);
      return;
    }
    const AliasSet here = all_aliases(x);
    if (overlap(seen, here))
      report_.error("self-aliasing-arg", span,
                    "Argument passed for consuming parameter is self-aliased.", {},
                    "`copy` one of the parts that share memory");
    seen = merge(seen, here);
  };
  walk(a);
}

// Consumes the parts of the argument that the parameter consumes.
void Consume::consume_as_needed(const Type* param, bool all, const AliasesPtr& a, Span span) {
  AliasSet set;
  std::function<void(const Type*, const AliasesPtr&)> walk = [&](const Type* t,
                                                                 const AliasesPtr& x) {
    if (!all && t && t->kind == Type::kRecord && x->kind == Aliases::kRecord) {
      for (const auto& [name, field] : t->fields) walk(field, field_of(x, name));
      return;
    }
    if (all || is_consuming(t)) set = merge(set, all_aliases(x));
  };
  walk(param, a);
  owned_.consume(set, span);
}

AliasesPtr Consume::argument(const std::vector<std::pair<const Exp*, AliasesPtr>>& previous,
                             bool consumes, Exp& e, const Type* param) {
  AliasesPtr a;
  const Ownership::Consumed c = owned_.contain([&] { a = exp(e); });
  owned_.add_consumed(c);
  if (!c.empty() && !is_function_free(e.type))
    report_.error("consuming-argument", e.span,
                  "Argument of functional type\n" + indented(pretty(*e.type)) +
                      "\ncontains consumption, which is not allowed.  (contains-consumption)");
  if (!consumes) return a;
  no_self_aliases(a, e.span);
  consume_as_needed(param, param == nullptr, a, e.span);
  for (const Alias& x : all_aliases(a)) {
    if (x.out_of_scope) continue;
    for (const auto& [other, aliases] : previous)
      for (const Alias& y : all_aliases(aliases))
        if (!y.out_of_scope && y.var == x.var)
          report_.error("aliased-argument", e.span,
                        "Argument is consumed, but aliases\n" + indented(owned_.describe(x.var)) +
                            "\nwhich is also aliased by other argument\n" +
                            indented(pretty(*other)) + "\nat " + ctx_.where(other->span) + ".",
                        {{other->span, "the other argument"}},
                        "pass a copy: `" + applied("copy", &e) + "`");
  }
  return a;
}

AliasesPtr Consume::call(const std::string& fname, const AliasesPtr& fn,
                         const std::vector<AliasesPtr>& args, Span span) {
  const uint32_t id = owned_.add_result({.span = span, .function = fname});
  AliasesPtr a = insert_everywhere(fn, {id, "", true});
  for (const AliasesPtr& arg : args) {
    if (a->kind != Aliases::kFun || !a->type || a->type->kind != Type::kArrow) {
      a = arg;
      continue;
    }
    a = result_aliases(a->set, a->type->to, is_consuming(a->type->from), arg);
  }
  return a;
}

AliasesPtr Consume::apply(EApply& e, Span span) {
  const AliasesPtr fn = exp(*e.fn);
  std::string fname;
  if (auto* v = std::get_if<EVar>(&e.fn->node)) fname = qual_text(v->name);
  std::vector<bool> consumes;
  const Type* t = fn->kind == Aliases::kFun ? fn->type : nullptr;
  for (size_t i = 0; i < e.args.size(); ++i) {
    const bool arrow = t && t->kind == Type::kArrow;
    consumes.push_back(arrow && is_consuming(t->from));
    t = arrow ? t->to : nullptr;
  }
  // Arguments are evaluated from the last to the first.
  std::vector<AliasesPtr> args(e.args.size());
  std::vector<std::pair<const Exp*, AliasesPtr>> previous;
  for (size_t i = e.args.size(); i-- > 0;) {
    args[i] = argument(previous, consumes[i], *e.args[i], nullptr);
    previous.emplace_back(e.args[i].get(), args[i]);
  }
  return call(fname, fn, args, span);
}

AliasesPtr Consume::binary(EBinary& e, const Type* type, Span span) {
  if (!e.id) {
    exp(*e.lhs);
    exp(*e.rhs);
    return aliases_everywhere(type, {});
  }
  owned_.name(e.id, e.op.name);
  AliasesPtr fn;
  const Ownership::Entry* entry = owned_.find(e.id);
  const Type* fn_type = nullptr;
  if (entry) {
    fn = var(e.id, type, span);
    fn_type = fn->type;
  } else {
    auto ref = d_.refs.find(&e);
    fn_type = ref == d_.refs.end() ? nullptr : ref->second->type;
    if (!fn_type || fn_type->kind != Type::kArrow) fn_type = nullptr;
    // The result's type as it is here, with the uniqueness of the definition.
    if (fn_type && fn_type->to->kind == Type::kArrow) {
      const bool unique = is_consuming(fn_type->to->to);
      const Type* result = unique ? f_.with_unique(type, true) : type;
      const Type* second = f_.arrow(fn_type->to->from, result);
      fn_type = f_.arrow(fn_type->from, second);
      fn = aliases_everywhere(fn_type, {});
    } else {
      fn_type = nullptr;
      fn = aliases_everywhere(type, {});
    }
  }
  const bool first = fn_type && is_consuming(fn_type->from);
  const bool second =
      fn_type && fn_type->to->kind == Type::kArrow && is_consuming(fn_type->to->from);
  const AliasesPtr x = argument({}, first, *e.lhs, nullptr);
  const AliasesPtr y = argument({{e.lhs.get(), x}}, second, *e.rhs, nullptr);
  if (!fn_type) return aliases_everywhere(type, merge(all_aliases(x), all_aliases(y)));
  return call(e.op.name, fn, {x, y}, span);
}

}  // namespace skald::futhark
