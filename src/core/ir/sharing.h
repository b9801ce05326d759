// SPDX-License-Identifier: Apache-2.0
// What the results of a node share memory with, what it consumes, and what functions it applies:
// the one table that the verifier and all analyses of aliases read (docs/ir.md, "Consumption").
#pragma once

#include <optional>
#include <vector>

#include "core/ir/program.h"

namespace skald::core {

// The value of which the result is a view: value, opaque, index, flat_index, reshape, rearrange.
// Nothing for other nodes, whose results are new arrays or, like those of branches, loops and
// calls, come from elsewhere.
std::optional<Operand> view_of(const Exp& exp);
inline bool is_view(const Exp& exp) {
  return view_of(exp).has_value();
}

// What the node itself consumes: the array of an update, destinations of scatter, hist and kernels,
// arrays of with_acc, initial values of unique parameters of loops, and arguments for unique
// parameters of `callee` (for all parameters if it is not known).
std::vector<Operand> consumed_by(const Exp& exp, const Function* callee);

// A function that the node applies.  Its first parameters are rows of `inputs`.
struct AppliedFunction {
  const Lambda* fn = nullptr;
  const std::vector<Name>* inputs = nullptr;  // null: it gets no rows
  bool once = false;                          // runs at most once
};
// Those of SOACs, with_acc and kernels.
std::vector<AppliedFunction> functions_of(const Exp& exp);

}  // namespace skald::core
