// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

#include <algorithm>

namespace skald::futhark {

ExpSizes::ExpSizes(SizeStep& s)
    : d_(s.d),
      ctx_(s.d.ctx),
      f_(s.d.ctx.f),
      uni_(s.d.uni),
      report_(s.d.report),
      table_(s.table),
      words_(s.words),
      unifier_(s.unifier),
      fresh_(s.fresh),
      scope_(s.scope),
      patterns_(s, *this),
      calls_(s, *this),
      indices_(s, *this),
      bindings_(s, *this, patterns_),
      loops_(s, *this, patterns_) {}

SizedFunction ExpSizes::function(const FunParts& parts, ValEntry* self,
                                 std::vector<TParam> tparams) {
  return bindings_.binding(parts, self, std::move(tparams));
}

const Type* ExpSizes::exp(Exp& e) {
  const Type* unsized = e.type;
  e.type = f_.unit();
  // If nothing more is reported, nobody looks at types any more.
  if (report_.halted()) return e.type;
  e.ext.clear();
  const Type* t = node(e, unsized);
  report_.type_size(e.span);
  e.type = t;
  return t;
}

const Type* ExpSizes::node(Exp& e, const Type* unsized) {
  if (std::holds_alternative<ELiteral>(e.node)) return uni_.zonk(unsized);
  if (auto* x = std::get_if<EString>(&e.node))
    return f_.array({f_.size_const(static_cast<int64_t>(x->bytes.size()))}, f_.prim(Prim::kU8));
  if (auto* x = std::get_if<EVar>(&e.node)) {
    const Type* t = fresh_.of_name(x, x->name, x->inst, unsized, e.span);
    for (const Ident& field : x->fields) t = indices_.project(t, field.name);
    // A variable has the type of its values, unique or not.
    return f_.with_unique(t, false);
  }
  if (std::holds_alternative<EHole>(e.node)) return fresh_.replace_metas(unsized, e.span, true);
  if (auto* x = std::get_if<EParens>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<ETuple>(&e.node)) {
    std::vector<const Type*> ts;
    for (auto& elem : x->elems) ts.push_back(exp(*elem));
    return f_.tuple(ts);
  }
  if (auto* x = std::get_if<ERecord>(&e.node)) return record(*x, unsized);
  if (auto* x = std::get_if<EArray>(&e.node)) return array_lit(*x, unsized, e.span);
  if (auto* x = std::get_if<EIndex>(&e.node)) return indices_.index(*x, e.span, e.ext);
  if (auto* x = std::get_if<EProject>(&e.node))
    return indices_.project(exp(*x->record), x->field.name);
  if (auto* x = std::get_if<ELocalOpen>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EApply>(&e.node)) return calls_.apply(*x, e.span, e.ext);
  if (auto* x = std::get_if<EBinary>(&e.node)) return calls_.binary(*x, unsized, e);
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
    return unifier_.unify_branches(a, b, e.span, e.ext);
  }
  if (auto* x = std::get_if<ELet>(&e.node)) return bindings_.let(*x, e.span, e.ext);
  if (auto* x = std::get_if<ELetFun>(&e.node)) return bindings_.let_fun(*x, e.span, e.ext);
  if (auto* x = std::get_if<ELetWith>(&e.node)) return indices_.let_with(*x, e.span, e.ext);
  if (auto* x = std::get_if<EUpdate>(&e.node)) return indices_.update(*x);
  if (auto* x = std::get_if<ELambda>(&e.node)) return bindings_.lambda(*x, e.span);
  if (auto* x = std::get_if<ELoop>(&e.node)) return loops_.loop(*x, e.span, e.ext);
  if (auto* x = std::get_if<EMatch>(&e.node)) return match(*x, e.ext);
  if (auto* x = std::get_if<EAttr>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<EAssert>(&e.node)) {
    exp(*x->cond);
    return exp(*x->inner);
  }
  if (auto* x = std::get_if<EOpSection>(&e.node))
    return fresh_.of_name(x, x->op, x->inst, unsized, e.span);
  if (auto* x = std::get_if<ELeftSection>(&e.node))
    return calls_.left_section(*x, unsized, e.span, e.ext);
  if (auto* x = std::get_if<ERightSection>(&e.node))
    return calls_.right_section(*x, unsized, e.span, e.ext);
  if (auto* x = std::get_if<EPathSection>(&e.node))
    return indices_.path_section(*x, unsized, e.span);
  SKALD_BUG("unknown expression");
}

const Type* ExpSizes::record(ERecord& x, const Type* unsized) {
  std::vector<std::pair<std::string, const Type*>> fields;
  for (auto& field : x.fields) {
    const Type* t = nullptr;
    if (field.value) {
      t = exp(*field.value);
    } else {
      const Type* u = find_field(*uni_.shallow(unsized), field.name.name);
      t = fresh_.of_name(&field.name, {{}, field.name.name, field.name.span},
                         d_.field_inst[&field.name], u ? u : f_.unit(), field.name.span);
      t = f_.with_unique(t, false);
    }
    fields.emplace_back(field.name.name, t);
  }
  return f_.record(std::move(fields));
}

const Type* ExpSizes::ascription(EAscript& x, Span span) {
  const Type* want = f_.with_unique(patterns_.type_exp(*x.type), false);
  const Type* t = exp(*x.inner);
  const bool ok = unifier_.unify(
      want, table_.norm(t),
      {span,
       "type ascription",
       [&] {
         return "Expression does not have expected type from explicit ascription.\nExpected: " +
                words_.show(want) + "\nActual:   " + words_.show(t);
       },
       {{x.type->span, "the ascribed type"}},
       x.inner.get()});
  return ok ? t : table_.with_wrong_sizes(t);
}

const Type* ExpSizes::coercion(ECoerce& x, Span span) {
  std::vector<VName> anonymous;
  const Type* want = f_.with_unique(patterns_.type_exp(*x.type, &anonymous), false);
  const Type* t = exp(*x.inner);
  IdSet open;
  for (const VName& a : anonymous) open.insert(a.id);
  TypeMapper m;
  m.on_size = [&](const Exp* s) -> const Exp* {
    if (open.contains(size_var_id(s))) return s;
    return f_.size_var(
        table_.flexible(span, "coerce",
                        "a size coercion where the underlying expression size cannot "
                        "be determined"));
  };
  unifier_.unify(
      table_.norm(t), map_type(f_, want, m),
      {span, "size coercion", [&] {
         return "Expression does not have expected type from explicit ascription.\nExpected: " +
                words_.show(want) + "\nActual:   " + words_.show(t);
       }});
  return want;
}

const Type* ExpSizes::array_lit(EArray& e, const Type* unsized, Span span) {
  const Size size{f_.size_const(static_cast<int64_t>(e.elems.size()))};
  if (e.elems.empty()) {
    const Type* t = uni_.shallow(unsized);
    return f_.array(size, fresh_.replace_metas(t->elem, span, false));
  }
  const Type* first = exp(*e.elems[0]);
  for (size_t i = 1; i < e.elems.size(); ++i) {
    const Type* t = exp(*e.elems[i]);
    if (t->kind == Type::kPrim && first->kind == Type::kPrim) continue;
    // Those that follow would be compared with what may be the wrong one.
    if (!unifier_.unify(first, t,
                        {e.elems[i]->span,
                         "type of first array element",
                         {},
                         {{e.elems[0]->span, "the first element"}},
                         e.elems[i].get(),
                         SizeWhy::kElement}))
      first = table_.with_wrong_sizes(first);
  }
  return f_.array(size, first);
}

const Type* ExpSizes::constr(EConstr& e, const Type* unsized, Span span) {
  const Type* t = fresh_.replace_metas(unsized, span, true);
  const auto* payload = find_constr(*t, e.name.name);
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Type* a = exp(*e.args[i]);
    if (payload && i < payload->size())
      unifier_.unify((*payload)[i], a, {span, "inferred variant"});
  }
  return t;
}

const Type* ExpSizes::range(ERange& e, Span span, std::vector<VName>& ext) {
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
        table_.unknown(span, "range_dim", "is unknown length of range at " + ctx_.where(span) + ".",
                       "the length of this range");
    ext.push_back(d);
    size = f_.size_var(d);
  }
  return f_.array({size}, start);
}

const Type* ExpSizes::match(EMatch& e, std::vector<VName>& ext) {
  const Type* scrutinee = exp(*e.scrutinee);
  std::vector<const Type*> types;
  std::vector<std::vector<VName>> exts;
  for (auto& c : e.cases) {
    std::vector<Ident> none;
    patterns_.let_pattern(*c.pat, table_.norm(scrutinee), none, e.scrutinee->span);
    const Type* t = table_.norm(exp(*c.body));
    exts.emplace_back();
    types.push_back(scope_.unscope(t, c.span, patterns_.pattern_ids(*c.pat), exts.back()));
  }
  if (types.empty()) return f_.unit();
  // From the last case to the first.
  const Type* t = types.back();
  ext = exts.back();
  for (size_t i = types.size() - 1; i-- > 0;) {
    std::vector<VName> fresh;
    t = unifier_.unify_branches(types[i], t, e.cases[i].span, fresh);
    ext.insert(ext.end(), exts[i].begin(), exts[i].end());
    ext.insert(ext.end(), fresh.begin(), fresh.end());
  }
  // Keep those that the type still mentions.
  const IdSet used = free_sizes(table_.norm(t));
  std::erase_if(ext, [&](const VName& v) { return !used.contains(v.id); });
  return t;
}

}  // namespace skald::futhark
