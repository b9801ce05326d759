// SPDX-License-Identifier: Apache-2.0
// Reductions of ranges and segments: what several skeletons use.
#pragma once

#include <span>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// ---- range.cpp
// Feeds the points (outer…, begin … end-1) to the reductions, with several accumulators if that
// keeps the meaning.
void reduce_range(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                  const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs);
// One segment of n points in parallel chunks.
void reduce_segment_in_chunks(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                              const Operand& n, const std::vector<Accumulators>& accs);
// The point joins the accumulators; these are the results of the segment.
void reduce_point(KernelWriter& kernel, Code& code, const std::vector<Operand>& indices,
                  const std::vector<Accumulators>& accs);
void store_reduced(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                   const std::vector<Accumulators>& accs);
// The ways to reduce a range.
void add_range_names(std::vector<StrategyName>& names);

// ---- along.cpp
// Why the lanes cannot be points of one reduction.
WhyNot why_not_along(const KernelFacts& facts);
// The sinks are reductions, or scans of which only the totals are computed.
void reduce_along(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& sinks,
                  const std::vector<Operand>& outer, const Operand& begin, const Operand& length,
                  const std::vector<Accumulators>& accs);

// ---- in_order.cpp
// How many stretches a reduction, or the totals of a scan, take at a time in order; 0 if lanes
// would not pay.
int64_t ordered_lanes(const KernelWriter& kernel, core::Sink::Kind kind);
void reduce_in_order(KernelWriter& kernel, Code& code, core::Sink::Kind kind,
                     const std::vector<Operand>& outer, const Operand& begin, const Operand& end,
                     const std::vector<Accumulators>& accs);

}  // namespace skald::imp
