// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/define/define.h"

#include <algorithm>

#include "frontend/futhark/check/consume/consume.h"
#include "frontend/futhark/check/define/local_checks.h"
#include "frontend/futhark/check/infer/generalise.h"
#include "frontend/futhark/check/infer/infer.h"
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

namespace {

FunParts parts_of(DVal& def, Span span) {
  return {&def.name, &def.tparams, &def.params, def.result.get(), def.body.get(), span};
}

std::vector<TParam> explicit_params(const std::vector<TypeParam>& tparams) {
  std::vector<TParam> out;
  for (const TypeParam& p : tparams)
    out.push_back({{p.name.name, p.name.id}, p.kind == TypeParam::kSize, p.lifted, p.name.span});
  return out;
}

bool is_ascribed(const Pat& p) {
  if (auto* x = std::get_if<PParens>(&p.node)) return is_ascribed(*x->inner);
  if (auto* x = std::get_if<PAttr>(&p.node)) return is_ascribed(*x->inner);
  return std::holds_alternative<PAscript>(p.node);
}

}  // namespace

namespace {

// The three steps.  Returns false after mistakes, which are then in `problems`, unless they follow
// from some reported before.
bool attempt(Context& ctx, DVal& def, ValEntry* entry, const ScopePtr& scope, Span span,
             bool recursive, std::vector<source::Diagnostic>& problems) {
  DefState d(ctx, scope);
  d.report.capture(&problems);
  d.report.go_on();
  const FunParts parts = parts_of(def, span);
  ValEntry self;
  self.kind = ValEntry::kSelf;
  self.name = entry->name;
  self.span = def.name.span;
  if (def.name.name == "&&" || def.name.name == "||")
    d.report.error("may-not-be-redefined", def.name.span,
                   "The " + def.name.name + " operator may not be redefined");
  const Type* unsized = Infer(d).definition(parts, recursive ? &self : nullptr);
  std::vector<TParam> params;
  if (!d.report.failed()) params = generalise_unsized(d, unsized, true);
  d.report.type_size(def.name.span);
  if (!d.report.failed()) check_instantiations(d);
  if (d.report.failed()) return false;
  for (const TParam& p : explicit_params(def.tparams)) params.push_back(p);
  SizedFunction sized = Sizes(d).definition(parts, recursive ? &self : nullptr, std::move(params));
  if (d.report.failed()) return false;
  check_locally(d, def.params, *def.body);
  if (!d.report.failed()) check_recursion(d, parts, sized.result);
  if (d.report.failed()) return false;
  const Type* result = Consume(d).definition(parts, sized.result);
  if (d.report.failed()) return false;
  def.type = with_result(ctx.f, sized.type, def.params.size(), result);
  def.result_type = result;
  def.type_param_ids.clear();
  for (const TParam& p : sized.params) def.type_param_ids.push_back(p.name.id);
  if (entry->type) return true;  // declared before
  entry->params = std::move(sized.params);
  entry->type = def.type;
  return true;
}

}  // namespace

void check_definition(Context& ctx, DVal& def, ValEntry* entry, const ScopePtr& scope, Span span) {
  def.name.id = entry->name.id;
  ctx.bound_at[def.name.id] = def.name.span;
  std::vector<source::Diagnostic> problems;
  if (attempt(ctx, def, entry, scope, span, true, problems)) return;
  // Programs written before functions could be recursive redefine a name in terms of the one that
  // was in scope, a value or a module.  If that is what makes sense of the definition, it is meant
  // so.
  if (!problems.empty() && !def.params.empty() && Names(scope).term(def.name.name)) {
    std::vector<source::Diagnostic> other;
    if (attempt(ctx, def, entry, scope, span, false, other)) {
      def.sees_itself = false;
      return;
    }
  }
  // A step finds what is wrong in an order of its own.
  std::ranges::stable_sort(problems, {}, [](const source::Diagnostic& d) {
    return d.labels.empty() ? 0 : d.labels[0].span.begin;
  });
  for (source::Diagnostic& d : problems) ctx.diagnostics.add(std::move(d));
  entry->broken = true;
}

bool declare_definition(Context& ctx, DVal& def, ValEntry* entry, const ScopePtr& scope,
                        Span span) {
  if (!def.result || def.is_entry ||
      !std::ranges::all_of(def.params, [](const auto& p) { return is_ascribed(*p); }))
    return false;
  DefState d(ctx, scope);
  FunParts parts = parts_of(def, span);
  parts.body = nullptr;
  Names::Mark mark(d.names);
  Infer infer(d);
  ValEntry self;
  self.kind = ValEntry::kSelf;
  infer.definition(parts, &self);
  if (d.report.failed()) return false;
  std::vector<TParam> params = explicit_params(def.tparams);
  const size_t count = params.size();
  SizedFunction sized = Sizes(d).definition(parts, &self, std::move(params));
  // Sizes that would be inferred anew later must not be part of the type.
  if (d.report.failed() || sized.params.size() != count) return false;
  entry->params = std::move(sized.params);
  entry->type = sized.type;
  def.name.id = entry->name.id;
  return true;
}

CheckedType check_type(Context& ctx, TypeExp& te, std::vector<TypeParam>& params,
                       const ScopePtr& scope) {
  CheckedType out;
  DefState d(ctx, scope);
  TypeExpResult r = Infer(d).type(params, te, out.params);
  if (!d.report.failed()) {
    generalise_unsized(d, ctx.f.unit(), false);
    check_instantiations(d);
  }
  for (size_t i = 0; i < r.sizes.size() && !d.report.failed(); ++i) Sizes(d).size_exp(*r.sizes[i]);
  out.ok = !d.report.failed();
  out.type = r.type;
  out.anonymous = std::move(r.anonymous);
  out.exts = std::move(r.exts);
  out.lifted = r.lifted;
  return out;
}

}  // namespace skald::futhark
