// SPDX-License-Identifier: Apache-2.0
// The writer of rows.h, in four files: sizes and launches (rows.cpp), what a lane does
// (rows_walk.cpp), threads with several segments (rows_segments.cpp), and how threads and groups
// put together what they have (rows_combine.cpp).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "imp/lower/gpu/fold/monoids.h"
#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

inline constexpr int64_t kGroupLog = 8;
static_assert(kGroupThreads == 1 << kGroupLog);

// While there are so many steps from `next` on to the end: the body, and `next` goes over them.
void while_there(Code& code, int64_t count, const Operand& step, const Operand& end, Name next,
                 const std::function<void(Code&)>& body);

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
  // How many lanes; and then, with `each_` known, how many units and parts.
  void plan_lanes(Code& code);
  void plan_units(Code& code);
  void plan_along(Code& code);
  void plan_across(Code& code);
  Launch launch(Code& code, Form form);
  // Groups of a launch that a processor should have registers for; 0: that is not known.
  int64_t groups_at_once(Form form) const;
  void launch_parts(Code& code);
  void launch_across(Code& code);
  // One set of accumulators for each segment of a thread, one after the other.
  std::vector<Accumulators> start_each(Code& code);
  const Monoid& monoid_of(size_t acc) const { return monoids_.all()[acc % monoids_.all().size()]; }
  Operand segment_of(Code& code, const Thread& thread, size_t acc) const;
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
  // ---- rows_segments.cpp
  // The points of neighbouring segments, which are loaded at once.
  void walk_beside(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void sets_beside(Code& code, int64_t count, const Walk& walk, Name next,
                   const std::vector<Accumulators>& accs);
  // A point of segment k of the thread, and its accumulators.
  GpuPoint point_beside(Code& code, const std::vector<Operand>& outer, const Operand& j,
                        int64_t k) const;
  std::vector<Accumulators> accs_of(const std::vector<Accumulators>& accs, int64_t k) const;
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
  // Across: loads of neighbouring segments.
  std::optional<WideLoads> beside_;
  // Neighbouring segments that a thread has, in the form that is being written.
  int64_t each_ = 1;
  // In host code: the logarithms of how many segments a group has and how many lanes a segment,
  // groups that share segments, and all sets of segments.
  Operand segments_log_ = const_i64(0), lanes_log_ = const_i64(0), parts_ = const_i64(1),
          units_ = const_i64(0);
  std::vector<Monoid> shared_;  // their values in the memory of the group
  Name arrived_ = {};           // for each unit: how many groups are done
};

}  // namespace skald::imp
