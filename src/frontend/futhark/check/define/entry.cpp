// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/define/entry.h"

#include <algorithm>

#include "frontend/futhark/check/define/local_checks.h"

namespace skald::futhark {

void check_entry(Context& ctx, const ValEntry& entry, Span span) {
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
    if (!p.is_size)
      return report.error("polymorphic-entry", span,
                          "Entry point functions may not be polymorphic.");
  }
  for (const TParam& p : entry.params)
    if (in_result.contains(p.name.id) && !in_params.contains(p.name.id))
      return report.error(
          "size-polymorphic-entry", span,
          "Entry point functions must not be size-polymorphic in their return type.");
  for (const TParam& p : entry.params)
    if (!constructive.contains(p.name.id))
      return report.error(
          "nonconstructive-entry", p.span.known() ? p.span : span,
          "Entry point size parameter [" + p.name.base + "] only used non-constructively.");
  if (!is_first_order(result) || !std::ranges::all_of(params, is_first_order))
    report.error("higher-order-entry", span, "Entry point functions may not be higher-order.");
}

}  // namespace skald::futhark
