// SPDX-License-Identifier: Apache-2.0
// Random types and values.
#pragma once

#include <utility>
#include <vector>

#include "core/random/scope.h"

namespace skald::core::random {

Prim some_prim(Scope& scope);
Prim some_int_prim(Scope& scope);
Type some_type(Scope& scope);

Const some_constant(Scope& scope, Prim type);
Operand some_scalar(Scope& scope, Prim type);
Operand some_value(Scope& scope, const Type& type);
// A size at hand: never negative.
Operand some_size(Scope& scope);
// An i64, often near the beginning of arrays.
Operand some_index(Scope& scope);
// A one-dimensional array of the given width.
Name some_array(Scope& scope, Prim elem, const Operand& width);
// The types and values of up to `count` things that mean something outside a body which began
// when names had `start` ids.
std::vector<std::pair<Operand, Type>> choose(Scope& scope, int count, uint32_t start);

}  // namespace skald::core::random
