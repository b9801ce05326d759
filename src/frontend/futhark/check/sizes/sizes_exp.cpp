// SPDX-License-Identifier: Apache-2.0
// Sizes of expressions.
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

const Type* Sizes::exp(Exp& e) {
  const Type* unsized = e.type;
  e.type = f_.unit();
  // If nothing more is reported, nobody looks at types any more.
  if (report_.halted()) return e.type;
  e.ext.clear();
  const Type* t = exp_node(e, unsized);
  report_.type_size(e.span);
  e.type = t;
  return t;
}

const Type* Sizes::var(const void* node, const QualName& name, std::vector<TypeInst>& inst,
                       const Type* unsized, Span span) {
  auto it = d_.refs.find(node);
  if (it == d_.refs.end()) return f_.unit();
  ValEntry* entry = it->second;
  switch (entry->kind) {
    case ValEntry::kEquality:
    case ValEntry::kOverloaded: return replace_metas(unsized, span, false);
    case ValEntry::kSelf:
      if (!entry->sized) return replace_metas(unsized, span, false);
      // Recursion is monomorphic in types, so only sizes are instantiated.
      return instantiate(entry->sized_params, entry->sized, inst, qual_text(name), span);
    case ValEntry::kLocal:
      if (!entry->sized) return replace_metas(entry->type, span, false);
      return instantiate(entry->sized_params, entry->sized, inst, qual_text(name), span);
    case ValEntry::kGlobal:
      return instantiate(entry->params, entry->type, inst, qual_text(name), span);
  }
  return f_.unit();
}

const Type* Sizes::project(const Type* t, const std::string& field) {
  const Type* r = find_field(*t, field);
  return r ? r : f_.unit();
}

const Type* Sizes::exp_node(Exp& e, const Type* unsized) {
  if (std::holds_alternative<ELiteral>(e.node)) return uni_.zonk(unsized);
  if (auto* x = std::get_if<EString>(&e.node))
    return f_.array({f_.size_const(static_cast<int64_t>(x->bytes.size()))}, f_.prim(Prim::kU8));
  if (auto* x = std::get_if<EVar>(&e.node)) {
    const Type* t = var(x, x->name, x->inst, unsized, e.span);
    for (const Ident& field : x->fields) t = project(t, field.name);
    // A variable has the type of its values, unique or not.
    return f_.with_unique(t, false);
  }
  if (std::holds_alternative<EHole>(e.node)) return replace_metas(unsized, e.span, true);
  if (auto* x = std::get_if<EParens>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<ETuple>(&e.node)) {
    std::vector<const Type*> ts;
    for (auto& elem : x->elems) ts.push_back(exp(*elem));
    return f_.tuple(ts);
  }
  if (auto* x = std::get_if<ERecord>(&e.node)) return record(*x, unsized);
  if (auto* x = std::get_if<EArray>(&e.node)) return array_lit(*x, unsized, e.span);
  if (auto* x = std::get_if<EIndex>(&e.node)) {
    dims(x->dims);
    const Type* t = norm(exp(*x->array));
    return slice(t, x->dims, SliceMode::kKnown, e.span, e.ext);
  }
  if (auto* x = std::get_if<EProject>(&e.node)) return project(exp(*x->record), x->field.name);
  if (auto* x = std::get_if<ELocalOpen>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EApply>(&e.node)) return apply(*x, e.span, e.ext);
  if (auto* x = std::get_if<EBinary>(&e.node)) return binary(*x, unsized, e);
  if (auto* x = std::get_if<ENegate>(&e.node)) return exp(*x->arg);
  if (auto* x = std::get_if<ENot>(&e.node)) return exp(*x->arg);
  if (auto* x = std::get_if<EConstr>(&e.node)) return constr(*x, unsized, e.span);
  if (auto* x = std::get_if<EAscript>(&e.node)) return ascription(*x, e.span);
  if (auto* x = std::get_if<ECoerce>(&e.node)) return coercion(*x, e.span);
  if (auto* x = std::get_if<ERange>(&e.node)) return range(*x, e.span, e.ext);
  if (auto* x = std::get_if<EIf>(&e.node)) {
    exp(*x->cond);
    const Type* a = exp(*x->then_branch);
    const Type* b = exp(*x->else_branch);
    return unify_branches(a, b, e.span, e.ext);
  }
  if (auto* x = std::get_if<ELet>(&e.node)) return let(*x, e.span, e.ext);
  if (auto* x = std::get_if<ELetFun>(&e.node)) return let_fun(*x, e.span, e.ext);
  if (auto* x = std::get_if<ELetWith>(&e.node)) return let_with(*x, e.span, e.ext);
  if (auto* x = std::get_if<EUpdate>(&e.node)) return update(*x);
  if (auto* x = std::get_if<ELambda>(&e.node)) return lambda(*x, unsized, e.span);
  if (auto* x = std::get_if<ELoop>(&e.node)) return loop(*x, e.span, e.ext);
  if (auto* x = std::get_if<EMatch>(&e.node)) return match(*x, e.span, e.ext);
  if (auto* x = std::get_if<EAttr>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EAssert>(&e.node)) {
    exp(*x->cond);
    return exp(*x->inner);
  }
  if (auto* x = std::get_if<EOpSection>(&e.node)) return var(x, x->op, x->inst, unsized, e.span);
  if (auto* x = std::get_if<ELeftSection>(&e.node)) return left_section(*x, unsized, e.span, e.ext);
  if (auto* x = std::get_if<ERightSection>(&e.node))
    return right_section(*x, unsized, e.span, e.ext);
  if (auto* x = std::get_if<EPathSection>(&e.node)) return path_section(*x, unsized, e.span);
  SKALD_BUG("unknown expression");
}

const Type* Sizes::record(ERecord& x, const Type* unsized) {
  std::vector<std::pair<std::string, const Type*>> fields;
  for (auto& field : x.fields) {
    const Type* t = nullptr;
    if (field.value) {
      t = exp(*field.value);
    } else {
      const Type* u = find_field(*uni_.shallow(unsized), field.name.name);
      t = var(&field.name, {{}, field.name.name, field.name.span}, d_.field_inst[&field.name],
              u ? u : f_.unit(), field.name.span);
      t = f_.with_unique(t, false);
    }
    fields.emplace_back(field.name.name, t);
  }
  return f_.record(std::move(fields));
}

const Type* Sizes::binary(EBinary& x, const Type* unsized, Exp& e) {
  const Type* op = op_type(&x, x.op, x.inst, e.span);
  exp(*x.lhs);
  exp(*x.rhs);
  if (!op) {
    if (x.lhs->type->kind != Type::kPrim)
      unify(x.lhs->type, x.rhs->type,
            {x.rhs->span,
             "use as function argument",
             [&] {
               return "Cannot apply " + quote(x.op.name) + " to " + quote(short_text(*x.rhs)) +
                      " (invalid type).\nExpected: " + show(x.lhs->type) +
                      "\nActual:   " + show(x.rhs->type);
             },
             {},
             x.rhs.get(),
             SizeWhy::kArgument,
             x.op.name});
    return uni_.zonk(unsized);
  }
  std::vector<VName> ext;
  const Type* t = apply_one(qual_text(x.op), op, *x.lhs, e.span, ext);
  return apply_one(qual_text(x.op), t, *x.rhs, e.span, e.ext);
}

const Type* Sizes::ascription(EAscript& x, Span span) {
  const Type* want = f_.with_unique(type_exp(*x.type), false);
  const Type* t = exp(*x.inner);
  const bool ok = unify(
      want, norm(t),
      {span,
       "type ascription",
       [&] {
         return "Expression does not have expected type from explicit ascription.\nExpected: " +
                show(want) + "\nActual:   " + show(t);
       },
       {{x.type->span, "the ascribed type"}},
       x.inner.get()});
  return ok ? t : with_wrong_sizes(t);
}

const Type* Sizes::coercion(ECoerce& x, Span span) {
  std::vector<VName> anonymous;
  const Type* want = f_.with_unique(type_exp(*x.type, &anonymous), false);
  const Type* t = exp(*x.inner);
  IdSet open;
  for (const VName& a : anonymous) open.insert(a.id);
  TypeMapper m;
  m.on_size = [&](const Exp* s) -> const Exp* {
    if (open.contains(size_var_id(s))) return s;
    return f_.size_var(flexible(span, "coerce",
                                "a size coercion where the underlying expression size cannot "
                                "be determined"));
  };
  unify(norm(t), map_type(f_, want, m),
        {span, "size coercion", [&] {
           return "Expression does not have expected type from explicit ascription.\nExpected: " +
                  show(want) + "\nActual:   " + show(t);
         }});
  return want;
}

const Type* Sizes::array_lit(EArray& e, const Type* unsized, Span span) {
  const Size size{f_.size_const(static_cast<int64_t>(e.elems.size()))};
  if (e.elems.empty()) {
    const Type* t = uni_.shallow(unsized);
    return f_.array(size, replace_metas(t->elem, span, false));
  }
  const Type* first = exp(*e.elems[0]);
  for (size_t i = 1; i < e.elems.size(); ++i) {
    const Type* t = exp(*e.elems[i]);
    if (t->kind == Type::kPrim && first->kind == Type::kPrim) continue;
    // Those that follow would be compared with what may be the wrong one.
    if (!unify(first, t,
               {e.elems[i]->span,
                "type of first array element",
                {},
                {{e.elems[0]->span, "the first element"}},
                e.elems[i].get(),
                SizeWhy::kElement}))
      first = with_wrong_sizes(first);
  }
  return f_.array(size, first);
}

const Type* Sizes::constr(EConstr& e, const Type* unsized, Span span) {
  const Type* t = replace_metas(unsized, span, true);
  const auto* payload = find_constr(*t, e.name.name);
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Type* a = exp(*e.args[i]);
    if (payload && i < payload->size()) unify((*payload)[i], a, {span, "inferred variant"});
  }
  return t;
}

const Type* Sizes::range(ERange& e, Span span, std::vector<VName>& ext) {
  const Type* start = exp(*e.start);
  if (e.step) {
    exp(*e.step);
    if (equal_sizes(e.start.get(), e.step.get()))
      ctx_.warn("empty-range", span,
                "First and second element of range are identical, this will produce an empty "
                "array");
  }
  exp(*e.end);
  const bool is_i64 = start->kind == Type::kPrim && start->prim == Prim::kI64;
  const int64_t first = size_const_value(e.start.get()).value_or(-1);
  const int64_t second = e.step ? size_const_value(e.step.get()).value_or(0) : 0;
  const Exp* size = nullptr;
  bool usable = false;
  if (is_i64) {
    const bool both = can_be_size(*e.start) && can_be_size(*e.end);
    if (e.kind == ERange::kUpTo && first == 0 && (!e.step || second == 1)) {
      usable = can_be_size(*e.end);
      if (usable) size = strip_size(e.end.get());
    } else if (e.kind == ERange::kUpTo && !e.step) {
      usable = both;
      if (both) size = f_.size_binary("-", e.end.get(), e.start.get());
    } else if (e.kind == ERange::kInclusive && !e.step) {
      usable = both;
      if (both)
        size =
            f_.size_binary("+", f_.size_binary("-", e.end.get(), e.start.get()), f_.size_const(1));
    } else if (e.kind == ERange::kInclusive && first == 1 && second == 2) {
      usable = can_be_size(*e.end);
      if (usable) size = strip_size(e.end.get());
    } else {
      usable = true;
    }
    if (!usable)
      ctx_.warn("size-expression-bind", span,
                "Size expression with binding is replaced by unknown size");
  }
  if (!size) {
    const VName d =
        unknown(span, "range_dim", "is unknown length of range at " + ctx_.where(span) + ".",
                "the length of this range");
    ext.push_back(d);
    size = f_.size_var(d);
  }
  return f_.array({size}, start);
}

const Type* Sizes::match(EMatch& e, Span span, std::vector<VName>& ext) {
  const Type* scrutinee = exp(*e.scrutinee);
  std::vector<const Type*> types;
  std::vector<std::vector<VName>> exts;
  for (auto& c : e.cases) {
    std::vector<Ident> none;
    let_pattern(*c.pat, norm(scrutinee), none);
    const Type* t = norm(exp(*c.body));
    exts.emplace_back();
    types.push_back(unscope(t, c.span, pattern_ids(*c.pat), exts.back()));
  }
  if (types.empty()) return f_.unit();
  // From the last case to the first.
  const Type* t = types.back();
  ext = exts.back();
  for (size_t i = types.size() - 1; i-- > 0;) {
    std::vector<VName> fresh;
    t = unify_branches(types[i], t, e.cases[i].span, fresh);
    ext.insert(ext.end(), exts[i].begin(), exts[i].end());
    ext.insert(ext.end(), fresh.begin(), fresh.end());
  }
  // Keep those that the type still mentions.
  const IdSet used = free_sizes(norm(t));
  std::erase_if(ext, [&](const VName& v) { return !used.contains(v.id); });
  (void)span;
  return t;
}

}  // namespace skald::futhark
