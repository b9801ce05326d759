// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/define/entry.h"

#include <algorithm>

#include "frontend/futhark/check/define/local_checks.h"

namespace skald::futhark {

namespace {

bool is_written(const DVal& def, const TParam& p) {
  return std::ranges::any_of(def.tparams,
                             [&](const TypeParam& t) { return t.name.id == p.name.id; });
}

void polymorphic(Reporter& report, const DVal& def, const TParam& p) {
  const bool written = is_written(def, p);
  const Span where = p.span.known() ? p.span : def.name.span;
  report.error("polymorphic-entry", where, "Entry point functions may not be polymorphic.",
               {{where, written ? "this stands for any type" : "this may have any type"},
                {def.name.span, "the entry point"}},
               written
                   ? "make it an ordinary function with `def`, and an entry point for each type "
                     "that is needed, as in `entry " +
                         def.name.name + "_i32 (xs: []i32) = " + def.name.name + " xs`"
                   : "give the parameters types, as in `(x: i32)`");
}

}  // namespace

void check_entry(Context& ctx, const DVal& def, const ValEntry& entry) {
  const Span span = def.name.span;
  Reporter report(ctx);
  std::vector<const Type*> params;
  const Type* result = entry.type;
  for (; result->kind == Type::kArrow; result = result->to) params.push_back(result->from);
  IdSet in_params, constructive;
  for (const Type* p : params) {
    free_sizes(p, in_params);
    for (uint32_t v : size_witnesses(p).witnessed) constructive.insert(v);
  }
  const IdSet in_result = free_sizes(result);
  for (const TParam& p : entry.params) {
    if (!p.is_size) return polymorphic(report, def, p);
  }
  for (const TParam& p : entry.params)
    if (in_result.contains(p.name.id) && !in_params.contains(p.name.id))
      return report.error(
          "size-polymorphic-entry", p.span.known() ? p.span : span,
          "Entry point functions must not be size-polymorphic in their return type.", {},
          "make the size a parameter, as in `(" + p.name.base + ": i64)`");
  for (const TParam& p : entry.params)
    if (!constructive.contains(p.name.id))
      return report.error(
          "nonconstructive-entry", p.span.known() ? p.span : span,
          "Entry point size parameter [" + p.name.base + "] only used non-constructively.", {},
          "`[" + p.name.base + "]` must be the whole size of some array among the parameters");
  for (size_t i = 0; i < params.size(); ++i)
    if (!is_first_order(params[i]))
      return report.error(
          "higher-order-entry", i < def.params.size() ? def.params[i]->span : span,
          "Entry point functions may not be higher-order.",
          {{i < def.params.size() ? def.params[i]->span : span, "this is, or holds, a function"}},
          "choose the function inside, by a number that is a parameter");
  if (!is_first_order(result))
    report.error("higher-order-entry", span, "Entry point functions may not be higher-order.", {},
                 "the result is, or holds, a function; apply it inside");
}

}  // namespace skald::futhark
