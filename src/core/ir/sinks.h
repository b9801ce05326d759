// SPDX-License-Identifier: Apache-2.0
// Questions about the sinks of kernels.
#pragma once

#include <algorithm>

#include "core/ir/exp.h"
#include "core/ir/visit.h"

namespace skald::core {

// A scatter to one dimension may write whole rows of different lengths: then the thunk gives a
// place, a length and an array of that length, which goes to dest[place for length].  A row that
// does not fit is ignored.
inline bool writes_rows(const Sink& sink) {
  return sink.kind == Sink::kScatter && sink.shape.size() == 1 && sink.count == 3;
}

// The values of one write to a histogram: where, and what.
inline size_t values_of_write(const Sink& hist) {
  return std::max<size_t>(hist.shape.size() + hist.dests.size(), 1);
}
inline size_t writes_of_point(const Sink& hist) {
  return static_cast<size_t>(hist.count) / values_of_write(hist);
}

// A kernel with kernels in its thunk runs as one group of threads for each point: the threads run
// the thunk together, and share the points of the kernels inside.  Otherwise a thread runs the
// thunk.
inline bool holds_kernels(const Body& body) {
  bool found = false;
  for (const Stmt& stmt : body.stmts) {
    found = found || as<Kernel>(stmt.exp) != nullptr;
    if (!found)
      for_each_body(stmt.exp, [&](const Body& inner) { found = found || holds_kernels(inner); });
  }
  return found;
}
inline bool holds_kernels(const Kernel& kernel) {
  return holds_kernels(kernel.pull.body);
}

}  // namespace skald::core
