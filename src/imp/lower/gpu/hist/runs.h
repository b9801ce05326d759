// SPDX-License-Identifier: Apache-2.0
// Updates of one thread, one after the other: those of the same bin become one.  Keys that are all
// equal, sorted, or often equal then cost no more than others.  Where bins change seldom anyway,
// each is done for itself: a look at the bin costs less than keeping runs.
#pragma once

#include <vector>

#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

// Which bin a thread keeps in registers: that of the point before; or one that comes often, by a
// vote, which is worth it where an update is long and there are many points between `BinRuns` and
// `finish`.
enum class KeptBin : uint8_t { kLast, kFrequent };

class BinRuns {
 public:
  // Of these bins, which outlive this.
  BinRuns(Code& code, KernelWriter& kernel, const OwnBins& bins, KeptBin keeps = KeptBin::kLast);
  // Bin `number`, an i64, if that is one.
  void add(Code& code, const Operand& inside, const Operand& number,
           const std::vector<Operand>& given);
  void finish(Code& code);

 private:
  void merge(Code& code, const Operand& bin, const std::vector<Operand>& given);
  void replace(Code& code, const Operand& bin, const std::vector<Operand>& given);
  void vote_against(Code& code, const Operand& bin, const std::vector<Operand>& given);
  void update(Code& code, const Operand& bin, const std::vector<Operand>& sums) const;

  KernelWriter& kernel_;
  const OwnBins& bins_;
  bool merges_;
  Name bin_ = {};    // an i32; negative: none
  Name votes_ = {};  // for that bin, an i32; only if a frequent one is kept
  Accumulators sums_;
};

// The number of a bin as an i32, or -1.
Operand bin_or_none(Code& code, const Operand& inside, const Operand& number);

}  // namespace skald::imp
