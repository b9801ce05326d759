// SPDX-License-Identifier: Apache-2.0
// Questions about the sinks of kernels.
#pragma once

#include "core/exp.h"

namespace skald::core {

// A scatter to one dimension may write whole rows of different lengths: then the thunk gives a
// place, a length and an array of that length, which goes to dest[place for length].  A row that
// does not fit is ignored.
inline bool writes_rows(const Sink& sink) {
  return sink.kind == Sink::kScatter && sink.shape.size() == 1 && sink.count == 3;
}

}  // namespace skald::core
