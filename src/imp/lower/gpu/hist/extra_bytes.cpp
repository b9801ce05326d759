// SPDX-License-Identifier: Apache-2.0
// How much memory ways of histograms may take beside the destination.
#include <unordered_set>

#include "imp/lower/gpu/hist/plan.h"

namespace skald::imp {

namespace {

// So much of the device; or the input so many times.
constexpr int64_t kExtraBytes = 64 << 20, kExtraInputs = 2;

// Only what is surely read once: by exactly the indices of the point.
int64_t bytes_read(const core::Body& body, const std::unordered_set<Name>& params) {
  int64_t bytes = 0;
  for (const core::Stmt& stmt : body.stmts) {
    const auto* read = core::as<core::Index>(stmt.exp);
    if (read == nullptr || !stmt.pat[0].type.is_scalar()) continue;
    std::unordered_set<Name> missing = params;
    for (const core::DimSlice& dim : read->slice)
      if (const Name* at = core::as_name(dim.start); at != nullptr && dim.is_index)
        missing.erase(*at);
    if (missing.empty()) bytes += prim_size(stmt.pat[0].type.elem);
  }
  return bytes;
}

}  // namespace

int64_t input_bytes(const KernelWriter& kernel) {
  std::unordered_set<Name> params;
  for (const core::Param& param : kernel.node.pull.params) params.insert(param.name);
  return bytes_read(kernel.node.pull.body, params);
}

Operand most_extra_bytes(Code& code, const HistsOfKernel& hists) {
  const Name least = code.fresh("extra");
  code.add(Tunable{least, "hist_extra_bytes", "hist_extra_bytes", const_i64(kExtraBytes)});
  const int64_t of_point = kExtraInputs * hists.input_bytes;
  return code.max_i64(least, code.mul_i64(hists.points, const_i64(of_point)));
}

}  // namespace skald::imp
