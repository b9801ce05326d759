// SPDX-License-Identifier: Apache-2.0
// Which names may stand for the same block when a parallel loop begins.
//
//   while (c_1) {
//     parallel range (…) { … now_2[i] … spare_3[j] = … }    never the same
//     heap saved_4 = now_2;
//     block now_2 = spare_3;
//     block spare_3 = saved_4;
//   }
//
// Over the whole function each of the two is the other at some time; inside the parallel loop,
// where nothing is assigned, they are as different as what they were before the first round.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

class SameBlocks {
 public:
  using Pairs = std::vector<std::pair<Name, Name>>;

  explicit SameBlocks(const Function& fn);
  // By the body of the parallel loop; of names that are bound outside it.
  const Pairs& at(const Body& parallel_body) const;

 private:
  std::unordered_map<const Body*, Pairs> at_;
};

}  // namespace skald::imp
