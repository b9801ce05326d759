// SPDX-License-Identifier: Apache-2.0
// Launches, and what host code knows of the code in them.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "imp/lower/common/function.h"

namespace skald::imp {

// A launch of one thread for each of `count` iterations.
void launch_for(FunctionLowering& fn, Code& code, const Operand& count, const Code::LoopBody& body);
// Adds the launch; finds out how much scratch memory it needs.
void add_launch(Code& code, Launch launch);

// Copies of transposed arrays, by squares that go through the memory of a group.  False (and no
// code) if it is another copy.
bool copy_in_tiles(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                   const ArrayPlace& src);  // copy.cpp

// Decides for every block of the launch whether it lies in the group's own memory or in the
// device's: blocks whose size the host can tell go to the former, if they do not meet others in a
// variable and outlive no scope.  Gives the bytes needed there, computed in host code.  With
// `own_memory` false all blocks of unknown size go to the device's memory.
Operand place_group_blocks(Code& host, Launch& launch, bool own_memory);  // place.cpp

// Finds out, in host code, what names inside a launch are.
class HostValues {
 public:
  HostValues(Code& host, const Launch& launch);
  // The operand as host code can compute it.
  std::optional<Operand> of(const Operand& operand);

 private:
  void collect(const Body& body);
  static constexpr int kMaxDepth = 64;
  Code& host_;
  int depth_ = 0;
  std::unordered_set<Name> inside_;
  std::unordered_map<Name, const Let*> lets_;
  std::unordered_map<Name, Operand> hoisted_;
};

}  // namespace skald::imp
