// SPDX-License-Identifier: Apache-2.0
// Which names of blocks may stand for the same block, and which blocks a statement touches.
#pragma once

#include <vector>

#include "core/ir/name_map.h"
#include "core/ir/program.h"

namespace skald::analysis {

// The blocks of arrays, at every depth.
class BlockOf {
 public:
  explicit BlockOf(const core::Function& fn);
  void add(const core::Param& param);
  void add(const core::Body& body);
  // The block that a name mentions: the array's, or the block itself; no name for scalars.
  core::Name operator()(core::Name name) const;
  bool is_block(core::Name name) const { return blocks_.contains(name); }

 private:
  core::NameMap<core::Name> block_of_;
  core::NameSet blocks_;
};

// Names of blocks that may be one block, because a branch, loop or call hands one on as the other.
class BlockClasses {
 public:
  explicit BlockClasses(const BlockOf& block_of) : block_of_(block_of) {}
  // Everything that the code hands on, at every depth.
  void add(const core::Body& body);
  void add(const core::Stmt& stmt);
  void unite(core::Name a, core::Name b);
  core::Name of(core::Name block) const;

 private:
  const BlockOf& block_of_;
  mutable core::NameMap<core::Name> parent_;
};

// The blocks bound outside of `stmt` that it mentions, itself or through arrays, sorted.
std::vector<core::Name> blocks_used(const core::Stmt& stmt, const BlockOf& block_of);

}  // namespace skald::analysis
