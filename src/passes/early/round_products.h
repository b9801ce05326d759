// SPDX-License-Identifier: Apache-2.0
// Products of a loop that need only the number of the round.
#pragma once

#include <functional>
#include <vector>

#include "core/edit/builder.h"
#include "core/ir/name_map.h"
#include "core/ir/program.h"

namespace skald::passes {

// A row of an array from outside, that of the round's number plus `offset`.
struct RoundRow {
  struct Term {
    core::Operand value;
    bool is_negative = false;
  };
  core::Name name;  // in the loop
  core::Type type;
  core::Name array;
  std::vector<Term> offset;
  // Has the array as many rows as there are rounds?
  bool is_all = false;
};

struct RoundProduct {
  size_t at = 0;                  // statement of the loop's body
  std::vector<core::Type> types;  // of its results; their sizes are known before the loop
  std::vector<RoundRow> rows;
  std::vector<size_t> views;  // statements of the body that are the same in all rounds
};

std::vector<RoundProduct> find_round_products(const core::Loop& loop,
                                              const std::function<core::Type(core::Name)>& type_of);

// Computes them in `out`; the loop reads rows of that.
void move_round_products(core::Loop& loop, const std::vector<RoundProduct>& products,
                         core::Program& prog, const std::function<core::Type(core::Name)>& type_of,
                         core::Builder& out);

void learn_types(const core::Body& body, core::NameMap<core::Type>& types);

}  // namespace skald::passes
