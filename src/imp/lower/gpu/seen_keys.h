// SPDX-License-Identifier: Apache-2.0
// What keys of histograms are like, where somebody has looked at some (hist/seen_keys.cpp).
#pragma once

#include "imp/ir/code.h"

namespace skald::imp {

// Shares, of 1024 points, as i64 of host code.  Of keys that nobody has looked at: those of even
// ones.
struct SeenKeys {
  Operand looked;    // has anybody? a bool
  Operand same;      // points whose bin is that of the one before, or that have none
  Operand frequent;  // … whose bin has about one of 200 points, or more
  Operand known;     // … whose bin others far away have, too
};

}  // namespace skald::imp
