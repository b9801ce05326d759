// SPDX-License-Identifier: Apache-2.0
// How the loads of a kernel's thunk move through memory when one of its indices moves.
#pragma once

#include <functional>

#include "imp/lower/lowering.h"

namespace skald::imp {

struct AccessCount {
  int contiguous = 0;  // neighbouring iterations read neighbouring elements
  int scattered = 0;   // they read elements far apart, or in places not known
};

// The loads of `pull` that depend on its parameter `var`.  `outer` gives the places of arrays made
// outside.
AccessCount count_accesses(const core::Lambda& pull, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer);

// The same for a list of statements.
AccessCount count_accesses(const std::vector<const core::Stmt*>& stmts, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer);

}  // namespace skald::imp
