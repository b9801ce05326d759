// SPDX-License-Identifier: Apache-2.0
// The spaces of whole pieces of code.
#pragma once

#include "core/ir/program.h"

namespace skald::core {

// Everything in the code lies in that space, and its kernels run there.
void set_space(Function& fn, Space space);
void set_space(Kernel& kernel, Space space);

// The device with the highest number that the program mentions; the host if there is none.
Space highest_space(const Program& prog);

}  // namespace skald::core
