// SPDX-License-Identifier: Apache-2.0
// Which scans are done by lanes that look at each other (scan/lanes.cpp), and in how many.
#include <algorithm>
#include <unordered_map>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

constexpr int64_t kScanLaneBytes = 64, kFewestScanLanes = 8, kMostScanLanes = 32;
// Operators with more statements are not repeated so many times.
constexpr size_t kScanStatements = 24;

// What an operator takes: steps from the values on its left to its results, one after the other as
// scalar code, and the work of it all, in instructions on a register of lanes.
class ScanOperatorCost {
 public:
  explicit ScanOperatorCost(const core::Lambda& fn) {
    const size_t values = fn.params.size() / 2;
    for (size_t v = 0; v < values; ++v) waits_[fn.params[v].name] = 0;
    walk(fn.body, -1);
    for (const Operand& result : fn.body.result) steps = std::max(steps, waits(result));
  }
  int64_t steps = 0, work = 0, statements = 0;

 private:
  // Since when a value is there; -1 if it was before.
  int64_t waits(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? waits_.end() : waits_.find(*name);
    return found == waits_.end() ? -1 : found->second;
  }
  void walk(const core::Body& body, int64_t since) {
    for (const core::Stmt& stmt : body.stmts) {
      int64_t begin = since;
      core::for_each_operand(stmt.exp,
                             [&](const Operand& o) { begin = std::max(begin, waits(o)); });
      statements += static_cast<int64_t>(stmt.pat.size());
      work += static_cast<int64_t>(stmt.pat.size());
      int64_t takes = 1;
      const auto* node = core::as<core::BinOp>(stmt.exp);
      if (node != nullptr && is_float(node->type)) takes = 4;
      const auto* compared = core::as<core::CmpOp>(stmt.exp);
      if (compared != nullptr && is_float(compared->type)) takes = 3;
      if (node != nullptr && is_slow_operation(stmt)) takes = 10;
      if (node != nullptr && node->op == BinOpKind::kMul && is_int(node->type)) {
        takes = 3;
        work += prim_size(node->type) == 8 ? 3 : 2;
      }
      std::vector<int64_t> ends(stmt.pat.size(), begin);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) {
        walk(inner, since);
        for (size_t k = 0; k < ends.size() && k < inner.result.size(); ++k)
          ends[k] = std::max(ends[k], waits(inner.result[k]));
      });
      for (size_t k = 0; k < ends.size(); ++k)
        waits_[stmt.pat[k].name] = ends[k] < 0 ? -1 : ends[k] + takes;
    }
  }
  std::unordered_map<Name, int64_t> waits_;
};

}  // namespace

bool KernelLowering::scans_floats() const {
  for (const Operator* op : operators(Sink::kScan))
    for (const core::Param& p : op->fn.params)
      if (is_float(p.type.elem)) return true;
  return false;
}

bool KernelLowering::can_scan_in_lanes() const {
  if (fn_.target_ != Target::kCpu || kernel_.guarded || !are_commutative(Sink::kReduce))
    return false;
  const bool flat = dims_.size() == 1 && kernel_.domain.kind != core::Domain::kSeg;
  int64_t budget = 64;
  if (flat ? !fits_pieces(kernel_.pull.body, budget) : !is_scalar_code()) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (!ret.type.is_scalar()) return false;
  for (const core::Lambda& post : kernel_.post)
    if (!fits_pieces(post.body, budget)) return false;
  size_t loads = 0, count = 0;
  for (const SinkInfo& info : sinks_) {
    switch (info.sink->kind) {
      case Sink::kOut: break;
      case Sink::kReduce:
        if (!fits_lanes(info.sink->op[0].fn.body)) return false;
        break;
      case Sink::kScatter:
        if (!flat || core::writes_rows(*info.sink)) return false;
        break;
      case Sink::kScan: {
        const core::Lambda& fn = info.sink->op[0].fn;
        for (const core::Param& p : fn.params)
          if (!p.type.is_scalar()) return false;
        if (!count_scalar_code(fn.body, loads, count) || loads > 0) return false;
        if (has_slow_operation(fn.body)) return false;
        break;
      }
      default: return false;
    }
  }
  if (count > kScanStatements) return false;
  // The same for floats on every machine, because their association must be.
  const int64_t lanes = scan_lane_count();
  const int64_t wide = fn_.options_.wide_registers ? 64 : fn_.options_.registers.bytes;
  int64_t times = scans_floats() ? 2 : 1;
  for (int64_t by = 1; by < lanes; by *= 2) ++times;
  int64_t in_lanes = 0, scalar = 0;
  for (const Operator* op : operators(Sink::kScan)) {
    const ScanOperatorCost cost(op->fn);
    int64_t widest = 1;
    for (const core::Param& p : op->fn.params)
      widest = std::max<int64_t>(widest, prim_size(p.type.elem));
    const int64_t registers =
        scans_floats() ? 1 : std::max<int64_t>(1, lanes * widest / std::max<int64_t>(wide, 1));
    in_lanes += times * registers * (cost.work + static_cast<int64_t>(op->neutral.size()));
    scalar += lanes * cost.steps + lanes * cost.statements / 4;
  }
  return in_lanes < scalar;
}

int64_t KernelLowering::scan_operator_steps() const {
  int64_t steps = 0;
  for (const Operator* op : operators(Sink::kScan))
    steps = std::max(steps, ScanOperatorCost(op->fn).steps);
  return steps;
}

int64_t KernelLowering::scan_lane_count() const {
  int64_t widest = 1;
  for (const Operator* op : operators(Sink::kScan))
    for (const core::Param& p : op->fn.params)
      widest = std::max<int64_t>(widest, prim_size(p.type.elem));
  return std::clamp(kScanLaneBytes / widest, kFewestScanLanes, kMostScanLanes);
}

}  // namespace skald::imp
