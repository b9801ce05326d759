// SPDX-License-Identifier: Apache-2.0
// Threads in their warps.
#pragma once

#include "imp/ir/code.h"

namespace skald::imp {

// Where a thread is in its warp, and that warp in the group.
Operand lane_of(Code& code, Name thread);
Operand warp_of(Code& code, Name thread);
inline constexpr int64_t kWarpSteps = 5;  // doublings from 1 to kWarpThreads
// 1, 2, 4, … up to half a warp.
void doubling_steps(Code& code, const Code::LoopBody& body);
Operand equals_i64(Code& code, const Operand& a, const Operand& b);

}  // namespace skald::imp
