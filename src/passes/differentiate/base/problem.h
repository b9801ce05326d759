// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/ir/program.h"

namespace skald::passes::ad {

// What cannot be differentiated, and where.
struct Problem {
  core::Loc loc = {};
  std::string what = {};  // that cannot be done yet
};

}  // namespace skald::passes::ad
