// SPDX-License-Identifier: Apache-2.0
// imp → pseudo-C text that imp/text/parse.h reads back exactly.
#pragma once

#include <string>

#include "imp/ir/imp.h"

namespace skald::imp {

std::string print(const Program& prog);
std::string print(const Function& fn, const Program& prog);
// One statement without its bodies, for messages.
std::string print_head(const Stmt& stmt, const Program& prog);

}  // namespace skald::imp
