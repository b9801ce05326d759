// SPDX-License-Identifier: Apache-2.0
// Are the sums that writes become cheaper than the writes?
//
// A sum computes what it adds up at its own place.  If the nest needs the same values for other
// results, they are computed twice.  That is little beside a write, unless there are functions and
// divisions among them; then the writes may stay, if the machine has the means for them.
#pragma once

#include <optional>

#include "passes/differentiate/sums/shapes.h"
#include "passes/pass.h"

namespace skald::passes::ad {

// What a statement costs, with all code in it once.
int64_t cost_of_statement(const Stmt& stmt);

// Is there code in it that is better not computed twice?
bool has_slow_code(const Body& body);

// What is known of the sums that replace writes of one nest.
struct SumsMade {
  NameMap<int64_t> copied;  // what the innermost map computes and the sums too, and what it costs
  int64_t writes = 0;       // in an iteration of the innermost map
  int64_t statements = 0;   // of it
  std::vector<std::vector<Operand>> summed;  // widths of the maps that sums go over
  bool along_outermost = true;               // does each sum go over the outermost map?

  void note(const Site& site, const WrittenShape& shape);
};

// When the writes of a nest should stay: the lengths of sums (products of widths) from which on
// chunks with arrays of their own are many enough.  Nothing if sums are better.  `nest` is what is
// left of it without the writes, `before` what it was.
std::optional<int64_t> least_sum_for_writes(const SumsMade& sums, const WithAcc& nest,
                                            WithAcc& before);

}  // namespace skald::passes::ad
