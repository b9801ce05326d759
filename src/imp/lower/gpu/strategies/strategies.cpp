// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/strategies/strategies.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/strategies/strategies.h"
#include "imp/lower/gpu/fold/members/member_tiles.h"
#include "imp/lower/gpu/fold/rows.h"
#include "imp/lower/gpu/fold/tiles/row_lanes.h"
#include "imp/lower/gpu/fold/tiles/tiles.h"
#include "imp/lower/gpu/group.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/irregular/merge_path.h"
#include "imp/lower/gpu/irregular/segment_points.h"
#include "imp/lower/gpu/kernel.h"
#include "imp/lower/gpu/nest/nest.h"
#include "imp/lower/gpu/stencil/stencil.h"
#include "imp/lower/kernel/hist_notes.h"
#include "imp/lower/kernel/rows_as_one_copy.h"

namespace skald::imp {

using core::Sink;

namespace {

// ---- gpu/on-host

void write_on_host(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.device.kernel_on_host = true;
  write_for_cores(gpu.kernel, code);
  gpu.device.kernel_on_host = false;
}

// ---- gpu/one-copy

WhyNot why_no_copy(GpuKernel& gpu) {
  if (gpu.kernel.fn.parallel_depth > 0) return "it runs in a thread of the device";
  Code elsewhere(gpu.kernel.fn.prog);
  if (find_one_copy(gpu.kernel, elsewhere)) return std::nullopt;
  return "points do not give back rearranged rows of one array";
}

void write_copy(GpuKernel& gpu, Code& code, const Otherwise&) {
  const ArrayPlace dest = gpu.kernel.result_place(0);
  gpu.kernel.fn.copy(code, dest, *find_one_copy(gpu.kernel, code));
}

// ---- the others

void write_with_locks(GpuKernel& gpu, Code& code, const std::function<void()>& write) {
  gpu.count_points(code);
  gpu.make_locks(code);
  write();
  gpu.free_locks(code);
}

void write_in_groups(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  write_groups(gpu.kernel, gpu.device, code, gpu.total);
}

void write_in_chunks(GpuKernel& gpu, Code& code, const Otherwise&) {
  write_with_locks(gpu, code, [&] { write_chunks(gpu, code); });
}

void write_points(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  report_taken(gpu.kernel, code, "gpu/points", {{"points", gpu.total}},
               [&] { return const_i64(gpu.lock_bytes()); });
  write_with_locks(gpu, code, [&] { gpu.map_points(code); });
}

void write_chunks_of_group(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  gpu.make_locks(code);
  write_chunks_in_group(gpu, code);
}

void write_points_of_group(GpuKernel& gpu, Code& code, const Otherwise&) {
  gpu.count_points(code);
  gpu.make_locks(code);
  in_group(gpu.device, code, gpu.total,
           [&](Code& inner, const Operand& i) { gpu.write_point(inner, gpu.point_at(inner, i)); });
}

using GpuStrategy = StrategyFor<GpuKernel>;

constexpr GpuStrategy kOnHost[] = {{"gpu/on-host", always_fits, write_on_host}};
constexpr GpuStrategy kOfGroups[] = {
    {"gpu/one-copy", why_no_copy, write_copy},
    {"gpu/groups", always_fits, write_in_groups},
};
constexpr GpuStrategy kChunked[] = {
    {"gpu/product", why_no_product, write_product},
    {"gpu/pieces", why_no_pieces, write_pieces},
    {"gpu/rows", why_not_rows, write_rows},
    {"gpu/merge-path", why_no_merge_path, write_merge_path},
    {"gpu/members", why_not_member_tiles, write_member_tiles},
    {"gpu/row-lanes", why_no_row_lanes, write_row_lanes},
    {"gpu/tiles", why_not_tiles, write_tiles},
    {"gpu/chunks", always_fits, write_in_chunks},
};
constexpr GpuStrategy kPoints[] = {
    {"gpu/one-copy", why_no_copy, write_copy},
    {"gpu/run-bins", why_no_run_bins, write_run_bins},
    {"gpu/row-bins", why_no_row_bins, write_row_bins},
    {"gpu/group-bins", why_no_group_bins, write_group_bins},
    {"gpu/range-bins", why_no_range_bins, write_range_bins},
    {"gpu/sorted-bins", why_no_sorted_bins, write_sorted_bins},
    {"gpu/looked-bins", why_no_looked_bins, write_looked_bins},
    {"gpu/row-sums", why_no_row_sums, write_row_sums},
    {"gpu/hot-bins", why_no_hot_bins, write_hot_bins},
    {"gpu/product", why_no_product, write_product},
    {"gpu/pieces", why_no_pieces, write_pieces},
    {"gpu/stencil", why_not_near_points, write_near_points},
    {"gpu/grid-points", why_no_grid_points, write_grid_points},
    {"gpu/shared-points", why_no_shared_points, write_shared_points},
    {"gpu/segment-points", why_no_segment_points, write_segment_points},
    {"gpu/several-points", why_not_several_points, write_several_points},
    {"gpu/points", always_fits, write_points},
};
constexpr GpuStrategy kChunksOfGroup[] = {
    {"gpu/chunks-of-group", always_fits, write_chunks_of_group}};
constexpr GpuStrategy kPointsOfGroup[] = {
    {"gpu/points-of-group", always_fits, write_points_of_group}};

std::span<const GpuStrategy> table_of(const GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  const bool folds =
      facts.has(Sink::kReduce) || facts.has(Sink::kScan) || facts.has(Sink::kPartition);
  if (gpu.device.in_group())
    return folds ? std::span<const GpuStrategy>(kChunksOfGroup) : kPointsOfGroup;
  if (gpu.kernel.node.space == core::Space::kHost) return kOnHost;
  if (core::holds_kernels(gpu.kernel.node)) return kOfGroups;
  return folds ? std::span<const GpuStrategy>(kChunked) : kPoints;
}

}  // namespace

bool write_loop_for_device(FunctionLowering& fn, DeviceTarget& device, Code& code,
                           const core::Stmt& stmt, const core::Loop& loop) {
  return write_steps(fn, device, code, stmt, loop);
}

void write_for_device(FunctionLowering& fn, DeviceTarget& device, Code& code,
                      const core::Stmt& stmt, const core::Kernel& kernel) {
  GpuKernel gpu(fn, device, stmt, kernel);
  explain_operators(gpu.kernel);
  choose(table_of(gpu), gpu, code);
}

std::vector<StrategyName> strategies_for_devices() {
  std::vector<StrategyName> names = {{kStepsName, false}};
  for (const std::span<const GpuStrategy> table :
       {std::span<const GpuStrategy>(kPoints), std::span<const GpuStrategy>(kChunked),
        std::span<const GpuStrategy>(kOfGroups).last(1), std::span<const GpuStrategy>(kOnHost),
        std::span<const GpuStrategy>(kPointsOfGroup), std::span<const GpuStrategy>(kChunksOfGroup)})
    add_names(table, names);
  // Some are in two tables.
  std::vector<StrategyName> once;
  for (const StrategyName& each : names)
    if (std::ranges::find(once, each.name, &StrategyName::name) == once.end()) once.push_back(each);
  return once;
}

}  // namespace skald::imp
