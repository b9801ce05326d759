// SPDX-License-Identifier: Apache-2.0
// Can a program be run?  Every number in it must name a register, an instruction, a function, …
// that exists, and every function must end.  What is in a register is not looked at.
#pragma once

#include "runtime/executor/bytecode.h"
#include "support/result.h"

namespace skald::runtime {

Result<Unit> check_program(const DeviceProgram& program);

}  // namespace skald::runtime
