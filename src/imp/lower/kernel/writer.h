// SPDX-License-Identifier: Apache-2.0
// One kernel on its way to code: what is known of it, and writers for its points, rows and sinks
// that all skeletons use.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "imp/lower/kernel/facts.h"
#include "imp/lower/kernel/strides.h"

namespace skald::imp {

// The accumulators of one operator: variables, with the operator's types.
using Accumulators = std::vector<Name>;

// Fewer segments than this cannot keep the cores busy: each is worked on in parallel.
inline constexpr int64_t kFewSegments = 8;
// Shorter reductions gain nothing from several accumulators.
inline constexpr int64_t kWorthLanes = 64;

// What is done at a point, when the values of the thunk are known.
using PointBody = std::function<void(Code&, const std::vector<Operand>& indices,
                                     const std::vector<Operand>& values)>;
// Computes the values of the thunk at a point, or takes them from where they wait.
using PointSource =
    std::function<void(Code&, const std::vector<Operand>& indices, const PointBody& then)>;
// The points begin … end-1 of one row with these outer indices.
using RowBody = std::function<void(Code&, const std::vector<Operand>& outer, const Operand& begin,
                                   const Operand& end)>;

// Where the values of the thunk wait, if it has run already, from point `begin` on.
struct Staged {
  std::vector<Name> buffers;
  Operand begin = const_i64(0);
};

class KernelWriter {
 public:
  KernelWriter(FunctionLowering& lowering, const core::Stmt& of_stmt, const core::Kernel& kernel);
  // The same kernel with other facts: over other dimensions, or with some of its sinks.
  KernelWriter(const KernelWriter& kernel, KernelFacts other);

  // ---- points.cpp
  // Runs the thunk at one point; with a guard, `then` runs only where it holds.
  void point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  // The same at (outer…, i).
  void point(Code& code, std::vector<Operand> outer, const Operand& i, const PointBody& then);
  // What the thunk gives at a point, if some of its statements have been computed already: `known`
  // has the value of such a statement, by its number.
  std::vector<Operand> values_with(Code& code, const std::vector<Operand>& indices,
                                   const std::function<std::optional<Operand>(size_t)>& known);
  // All points begin … end-1 of the flattened domain, row by row.
  void points(Code& code, const Operand& begin, const Operand& end, const PointBody& then,
              LoopHint hint = LoopHint::kNone);
  // The same with a body for every one of `ways` neighbouring points.
  void points_in_turn(Code& code, const Operand& begin, const Operand& end, int64_t ways,
                      const std::function<PointBody(int64_t)>& then);
  // The rows that the points begin … end-1 lie in: their outer indices, and from where to where.
  void rows_of(Code& code, const Operand& begin, const Operand& end, const RowBody& body);
  Operand point_count(Code& code);
  // How many segments there are: all dimensions but the last.
  Operand segment_count(Code& code);
  // The outer indices of segment `number`.
  std::vector<Operand> segment_indices(Code& code, const Operand& number);
  // How many segments of `points` points are worth a task; 0 if their cost is not known.
  Operand segment_grain(Code& code, const Operand& points);
  // `rows` segments at a time in parallel: group(code, first one), and row(code, number) for each
  // of those that are left over.
  void segments_in_groups(Code& code, const Operand& segments, int64_t rows,
                          const Code::LoopBody& group, const Code::LoopBody& row);
  // Over segments of different lengths: the first position of segment `s`, and the last segment
  // that begins at or before a position.
  Operand segment_begin(Code& code, const Operand& s);
  Name find_segment(Code& code, const Operand& position);

  // ---- sinks.cpp
  const ArrayPlace& result_place(size_t k) const;
  // The values of one sink among those of the thunk.
  std::vector<Operand> sink_values(const SinkInfo& info, const std::vector<Operand>& values) const;
  // Stores outputs and performs scatters for one point.
  void direct_sinks(Code& code, const std::vector<Operand>& indices,
                    const std::vector<Operand>& values);
  void out_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& indices,
                const std::vector<Operand>& values);
  void scatter_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& values);
  // Does the place of a histogram or scatter exist?
  Operand in_bounds(Code& code, const std::vector<Operand>& at, const SinkInfo& info);

  // ---- operators.cpp
  Accumulators start(Code& code, const core::Operator& op);
  std::vector<Accumulators> start_all(Code& code, core::Sink::Kind kind);
  // acc = op(acc, values)
  void combine(Code& code, const core::Operator& op, const Accumulators& acc,
               const std::vector<Operand>& values);
  // The same for all reductions of a point.
  void combine_all(Code& code, const std::vector<Accumulators>& accs,
                   const std::vector<Operand>& values);
  // Room for `count` values of each accumulator type of `op`.
  std::vector<Name> partials(Code& code, const core::Operator& op, const Operand& count);
  // Combines what `chunks` chunks left in the blocks of `partials` into the accumulators.
  void combine_partials(Code& code, const std::vector<const core::Operator*>& ops,
                        const std::vector<std::vector<Name>>& partial, const Operand& chunks,
                        const std::vector<Accumulators>& accs);
  // The results of all reductions are these variables.
  void name_reduced(const std::vector<Accumulators>& accs);

  // ---- reads.cpp
  // How the thunk's loads move; adds what the strides need.
  std::vector<Access> accesses(Code& code) const;
  // The block and the place of what a statement of the thunk reads at the point `at`.
  std::pair<Name, Operand> read_place(Code& code, size_t read, const std::vector<Operand>& at);

  FunctionLowering& fn;
  const core::Stmt& stmt;
  const core::Kernel& node;
  const KernelFacts facts;
  // Where points come from, if not from the thunk; see PointsFrom.
  PointSource source = {};
  const Staged* staged = nullptr;

 private:
  void segment_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  bool leaves_out_points(const SinkInfo& info) const;
  bool is_own_index(size_t value, const Operand& size) const;
};

// While it lives, points come from there.
class PointsFrom {
 public:
  PointsFrom(KernelWriter& kernel, PointSource source);
  // … from values that wait in buffers.
  PointsFrom(KernelWriter& kernel, const Staged& staged);
  ~PointsFrom();
  PointsFrom(const PointsFrom&) = delete;
  PointsFrom& operator=(const PointsFrom&) = delete;

 private:
  KernelWriter& kernel_;
  PointSource source_before_;
  const Staged* staged_before_;
};

// Computes the points begin … end-1 and keeps their values in the buffers, that of point `base`
// first.
void stage(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
           const Operand& begin, const Operand& end, const Operand& base,
           const std::vector<Name>& buffers);

}  // namespace skald::imp
