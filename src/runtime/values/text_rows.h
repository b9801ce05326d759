// SPDX-License-Identifier: Apache-2.0
// The fast path of the text reader: rows of numbers of a known type in their common form.
#pragma once

#include "runtime/values/element_sink.h"
#include "runtime/values/input.h"

namespace skald::runtime {

struct RowResult {
  int64_t count = 0;         // elements that were read
  bool after_comma = false;  // the last thing consumed was a comma
};

// Reads elements of `type` separated by commas, the cursor being at the first one.  Stops before
// anything that is not plainly such an element (`]`, a comment, hexadecimal, an overflow, the end
// of the window, no memory): the careful parser then has its turn.
RowResult read_row(Input& input, Prim type, ElementSink& sink);

}  // namespace skald::runtime
