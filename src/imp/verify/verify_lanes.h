// SPDX-License-Identifier: Apache-2.0
// The marks of loops in lanes (ir/lanes.h): are there none elsewhere, and do they fit together?
#pragma once

#include <string>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

void verify_lanes(const Function& fn, const Program& prog, std::vector<std::string>& problems);

}  // namespace skald::imp
