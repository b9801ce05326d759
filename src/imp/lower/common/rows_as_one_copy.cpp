// SPDX-License-Identifier: Apache-2.0
// Kernels of which each point gives back a view of its row: all points together copy one view of
// the whole array, which is copied as `transpose` is.
//
//   kernel(flat(n), \i -> rearrange((1, 0), xss[i]))     copy(rearrange((0, 2, 1), xss))
//
// On a cpu tiny rows stay a matter of their point, as those of neighbouring ones are lanes.
#include "core/ir/visit.h"
#include "imp/lower/common/function.h"

namespace skald::imp {

using core::as;
using core::DimSlice;

namespace {

// From here on squares are quicker than rows in lanes; in elements of a row.
constexpr int64_t kLeastInSquares = 256;

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

}  // namespace

std::optional<ArrayPlace> FunctionLowering::view_of_rows(Code& code, const core::Kernel& kernel,
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
    slices[k] = {false, const_i64(0), value(kernel.domain.dims[k]), const_i64(1)};
  ArrayPlace whole = slice(code, place(row->array), slices);
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

bool FunctionLowering::copy_rows(Code& code, const core::Stmt& stmt, const core::Kernel& kernel,
                                 const std::function<void(Code&)>& otherwise) {
  if (parallel_depth_ > 0 || group_ != nullptr || kernel.sinks.size() != 1 || kernel.guarded ||
      kernel.sinks[0].kind != core::Sink::kOut || kernel.sinks[0].count != 1 ||
      !kernel.post.empty() || kernel.domain.kind == core::Domain::kSeg)
    return false;
  const ArrayPlace dest = place(stmt.pat[0].name);
  const std::optional<ArrayPlace> src = view_of_rows(code, kernel, kernel.pull.body.result[0]);
  if (!src || src->loc.block == dest.loc.block) return false;
  if (device_host()) {
    copy(code, dest, *src);
    return true;
  }
  const size_t last = dest.type.shape.size() - 1;
  if (contiguous_elsewhere(dest, *src) == last) return false;
  core::Type row = dest.type;
  row.shape.erase(row.shape.begin(),
                  row.shape.begin() + static_cast<ptrdiff_t>(kernel.domain.dims.size()));
  code.branch(
      code.less_i64(const_i64(kLeastInSquares - 1), element_count(code, row)),
      [&](Code& large) { copy(large, dest, *src); }, otherwise);
  return true;
}

}  // namespace skald::imp
