// SPDX-License-Identifier: Apache-2.0
// The interpreter of imp: its reference semantics, for the cpu and for devices.
//
// What lowering, passes and code generators are compared with, so it follows control_nodes.h and
// memory_nodes.h to the letter and trusts nothing: an access outside of a block, a block that is
// used after it was given back or never given back, threads of a group that wait at different
// barriers and the like are internal errors that name the statement.
//
//   Order      Parallel loops run in order.  What may depend on chance (the pieces of a range, how
//              many workers there are, whose turn it is) differs from what threads would do, so
//              that code which relies on it shows.
//   Launches   The threads of a group run one after the other up to the next barrier, group by
//              group.
//   Memory     Fresh blocks hold a pattern, not zeros.
//
//   code.h       instructions: functions that work on slots
//   writer.h     imp → instructions
//   memory.h     blocks, and who holds them
//   machine.h    what runs instructions; the other files hold the functions
#pragma once

#include <string_view>
#include <vector>

#include "core/interp/interp.h"
#include "imp/ir/imp.h"
#include "support/result.h"

namespace skald::imp {

// What an entry point returns.
struct ResultType {
  Prim elem = Prim::kI32;
  int rank = 0;
};

// Runs the entry point of that name (as the user wrote it).  Arguments and results are those of the
// core function, sizes included.  Works on programs that satisfy imp::verify.
Result<std::vector<core::ArrayValue>, core::RuntimeError> interpret(
    const Program& prog, std::string_view entry, const std::vector<core::ArrayValue>& args,
    const std::vector<ResultType>& results, const core::InterpOptions& options = {});

}  // namespace skald::imp
