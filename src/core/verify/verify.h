// SPDX-License-Identifier: Apache-2.0
// Checks that a program is well formed.  docs/ir.md lists the rules; in short:
//
//   names        bound once in the whole program, used only where they are in scope
//   stage        every node is legal at the program's stage
//   types        operands fit their nodes, and a pattern has exactly the types its expression gives
//   consumption  an array that was consumed, or shares memory with one, is not used afterwards
//                (not checked at stage MEMORY, where places are explicit)
//
// Sizes are compared as operands.  Two are equal if they are the same constant or the same name
// after following copies (`let {m_2 : i64} = n_1`); nothing else is known about them, so n_1 + 0
// and n_1 differ.  Where a producer knows more — two sizes that a check has compared, or arithmetic
// — it says so with a Reshape to the shape it wants.  A size may be existential only where a
// pattern, result list or loop parameter names it:
//
//   let {m_3 : i64, ys_4 : [m_3]i32} = if c_1 then {2i64, as_5} else {n_0, bs_6}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/program.h"

namespace skald::core {

// All problems, each one line with the function and statement it is in.  Empty: the program is
// fine.  Stops after a hundred.
std::vector<std::string> verify(const Program& prog);

// SKALD_BUG with the first problems if there are any; `when` says after which pass.
void verify_or_bug(const Program& prog, std::string_view when);

}  // namespace skald::core
