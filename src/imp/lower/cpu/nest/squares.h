// SPDX-License-Identifier: Apache-2.0
// Copies of transposed arrays, in squares that fit into a cache.
#pragma once

#include "imp/lower/common/function.h"

namespace skald::imp {

// Copies if `dest` is contiguous along its last dimension and `src` along another one.  False (and
// no code) if not, or inside a kernel.
bool copy_in_squares(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                     const ArrayPlace& src);

}  // namespace skald::imp
