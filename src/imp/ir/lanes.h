// SPDX-License-Identifier: Apache-2.0
// How loops run in the lanes of vector registers, as the pass `vectorise` writes it down and the
// cpu back end translates it.  None of it changes what a program means: whoever ignores it runs
// the iterations one after the other and gets the same.
//
//   simd for (i64 i_1 = 0i64; i_1 < n_2; i_1 += 1i64) lanes (8, masked 4; registers 16; masks 4) {
//     linear i64 at_3 = add_i64(o_4, i_1);
//     vector f32 x_5 = b_6[at_3] contiguous;
//     vector bool c_7 = lt_f32(x_5, y_8);
//     vector var f32 r_9 = 0f32;
//     mask if (c_7) { … }
//     f32 d_10[at_3] = r_9 contiguous;
//   }
//
// Read next: passes/vectorise/vectorise.h (who decides), docs/simd.md (the ideas).
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/exp.h"

namespace skald::imp {

// What the lanes have in common where a value is concerned.
enum class Shape : uint8_t {
  kUniform,  // the same in all active lanes: stays a scalar
  kLinear,   // base + lane * stride, with a scalar base and stride: two scalars.  Indices mostly.
  kVarying,  // a vector
  kBorder,   // a bool that is the same in all lanes of a group, and known before the group begins
};

// How lanes get at memory.  Where lanes are masked, neighbours are touched by masked instructions
// or by other means, and strided ones element by element.
enum class LaneAccess : uint8_t {
  kScalar,      // all lanes have one place, or there are no lanes
  kContiguous,  // neighbours: one vector access
  kStrided,     // a few elements apart, or neighbours in reverse: vector accesses and a shuffle
  kGather,      // anywhere, by an instruction
  kShared,      // the same; other accesses have this index too, so it is looked at first
  kEach,        // element by element
  kOwn,         // an array of the lane's own, at a place that all lanes share: one vector access
  kOwnEach,     // the same at different places: element by element
};

// What becomes of an `if`.
enum class Branch : uint8_t {
  kBranch,  // a branch, which all lanes take together
  kMask,    // both sides run, each with its part of the lanes
  kTaken,   // all lanes that are active here take it: the loop goes on with those only
  kChoose,  // in scalar code: both sides are computed and one is chosen
};

// So many lanes of a loop, or fewer, go on alone as scalar code when the others have left it: in
// whole groups and in groups of few lanes.  0: they stay together.
struct Stragglers {
  int whole = 0, few = 0;
  friend bool operator==(const Stragglers&, const Stragglers&) = default;
};

// The iterations of a loop run in groups of so many lanes, while there are enough of them.
struct LaneGroups {
  enum Last : uint8_t {
    kWhole,   // the iterations that do not fill a group are left
    kAgain,   // they run together with some that have run before, where that does not matter
    kMasked,  // they run in a part of the lanes
    kOnce,    // there are none: the loop is one group
  };
  int lanes = 0;
  Last last = kWhole;
  friend bool operator==(const LaneGroups&, const LaneGroups&) = default;
};

// Something in the body that can be told before a group runs, for all of its lanes: a comparison
// of a linear value with a uniform one, a linear value that is extended, one that is clamped.  The
// loop is cut into stretches in which none of them changes.
struct LaneBorder {
  core::Name name;
  bool linear_left = true;  // of the two sides that are compared
  friend bool operator==(const LaneBorder&, const LaneBorder&) = default;
};

// A loop in lanes.
struct LanePlan {
  // One after the other; what they leave is done by scalar code.
  std::vector<LaneGroups> groups;
  int register_bytes = 16;
  // What most of the vectors in the body have in a lane, and so the masks.
  int mask_bytes = 4;
  // Functions that differ in their last bits from those of scalar code.
  bool inexact = false;
  // Not 0: the registers of a whole group run one after the other, first so many statements of the
  // body, then the others.
  int first_stage = 0;
  // Not negative: a first group of `align_lanes` goes up to where registers begin in memory, in
  // the block that this statement of the body stores to.
  int align_store = -1, align_lanes = 0;
  // Memory is asked for before it is needed.
  bool fetch_ahead = false;
  // Results that may go past the caches, if they are large.
  std::vector<core::Name> streamed;
  std::vector<LaneBorder> borders;

  int lanes() const { return groups.front().lanes; }
  // Does scalar code run what is left?
  bool leaves_rest() const {
    return groups.back().last == LaneGroups::kWhole || groups.back().last == LaneGroups::kAgain;
  }
  static auto fields(auto& self) {
    return std::tie(self.groups, self.register_bytes, self.mask_bytes, self.inexact,
                    self.first_stage, self.align_store, self.align_lanes, self.fetch_ahead,
                    self.streamed, self.borders);
  }
};

}  // namespace skald::imp
