// SPDX-License-Identifier: Apache-2.0
// The sinks of a kernel that does what a SOAC does.
#pragma once

#include <vector>

#include "core/ir/program.h"

namespace skald::passes {

// How many of a sink's values are indices.
inline size_t indices_of(const core::Sink& sink) {
  return sink.dests.empty() ? 0 : sink.shape.size();
}

// What the SOAC holds moves to its sinks.
std::vector<core::Sink> take_sinks(core::Hist& hist);
std::vector<core::Sink> take_sinks(core::Scatter& scatter);
std::vector<core::Sink> take_sinks(core::Partition& partition);

// The function of a SOAC that writes gives all indices before all values; a sink takes its own
// together.
void group_by_sink(core::Lambda& fn, const std::vector<core::Sink>& sinks);

}  // namespace skald::passes
