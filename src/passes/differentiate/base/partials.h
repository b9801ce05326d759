// SPDX-License-Identifier: Apache-2.0
// The derivatives of scalar operators and mathematical functions: the one table of them.
#pragma once

#include <optional>
#include <vector>

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// The derivative of an operator by one operand, in the form that is cheapest to multiply with.
struct Partial {
  enum Kind : uint8_t { kZero, kOne, kMinusOne, kFactor, kPowerOfTwo, kIf } kind = kZero;
  // kFactor: the derivative; kPowerOfTwo: the exponent; kIf: a bool, the derivative is 1 where it
  // holds.
  Operand value = const_i64(0);
};

// By each operand of a unary, binary or ternary operator or a conversion, whose result is `result`.
// Code for them goes to `out`.  Nothing if no derivative is known.
std::optional<std::vector<Partial>> partials(Emit& out, const Exp& exp, const Operand& result);
// The operands in that order.
std::vector<Operand> data_operands(const Exp& exp);

// Is the derivative zero everywhere, whatever the operands are?
bool is_flat(const Exp& exp);

// partial * seed.
Operand scaled(Emit& out, const Partial& partial, const Operand& seed, Prim type);

}  // namespace skald::passes::ad
