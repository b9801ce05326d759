// SPDX-License-Identifier: Apache-2.0
// Updates of the points that a thread has at once.  The code of those by compare and swap is long,
// and would be there once for each point.  So points only look whether they would change their bin,
// and those that do wait until one loop takes them all.  Others are done at once.
//
// What a point sees may be old.  Still, a value that changes nothing then changes nothing later:
// (a ∘ b) ∘ x = (a ∘ x) ∘ b, and that is a ∘ b if a ∘ x = a.
#pragma once

#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

class PendingUpdates {
 public:
  // At most so many.
  PendingUpdates(Code& code, const OwnBins& bins, int64_t most);
  // The bin at this place becomes op(bin, given), now or in `finish`.
  void add(Code& code, const Operand& at, const std::vector<Operand>& given);
  void finish(Code& code);

 private:
  const OwnBins& bins_;
  std::optional<BinWord> word_;  // none: updates do not wait
  Name places_ = {}, words_ = {}, count_ = {};
};

}  // namespace skald::imp
