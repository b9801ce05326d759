// SPDX-License-Identifier: Apache-2.0
// Where a nest of maps writes to an accumulator.
#pragma once

#include "passes/differentiate/sums/point.h"

namespace skald::passes::ad {

struct Site {
  std::vector<Stmt*> path;  // the maps around it, outermost first
  std::vector<Operand> indices;
  Operand value = const_i64(0);
};

// All writes to the accumulator in a body.  Nothing if other code than maps
// handles it.
std::optional<std::vector<Site>> find_sites(Body& body, Name acc);

// All names that the function binds, as seen from the maps of a path.
NameMap<Definition> definitions(Lambda& fn, const std::vector<Stmt*>& path);

// Takes the accumulator out of all maps of the body, with its writes.
void drop_accumulator(Body& body, Name acc);

// Lets the maps of the path give back a value of one of them; the array of all
// its values.
Param give_back(const std::vector<Stmt*>& path, const Store& store, Emit& out);

}  // namespace skald::passes::ad
