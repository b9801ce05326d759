// SPDX-License-Identifier: Apache-2.0
// What f32 values are at least, as far as that is seen from how they are computed: sums of squares
// and constants.  A value that cannot be subnormal needs no care where instructions treat such
// values as zero.
#pragma once

#include <optional>
#include <unordered_map>

#include "imp/ir/imp.h"

namespace skald::clike {

class ValueBounds {
 public:
  // Values are bound once, so that what is known of one stays true.
  void see(const imp::Let& let);
  // Is it NaN, or at least the smallest number that is not subnormal?
  bool is_normal(const core::Operand& operand) const;

 private:
  std::optional<double> least(const core::Operand& operand) const;
  std::optional<double> least(const imp::Exp& exp) const;

  std::unordered_map<core::Name, double> least_;  // not below zero
};

}  // namespace skald::clike
