// SPDX-License-Identifier: Apache-2.0
// How the loads of a kernel's thunk move through memory when one of its indices moves.
#pragma once

#include <functional>
#include <optional>

#include "imp/lower/common/function.h"

namespace skald::imp {

struct AccessCount {
  int contiguous = 0;  // neighbouring iterations read neighbouring elements
  int scattered = 0;   // they read elements far apart, or in places not known
};

// A load of one element by a statement of the thunk itself.
struct Access {
  size_t stmt;
  // How far its place moves when each of the thunk's parameters grows by one: a constant, or a name
  // from outside.  Nothing if that is not known, or not always the same.
  std::vector<std::optional<Operand>> steps;
};

// Is it known to be this?
inline bool is_step(const std::optional<Operand>& step, int64_t what) {
  return step && *step == Operand{const_i64(what)};
}

// `strides_of` gives the strides of arrays made outside; those made inside are views.
std::vector<Access> find_accesses(
    const core::Lambda& pull,
    const std::function<std::optional<std::vector<Operand>>(Name)>& strides_of);

// The loads of `pull` that depend on its parameter `var`.  `outer` gives the places of arrays made
// outside.
AccessCount count_accesses(const core::Lambda& pull, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer);

// The same for a list of statements.
AccessCount count_accesses(const std::vector<const core::Stmt*>& stmts, Name var,
                           const std::function<const ArrayPlace&(Name)>& outer);

}  // namespace skald::imp
