// SPDX-License-Identifier: Apache-2.0
// Accumulators → arrays that are updated in place.
#pragma once

#include <functional>
#include <optional>

#include "core/ir/program.h"

namespace skald::passes {

// Can this SOAC, which passes accumulators to its iterations, become one kernel?  That is so if
// it is a map and every iteration writes exactly once to each of its accumulators, to scalars.
bool writes_once(const core::Soac& soac);

// An iteration writes at most so often to an accumulator; more writes are a kernel each.
inline constexpr size_t kMostWrites = 8;

// The same for iterations that write several times, one write after the other, to accumulators that
// `combines` says have an operator.
bool writes_several_times(const core::Soac& soac, const std::function<bool(core::Name)>& combines);

// How many levels of maps, each of which does nothing but cheap code and the next, lie around such
// a map, that one included; 0 if there are none or if what is inside is more than that.
size_t writing_levels(const core::Soac& soac, const std::function<bool(core::Name)>& combines);

// Makes such a map ready to become a kernel: the writes disappear from its function, which gives
// indices and values instead.  The first results are those of the accumulators.
struct AccumulatorWrites {
  struct Write {
    core::Name acc;   // what the map was given
    core::Type type;  // of the accumulator
    size_t count;     // how many writes of an iteration, whose indices and values follow each other
  };
  std::vector<Write> writes;
};
AccumulatorWrites take_writes(core::Stmt& stmt);

// After the SOACs are gone: replaces every accumulator of the program by the arrays it stands for.
// A kernel's sink of kind kHist without an operator, whose destination is an accumulator, becomes
// what the accumulator's operator asks for.
void expand_accumulators(core::Program& prog);

}  // namespace skald::passes
