// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel before any code is written for it.  Computed once; strategies
// (strategy.h) read it to say whether they fit.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"
#include "imp/lower/common/function.h"

namespace skald::imp {

// Where the values of one sink start among the results of the thunk (of the post-function, for a
// late sink), and its results in the pattern.
struct SinkInfo {
  const core::Sink* sink;
  size_t values;
  size_t results;
  // Of a histogram: how many times a point writes, one after the other.
  size_t writes = 1;
};

// All writes of a histogram, one by one.
std::vector<SinkInfo> writes_of(const SinkInfo& info);

// How a kernel with scans does them.
struct ScanFacts {
  bool floats = false;         // is something scanned that rounds?
  int64_t lane_count = 0;      // of those that look at each other (cpu/scan/lanes.cpp)
  int64_t operator_steps = 0;  // how long operators take if each waits for the one before, in sums
  // Pairwise simple operators are done in vector registers, others in lanes.
  bool in_registers = false, in_lanes = false;
  int64_t streams = 1;  // independent parts of a chunk that are scanned at once
  // May the association depend on which thread comes first?
  bool exact = false;

  bool in_vectors() const { return in_registers || in_lanes; }
};

struct KernelFacts {
  KernelFacts(const FunctionLowering& fn, const core::Stmt& stmt, const core::Kernel& node);
  // The same kernel over other dimensions, or with some of its sinks.
  KernelFacts with_dims(const FunctionLowering& fn, std::vector<Operand> other) const;
  KernelFacts with_sinks(const FunctionLowering& fn, std::vector<SinkInfo> some) const;

  bool has(core::Sink::Kind kind) const;
  std::vector<SinkInfo> sinks_of(core::Sink::Kind kind) const;
  std::vector<const core::Operator*> operators(core::Sink::Kind kind) const;
  // True if all operators of these sinks are commutative.
  bool commutative(core::Sink::Kind kind) const;

  const core::Stmt& stmt;
  const core::Kernel& node;
  std::vector<SinkInfo> sinks;
  std::vector<Operand> dims;
  // With a post-function: the values that late sinks take, and its first array among the results.
  size_t late_values = 0, first_array = 0;
  // Values of the thunk (by position) that are rows built in the output already.
  std::unordered_set<size_t> in_place;

  bool is_seg = false;       // over segments of different lengths
  bool has_vectors = false;  // does the target run loops in vectors?
  // Nothing but scalar code that cannot fail: no checks, branches, loops, arrays.
  bool straight = false;
  // The same, but for branches.
  bool scalar_code = false;
  // Every point touches only the elements at its own place, of dense arrays of one shape.
  bool elementwise = false;
  bool only_straight_reductions = false;
  // Of straight code over a grid: points read nothing far apart when the segment changes; they read
  // neighbouring elements when the last but one index moves, rather than when the last one does.
  bool reads_near_across = false, reads_across = false;
  // … they read the same elements wherever they are in the segment, or none.
  bool reads_same_along = false;
  // The thunk costs so much that its values should be kept, not computed twice.
  bool costly_thunk = false;
  // Points worth a task, 0 if their cost is not known; and the least size of a chunk.
  int64_t grain = 0, least_chunk = 0;
  ScanFacts scan;

 private:
  void compute(const FunctionLowering& fn);
  void find_reads(const FunctionLowering& fn);
  ScanFacts find_scan(const LowerOptions& options) const;
};

// True if every point touches only the elements at its own place, or what is in the row there.
// `scans` may be among the sinks.
bool is_elementwise(const FunctionLowering& fn, const KernelFacts& facts,
                    bool scans = false);  // elementwise.cpp

}  // namespace skald::imp
