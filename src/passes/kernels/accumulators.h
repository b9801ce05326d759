// SPDX-License-Identifier: Apache-2.0
// Accumulators → arrays that are updated in place.
#pragma once

#include <optional>

#include "core/program.h"

namespace skald::passes {

// Can this SOAC, which passes accumulators to its iterations, become one kernel?  That is so if
// it is a map and every iteration writes exactly once to each of its accumulators, to scalars.
bool writes_once(const core::Soac& soac);

// Makes such a map ready to become a kernel: the writes disappear from its function, which gives
// indices and values instead.  The first results are those of the accumulators.
struct AccumulatorWrites {
  struct Write {
    core::Name acc;   // what the map was given
    core::Type type;  // of the accumulator
  };
  std::vector<Write> writes;
};
AccumulatorWrites take_writes(core::Stmt& stmt);

// After the SOACs are gone: replaces every accumulator of the program by the arrays it stands for.
// A kernel's sink of kind kHist without an operator, whose destination is an accumulator, becomes
// what the accumulator's operator asks for.
void expand_accumulators(core::Program& prog);

}  // namespace skald::passes
