// SPDX-License-Identifier: Apache-2.0
// Accumulators that lie side by side in scratch memory, updated by simd loops: LLVM keeps them in
// vector registers.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// blocks[k][v][lane] is value v of sink k: reductions, or scans while their totals are computed.
struct Lanes {
  std::vector<SinkInfo> sinks = {};
  std::vector<std::vector<Name>> blocks = {};

  const core::Operator& op(size_t k) const { return sinks[k].sink->op[0]; }
};

Lanes start_lanes(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& sinks,
                  int64_t count);
std::vector<Operand> load_lane(Code& code, const Lanes& lanes, size_t k, const Operand& lane);
void store_lane(Code& code, const Lanes& lanes, size_t k, const Operand& lane,
                const std::vector<Operand>& values);
// lanes[lane] = op(lanes[lane], values) for one sink.
void feed_lane(KernelWriter& kernel, Code& code, const Lanes& lanes, size_t k, const Operand& lane,
               const std::vector<Operand>& values);
// Combines one point into each of the first `count` lanes.
void feed_lanes(KernelWriter& kernel, Code& code, const Lanes& lanes, const Operand& count,
                LoopHint hint,
                const std::function<std::vector<Operand>(Code&, const Operand&)>& indices_of);
// into[lane] = op(into[lane], from[lane + offset]) for the first `count` lanes.
void fold_lanes(KernelWriter& kernel, Code& code, const Lanes& into, const Lanes& from,
                int64_t count, int64_t offset);
// Combines the first `count` lanes into the accumulators, one after the other.
void combine_lanes(KernelWriter& kernel, Code& code, const Lanes& lanes, int64_t count,
                   const std::vector<Accumulators>& accs);

// Neighbouring columns of a grid, one for each lane.
struct ColumnBlock {
  std::vector<Operand> outer;
  Operand first, count;
};
// Columns first … first+count-1 of one outer index.
ColumnBlock column_block(KernelWriter& kernel, Code& code, const Operand& number,
                         const Operand& blocks, int64_t width);

}  // namespace skald::imp
