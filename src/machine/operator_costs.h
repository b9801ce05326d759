// SPDX-License-Identifier: Apache-2.0
// What operators cost, in the one unit that all models use: one simple operation (an addition, a
// comparison) of a processor that starts several of them at each step.
//
// One table for all processors: what the models decide needs no more than the order of magnitude,
// and by that a division is slow everywhere.  To which class an operator belongs says
// core/scalar/operator_class.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace skald::machine {

enum class OperatorClass : uint8_t {
  kSimple,        // sums, products, comparisons, choices, conversions that keep the kind
  kToInteger,     // of a float: what is out of range is looked at too
  kDivision,      // of floats, of integers of up to 32 bits, and by a number that is known
  kLongDivision,  // of integers of 64 bits, by a number that is not known
  kSquareRoot,
  kFunction,  // exp, sin, pow, remainders of floats …
};
inline constexpr size_t kOperatorClasses = 6;

struct OperatorCost {
  std::string_view name;
  // Of scalar code, if other operations can run beside it.
  int scalar;
  // Of scalar code that waits for the result.
  int waiting;
  // Of one vector register, if other operations can run beside it.
  int vector;
};

// Where the columns differ:
// - A quotient takes long, but a new one can begin before.
// - Quotients of 64 bits are of small numbers mostly, which end early; a model that asks for the
//   worst takes `waiting`.  In vectors there is no such instruction: it is put together from
//   several, and those take the same time for all numbers.
inline constexpr std::array<OperatorCost, kOperatorClasses> kOperatorCosts = {{
    {"simple", 1, 1, 1},
    {"float to integer", 1, 5, 1},
    {"division", 6, 8, 6},
    {"64-bit division", 6, 16, 20},
    {"square root", 6, 12, 6},
    {"function", 20, 20, 20},
}};

// Steps of a chain of operators, each of which needs the result of the one before; for scans, where
// that is all that matters.
struct ChainSteps {
  int integer = 1;
  int product = 3;     // of integers
  int comparison = 3;  // of floats
  int real = 4;        // sums and products of floats
  int slow = 10;       // divisions and functions
};
inline constexpr ChainSteps kChainSteps = {};

constexpr const OperatorCost& cost_of(OperatorClass kind) {
  return kOperatorCosts[static_cast<size_t>(kind)];
}

}  // namespace skald::machine
