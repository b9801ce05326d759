// SPDX-License-Identifier: Apache-2.0
// Kernels over several dimensions that are really over one: every point touches only the elements
// at its own place, or what is in the row at its own place.  Then rows may be short without making
// vectors short.
#include "core/ir/visit.h"
#include "imp/lower/kernel/facts.h"

namespace skald::imp {

using core::Sink;

namespace {

// Are the parameters used for nothing but array[params] and array[params, …] of arrays for which
// `fits` holds?
bool only_indexes(const core::Body& body, const std::vector<core::Param>& params,
                  const std::function<bool(Name)>& fits) {
  const auto is_param = [&](const Operand& o) {
    const Name* name = core::as_name(o);
    if (name == nullptr) return false;
    return std::any_of(params.begin(), params.end(),
                       [&](const core::Param& p) { return p.name == *name; });
  };
  for (const Operand& result : body.result)
    if (is_param(result)) return false;
  for (const core::Stmt& stmt : body.stmts) {
    bool fine = true, uses = false;
    core::for_each_operand(stmt.exp, [&](const Operand& o) { uses = uses || is_param(o); });
    for (const core::Param& p : stmt.pat) {
      for (const Operand& dim : p.type.shape) uses = uses || is_param(dim);
      for (const core::MemLoc& loc : p.mem) {
        uses = uses || is_param(loc.offset);
        for (const Operand& stride : loc.strides) uses = uses || is_param(stride);
      }
    }
    if (uses) {
      const auto* index = core::as<core::Index>(stmt.exp);
      fine = index != nullptr && index->slice.size() >= params.size() &&
             stmt.pat[0].type.is_scalar() && fits(index->array);
      for (size_t k = 0; fine && k < index->slice.size(); ++k) {
        const Operand& at = index->slice[k].start;
        fine = index->slice[k].is_index &&
               (k < params.size() ? at == Operand{params[k].name} : !is_param(at));
      }
    }
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      fine = fine && only_indexes(inner, params, fits);
    });
    if (!fine) return false;
  }
  return true;
}

}  // namespace

bool is_elementwise(const FunctionLowering& fn, const KernelFacts& facts, bool scans) {
  const auto is_dense = [&](const ArrayPlace& array) {
    if (!array.loc.strides.empty() || array.type.shape.size() < facts.dims.size()) return false;
    for (size_t k = 1; k < facts.dims.size(); ++k)
      if (!(fn.value(array.type.shape[k]) == facts.dims[k])) return false;
    return true;
  };
  if (facts.is_seg || !facts.node.post.empty()) return false;
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind != Sink::kOut && !(scans && info.sink->kind == Sink::kScan)) return false;
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k)
      if (!is_dense(fn.place(facts.stmt.pat[info.results + k].name))) return false;
  }
  return only_indexes(facts.node.pull.body, facts.node.pull.params, [&](Name array) {
    const ArrayPlace* place = fn.find_place(array);
    return place != nullptr && is_dense(*place);
  });
}

}  // namespace skald::imp
