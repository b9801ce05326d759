// SPDX-License-Identifier: Apache-2.0
// Loops that update a row of an array where it is, as the steps of an elimination do:
//
//   simd for (i = k + 1; i < n; i += 1) {
//     i64 at = add_i64(row, i);
//     f32 x = a[at];
//     f32 y = pivot[i];
//     f32 t = mul_f32(factor, y);
//     f32 u = sub_f32(x, t);
//     f32 a[at] = u;
//   }
//
// And where in memory the rows begin that loops write.
#include <algorithm>

#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

// Larger bodies have enough to do besides loads and stores.
constexpr int kCheapUpdate = 24;

}  // namespace

RowStore contiguous_store(const For& loop, const LanesAnalysis& analysis) {
  for (size_t k = 0; k < loop.body.stmts.size(); ++k) {
    const Store* store = as<Store>(loop.body.stmts[k]);
    if (store == nullptr || analysis.is_private(store->block) ||
        !analysis.is_contiguous(store->index))
      continue;
    if (RowStore row = row_store(loop, k); row.store != nullptr) return row;
  }
  return {};
}

RowStore update_in_place(const For& loop, const LanesAnalysis& analysis) {
  const LaneWork& work = analysis.work();
  const bool constant =
      core::as_const(loop.begin) != nullptr && core::as_const(loop.end) != nullptr;
  if (constant || analysis.has_check() || analysis.collects() || work.has_loop ||
      work.has_function || work.statements > kCheapUpdate)
    return {};
  const Store* store = nullptr;
  size_t position = 0;
  for (const Stmt& stmt : loop.body.stmts) {
    if (const Store* found = as<Store>(stmt)) {
      if (store != nullptr) return {};
      store = found;
      position = static_cast<size_t>(&stmt - loop.body.stmts.data());
    } else if (as<Let>(stmt) == nullptr && as<Load>(stmt) == nullptr && as<Var>(stmt) == nullptr &&
               as<Assign>(stmt) == nullptr) {
      return {};
    }
  }
  constexpr int kLeastBytes = 4;
  if (store == nullptr || prim_size(store->type) < kLeastBytes ||
      analysis.is_private(store->block) || !analysis.is_contiguous(store->index))
    return {};
  const bool loads = std::ranges::any_of(loop.body.stmts, [&](const Stmt& stmt) {
    const Load* load = as<Load>(stmt);
    return load != nullptr && load->block == store->block && analysis.is_contiguous(load->index);
  });
  return loads ? row_store(loop, position) : RowStore{};
}

}  // namespace skald::imp
