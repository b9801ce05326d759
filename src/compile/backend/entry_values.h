// SPDX-License-Identifier: Apache-2.0
// Entry points take values; core functions take sizes and values.
#pragma once

#include <vector>

#include "core/ir/program.h"
#include "runtime/values/value.h"

namespace skald::compile {

// The primitive type and rank of each value that an entry point takes, and of each result.
struct PlainType {
  Prim type = Prim::kI32;
  int rank = 0;
};
std::vector<PlainType> entry_inputs(const core::Function& entry);
std::vector<PlainType> entry_outputs(const core::Function& entry);

// The arguments of the core function: the sizes that follow from the shapes, then the values. Fails
// if the shapes contradict each other.
Result<std::vector<runtime::Value>> with_sizes(const core::Function& entry,
                                               std::vector<runtime::Value> args);

// Copies the arrays among `args` that the entry point may change and that somebody else holds too.
// The first argument is parameter number `first`.
Result<Unit> own_unique(const core::Function& entry, std::vector<runtime::Value>& args,
                        size_t first, runtime::MemoryBudget* budget = nullptr);

// Copies the values whose elements lie across their alignment: compiled code takes that for granted
// (atomic updates fail without it).  Only memory adopted from elsewhere can be like that.
Result<Unit> align_elements(std::vector<runtime::Value>& args,
                            runtime::MemoryBudget* budget = nullptr);

// Another array on the host with the same elements.
Result<runtime::Value> copy_on_host(const runtime::Value& value,
                                    runtime::MemoryBudget* budget = nullptr);

}  // namespace skald::compile
