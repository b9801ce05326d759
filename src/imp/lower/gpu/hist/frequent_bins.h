// SPDX-License-Identifier: Apache-2.0
// Bins that many points go to, where an update is compare and swap, or takes a lock: if 32 warps
// want one bin at once, one of them gets it, and all others try again.  So a group looks at its
// first points, and if some bins come often among them, each thread has a place of its own for each
// of these, which nobody else updates.  At the end places join their bins.
#pragma once

#include <functional>

#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

class FrequentBins {
 public:
  // Of these bins, which outlive this.
  FrequentBins(KernelWriter& kernel, OwnBins& bins);

  // For how many bins a thread has places at most; 0: updates do not wait for each other, or places
  // would be too large.
  static int64_t most_places(const OwnBins& bins);
  // What so many take in the memory of a group.
  static int64_t bytes(const OwnBins& bins, int64_t places);

  // `places` is an i64, and may be 0.
  void make_room(Code& code, const Operand& places);
  // Shows the places of bins that some points of a thread have.
  using Show = std::function<void(Code&, const Operand& at)>;
  using Sample = std::function<void(Code&, const Show&)>;
  // Looks at `count` places of bins; `sample` gives kFrequentSample of the group's points.  Bins
  // hold nothing of use then, and have to be cleared.
  void find(Code& code, Name thread, const Operand& count, int64_t sampled, const Sample& sample);
  // Does any bin come often?  The same for all threads of the group.
  Operand any() const { return any_; }
  // After a barrier.
  void clear(Code& code, Name thread) const;
  // The bin becomes op(bin, given): in a place of this thread, or as `otherwise` says.
  void update(Code& code, const Operand& at, const std::vector<Operand>& given,
              const std::function<void(Code&)>& otherwise) const;
  // After a barrier, and with one at its end.
  void join(Code& code, Name thread) const;

 private:
  Operand slot_of(Code& code, const Operand& bin) const;
  // Body(code, number of the bin, number of its places) for the bin of slot `thread`, if it is one.
  void with_slot(Code& code, Name thread,
                 const std::function<void(Code&, const Operand&, const Operand&)>& body) const;
  Operand place(Code& code, const Operand& number) const;
  void give_places(Code& code, Name thread, Name counters);

  KernelWriter& kernel_;
  OwnBins& bins_;
  BinColumns columns_;
  std::vector<Name> blocks_ = {};
  Name tags_ = {};   // of slots, i32: a bin and the number of its places; -1: nothing
  Name times_ = {};  // of slots, i32: how often the bin came
  Name taken_ = {};  // does any bin have a slot, an i32
  Name thread_ = {};
  Operand places_, any_ = core::const_bool(false);
};

}  // namespace skald::imp
