// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/strategies/strategies.h"

#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/strategies.h"
#include "imp/lower/cpu/map/strategies.h"
#include "imp/lower/cpu/mixed/strategies.h"
#include "imp/lower/cpu/nest/squares.h"
#include "imp/lower/cpu/partition/strategies.h"
#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/reduce/strategies.h"
#include "imp/lower/cpu/scan/strategies.h"
#include "imp/lower/cpu/segments/strategies.h"
#include "imp/lower/kernel/scan_facts.h"

namespace skald::imp {

using core::Sink;

namespace {

std::span<const Strategy> table_over_segments(const KernelFacts& facts) {
  if (facts.has(Sink::kHist)) {
    SKALD_CHECK(facts.sinks.size() == 1, "a histogram over segments beside other sinks");
    return hist_strategies();
  }
  if (facts.has(Sink::kScan)) return segment_scan_strategies();
  if (facts.has(Sink::kReduce)) return segment_reduce_strategies();
  return segment_map_strategies();
}

std::span<const Strategy> table_of(const KernelWriter& kernel) {
  const KernelFacts& facts = kernel.facts;
  const bool flat = facts.dims.size() == 1;
  if (facts.is_seg) return table_over_segments(facts);
  if (is_mixed(kernel)) return mixed_strategies();
  if (facts.has(Sink::kScan)) {
    SKALD_CHECK(flat || !facts.has(Sink::kReduce), "a kernel on a grid scans or reduces, not both");
    return flat ? flat_scan_strategies() : grid_scan_strategies();
  }
  if (facts.has(Sink::kPartition))
    return is_ordered_partition(kernel) ? ordered_partition_strategies()
                                        : row_partition_strategies();
  if (facts.has(Sink::kReduce)) return flat ? flat_reduce_strategies() : grid_reduce_strategies();
  return facts.has(Sink::kHist) ? hist_strategies() : map_strategies();
}

}  // namespace

void write_for_cores(KernelWriter& kernel, Code& code) {
  // A nested kernel does not occur: thunks are sequential.
  const InKernel inside(kernel.fn);
  choose(table_of(kernel), kernel, code);
  if (kernel.facts.has(Sink::kScan)) explain_scan_way(kernel);
}

std::vector<StrategyName> strategies_for_cores() {
  std::vector<StrategyName> names;
  for (const std::span<const Strategy> table :
       {map_strategies(), flat_reduce_strategies(), grid_reduce_strategies()})
    add_names(table, names);
  add_range_names(names);
  add_names(flat_scan_strategies(), names);
  add_names(grid_scan_strategies(), names);
  for (const ScanWay& way : scan_ways()) names.push_back({way.name, &way == &scan_ways().back()});
  for (const std::span<const Strategy> table :
       {segment_map_strategies(), segment_reduce_strategies(), segment_scan_strategies(),
        ordered_partition_strategies(), row_partition_strategies(), hist_strategies()})
    add_names(table, names);
  add_hist_names(names);
  add_names(mixed_strategies(), names);
  add_mixed_names(names);
  return names;
}

void CpuTarget::kernel(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
                       const core::Kernel& kernel) {
  KernelWriter writer(fn, stmt, kernel);
  write_for_cores(writer, code);
}

bool CpuTarget::can_fill_later(FunctionLowering& fn, const core::Stmt& fill,
                               const core::Stmt& hist) {
  const auto* made = core::as<core::Replicate>(fill.exp);
  const auto* kernel = core::as<core::Kernel>(hist.exp);
  if (made == nullptr || kernel == nullptr || fn.parallel_depth > 0 || kernel->sinks.size() != 1 ||
      kernel->sinks[0].kind != Sink::kHist || fill.pat[0].type.shape.size() != made->shape.size() ||
      !fill.pat[0].mem[0].strides.empty())
    return false;
  return fills_own_rows(KernelWriter(fn, hist, *kernel), fill.pat[0].name);
}

bool CpuTarget::copy(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                     const ArrayPlace& src) {
  return copy_in_squares(fn, code, dest, src);
}

}  // namespace skald::imp
