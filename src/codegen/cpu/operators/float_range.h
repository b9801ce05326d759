// SPDX-License-Identifier: Apache-2.0
// What a float can be, as far as the instructions that make it say: numbers that were small
// integers, sums and products of such, numbers cut off by `min` and `max`.
#pragma once

#include <llvm/IR/Value.h>

namespace skald::cpu {

// Is it, or is each lane of it, a number (not NaN) between -limit and limit, by some margin?
bool is_within(const llvm::Value* value, double limit);
bool is_between(const llvm::Value* value, double low, double high);

}  // namespace skald::cpu
