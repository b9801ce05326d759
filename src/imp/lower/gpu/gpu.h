// SPDX-License-Identifier: Apache-2.0
// Kernels for devices: every kernel becomes one or more launches.
//
//   launch.cpp   launches, domains, and kernels that only map
//   chunks.cpp   reductions, scans and partitions: totals of chunks, then all from there
//   hist.cpp     histograms, by atomic operations
//   copy.cpp     copies of transposed arrays
//   group.cpp    kernels that hold kernels: one group of threads for each point
//   place.cpp    where the arrays of a group lie
//   loops.cpp    sequential loops of the host over arrays of the device
//
// The skeletons are plain: a thread walks through one point or one chunk of points; what the chunks
// have in common is computed by one group.  Kernels that call functions which call themselves run
// on the host, by the loops for the cpu, one iteration after the other, and so do those that print
// (#[trace]).  Failures: every thread
// runs its points inside an `attempt` whose position is the number of the point.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

// Threads of a group.
inline constexpr int64_t kGroupThreads = 256;

// Code that the threads of a group run together, each for itself as far as scalars go: they all
// have the same ones.  What writes memory is shared out among them, between barriers.
struct GroupCode {
  Name thread;
  Operand threads;
  Operand position;         // of the group's failures; those of its threads come after
  Name failed;              // a block: has a thread of the group failed?
  bool may_fail = false;    // is that needed?
  std::vector<Name> slots;  // blocks with room for 8 bytes of each thread
};

// Decides for every block of the launch whether it lies in the group's own memory or in the
// device's: blocks whose size the host can tell go to the former, if they do not meet others in a
// variable and outlive no scope.  Gives the bytes needed there, computed in host code.  With
// `own_memory` false all blocks of unknown size go to the device's memory.
Operand place_group_blocks(Code& host, Launch& launch, bool own_memory);

// Finds out, in host code, what names inside a launch are.
class HostValues {
 public:
  HostValues(Code& host, const Launch& launch);
  // The operand as host code can compute it.
  std::optional<Operand> of(const Operand& operand);

 private:
  void collect(const Body& body);
  static constexpr int kMaxDepth = 64;
  Code& host_;
  int depth_ = 0;
  std::unordered_set<Name> inside_;
  std::unordered_map<Name, const Let*> lets_;
  std::unordered_map<Name, Operand> hoisted_;
};

// Runs loops of a host function on one thread of the device where they would access its arrays
// element by element.
void move_loops_to_device(Program& prog, Function& fn);

// All functions called in a body.
void add_callees(const core::Body& body, std::vector<std::string>& out);
// Does the body print values?
bool has_trace(const core::Body& body);

class GpuKernelLowering : private KernelLowering {
 public:
  GpuKernelLowering(FunctionLowering& fn, const core::Stmt& stmt, const core::Kernel& kernel);
  void lower(Code& code);
  // The same inside a kernel that runs in groups; see group.cpp.
  void lower_in_group(Code& code);

 private:
  // One thing that is combined along the chunks: a reduction, a scan, or the number of members of
  // one class of a partition (then there is no operator).
  struct Monoid {
    const core::Operator* op;
    const SinkInfo* info;
    size_t member_class;
    bool is_scan;
    std::vector<Prim> types;
    std::vector<Name> partials;  // for every chunk: its total, then what comes before it
    std::vector<Name> totals;    // the block of each value, if the result is a scalar
    int64_t first_total = 0;     // its place there, in words
    bool is_late() const { return info->sink->late; }
  };
  // Where in the domain a thread is.
  struct Point {
    std::vector<Operand> indices;  // what the thunk gets
    std::vector<Operand> place;    // where in arrays over the domain
    Operand position;              // its number
  };

  // ---- launch.cpp
  bool calls_recursive() const;
  bool prints() const;
  void map_points(Code& code);
  Point point_at(Code& code, const Operand& number);
  // Stores outputs, scatters, updates histograms.
  void direct(Code& code, const Point& at, const std::vector<Operand>& values, bool late = false);
  Operand find_segment(Code& code, const Operand& flat);
  Operand offset(Code& code, const Operand& segment);

  // ---- group.cpp
  void lower_groups(Code& code);
  Launch group_launch(Code& code, const Operand& threads, bool own_memory);
  Operand group_threads(Code& code);
  void count_points(Code& code);
  void chunks_in_group(Code& code);
  void combine_in_group(Code& code, const Operand& all);
  void walk_in_group(Code& code, const Operand& number,
                     const std::function<void(Code&, const Point&)>& body);
  bool may_fail() const;

  // ---- chunks.cpp
  void chunks(Code& code);
  void find_monoids();
  std::vector<Operand> neutral(const Monoid& monoid) const;
  Accumulators start_monoid(Code& code, const Monoid& monoid);
  void combine_monoid(Code& code, const Monoid& monoid, const Accumulators& acc,
                      const std::vector<Operand>& values);
  std::vector<Operand> values_for(Code& code, const Monoid& monoid,
                                  const std::vector<Operand>& values);
  std::vector<Operand> load_values(Code& code, const Monoid& monoid, const std::vector<Name>& from,
                                   const Operand& at);
  void store_values(Code& code, const Monoid& monoid, const std::vector<Name>& to,
                    const Operand& at, const std::vector<Operand>& values);
  void store_total(Code& code, const Monoid& monoid, const Operand& segment,
                   const Accumulators& acc);
  bool can_stride() const;
  void plan_chunks(Code& code);
  using ChunkBody = std::function<void(Code&, const Operand& segment, const Operand& begin,
                                       const Operand& end, const Operand& chunk)>;
  void each_chunk(Code& code, const Operand& groups, const ChunkBody& body);
  void walk(Code& code, const Operand& segment, const Operand& begin, const Operand& end,
            const Operand& chunk, bool strided,
            const std::function<void(Code&, const Point&)>& body);
  void first_pass(Code& code);
  void combine_chunks(Code& code, bool late);
  void store_chunk(Code& code, const Operand& segment, const Operand& number,
                   const std::vector<Accumulators>& accs, bool late);
  // kCount: only what late sinks find.  kSecond: that and the stores.  kThird: only the stores.
  enum class Pass : uint8_t { kCount, kSecond, kThird };
  void later_pass(Code& code, Pass pass);
  bool has_late() const;
  void write_scanned(Code& code, const Point& at, const std::vector<Operand>& values,
                     const std::vector<Accumulators>& accs, Pass pass);
  void collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
               const std::vector<Accumulators>& accs);
  void read_totals(Code& code, bool late);
  Operand total_place(const Monoid& monoid, size_t value) const;
  bool gives_scalars(const Monoid& monoid) const;

  // ---- hist.cpp
  void make_locks(Code& code);
  void free_locks(Code& code);
  void update_hist(Code& code, size_t sink, const std::vector<Operand>& values);
  void update_hist(Code& code, size_t sink, const SinkInfo& write,
                   const std::vector<Operand>& values);
  void combine_into_bin(Code& code, size_t sink, const ArrayPlace& dest, const Operand& bin,
                        const Operand& given);
  bool can_hist_in_groups() const;
  void hist_in_groups(Code& code);

  bool is_seg() const { return kernel_.domain.kind == core::Domain::kSeg; }

  std::vector<Monoid> monoids_;
  // By sink: bins to update instead of the destination, in hist_in_groups.
  std::vector<const ArrayPlace*> own_bins_;
  Name totals_ = {};         // all scalar results, if not in a group
  std::vector<Name> locks_;  // one per sink; no name if it needs none
  int64_t lock_count_ = 0;
  size_t slots_ = 0;  // of the group, in use
  Operand segments_ = const_i64(1), length_ = const_i64(0), total_ = const_i64(0);
  // Chunks of a segment, points of a chunk; is there more than one?
  Operand chunks_ = const_i64(1), chunk_length_ = const_i64(0), many_ = core::const_bool(false);
  bool rewalk_ = false;  // the second pass does the stores
};

}  // namespace skald::imp
