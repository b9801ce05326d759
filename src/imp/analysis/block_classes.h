// SPDX-License-Identifier: Apache-2.0
// Which names of blocks may lead to the same memory.  imp promises that different names do not lead
// to the same written memory unless one was assigned or returned from the other.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "imp/analysis/same_blocks.h"

namespace skald::imp {

// Of a function of the program, or of the body of a parallel loop, which knows more
// (same_blocks.h).
class BlockClasses {
 public:
  BlockClasses(const Function& fn, const SameBlocks& same);
  BlockClasses(const Body& parallel_body, std::span<const Name> outer_blocks,
               const SameBlocks& same);

  const SameBlocks& same() const { return same_; }
  bool may_overlap(Name a, Name b);
  bool knows(Name block) const { return parent_.contains(block.id); }
  // One of the names in the class of a block that is known.
  uint32_t representative(Name block) { return find(block.id); }
  // All of these, in a fixed order.
  std::vector<uint32_t> representatives();

 private:
  uint32_t find(uint32_t id);
  void unite(Name a, Name b);
  void collect(const Body& body);

  const SameBlocks& same_;
  std::unordered_map<uint32_t, uint32_t> parent_;
};

// The blocks of the code around a body that it uses.
std::vector<Name> outer_blocks_of(const Body& body, const std::unordered_map<Name, Type>& types);

}  // namespace skald::imp
