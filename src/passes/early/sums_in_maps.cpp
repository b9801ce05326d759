// SPDX-License-Identifier: Apache-2.0
#include "passes/early/sums_in_maps.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// Sums that are known to be shorter are computed again.
constexpr int64_t kShortSum = 16;

bool is_long_sum(const Soac& soac) {
  const Const* width = as_const(soac.width);
  return !soac.reduces.empty() && (width == nullptr || int_value(*width) >= kShortSum);
}

}  // namespace

bool holds_sums(const Body& body, bool& only_maps) {
  bool found = false;
  for (const Stmt& stmt : body.stmts) {
    const auto* soac = as<Soac>(stmt.exp);
    if (soac == nullptr) {
      for_each_body(stmt.exp, [&](const Body&) { only_maps = false; });
      continue;
    }
    if (!soac->scans.empty() || !soac->post.empty()) only_maps = false;
    found = found || is_long_sum(*soac);
    found = holds_sums(soac->fn.body, only_maps) || found;
  }
  return found;
}

bool fits_one_of(const Type& type, const std::vector<Type>& others) {
  return std::ranges::any_of(others, [&](const Type& other) {
    std::vector<Operand> dims = other.shape;
    return prim_size(type.elem) <= prim_size(other.elem) &&
           std::ranges::all_of(type.shape, [&](const Operand& dim) {
             const auto at = std::ranges::find(dims, dim);
             if (at == dims.end()) return false;
             dims.erase(at);
             return true;
           });
  });
}

}  // namespace skald::passes
