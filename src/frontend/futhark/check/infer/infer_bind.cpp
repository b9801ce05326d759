// SPDX-License-Identifier: Apache-2.0
// Unsized inference of what binds names: let, local functions, lambdas, loops, definitions.
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

const Type* Infer::let(ELet& e) {
  const Type* value = exp(*e.value);
  Names::Mark mark(names_);
  std::vector<TypeParam> sizes;
  for (const Ident& s : e.sizes) sizes.push_back({TypeParam::kSize, {}, s});
  locals_.check_duplicates(sizes, {e.pat.get()});
  for (Ident& s : e.sizes) locals_.bind_value(s, f_.i64());
  patterns_.let_pattern(*e.pat, value, e.value->span, e.value.get());
  return exp(*e.body);
}

// Parameters are bound already; gives the type of the body, which agrees with `result`.
const Type* Infer::function(const FunParts& parts, std::vector<const Type*>& params) {
  for (auto& p : *parts.params) {
    params.push_back(patterns_.pattern(*p));
    patterns_.bind_pattern(*p);
  }
  const Type* result = nullptr;
  TypeExpResult* declared = nullptr;
  if (parts.result) {
    types_.type_exp(*parts.result);
    declared = &d_.type_exps[parts.result];
    result = erase_sizes(f_, declared->type);
  }
  if (!parts.body) return result ? result : f_.unit();
  const Type* body = exp(*parts.body);
  if (!result) return body;
  const Exp& last = result_exp(*parts.body);
  uni_.unify(result, body,
             {last.span,
              [&] {
                const std::string plain =
                    uni_.plain_types("the result must be ", result, body, "this");
                return plain + "Function body does not have expected type.\n" +
                       uni_.show_both("Expected: ", result, "Actual:   ", body);
              },
              {{parts.result->span, "the declared type"}},
              &last,
              Reason::kSecond});
  return result;
}

const Type* Infer::let_fun(ELetFun& e, Span span) {
  ValEntry entry;
  {
    Names::Mark mark(names_);
    std::vector<const Pat*> pats;
    for (auto& p : e.params) pats.push_back(p.get());
    locals_.check_duplicates(e.tparams, pats);
    ++uni_.level;
    entry.params = locals_.bind_tparams(e.tparams);
    std::vector<const Type*> params;
    FunParts parts{&e.name, &e.tparams, &e.params, e.result.get(), e.value.get(), span};
    const Type* t = function(parts, params);
    --uni_.level;
    e.result_type = t;
    for (size_t i = params.size(); i-- > 0;) t = f_.arrow(params[i], t);
    entry.type = t;
  }
  Names::Mark mark(names_);
  locals_.bind_value(e.name, entry.type);
  d_.locals[e.name.id]->params = std::move(entry.params);
  e.type = entry.type;
  return exp(*e.body);
}

const Type* Infer::let_with(ELetWith& e) {
  QualName name{{}, e.src.name, e.src.span};
  ValEntry* entry = locals_.lookup(name, &e.src, e.src.span);
  const Type* src = nullptr;
  if (entry) {
    src = locals_.instantiate(entry, name, d_.field_inst[&e.src], e.src.span);
    e.src.id = e.src_id = entry->name.id;
  } else {
    src = locals_.unknown(NameKind::kValue, {{}, e.src.name, e.src.span}, e.src.span);
  }
  paths_.path_steps(e.path);
  const Type* value = exp(*e.value);
  paths_.must_have(e.path, 0, src, value, e.src.span);
  Names::Mark mark(names_);
  locals_.bind_value(e.dst, src);
  return exp(*e.body);
}

const Type* Infer::lambda(ELambda& e) {
  Names::Mark mark(names_);
  std::vector<const Pat*> pats;
  for (auto& p : e.params) pats.push_back(p.get());
  locals_.check_duplicates({}, pats);
  std::vector<const Type*> params;
  FunParts parts{nullptr, nullptr, &e.params, e.result.get(), e.body.get(), e.body->span};
  const Type* t = function(parts, params);
  e.result_type = t;
  for (size_t i = params.size(); i-- > 0;) t = f_.arrow(params[i], t);
  return t;
}

// What `loop p` without an initial value starts with: the variables of the same names.
Ptr<Exp> Infer::loop_init_exp(const Pat& pat) {
  auto make = [&](Exp::Node node) { return std::make_unique<Exp>(Exp{std::move(node), pat.span}); };
  if (auto* p = std::get_if<PVar>(&pat.node))
    return make(EVar{QualName{{}, p->name.name, p->name.span}});
  if (auto* p = std::get_if<PParens>(&pat.node)) return loop_init_exp(*p->inner);
  if (auto* p = std::get_if<PAttr>(&pat.node)) return loop_init_exp(*p->inner);
  if (auto* p = std::get_if<PAscript>(&pat.node)) return loop_init_exp(*p->inner);
  if (auto* p = std::get_if<PTuple>(&pat.node)) {
    ETuple t;
    for (const auto& x : p->elems) t.elems.push_back(loop_init_exp(*x));
    return make(std::move(t));
  }
  if (auto* p = std::get_if<PRecord>(&pat.node)) {
    ERecord r;
    for (const auto& x : p->fields)
      r.fields.push_back({x.name, x.pat ? loop_init_exp(*x.pat) : nullptr});
    return make(std::move(r));
  }
  const char* what = std::holds_alternative<PWild>(pat.node)      ? "wildcard"
                     : std::holds_alternative<PLiteral>(pat.node) ? "literal"
                                                                  : "constructor";
  report_.error("loop-pattern", pat.span, std::string("Cannot have ") + what + " here");
  return make(ETuple{});
}

const Type* Infer::loop(ELoop& e, Span span) {
  Exp* init = e.init.get();
  if (!init) {
    auto& slot = d_.loop_init[&e];
    slot = loop_init_exp(*e.pat);
    init = slot.get();
  }
  const Type* start = exp(*init);
  uni_.unify(start, uni_.fresh(span, Liftedness::kSizeLifted), {span});
  Names::Mark mark(names_);
  for (Ident& s : e.sizes) locals_.bind_value(s, f_.i64());
  switch (e.form) {
    case ELoop::kFor: {
      const Type* bound = exp(*e.bound);
      require(uni_, *e.bound, kIntPrims, "this is the bound of a loop");
      locals_.bind_value(e.var, bound);
      locals_.check_duplicates({}, {e.pat.get()});
      patterns_.let_pattern(*e.pat, start, init->span);
      break;
    }
    case ELoop::kForIn: {
      const Type* array = exp(*e.bound);
      const Type* elem = uni_.fresh(e.bound->span, Liftedness::kUnlifted);
      uni_.unify(array, f_.array({}, elem), {e.bound->span});
      locals_.check_duplicates({}, {e.elem.get()});
      patterns_.let_pattern(*e.elem, elem, e.bound->span);
      locals_.check_duplicates({}, {e.pat.get()});
      patterns_.let_pattern(*e.pat, start, init->span);
      break;
    }
    case ELoop::kWhile:
      locals_.check_duplicates({}, {e.pat.get()});
      patterns_.let_pattern(*e.pat, start, init->span);
      exp(*e.bound);
      require(uni_, *e.bound, prim_bit(Prim::kBool), "this is the condition of a loop");
      break;
  }
  const Type* body = exp(*e.body);
  const Exp& last = result_exp(*e.body);
  uni_.unify(start, body,
             {last.span,
              [&] {
                const std::string plain =
                    uni_.plain_types("the loop begins with ", start, body, "its next value");
                return plain + "Loop body does not have expected type.\n" +
                       uni_.show_both("Expected: ", start, "Actual:   ", body);
              },
              {{init->span, "the initial value"}},
              &last,
              Reason::kSecond});
  return e.pat->type;
}

const Type* Infer::definition(const FunParts& parts, ValEntry* self) {
  Names::Mark mark(names_);
  std::vector<const Pat*> pats;
  for (auto& p : *parts.params) pats.push_back(p.get());
  locals_.check_duplicates(*parts.tparams, pats);
  uni_.level = 1;
  // Parameters of all kinds may shadow the function's own name.
  const bool recursive = self && !parts.params->empty();
  if (recursive) {
    self->type = uni_.fresh(parts.span, Liftedness::kLifted, parts.name->name.c_str());
    names_.bind(parts.name->name, {self});
  }
  locals_.bind_tparams(*parts.tparams);
  std::vector<const Type*> params;
  const Type* t = function(parts, params);
  for (size_t i = params.size(); i-- > 0;) t = f_.arrow(params[i], t);
  if (recursive) uni_.unify(self->type, t, {parts.span});
  return t;
}

TypeExpResult Infer::type(std::vector<TypeParam>& params, TypeExp& te, std::vector<TParam>& bound) {
  locals_.check_duplicates(params, {});
  bound = locals_.bind_tparams(params);
  return types_.type_exp(te);
}

void Infer::size_exp(Exp& e) {
  const Type* t = exp(e);
  uni_.unify(t, f_.i64(), {e.span});
}

}  // namespace skald::futhark
