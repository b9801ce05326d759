// SPDX-License-Identifier: Apache-2.0
// Kernels for devices: every kernel becomes one or more launches.
//
//   gpu.cpp          launches, domains, and kernels that only map
//   gpu_chunks.cpp   reductions, scans and partitions: totals of chunks, then all from there
//   gpu_hist.cpp     histograms, by atomic operations
//   gpu_lower.cpp    whole programs: device functions, entry points
//
// The skeletons are plain: a thread walks through one point or one chunk of points; what the chunks
// have in common is computed by one group.  Kernels that call functions which call themselves run
// on the host, by the loops for the cpu, one iteration after the other, and so do those that print
// (#[trace]).  Failures: every thread
// runs its points inside an `attempt` whose position is the number of the point.
#pragma once

#include <string>

#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

// Threads of a group.
inline constexpr int64_t kGroupThreads = 256;

// The variant of a function that launches call.
inline std::string device_name(const std::string& fn) {
  return fn + ".device";
}

// All functions called in a body.
void add_callees(const core::Body& body, std::vector<std::string>& out);
// Does the body print values?
bool has_trace(const core::Body& body);

// The indices of element `number` of a shape, row by row.
std::vector<Operand> unflatten(Code& code, const Operand& number,
                               const std::vector<Operand>& shape);
// How many pieces of `size` cover `count`.
Operand pieces(Code& code, const Operand& count, const Operand& size);

class GpuKernelLowering : private KernelLowering {
 public:
  GpuKernelLowering(FunctionLowering& fn, const core::Stmt& stmt, const core::Kernel& kernel);
  void lower(Code& code);

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
    std::vector<Name> totals;    // blocks of one element, if the result is a scalar
  };
  // Where in the domain a thread is.
  struct Point {
    std::vector<Operand> indices;  // what the thunk gets
    std::vector<Operand> place;    // where in arrays over the domain
    Operand position;              // its number
  };

  // ---- gpu.cpp
  bool calls_recursive() const;
  bool prints() const;
  bool combines_late() const;
  void map_points(Code& code);
  Point point_at(Code& code, const Operand& number);
  // Stores outputs, scatters, updates histograms.
  void direct(Code& code, const Point& at, const std::vector<Operand>& values, bool late = false);
  Operand find_segment(Code& code, const Operand& flat);
  Operand offset(Code& code, const Operand& segment);

  // ---- gpu_chunks.cpp
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
  void combine_chunks(Code& code);
  void second_pass(Code& code);
  void write_scanned(Code& code, const Point& at, const std::vector<Operand>& values,
                     const std::vector<Accumulators>& accs);
  void collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
               const std::vector<Accumulators>& accs);
  void read_totals(Code& code);

  // ---- gpu_hist.cpp
  void make_locks(Code& code);
  void free_locks(Code& code);
  void update_hist(Code& code, size_t sink, const std::vector<Operand>& values);

  bool is_seg() const { return kernel_.domain.kind == core::Domain::kSeg; }

  std::vector<Monoid> monoids_;
  std::vector<Name> locks_;  // one per sink; no name if it needs none
  Operand segments_ = const_i64(1), length_ = const_i64(0), total_ = const_i64(0);
  // Chunks of a segment, points of a chunk; is there more than one?
  Operand chunks_ = const_i64(1), chunk_length_ = const_i64(0), many_ = core::const_bool(false);
  bool rewalk_ = false;  // the second pass does the stores
};

}  // namespace skald::imp
