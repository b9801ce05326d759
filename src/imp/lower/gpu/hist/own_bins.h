// SPDX-License-Identifier: Apache-2.0
// Bins of a histogram apart from its destination, in the memory of a group of threads: one word
// each, or several and a lock.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/gpu/hist/operators.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

class FrequentBins;

class OwnBins {
 public:
  OwnBins(KernelWriter& kernel, size_t sink);

  size_t sink() const { return sink_; }
  const core::Operator& op() const { return op_; }
  // What one bin takes.
  int64_t bytes() const;
  // What `count` bins take in the memory of a group.
  Operand bytes_of(Code& code, const Operand& count) const;
  void make_room(Code& code, const Operand& count);
  // They are words of the device's memory, for an operator that changes them seldom.
  void lie_in(const std::vector<Name>& columns);
  bool is_far() const { return far_; }
  void clear(Code& code, const Operand& at) const;
  // The bin becomes op(bin, given), indivisibly.
  void update(Code& code, const Operand& at, const std::vector<Operand>& given) const;
  // Are updates more than an instruction or two?
  bool has_long_updates() const { return !limit_ && bin_update(op_) != BinUpdate::kInstruction; }
  // Are they counters of 32 bits, for a histogram of wider ones that counts points?  Then a group
  // may have this many points.
  bool are_narrow() const { return narrow_; }
  static constexpr int64_t kMostCounted = int64_t{1} << 31;
  // Do most updates change nothing?
  bool changes_seldom() const;
  // A column of i32, one for each bin, where they can be counted before they are cleared.
  std::optional<Name> counters() const;
  // Nobody updates it.
  void store(Code& code, const Operand& at, const std::vector<Operand>& components) const;
  // Its components, when nobody updates it.
  std::vector<Operand> load(Code& code, const Operand& at) const;
  // The number of the bin at these indices.
  Operand number(Code& code, const std::vector<Operand>& at) const;
  std::vector<Operand> indices(Code& code, const Operand& number) const;
  // How many bins the histogram has.
  Operand count(Code& code) const;
  std::vector<Operand> neutral() const;

  // The bin at these indices, which are those of one if `in_bounds`: is it one of those that are
  // here, and which of them?
  struct Own {
    Operand inside, number;
  };
  Own find(Code& code, const std::vector<Operand>& at, const Operand& in_bounds) const;

  // Where the bins of this thread begin, and how far it is from one to the next.
  Operand first = const_i64(0), step = const_i64(1);
  Operand place(Code& code, const Operand& number) const;
  // The bins that are here, if these are not all.
  struct Range {
    Operand begin, width;
  };
  std::optional<Range> range = {};
  // Threads of a warp often have the same bin: who loses a swap looks for those first.
  bool often_equal = false;
  // Some bins have places elsewhere.
  const FrequentBins* frequent = nullptr;
  // No bins are here: updates are done in another way.
  using Update = std::function<void(Code&, const Operand& at, const std::vector<Operand>& given)>;
  Update instead = {};

 private:
  KernelWriter& kernel_;
  size_t sink_;
  const core::Operator& op_;
  // Of the columns.
  std::vector<Prim> types() const;
  // A number of points as it is here.
  Operand here(Code& code, const Operand& value) const;
  bool is_locked() const { return bin_update(op_) == BinUpdate::kLock; }
  // Would a word that was seen change?
  Operand would_change(Code& code, const Operand& seen, const std::vector<Operand>& given) const;
  void look_and_choose(Code& code, const Operand& at, const std::vector<Operand>& given) const;
  void choose(Code& code, const Operand& at, const std::vector<Operand>& given) const;
  void update_here(Code& code, const Operand& at, const std::vector<Operand>& given) const;
  void add_saturating(Code& code, const Operand& at, const Operand& given) const;
  void update_locked(Code& code, const Operand& at, const std::vector<Operand>& given) const;
  bool far_ = false;
  bool narrow_ = false;
  std::optional<int64_t> limit_;  // of saturating sums
  BinColumns columns_;
  std::vector<Name> blocks_;
  Name locks_ = {};
};

// Can each of so many groups that share out points among themselves count them in 32 bits?
Operand fit_counters(Code& code, const Operand& points, const Operand& groups);

// block[at] = op(block[at], given), indivisibly, for an operator that needs no lock.  Threads of a
// warp may go to the same element …  If elements are `near`, nobody looks at them otherwise before
// the next barrier.
void update_word(KernelWriter& kernel, Code& code, const core::Operator& op, Name block,
                 const Operand& at, const std::vector<Operand>& given, bool near = false);
// … or seldom do; the block is memory of the device, and elements are one component.
void update_own_word(KernelWriter& kernel, Code& code, const core::Operator& op, Name block,
                     const Operand& at, const Operand& given);

// What a group has found of a bin joins the destination, if it is anything.  Elements are one
// component.
void join_destination(KernelWriter& kernel, Code& code, const OwnBins& bins, const Operand& bin,
                      const Operand& found);

}  // namespace skald::imp
