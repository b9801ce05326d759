// SPDX-License-Identifier: Apache-2.0
// What a kernel combines along its points: the reductions, the scans, and how many members each
// class of a partition has.
#pragma once

#include <vector>

#include "imp/lower/gpu/kernel.h"

namespace skald::imp {

// One thing that is combined along the chunks: a reduction, a scan, or the number of members of one
// class of a partition (then there is no operator).
struct Monoid {
  const core::Operator* op;
  const SinkInfo* info;
  size_t member_class;
  bool is_scan;
  std::vector<Prim> types;
  std::vector<Name> partials = {};  // for every chunk: its total, then what comes before it
  std::vector<Name> totals = {};    // the block of each value, if the result is a scalar
  int64_t first_total = 0;          // its place there, in words
  bool is_late() const { return info->sink->late; }
};

class Monoids {
 public:
  explicit Monoids(GpuKernel& kernel);

  std::vector<Monoid>& all() { return monoids_; }
  const std::vector<Monoid>& all() const { return monoids_; }
  bool has_late() const;
  // Does the order of the points not matter?
  bool commutative() const;
  // Is the result of a reduction, or the size of a class, one scalar for the host?
  bool gives_scalars(const Monoid& monoid) const;
  // Room for all of these, in host code.
  void make_totals(Code& code);
  void free_totals(Code& code);

  std::vector<Accumulators> start_all(Code& code);
  Accumulators start(Code& code, const Monoid& monoid);
  void combine(Code& code, const Monoid& monoid, const Accumulators& acc,
               const std::vector<Operand>& values);
  // Combines what a point gives to all early, or all late, of them.
  void combine_all(Code& code, const std::vector<Accumulators>& accs,
                   const std::vector<Operand>& values, bool late);
  // What a point contributes.
  std::vector<Operand> values_for(Code& code, const Monoid& monoid,
                                  const std::vector<Operand>& values);
  // Does the point belong to the class that is counted?
  static Operand is_member(Code& code, const Monoid& monoid, const std::vector<Operand>& values);
  static std::vector<Operand> load_values(Code& code, const Monoid& monoid, const Operand& at);
  // What other groups have left there.
  static std::vector<Operand> load_fresh(Code& code, const Monoid& monoid, const Operand& at);
  static void store_values(Code& code, const Monoid& monoid, const Operand& at,
                           const Accumulators& acc);
  // The result of a reduction, or the size of a class.
  void store_total(Code& code, const Monoid& monoid, const Operand& segment,
                   const Accumulators& acc);
  // Results that are scalars come to the host, all of them by one copy.
  void read_totals(Code& code, bool late);

 private:
  Operand total_place(const Monoid& monoid, size_t value) const;

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  std::vector<Monoid> monoids_;
  Name totals_ = {};  // all scalar results, if not in a group
};

// What each of so many threads has, in the memory of the group.
Monoid in_shared_memory(Code& code, const Monoid& monoid, int64_t threads);
// All accumulators of a thread.
int64_t bytes_of(const Monoids& monoids);
// Are there checks or calls in the code of a kernel's operators, or in its thunk too?
bool operators_may_fail(const KernelWriter& kernel);
bool may_fail(const KernelWriter& kernel);

}  // namespace skald::imp
