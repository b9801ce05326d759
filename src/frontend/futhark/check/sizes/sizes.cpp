// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/sizes.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/causality.h"
#include "frontend/futhark/check/sizes/final_sizes.h"

namespace skald::futhark {

namespace {

const TypeExp* ascribed_type(const Pat& p) {
  if (auto* x = std::get_if<PParens>(&p.node)) return ascribed_type(*x->inner);
  if (auto* x = std::get_if<PAttr>(&p.node)) return ascribed_type(*x->inner);
  if (auto* x = std::get_if<PAscript>(&p.node)) return x->type.get();
  return nullptr;
}

std::string first_name(const Pat& p) {
  std::string out;
  for_each_bound(p, [&](const Ident& n, const Pat&) {
    if (out.empty()) out = n.name;
  });
  return out;
}

}  // namespace

// A parameter of type []t takes arrays of any size, says its author.  If the body makes the size a
// number, or that of another parameter, calls with others fail.
void Sizes::warn_fixed_sizes(const FunParts& parts) {
  if (!s_.d.ctx.options.warnings || parts.span.file.index < s_.d.ctx.first_user_file) return;
  // The first parameter of each size that is still open.
  struct First {
    std::string name;
    Span decided;
  };
  std::unordered_map<uint32_t, First> first;
  for (const auto& p : *parts.params) {
    const TypeExp* te = ascribed_type(*p);
    auto known = te ? s_.d.type_exps.find(te) : s_.d.type_exps.end();
    if (known == s_.d.type_exps.end()) continue;
    for (const auto* names : {&known->second.anonymous, &known->second.exts})
      for (const VName& n : *names) {
        const SizeVar* v = s_.table.find(n.id);
        auto written = s_.d.ctx.bound_at.find(n.id);
        if (!v || written == s_.d.ctx.bound_at.end()) continue;
        const Exp* size = strip_size(s_.table.norm(s_.d.ctx.f.size_var(n)));
        const uint32_t id = size_var_id(size);
        const SizeVar* now = id ? s_.table.find(id) : nullptr;
        const bool open = now && (now->kind == SizeVar::kFlex || now->name.base == "d");
        const auto [it, is_new] = first.emplace(id, First{first_name(*p), v->decided});
        if (open && is_new) continue;
        const std::string what =
            open ? "that of " + quote(it->second.name) : quote(s_.words.show(size));
        source::Diagnostic w;
        w.severity = source::Severity::kWarning;
        w.code = "fixed-size";
        w.what = quote(first_name(*p)) + " is declared with any size, but its size must be " + what;
        w.labels.push_back({written->second, "`[]` says: any size"});
        const Span decided = v->decided.known() || !open ? v->decided : it->second.decided;
        if (decided.known() && decided.file.index >= s_.d.ctx.first_user_file)
          w.labels.push_back({decided, "here its size must be " + what});
        w.why = "calls with arrays of other sizes are rejected";
        w.hint = open ? "give both one size: `[n]` in front of the parameters, and in both types"
                      : "write the size that it must have: `[" + s_.words.show(size) + "]`";
        s_.d.ctx.diagnostics.add(std::move(w));
      }
  }
}

void Sizes::ambiguous_sizes() {
  s_.table.collapse_insts(0);
  std::vector<uint32_t> ids;
  for (const auto& [id, v] : s_.table.all())
    if (v.kind == SizeVar::kFlex && !v.solution) ids.push_back(id);
  std::ranges::sort(ids);
  for (uint32_t id : ids)
    if (!s_.d.report.halted()) report_ambiguous(id);
}

void Sizes::report_ambiguous(uint32_t open) {
  const SizeVar* v = s_.table.find(open);
  // Name the variable that the user has the best chance to recognise.
  if (v->usage.empty()) {
    uint32_t best = UINT32_MAX;
    for (const auto& [id, w] : s_.table.all())
      if (id < best && !w.usage.empty() && w.solution &&
          size_var_id(s_.table.norm(w.solution)) == open) {
        best = id;
        v = &w;
      }
  }
  s_.d.report.error("ambiguous-size", v->span,
                    "Ambiguous size " + quote(v->name.base) +
                        (v->usage.empty() ? "" : " arising from " + v->usage),
                    {}, "an explicit type ascription with a named size says what it is");
}

SizedFunction Sizes::definition(const FunParts& parts, ValEntry* self,
                                std::vector<TParam> tparams) {
  SizedFunction def = exps_.function(parts, self, std::move(tparams));
  if (!s_.d.report.failed()) ambiguous_sizes();
  if (!s_.d.report.failed() && parts.body) warn_fixed_sizes(parts);
  if (!s_.d.report.failed()) FinalSizes(s_).finish(parts, def);
  if (!s_.d.report.failed() && parts.body) check_causality(s_.d, s_.table, *parts.body);
  return def;
}

bool Sizes::match_schemes(const std::vector<TParam>& spec_params, const Type* spec,
                          const std::vector<TParam>& params, const Type* type,
                          std::vector<TypeInst>& inst, const std::vector<VName>& flexible_sizes) {
  for (const TParam& p : spec_params)
    if (p.is_size) s_.table.bind_param(p.name, p.span);
  for (const VName& n : flexible_sizes) {
    SizeVar v;
    v.name = n;
    v.level = 1;
    s_.table.put(std::move(v));
  }
  s_.table.level = 1;
  const Type* have = s_.fresh.instantiate(params, type, inst, "", {});
  return s_.unifier.unify(spec, have, {});
}

void Sizes::size_exp(Exp& e) {
  exps_.exp(e);
  if (s_.d.report.failed()) return;
  if (!can_be_size(e))
    s_.d.report.error("size-expression-bind", e.span, "Size expression with binding is forbidden");
  FinalSizes(s_).exp(e);
}

}  // namespace skald::futhark
