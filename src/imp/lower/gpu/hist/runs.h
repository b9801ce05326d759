// SPDX-License-Identifier: Apache-2.0
// Updates of one thread, one after the other: those of the same bin that follow each other become
// one.  Keys that are all equal, or sorted, then cost no more than others.  Where bins change
// seldom anyway, each is done for itself: a look at the bin costs less than keeping runs.
#pragma once

#include <vector>

#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

class BinRuns {
 public:
  // Of these bins, which outlive this.
  BinRuns(Code& code, KernelWriter& kernel, const OwnBins& bins);
  // Bin `number`, an i64, if that is one.
  void add(Code& code, const Operand& inside, const Operand& number,
           const std::vector<Operand>& given);
  void finish(Code& code);

 private:
  void merge(Code& code, const Operand& bin, const std::vector<Operand>& given);

  KernelWriter& kernel_;
  const OwnBins& bins_;
  bool merges_;
  Name bin_ = {};  // an i32; negative: none
  Accumulators sums_;
};

// The number of a bin as an i32, or -1.
Operand bin_or_none(Code& code, const Operand& inside, const Operand& number);

}  // namespace skald::imp
