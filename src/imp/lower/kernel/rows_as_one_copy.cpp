// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/rows_as_one_copy.h"

#include "core/ir/visit.h"

namespace skald::imp {

using core::as;
using core::DimSlice;

namespace {

const core::Stmt* definition(const core::Body& body, const Operand& operand) {
  for (const core::Stmt& stmt : body.stmts)
    if (stmt.pat.size() == 1 && Operand(stmt.pat[0].name) == operand) return &stmt;
  return nullptr;
}

// xss[i, j, …] of an outer array, by the indices of the point in their order.
const core::Index* row_of_point(const core::Kernel& kernel, const core::Stmt& stmt) {
  const auto* index = as<core::Index>(stmt.exp);
  const std::vector<core::Param>& point = kernel.pull.params;
  if (index == nullptr || index->slice.size() < point.size() ||
      definition(kernel.pull.body, index->array) != nullptr)
    return nullptr;
  for (size_t k = 0; k < index->slice.size(); ++k) {
    const DimSlice& dim = index->slice[k];
    if (k < point.size()) {
      if (!dim.is_index || dim.start != Operand(point[k].name)) return nullptr;
      continue;
    }
    // What else it takes of the row is the same for all points.
    for (const Operand* operand : {&dim.start, &dim.count, &dim.stride}) {
      if (definition(kernel.pull.body, *operand) != nullptr) return nullptr;
      for (const core::Param& p : point)
        if (*operand == Operand(p.name)) return nullptr;
    }
  }
  return index;
}

// What all points of a kernel together give back, if each gives a rearranged row of one array.
std::optional<ArrayPlace> view_of_rows(FunctionLowering& fn, Code& code, const core::Kernel& kernel,
                                       const Operand& result) {
  std::vector<std::vector<int>> perms;
  const core::Stmt* stmt = definition(kernel.pull.body, result);
  while (stmt != nullptr && as<core::Rearrange>(stmt->exp) != nullptr) {
    const auto* view = as<core::Rearrange>(stmt->exp);
    perms.push_back(view->perm);
    stmt = definition(kernel.pull.body, view->array);
  }
  const core::Index* row = stmt == nullptr ? nullptr : row_of_point(kernel, *stmt);
  if (row == nullptr || perms.empty()) return std::nullopt;
  std::vector<DimSlice> slices = row->slice;
  for (size_t k = 0; k < kernel.domain.dims.size(); ++k)
    slices[k] = {false, const_i64(0), fn.value(kernel.domain.dims[k]), const_i64(1)};
  ArrayPlace whole = fn.slice(code, fn.place(row->array), slices);
  whole.loc.strides = strides(code, whole);
  const size_t outer = kernel.domain.dims.size();
  for (auto perm = perms.rbegin(); perm != perms.rend(); ++perm) {
    const ArrayPlace before = whole;
    for (size_t k = 0; k < perm->size(); ++k) {
      const size_t from = outer + static_cast<size_t>((*perm)[k]);
      whole.type.shape[outer + k] = before.type.shape[from];
      whole.loc.strides[outer + k] = before.loc.strides[from];
    }
  }
  return whole;
}

}  // namespace

std::optional<ArrayPlace> find_one_copy(KernelWriter& kernel, Code& code) {
  const core::Kernel& node = kernel.node;
  if (node.sinks.size() != 1 || node.guarded || node.sinks[0].kind != core::Sink::kOut ||
      node.sinks[0].count != 1 || !node.post.empty() || kernel.facts.is_seg)
    return std::nullopt;
  const std::optional<ArrayPlace> src =
      view_of_rows(kernel.fn, code, node, node.pull.body.result[0]);
  if (!src || src->loc.block == kernel.result_place(0).loc.block) return std::nullopt;
  return src;
}

}  // namespace skald::imp
