// SPDX-License-Identifier: Apache-2.0
// One kernel on its way to launches.
#pragma once

#include <optional>
#include <vector>

#include "imp/lower/gpu/seen_keys.h"
#include "imp/lower/gpu/target.h"
#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// Where in the domain a thread is.
struct GpuPoint {
  std::vector<Operand> indices;  // what the thunk gets
  std::vector<Operand> place;    // where in arrays over the domain
  Operand position;              // its number
};

class OwnBins;
class HotBins;

class GpuKernel {
 public:
  GpuKernel(FunctionLowering& fn, DeviceTarget& device_target, const core::Stmt& stmt,
            const core::Kernel& node)
      : device(device_target), kernel(fn, stmt, node) {}

  // Computes the sizes below, if that has not been done in the code around.
  void count_points(Code& code);

  bool is_seg() const { return kernel.facts.is_seg; }
  GpuPoint point_at(Code& code, const Operand& number);
  // Stores outputs, scatters, updates histograms.
  void direct(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
              bool late = false);
  // Runs the thunk at a point, and stores what it gives.
  void write_point(Code& code, const GpuPoint& at);
  // A thread for each point.
  void map_points(Code& code);
  // Of segments with different lengths: where one begins, and the last one that begins at or before
  // a point.
  Operand offset(Code& code, const Operand& segment);
  Operand find_segment(Code& code, const Operand& flat);

  // ---- hist/update.cpp
  // Room for locks, if that has not been made in the code around.
  void make_locks(Code& code);
  // What locks take in the device's memory.
  int64_t lock_bytes() const;
  // The bin at these indices of the destination becomes op(bin, given), under its lock.
  void update_locked(Code& code, size_t sink, const SinkInfo& info, const std::vector<Operand>& at,
                     const std::vector<Operand>& given);
  void free_locks(Code& code);
  void update_hist(Code& code, size_t sink, const std::vector<Operand>& values);
  // The bin at these indices of the destination becomes op(bin, given).
  void update_memory(Code& code, size_t sink, const std::vector<Operand>& at,
                     const std::vector<Operand>& given);

  DeviceTarget& device;
  KernelWriter kernel;
  // Segments, points of each if they have one length, and all points.
  Operand segments = const_i64(1), length = const_i64(0), total = const_i64(0);
  // By sink: bins to update instead of the destination.
  std::vector<const OwnBins*> own_bins = {};
  // By sink: bins to update before the destination.
  std::vector<const HotBins*> hot_bins = {};
  // What keys of its histograms are like, if that has been asked in the code around.
  std::optional<SeenKeys> seen_keys = {};
  size_t slots = 0;  // of the group, in use

 private:
  void update_hist(Code& code, size_t sink, const SinkInfo& write,
                   const std::vector<Operand>& values);

  bool counted_ = false;
  std::vector<Name> locks_ = {};  // one per sink; no name if it needs none
  int64_t lock_count_ = 0;
};

// ---- several_points.cpp
WhyNot why_not_several_points(GpuKernel& kernel);
void write_several_points(GpuKernel& kernel, Code& code, const Otherwise& otherwise);

// ---- fold/chunks.cpp, fold/group_chunks.cpp: reductions, scans and partitions
void write_chunks(GpuKernel& kernel, Code& code);
void write_chunks_in_group(GpuKernel& kernel, Code& code);

}  // namespace skald::imp
