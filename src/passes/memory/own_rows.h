// SPDX-License-Identifier: Apache-2.0
// May a kernel write its result over an array that it reads?
#pragma once

#include <functional>

#include "analysis/blocks.h"
#include "analysis/scalar_values.h"
#include "core/ir/program.h"

namespace skald::passes {

// What the question is about: block `to`, which the kernel writes, is to become the block that
// holds the array it reads.
struct WriteOver {
  const analysis::BlockOf& block_of;
  const analysis::ScalarValues& values;
  core::Name to;
  // May this be the block that is read?  Is it surely, under the name that will be used?
  std::function<bool(core::Name block)> may_be_from;
  std::function<bool(core::Name block)> is_from;
  // An array that is bound outside the kernel, with its place; null if it is not known.
  std::function<const core::Param*(core::Name array)> outside;
};

// True if every point of the kernel reads only the element or row that it writes, and no element
// after it has been written; see own_rows.cpp.
bool can_write_over(const core::Stmt& kernel, const WriteOver& question);

// After the two have become one: copies of a row to itself are nothing.
void remove_self_copies(core::Stmt& kernel, core::Name block, const analysis::ScalarValues& values);

}  // namespace skald::passes
