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
#include "imp/lower/cpu/reduce/across.h"

namespace skald::imp {

namespace {

// Blocks of columns that share a table.
constexpr int64_t kBlocksOfTable = 8;

// Statements of the thunk whose values wait in a block, by the last index.
using Table = std::vector<std::pair<size_t, Name>>;

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

// Statements of the thunk that cost much and are the same for all segments of a block.
std::vector<size_t> same_across(KernelWriter& kernel) {
  const std::unordered_set<Name> columns =
      depends_on(kernel.node.pull, kernel.facts.dims.size() - 2);
  std::vector<size_t> same;
  const std::vector<core::Stmt>& stmts = kernel.node.pull.body.stmts;
  for (size_t k = 0; k < stmts.size(); ++k)
    if (is_slow_operation(stmts[k]) && !uses_any(stmts[k], columns)) same.push_back(k);
  return same;
}

// Computes them for the points 0 … n-1.
Table fill_table(KernelWriter& kernel, Code& code, const std::vector<size_t>& same,
                 const ColumnBlock& block) {
  const std::unordered_set<Name> columns =
      depends_on(kernel.node.pull, kernel.facts.dims.size() - 2);
  std::vector<size_t> kept;
  const std::vector<core::Stmt>& all = kernel.node.pull.body.stmts;
  for (size_t k = 0; k < all.size(); ++k)
    if (!uses_any(all[k], columns)) kept.push_back(k);
  Table table;
  for (const size_t k : same)
    table.emplace_back(
        k, code.alloc(Space::kScratch, const_i64(kWorthLanes * prim_size(all[k].pat[0].type.elem)),
                      "table"));
  code.loop(
      const_i64(0), kernel.facts.dims.back(),
      [&](Code& at, const Operand& j) {
        core::Lambda thunk = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
        thunk.body.result.clear();
        for (const size_t k : same) thunk.body.result.push_back(thunk.body.stmts[k].pat[0].name);
        std::vector<core::Stmt> stmts;
        for (const size_t k : kept) stmts.push_back(std::move(thunk.body.stmts[k]));
        thunk.body.stmts = std::move(stmts);
        std::vector<Operand> indices = block.outer;
        indices.push_back(block.first);
        indices.push_back(j);
        const std::vector<Operand> values = kernel.fn.apply(at, thunk, indices);
        for (size_t k = 0; k < values.size(); ++k)
          at.add(Store{all[same[k]].pat[0].type.elem, table[k].second, j, values[k]});
      },
      1, LoopHint::kSimd);
  return table;
}

// Points that take them from there.
PointSource tabled_points(KernelWriter& kernel, const Table& table) {
  return [&](Code& code, const std::vector<Operand>& indices, const PointBody& then) {
    core::Lambda thunk = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
    for (const auto& [number, block] : table) {
      core::Stmt& stmt = thunk.body.stmts[number];
      stmt.exp = core::Value{code.load(stmt.pat[0].type.elem, block, indices.back(), "tabled")};
    }
    then(code, indices, kernel.fn.apply(code, thunk, indices));
  };
}

}  // namespace

void reduce_short_across(KernelWriter& kernel, Code& code) {
  const std::vector<size_t> same = same_across(kernel);
  if (same.empty()) return reduce_across(kernel, code);
  const int64_t width = across_width(kernel.facts), wide = width * kBlocksOfTable;
  const size_t inner_dim = kernel.facts.dims.size() - 2;
  const Operand groups = chunk_count(code, kernel.facts.dims[inner_dim], const_i64(wide));
  Operand total = groups;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, kernel.facts.dims[k]);
  const Operand grain =
      kernel.segment_grain(code, code.mul_i64(kernel.facts.dims.back(), const_i64(wide)));
  code.parallel_for(total, grain, [&](Code& at, const Operand& number) {
    const ColumnBlock group = column_block(kernel, at, number, groups, wide);
    const Table table = fill_table(kernel, at, same, group);
    const PointsFrom tabled(kernel, tabled_points(kernel, table));
    at.loop(
        const_i64(0), group.count,
        [&](Code& inner, const Operand& begin) {
          ColumnBlock block = group;
          block.first = inner.add_i64(group.first, begin);
          block.count = inner.min_i64(const_i64(width), inner.sub_i64(group.count, begin));
          reduce_column_block(kernel, inner, block, width);
        },
        width);
  });
}

}  // namespace skald::imp
