// SPDX-License-Identifier: Apache-2.0
// Reductions of short segments whose lanes are neighbouring ones (across.cpp), in which
// something that costs much is the same for all of them:
//
//   sum over j of f(cos(j), i, j) for all i      several blocks of neighbours share a table of
//                                                cos(0) … cos(n-1), computed in vectors
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

namespace {

// Blocks of columns that share a table.
constexpr int64_t kBlocksOfTable = 8;

bool uses_any(const core::Stmt& stmt, const std::unordered_set<Name>& names) {
  for (const Name name : core::free_names(stmt))
    if (names.contains(name)) return true;
  return false;
}

// The names that depend on a parameter, itself among them.
std::unordered_set<Name> depends_on(const core::Lambda& pull, size_t param) {
  std::unordered_set<Name> names = {pull.params[param].name};
  for (const core::Stmt& stmt : pull.body.stmts)
    if (uses_any(stmt, names))
      for (const core::Param& p : stmt.pat) names.insert(p.name);
  return names;
}

}  // namespace

std::vector<size_t> KernelLowering::same_across() const {
  const std::unordered_set<Name> columns = depends_on(kernel_.pull, dims_.size() - 2);
  std::vector<size_t> same;
  const std::vector<core::Stmt>& stmts = kernel_.pull.body.stmts;
  for (size_t k = 0; k < stmts.size(); ++k)
    if (is_slow_operation(stmts[k]) && !uses_any(stmts[k], columns)) same.push_back(k);
  return same;
}

void KernelLowering::fill_table(Code& code, const std::vector<size_t>& same,
                                const ColumnBlock& block) {
  const std::unordered_set<Name> columns = depends_on(kernel_.pull, dims_.size() - 2);
  std::vector<size_t> kept;
  const std::vector<core::Stmt>& all = kernel_.pull.body.stmts;
  for (size_t k = 0; k < all.size(); ++k)
    if (!uses_any(all[k], columns)) kept.push_back(k);
  tabled_.clear();
  for (const size_t k : same)
    tabled_.emplace_back(
        k, code.alloc(Space::kScratch, const_i64(kWorthLanes * prim_size(all[k].pat[0].type.elem)),
                      "table"));
  code.loop(
      const_i64(0), dims_.back(),
      [&](Code& at, const Operand& j) {
        core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
        thunk.body.result.clear();
        for (const size_t k : same) thunk.body.result.push_back(thunk.body.stmts[k].pat[0].name);
        std::vector<core::Stmt> stmts;
        for (const size_t k : kept) stmts.push_back(std::move(thunk.body.stmts[k]));
        thunk.body.stmts = std::move(stmts);
        std::vector<Operand> indices = block.outer;
        indices.push_back(block.first);
        indices.push_back(j);
        const std::vector<Operand> values = fn_.apply(at, thunk, indices);
        for (size_t k = 0; k < values.size(); ++k)
          at.add(Store{all[same[k]].pat[0].type.elem, tabled_[k].second, j, values[k]});
      },
      1, LoopHint::kSimd);
}

void KernelLowering::tabled_point(Code& code, const std::vector<Operand>& indices,
                                  const PointBody& then) {
  core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
  for (const auto& [number, table] : tabled_) {
    core::Stmt& stmt = thunk.body.stmts[number];
    stmt.exp = core::Value{code.load(stmt.pat[0].type.elem, table, indices.back(), "tabled")};
  }
  then(code, indices, fn_.apply(code, thunk, indices));
}

void KernelLowering::reduce_short_across(Code& code) {
  const std::vector<size_t> same = same_across();
  if (same.empty()) return reduce_across(code);
  const int64_t width = across_width(), wide = width * kBlocksOfTable;
  const size_t inner_dim = dims_.size() - 2;
  const Operand groups = chunk_count(code, dims_[inner_dim], const_i64(wide));
  Operand total = groups;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, dims_[k]);
  const Operand grain = segment_grain(code, code.mul_i64(dims_.back(), const_i64(wide)));
  code.parallel_for(total, grain, [&](Code& at, const Operand& number) {
    const ColumnBlock group = column_block(at, number, groups, wide);
    fill_table(at, same, group);
    at.loop(
        const_i64(0), group.count,
        [&](Code& inner, const Operand& begin) {
          ColumnBlock block = group;
          block.first = inner.add_i64(group.first, begin);
          block.count = inner.min_i64(const_i64(width), inner.sub_i64(group.count, begin));
          reduce_column_block(inner, block, width);
        },
        width);
    tabled_.clear();
  });
}

}  // namespace skald::imp
