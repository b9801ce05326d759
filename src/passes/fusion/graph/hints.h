// SPDX-License-Identifier: Apache-2.0
// Hints of statements that are to become one.
//
// Most hints say how a statement is to run, so that one without them would run otherwise.  Those
// about flattening only advise which version of a nest to take: they hold for the whole that the
// nest becomes part of.
#pragma once

#include "core/ir/hints.h"

namespace skald::passes::fusion {

// True if statements with these may become one.
inline bool hints_agree(core::Hints a, core::Hints b) {
  const bool one_advises = a.flattening == core::Flattening{} || b.flattening == core::Flattening{};
  if (!one_advises && a.flattening != b.flattening) return false;
  a.flattening = b.flattening = {};
  return a == b;
}

}  // namespace skald::passes::fusion
