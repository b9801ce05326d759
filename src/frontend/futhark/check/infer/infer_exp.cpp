// SPDX-License-Identifier: Apache-2.0
// Unsized inference of expressions.  Binding constructs are in infer_bind.cpp, applications in
// infer_apply.cpp.
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

Infer::Infer(DefState& d)
    : d_(d),
      ctx_(d.ctx),
      f_(d.ctx.f),
      names_(d.names),
      uni_(d.uni),
      report_(d.report),
      locals_(d),
      types_(d, locals_, *this),
      patterns_(d, locals_, types_),
      paths_(d, *this),
      hints_(d) {}

const Type* Infer::exp(Exp& e) {
  // If nothing more is reported, nobody looks at types any more.
  const Type* t = report_.halted() ? f_.unit() : exp_node(e);
  report_.type_size(e.span);
  e.type = t;
  return t;
}

const Type* Infer::exp_node(Exp& e) {
  if (auto* x = std::get_if<ELiteral>(&e.node)) return literal(x->lit, e.span);
  if (std::holds_alternative<EString>(e.node)) return f_.array({}, f_.prim(Prim::kU8));
  if (auto* x = std::get_if<EVar>(&e.node)) return var(*x, e.span);
  if (std::holds_alternative<EHole>(e.node)) return uni_.fresh(e.span, Liftedness::kLifted, "hole");
  if (auto* x = std::get_if<EParens>(&e.node)) return exp(*x->inner);
  if (auto* x = std::get_if<ETuple>(&e.node)) {
    std::vector<const Type*> ts;
    for (auto& elem : x->elems) ts.push_back(exp(*elem));
    return f_.tuple(ts);
  }
  if (auto* x = std::get_if<ERecord>(&e.node)) return record(*x);
  if (auto* x = std::get_if<EArray>(&e.node)) return array_lit(*x, e.span);
  if (auto* x = std::get_if<EIndex>(&e.node)) return paths_.index(*x, e.span);
  if (auto* x = std::get_if<EProject>(&e.node)) {
    const Type* rec = exp(*x->record);
    const Type* field = uni_.fresh(e.span, Liftedness::kLifted);
    if (!uni_.unify(rec, uni_.fresh_record(e.span, x->field.name, field), {x->field.span}))
      return uni_.wrong(e.span);
    return field;
  }
  if (auto* x = std::get_if<ELocalOpen>(&e.node)) return local_open(*x, e.span);
  if (auto* x = std::get_if<EApply>(&e.node)) return apply(*x, e.span);
  if (auto* x = std::get_if<EBinary>(&e.node)) return binary(*x, e.span);
  if (auto* x = std::get_if<ENegate>(&e.node)) {
    const Type* t = exp(*x->arg);
    require(uni_, *x->arg, kNumberPrims, "numeric negation");
    return t;
  }
  if (auto* x = std::get_if<ENot>(&e.node)) {
    const Type* t = exp(*x->arg);
    require(uni_, *x->arg, kIntPrims | prim_bit(Prim::kBool), "logical negation");
    return t;
  }
  if (auto* x = std::get_if<EConstr>(&e.node)) {
    std::vector<const Type*> ts;
    for (auto& a : x->args) ts.push_back(exp(*a));
    return uni_.fresh_sum(e.span, x->name.name, std::move(ts));
  }
  if (auto* x = std::get_if<EAscript>(&e.node)) return ascription(*x);
  if (auto* x = std::get_if<ECoerce>(&e.node)) {
    const Type* t = exp(*x->inner);
    const Type* want = erase_sizes(f_, types_.type_exp(*x->type).type);
    uni_.unify(t, want,
               {x->inner->span, {}, {{x->type->span, "the type of the coercion"}}, x->inner.get()});
    return want;
  }
  if (auto* x = std::get_if<ERange>(&e.node)) return range(*x);
  if (auto* x = std::get_if<EIf>(&e.node)) return if_exp(*x, e.span);
  if (auto* x = std::get_if<ELet>(&e.node)) return let(*x);
  if (auto* x = std::get_if<ELetFun>(&e.node)) return let_fun(*x, e.span);
  if (auto* x = std::get_if<ELetWith>(&e.node)) return let_with(*x);
  if (auto* x = std::get_if<EUpdate>(&e.node)) return paths_.update(*x);
  if (auto* x = std::get_if<ELambda>(&e.node)) return lambda(*x);
  if (auto* x = std::get_if<ELoop>(&e.node)) return loop(*x, e.span);
  if (auto* x = std::get_if<EMatch>(&e.node)) return match(*x, e.span);
  if (auto* x = std::get_if<EAttr>(&e.node)) {
    warn_unknown(ctx_, x->attr);
    return exp(*x->inner);
  }
  if (auto* x = std::get_if<EAssert>(&e.node)) {
    exp(*x->cond);
    require(uni_, *x->cond, prim_bit(Prim::kBool), "this is asserted");
    return exp(*x->inner);
  }
  if (auto* x = std::get_if<EOpSection>(&e.node))
    return locals_.operator_type(x->op, x, x->id, x->inst, e.span);
  if (auto* x = std::get_if<ELeftSection>(&e.node)) return left_section(*x, e.span);
  if (auto* x = std::get_if<ERightSection>(&e.node)) return right_section(*x, e.span);
  if (auto* x = std::get_if<EPathSection>(&e.node)) {
    paths_.path_steps(x->path);
    const Type* whole = uni_.fresh(e.span, Liftedness::kLifted);
    const Type* part = uni_.fresh(e.span, Liftedness::kLifted);
    paths_.must_have(x->path, 0, whole, part, e.span);
    return f_.arrow(whole, part);
  }
  SKALD_BUG("unknown expression");
}

const Type* Infer::array_lit(EArray& x, Span span) {
  const Type* elem = uni_.fresh(span, Liftedness::kUnlifted);
  const Exp* first = nullptr;
  for (auto& el : x.elems) {
    const Type* t = exp(*el);
    Reason why{el->span};
    if (first) why.labels.push_back({first->span, "the first element"});
    why.value = el.get();
    // Those that follow would be compared with what may be the wrong one.
    if (!uni_.unify(t, elem, why)) elem = uni_.wrong(span);
    if (!first) first = el.get();
  }
  return f_.array({}, elem);
}

const Type* Infer::ascription(EAscript& x) {
  const Type* t = exp(*x.inner);
  const Type* want = erase_sizes(f_, types_.type_exp(*x.type).type);
  uni_.unify(t, want,
             {x.inner->span,
              [&] {
                return "Expression does not have expected type from explicit ascription.\n" +
                       uni_.show_both("Expected: ", want, "Actual:   ", t);
              },
              {{x.type->span, "the ascribed type"}},
              x.inner.get()});
  return want;
}

const Type* Infer::left_section(ELeftSection& x, Span span) {
  const Type* op = locals_.operator_type(x.op, &x, x.id, x.inst, span);
  const Type* lhs = exp(*x.lhs);
  const Type* rhs = uni_.fresh(span, Liftedness::kLifted);
  const Type* partial = apply_one(qual_text(x.op), 0, op, x.lhs.get(), lhs, span);
  return f_.arrow(rhs, apply_one(qual_text(x.op), 1, partial, nullptr, rhs, span));
}

const Type* Infer::right_section(ERightSection& x, Span span) {
  const Type* op = locals_.operator_type(x.op, &x, x.id, x.inst, span);
  const Type* rhs = exp(*x.rhs);
  const Type* lhs = uni_.fresh(span, Liftedness::kLifted);
  const Type* partial = apply_one(qual_text(x.op), 0, op, nullptr, lhs, span);
  return f_.arrow(lhs, apply_one(qual_text(x.op), 1, partial, x.rhs.get(), rhs, span));
}

const Type* Infer::literal(const Literal& lit, Span span) {
  if (!lit.suffix.empty())
    if (auto p = prim_from_name(lit.suffix)) return f_.prim(*p);
  switch (lit.kind) {
    case Literal::kBool: return f_.boolean();
    case Literal::kFloat: return uni_.fresh_prim(span, kFloatPrims);
    case Literal::kInt:
    case Literal::kChar: return uni_.fresh_prim(span, kNumberPrims);
  }
  return f_.unit();
}

const Type* Infer::record(ERecord& e) {
  std::vector<std::pair<std::string, const Type*>> fields;
  std::unordered_map<std::string, Span> seen;
  for (auto& field : e.fields) {
    auto [it, is_new] = seen.emplace(field.name.name, field.name.span);
    if (!is_new)
      report_.error(
          "duplicate-field", field.name.span,
          "Field " + quote(field.name.name) + " previously defined at " + ctx_.where(it->second),
          {{it->second, "first defined here"}});
    const Type* t = nullptr;
    if (field.value) {
      t = exp(*field.value);
    } else {
      QualName name{{}, field.name.name, field.name.span};
      ValEntry* entry = locals_.lookup(name, &field.name, field.name.span);
      t = entry ? locals_.instantiate(entry, name, d_.field_inst[&field.name], field.name.span)
                : locals_.unknown(NameKind::kValue, name, field.name.span);
      if (entry) field.name.id = entry->name.id;
    }
    if (is_new) fields.emplace_back(field.name.name, t);
  }
  return f_.record(std::move(fields));
}

const Type* Infer::local_open(ELocalOpen& e, Span span) {
  const Term t = names_.term(e.module);
  if (!t.mod) return locals_.unknown(NameKind::kModule, e.module, e.module.span);
  if (!t.mod->mod->env) {
    report_.error("module-is-parametric", span,
                  "Module " + qual_text(e.module) + " is a parametric module");
    return uni_.fresh(span, Liftedness::kLifted);
  }
  Names::Mark mark(names_);
  names_.open(*t.mod->mod->env);
  return exp(*e.inner);
}

const Type* Infer::range(ERange& e) {
  const Type* start = exp(*e.start);
  require(uni_, *e.start, kIntPrims, "a range is made of integers");
  if (e.step)
    uni_.unify(start, exp(*e.step),
               {e.step->span, {}, {{e.start->span, "the start"}}, e.step.get(), Reason::kSecond});
  uni_.unify(start, exp(*e.end),
             {e.end->span, {}, {{e.start->span, "the start"}}, e.end.get(), Reason::kSecond});
  return f_.array({}, start);
}

const Type* Infer::if_exp(EIf& e, Span span) {
  exp(*e.cond);
  require(uni_, *e.cond, prim_bit(Prim::kBool), "this is a condition");
  const Type* a = exp(*e.then_branch);
  const Type* b = exp(*e.else_branch);
  const Type* t = uni_.fresh(span, Liftedness::kSizeLifted);
  Reason why{
      result_exp(*e.else_branch).span,
      [&] { return "Branches differ in type.\n" + uni_.show_both("Former: ", a, "Latter: ", b); },
      {{result_exp(*e.then_branch).span, "one branch"},
       {result_exp(*e.else_branch).span, "the other"}},
      &result_exp(*e.else_branch)};
  uni_.unify(a, t, why);
  return uni_.unify(b, t, why) ? t : uni_.wrong(span);
}

const Type* Infer::match(EMatch& e, Span span) {
  const Type* scrutinee = exp(*e.scrutinee);
  const Type* result = uni_.fresh(span, Liftedness::kSizeLifted);
  const Exp* first = nullptr;
  for (auto& c : e.cases) {
    Names::Mark mark(names_);
    locals_.check_duplicates({}, {c.pat.get()});
    patterns_.let_pattern(*c.pat, scrutinee, e.scrutinee->span, e.scrutinee.get());
    const Type* t = exp(*c.body);
    const Type* before = first ? first->type : t;
    Reason why{result_exp(*c.body).span, [&] {
                 return "Branches differ in type.\n" +
                        uni_.show_both("Former: ", before, "Latter: ", t);
               }};
    if (first) why.labels.push_back({first->span, "an earlier branch"});
    why.value = &result_exp(*c.body);
    why.own = Reason::kSecond;
    if (!uni_.unify(result, t, why)) result = uni_.wrong(span);
    if (!first) first = c.body.get();
  }
  return result;
}

}  // namespace skald::futhark
