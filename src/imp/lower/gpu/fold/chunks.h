// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and partitions on devices, all by the same three launches:
//
//   first pass   one thread for each chunk of a segment: the chunk's totals
//   combine      one group for each segment: what comes before each chunk, and the segment's totals
//   second pass  the chunks again, now knowing what comes before them: stores what scans and
//                partitions give, and finds the totals of late sinks, which are combined as above
//   third pass   only for late partitions, which know their places now: stores instead of the
//   second
//
// Without scans and partitions there is no second pass, and the first one stores what else there
// is.  Where segments are many a chunk is a whole segment, and nothing is left to combine.  The
// number of chunks depends on sizes only, so results do not depend on the device.
//
// The members of each class of a partition are counted like any other sum, and the count before a
// member is its place.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/fold/monoids.h"

namespace skald::imp {

class GpuChunks {
 public:
  explicit GpuChunks(GpuKernel& kernel);
  void write(Code& code);
  // The same in code that a group runs (group_chunks.cpp).
  void write_in_group(Code& code);

 private:
  // kCount: only what late sinks find.  kSecond: that and the stores.  kThird: only the stores.
  enum class Pass : uint8_t { kCount, kSecond, kThird };
  using ChunkBody = std::function<void(Code&, const Operand& segment, const Operand& begin,
                                       const Operand& end, const Operand& chunk)>;

  // Neighbouring threads read neighbouring points if the order does not matter.
  bool can_stride() const;

  // ---- chunks.cpp
  void plan(Code& code);
  // A thread for each chunk of each segment.
  void each_chunk(Code& code, const Operand& groups, const ChunkBody& body);
  // The points of a chunk in order; a failure ends the walk.
  void walk(Code& code, const Operand& segment, const Operand& begin, const Operand& end,
            const Operand& chunk, bool strided,
            const std::function<void(Code&, const GpuPoint&)>& body);
  void first_pass(Code& code);
  void store_chunk(Code& code, const Operand& segment, const Operand& number,
                   const std::vector<Accumulators>& accs, bool late);
  void later_pass(Code& code, Pass pass);
  // What one point of a later pass does.
  void write_scanned(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
                     const std::vector<Accumulators>& accs, Pass pass);
  // A row goes to its place in the results of its class.
  void collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
               const std::vector<Accumulators>& accs);

  // ---- combine.cpp
  void combine_chunks(Code& code, bool late);
  // The same for one segment, in the code of its group.
  void combine_segment(Code& code, bool late, Name segment, Name thread, int64_t threads);
  // What was found at a place becomes what comes before it, which the accumulators hold.
  void before_and_after(Code& code, const Monoid& monoid, const Accumulators& acc,
                        const Operand& place);

  // ---- group_chunks.cpp
  void plan_in_group(Code& code);
  void first_pass_in_group(Code& code, const Operand& all);
  void later_pass_in_group(Code& code, const Operand& all);
  void combine_in_group(Code& code, const Operand& all);
  using Accs = std::vector<Accumulators>;
  enum class Readers : uint8_t { kNone, kOthers };
  void combine_round(Code& code, const Operand& takes, Readers readers,
                     const std::function<void(Code&, const Accs&)>& take);
  void take_neighbours(Code& code, const Operand& thread, const Operand& chunk, const Accs& accs);
  void take_rest(Code& code, const Operand& thread, const Operand& chunk, const Operand& before,
                 const Accs& accs);
  // The chunk of a segment that has this place has its total.
  void totals_in_group(Code& code, const Operand& active, const Operand& chunk,
                       const Operand& place);
  void walk_in_group(Code& code, const Operand& number,
                     const std::function<void(Code&, const GpuPoint&)>& body);

  // ---- group_shuffles.cpp
  // What combine_in_group does; false if the device has no shuffles, or the operators may fail.
  bool combine_by_shuffles(Code& code, const Operand& all);
  Accs own_totals(Code& code, Name thread, const Operand& active);
  void put_before(Code& code, const Monoid& monoid, const Accumulators& before,
                  const Accumulators& acc);
  void scan_warp(Code& code, const Operand& reach, const Accs& accs);
  void take_warps_before(Code& code, const Operand& begin, const Operand& warp, const Accs& accs);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  DeviceTarget& device_;
  const Operand segments_, length_;
  Monoids monoids_;
  // Chunks of a segment, points of a chunk; is there more than one?
  Operand chunks_ = const_i64(1), chunk_length_ = const_i64(0), many_ = core::const_bool(false);
  bool rewalk_ = false;  // the second pass does the stores
};

}  // namespace skald::imp
