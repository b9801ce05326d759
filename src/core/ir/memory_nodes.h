// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) from stage MEMORY on.
//
// Every array-typed Param (in patterns, lambdas, loops, functions) has its place in Param::mem.
// Whatever makes a new array is preceded by the Alloc of its block; views (index, rearrange,
// reshape, value) share their source's block; update, flat_update and the destinations of kernels
// are done in place.  Where the place of an array depends on the run — results of branches, loops
// and calls, parameters of functions and loops — its block is a value of type kMem that comes
// immediately before the array in the pattern, result or parameter list, and the array is dense at
// offset 0 of it:   let {m_3 : mem, xs_4 : [n_0]i32 @ m_3} = if c_1 then {…, …} else {…, …}
// Branches and loops whose array results stay in one known place (updates) need no such block.
#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/type.h"

namespace skald::core {

// A new memory block of `bytes` bytes.
struct Alloc {
  static constexpr std::string_view kName = "alloc";
  Operand bytes;
  static auto fields(auto& self) { return std::tie(self.bytes); }
};
// Gives a block back.  No array in it is used afterwards.
struct Free {
  static constexpr std::string_view kName = "free";
  Name block;
  static auto fields(auto& self) { return std::tie(self.block); }
};

}  // namespace skald::core
