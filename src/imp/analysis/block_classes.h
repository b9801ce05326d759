// SPDX-License-Identifier: Apache-2.0
// Which names of blocks may lead to the same memory.  imp promises that different names do not lead
// to the same written memory unless one was assigned or returned from the other.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "imp/analysis/same_blocks.h"
#include "imp/ir/visit.h"

namespace skald::imp {

// Calls same(a, b) for names that may stand for one block after a statement, those in its bodies
// left aside.  Scalars among the arguments of a call come too, as `b`.
template <class Same>
void for_each_same_block(const Stmt& stmt, const Same& same) {
  if (const auto* n = as<BlockVar>(stmt)) {
    if (n->init) same(n->name, n->init);
  } else if (const auto* n = as<BlockAssign>(stmt)) {
    same(n->var, n->value);
  } else if (const auto* n = as<Call>(stmt)) {
    // A result may be any of the arguments, or share a block with another result.
    Name first = {};
    for (const Decl& d : n->results) {
      if (!d.type.is_block()) continue;
      if (first) same(first, d.name);
      first = d.name;
      for (const Operand& arg : n->args)
        if (const Name* name = core::as_name(arg)) same(d.name, *name);
    }
  }
}

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
