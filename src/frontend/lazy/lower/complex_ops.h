// SPDX-License-Identifier: Apache-2.0
// NumPy's elementwise operations on complex numbers, as compositions of the core's scalar
// operators: the core has no complex numbers, here they are pairs.
#pragma once

#include <string_view>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/lazy/dtype.h"

namespace skald::lazy {

// A value at a position: one operand, or the real and the imaginary part of a complex number.
using Parts = std::vector<core::Operand>;

// Can this operation be compiled for complex operands?
bool can_lower_complex(std::string_view op);
// About how many additions it costs.
int complex_cost_of(std::string_view op);

// The operation on complex operands whose parts are of type `type` (`where`: the first is a bool).
Parts lower_complex(core::Builder& b, std::string_view op, Prim type,
                    const std::vector<Parts>& args);
// Of numbers of any type.
Parts lower_product(core::Builder& b, DType type, const Parts& x, const Parts& y);
// The operators of a reduction or scan of numbers of any type.
std::vector<core::Operator> combining(core::Program& prog, std::string_view op, DType type);
// NumPy's truth: one of the parts is not zero.
core::Operand complex_truth(core::Builder& b, Prim type, const Parts& x);

}  // namespace skald::lazy
