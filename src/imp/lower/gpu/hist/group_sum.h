// SPDX-License-Identifier: Apache-2.0
// What the threads of a group have together.
#pragma once

#include "imp/ir/code.h"

namespace skald::imp {

struct GroupSum {
  Operand before;  // of the threads before this one
  Operand all;
};

// Sums of an i32 of each of `threads` threads, whole warps.  There is a barrier inside.
GroupSum sum_in_group(Code& code, Name thread, int64_t threads, const Operand& own);

}  // namespace skald::imp
