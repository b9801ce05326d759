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
#include <unordered_map>
#include <unordered_set>

#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

// Larger bodies have enough to do besides loads and stores.
constexpr int kCheapUpdate = 24;

// The statements of the body that compute `operand`, in their order; false if it depends on
// anything else in the body.
class Needed {
 public:
  explicit Needed(const For& loop) : var_(loop.var) {
    for (const Stmt& stmt : loop.body.stmts) {
      if (const Let* let = as<Let>(stmt)) lets_[let->name] = &stmt;
      for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { bound_.insert(name); });
    }
  }
  bool add(const Operand& operand) {
    const Name* name = core::as_name(operand);
    if (name == nullptr || *name == var_ || !bound_.contains(*name) || seen_.contains(*name))
      return true;
    const auto found = lets_.find(*name);
    if (found == lets_.end()) return false;
    seen_.insert(*name);
    bool all = true;
    for_each_use(*found->second, [&](const Operand& used) { all = all && add(used); });
    result_.push_back(as<Let>(*found->second));
    return all;
  }
  std::vector<const Let*> result() { return std::move(result_); }

 private:
  Name var_;
  std::unordered_map<Name, const Stmt*> lets_;
  std::unordered_set<Name> bound_, seen_;
  std::vector<const Let*> result_;
};

}  // namespace

RowStore contiguous_store(const For& loop, const LanesAnalysis& analysis) {
  for (const Stmt& stmt : loop.body.stmts) {
    const Store* store = as<Store>(stmt);
    if (store == nullptr || analysis.is_private(store->block) ||
        !analysis.is_contiguous(store->index))
      continue;
    Needed needed(loop);
    if (needed.add(store->index)) return {store, needed.result()};
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
  for (const Stmt& stmt : loop.body.stmts) {
    if (const Store* found = as<Store>(stmt)) {
      if (store != nullptr) return {};
      store = found;
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
  Needed needed(loop);
  if (!loads || !needed.add(store->index)) return {};
  return {store, needed.result()};
}

}  // namespace skald::imp
