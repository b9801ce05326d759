// SPDX-License-Identifier: Apache-2.0
// Comparing type schemes.
#include "frontend/futhark/check/define/define.h"
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

namespace {

// Cheap and by far the most common: both are the same without any polymorphism.
bool identical(const Type* a, const Type* b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
    case Type::kPrim: return a->prim == b->prim;
    case Type::kRecord:
      if (a->fields.size() != b->fields.size()) return false;
      for (size_t i = 0; i < a->fields.size(); ++i)
        if (a->fields[i].first != b->fields[i].first ||
            !identical(a->fields[i].second, b->fields[i].second))
          return false;
      return true;
    case Type::kArrow:
      return a->exts.empty() && b->exts.empty() && identical(a->from, b->from) &&
             identical(a->to, b->to);
    case Type::kNamed:
      return a->name.id == b->name.id && a->args.empty() && b->args.empty() &&
             a->unique == b->unique;
    default: return false;
  }
}

}  // namespace

std::string match_values(Context& ctx, const std::vector<TParam>& spec_params,
                         const Type* spec_type, const std::vector<TParam>& params, const Type* type,
                         const std::vector<VName>& flexible_sizes) {
  if (spec_params.empty() && params.empty() && identical(spec_type, type)) return "";
  Context& c = ctx;
  DefState d(c, nullptr);
  // Mistakes are told to the caller, not to the user.
  std::vector<source::Diagnostic> problems;
  d.report.capture(&problems);
  const auto problem = [&] {
    // The headline says nothing that the caller's does not.
    const std::string text = problems.empty() ? std::string() : problems[0].what;
    const size_t details = text.find("\nCannot unify\n");
    return details == std::string::npos ? text : text.substr(details + 1);
  };
  d.uni.level = 1;
  TypeSubst s;
  std::vector<TypeInst> inst;
  for (const TParam& p : params) {
    if (p.is_size) {
      inst.push_back({p.name.id});
      continue;
    }
    const Type* t = d.uni.fresh({}, p.lifted, p.name.base.c_str());
    s.types[p.name.id] = {{}, t};
    inst.push_back({p.name.id, t});
  }
  const Type* have = subst_type(c.f, erase_sizes(c.f, type), s);
  const Type* want = erase_sizes(c.f, spec_type);
  if (!d.uni.unify(want, have, {})) return problem();
  for (const TParam& p : params) {
    if (p.is_size || p.lifted == Liftedness::kLifted) continue;
    bool bad = false;
    const Type* t = d.uni.zonk(s.types[p.name.id].type);
    bad = !is_function_free(t);
    for_each_named(t, [&](const Type* n) { bad |= n->lifted > p.lifted; });
    if (bad) return "Type parameter '" + p.name.base + " is not lifted enough.";
  }
  return Sizes(d).match_schemes(spec_params, spec_type, params, type, inst, flexible_sizes)
             ? ""
             : problem();
}

}  // namespace skald::futhark
