// SPDX-License-Identifier: Apache-2.0
// The writer of rows.h, in three files: sizes and launches (rows.cpp), what a thread does
// (rows_walk.cpp), and how threads and groups put together what they have (rows_combine.cpp).
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/fold/monoids.h"
#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

inline constexpr int64_t kGroupLog = 8;
static_assert(kGroupThreads == 1 << kGroupLog);

class Rows {
 public:
  explicit Rows(GpuKernel& gpu);
  void write(Code& code);

 private:
  // How segments are shared out: several groups have one (or, across, some together), or some
  // threads of a warp (of a group), or each thread has some for itself.
  enum class Form : uint8_t { kParts, kLanes, kSingle };
  // A thread of the launch.
  struct Thread {
    Name number;
    Operand segment, lane;
    Operand part;
    Operand active;  // is there such a segment?
  };
  // The points of a row that one thread goes through: first, first + step, … before end.
  struct Walk {
    std::vector<Operand> outer;
    Operand first, end, step;
    // The index of number n of these points; none: n itself.
    std::function<Operand(Code&, const Operand& n)> index = {};
  };
  using Note = std::function<void(Code&, const Operand& j)>;

  // ---- rows.cpp
  void plan(Code& code);
  void plan_along(Code& code);
  void plan_across(Code& code);
  Launch launch(Code& code, Form form);
  void launch_parts(Code& code);
  void group_body(Code& code, Name group, Name thread, Form form);
  // Segments that a thread of the form kSingle has.
  int64_t segments_of_thread() const;

  // ---- rows_walk.cpp
  Thread find_thread(Code& code, Name group, const Operand& unit, Name thread);
  std::vector<Operand> outer_of(Code& code, const Operand& segment) const;
  // `wide`: some neighbouring points are loaded at once, where they can be.
  void walk(Code& code, const Thread& thread, const std::vector<Accumulators>& accs, bool wide);
  static GpuPoint point_at(const std::vector<Operand>& outer, const Operand& j);
  // `note` comes before each point that may fail.
  void points(Code& code, const Walk& walk, const std::vector<Accumulators>& accs,
              const Note& note);
  void points_at_once(Code& code, int64_t count, const Walk& walk, Name next,
                      const std::vector<Accumulators>& accs);
  // The sets of points first, first + step, … before end, of which number 0 begins after the head.
  void sets_at_once(Code& code, int64_t count, const Walk& sets, const Operand& head, Name next,
                    const std::vector<Accumulators>& accs);
  // The sets of the row; gives the walk through the points outside of them.
  Walk wide_points(Code& code, const Walk& walk, const std::vector<Accumulators>& accs);
  void add(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
           const std::vector<Accumulators>& accs);
  // Whole segments by one thread, several at once.
  void single(Code& code, Name group, Name thread);
  void segments_at_once(Code& code, const Operand& first);

  // ---- rows_combine.cpp
  // Lane 0 gets what all lanes of its segment have.
  void combine_lanes(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void combine_across(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  // The lanes of a segment that lie in the same warp.
  void combine_in_warps(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void store_totals(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  // All groups of a segment have left their parts: the last of them puts these together.
  void finish_parts(Code& code, const Thread& thread, const Operand& unit,
                    const std::vector<Accumulators>& accs);
  // Has this group come last?
  Operand is_last(Code& code, const Thread& thread, const Operand& unit);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  WideLoads wide_;
  const bool across_, in_turn_;
  // In host code: the logarithms of how many segments a group has and how many lanes a segment,
  // groups that share segments, and all sets of segments.
  Operand segments_log_ = const_i64(0), lanes_log_ = const_i64(0), parts_ = const_i64(1),
          units_ = const_i64(0);
  std::vector<Monoid> shared_;  // their values in the memory of the group
  Name arrived_ = {};           // for each unit: how many groups are done
};

}  // namespace skald::imp
