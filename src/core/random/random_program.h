// SPDX-License-Identifier: Apache-2.0
// Random programs for property tests: every pass and back end must agree with the interpreter on
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/interp/interp.h"
#include "core/ir/program.h"

namespace skald::core {

struct RandomOptions {
  // Roughly the number of statements.
  int size = 40;
  // Also float operations whose result may differ between back ends: transcendental functions, sums
  // in any order.  Without it results are equal bit by bit, except for the sign of zeros and the
  // bits of NaNs.
  bool inexact = false;
  // Checks that may fail.  Which one is reported first is up to the back end.
  bool failures = true;
};

// A well-formed program at stage SOACS that terminates quickly, with an entry point "main" and
// perhaps other functions.  The same seed and options give the same program everywhere.
Program random_program(uint64_t seed, const RandomOptions& options);
inline Program random_program(uint64_t seed, int size) {
  return random_program(seed, RandomOptions{.size = size});
}

// Arguments for a function of the kind that random_program makes: its first parameters are sizes,
// at most 8, or with kLarger one of them a little more than a vector register holds.
enum class RandomArgs : uint8_t { kSmall, kLarger };
std::vector<ArrayValue> random_args(const Function& fn, uint64_t seed,
                                    RandomArgs sizes = RandomArgs::kSmall);

// Anything that can be printed, well formed or not: all nodes of all stages, strings with any
// bytes, all constants.
Program random_syntax(uint64_t seed, int size);

// The smallest program found, by removing and simplifying statements, that verify accepts and
// `fails` still holds for.  `prog` itself must be such a program.
Program shrink(Program prog, const std::function<bool(const Program&)>& fails);

// Are the results equal, as far as RandomOptions::inexact says?
bool same_results(const std::vector<ArrayValue>& a, const std::vector<ArrayValue>& b);

}  // namespace skald::core
