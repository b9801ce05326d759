// SPDX-License-Identifier: Apache-2.0
// Bins and writes of histograms; points in order, and atomic updates.
#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

using core::Sink;

std::vector<SinkInfo> hist_writes(const KernelFacts& facts) {
  std::vector<SinkInfo> found;
  for (const SinkInfo& info : facts.sinks_of(Sink::kHist))
    for (const SinkInfo& write : writes_of(info)) found.push_back(write);
  return found;
}

bool writes_again(const std::vector<SinkInfo>& writes, size_t k) {
  return k > 0 && writes[k].sink == writes[k - 1].sink;
}

Operand bin_count(KernelWriter& kernel, Code& code, const SinkInfo& info) {
  Operand bins = const_i64(1);
  for (const Operand& dim : info.sink->shape) bins = code.mul_i64(bins, kernel.fn.value(dim));
  return bins;
}

int64_t bin_bytes(const KernelWriter& kernel, const SinkInfo& info) {
  int64_t bytes = 0;
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    bytes += prim_size(kernel.result_place(info.results + k).type.elem);
  return bytes;
}

bool has_dense_bins(const KernelWriter& kernel, const SinkInfo& info) {
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    if (!kernel.result_place(info.results + k).loc.strides.empty()) return false;
  return true;
}

bool has_own_bins(const KernelFacts& facts) {
  if (facts.dims.size() < 2 || facts.is_seg) return false;
  for (const SinkInfo& info : hist_writes(facts))
    for (size_t k = 0; k + 1 < facts.dims.size(); ++k)
      if (k >= info.sink->shape.size() || !(facts.node.pull.body.result[info.values + k] ==
                                            Operand{facts.node.pull.params[k].name}))
        return false;
  return true;
}

bool has_rows_of_bins(const KernelFacts& facts, const SinkInfo& info) {
  if (facts.dims.size() < 2 || facts.is_seg || info.sink->shape.empty()) return false;
  const core::Lambda& pull = facts.node.pull;
  const Operand& last = pull.body.result[info.values + info.sink->shape.size() - 1];
  return last == Operand{pull.params.back().name};
}

std::optional<BinOpKind> exact_operator(const Sink& sink) {
  const core::Lambda& fn = sink.op[0].fn;
  if (sink.dests.size() != 1 || fn.params.size() != 2 || fn.body.stmts.size() != 1)
    return std::nullopt;
  const core::Stmt& only = fn.body.stmts[0];
  const core::BinOp* node = core::as<core::BinOp>(only.exp);
  if (node == nullptr || !is_int(node->type) || !(fn.body.result[0] == Operand{only.pat[0].name}))
    return std::nullopt;
  const Operand left = fn.params[0].name, right = fn.params[1].name;
  if (!(node->lhs == left && node->rhs == right) && !(node->lhs == right && node->rhs == left))
    return std::nullopt;
  return core::is_associative(node->op, node->type) ? std::optional(node->op) : std::nullopt;
}

bool rounds(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool inside = false, floats = false;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { inside = inside || rounds(inner); });
    for (const core::Param& p : stmt.pat) floats = floats || is_float(p.type.elem);
    const bool chooses = core::as<core::If>(stmt.exp) != nullptr ||
                         core::as<core::Select>(stmt.exp) != nullptr ||
                         core::as<core::Value>(stmt.exp) != nullptr;
    if (inside || (floats && !chooses)) return true;
  }
  return false;
}

bool are_atomic(const KernelFacts& facts) {
  // The host of a device has no atomic instructions (imp/verify/legality.h).
  if (!facts.has_vectors) return false;
  return std::ranges::all_of(facts.sinks_of(Sink::kHist), [](const SinkInfo& info) {
    return exact_operator(*info.sink).has_value();
  });
}

void hist_in_order(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end) {
  std::vector<BinsOfSink> bins;
  bool in_lanes = true;
  for (const SinkInfo& info : hist_writes(kernel.facts)) {
    bins.push_back({info, {}});
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      bins.back().dests.push_back(kernel.result_place(info.results + k));
    in_lanes = in_lanes && has_rows_of_bins(kernel.facts, info);
  }
  update_points(kernel, code, begin, end, bins, in_lanes ? Order::kAcross : Order::kOneByOne);
}

void hist_atomically(KernelWriter& kernel, Code& code) {
  code.parallel_range(kernel.point_count(code), const_i64(kernel.facts.grain),
                      [&](Code& piece, const Operand& begin, const Operand& end) {
                        kernel.points(piece, begin, end,
                                      [&](Code& inner, const std::vector<Operand>& indices,
                                          const std::vector<Operand>& values) {
                                        kernel.direct_sinks(inner, indices, values);
                                        for (const SinkInfo& info : hist_writes(kernel.facts))
                                          hist_atomic_update(kernel, inner, info, values);
                                      });
                      });
}

}  // namespace skald::imp
