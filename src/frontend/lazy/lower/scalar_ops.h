// SPDX-License-Identifier: Apache-2.0
// NumPy's elementwise operations as scalar code of the core.
#pragma once

#include <string_view>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/lazy/dtype.h"

namespace skald::lazy {

// The core's type; of complex numbers that of their parts.
Prim prim_of(DType type);

// Can this operation be compiled for operands of this type?
bool can_lower(std::string_view op, DType type);
// About how many additions it costs.
int cost_of(std::string_view op, DType type);

// The operation on operands of type `type`, all of them (`where`: the first is a bool).
core::Operand lower_op(core::Builder& b, std::string_view op, Prim type,
                       const std::vector<core::Operand>& args);
core::Operand lower_zero(Prim type);
// Can it reduce?
bool can_reduce(std::string_view op, DType type);
core::Operand neutral_of(std::string_view op, Prim type);

// Element `counter` of the stream `key` as 64 random bits (Philox-2x32-10); both are u64.
core::Operand lower_random(core::Builder& b, core::Operand counter, core::Operand key);

}  // namespace skald::lazy
