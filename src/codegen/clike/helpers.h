// SPDX-License-Identifier: Apache-2.0
// Functions that kernels call, as text.  Only those that a kernel uses become part of its unit,
// because device compilers are slow.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/prim.h"

namespace skald::clike {

// Groups of helpers by name, written for one type each, those that others need first.
enum class Helper : uint8_t {
  kFail,         // sk_fail (no type)
  kFrame,        // sk_frame (no type)
  kHeap,         // sk_alloc, sk_retain, sk_release (no type)
  kStack,        // sk_push, sk_top (no type)
  kDivide,       // sk_quot_T, sk_rem_T, sk_div_T, sk_mod_T
  kShift,        // sk_shl_T, sk_lshr_T, sk_ashr_T
  kPow,          // sk_pow_T
  kMulHi,        // sk_mul_hi_T
  kCount,        // sk_popc_T, sk_clz_T, sk_ctz_T
  kMinMax,       // sk_min_T, sk_max_T, on floats
  kSgn,          // sk_sgn_T, on floats
  kF32ToInt,     // sk_f32_to_T
  kF64ToInt,     // sk_f64_to_T
  kHalf,         // sk_from_f16, sk_to_f16, sk_round_f16 (no type)
  kHalfFromF64,  // sk_f64_to_f16 (no type)
  kNextHalf,     // sk_next_f16 (no type)
  kCopy,         // sk_copy, sk_move (no type)
  kGroupHeap,    // skg_start, skg_alloc, skg_retain, skg_release (no type)
};

class HelperSet {
 public:
  void need(Helper helper, Prim type = Prim::kI32);
  void add(const HelperSet& other);
  bool has(Helper helper) const { return needed_.contains({helper, Prim::kI32}); }  // no type
  // What every kernel has: sk_thread.
  static std::string_view common();
  // All of these, in an order such that each may use those before it; and the numbers of those of
  // another set in it.
  std::vector<std::string> texts() const;
  std::vector<int32_t> places(const HelperSet& part) const;

 private:
  std::set<std::pair<Helper, Prim>> needed_;
};

}  // namespace skald::clike
