// SPDX-License-Identifier: Apache-2.0
// The functions outside the program that generated code calls, by name.
//
//   skald_rt_…        runtime/abi.h
//   skald_m_sinf      the C library's sinf; the other name keeps LLVM from replacing it
//   skald_v_sinf      SLEEF's vector function, also skald_w_sinf; see vector_maths.h
//   skald_op_…        core/scalar/scalar.h's function for an operator, on bits: exact by
//   construction
#pragma once

#include <string>
#include <string_view>

#include "core/ir/ops.h"

namespace skald::cpu {

// Null for an unknown name.
void* symbol_address(std::string_view name);

// The name of the C library's function for an operator, without the `f` of the float version; empty
// if there is none that is exactly what core/scalar/scalar.h computes.
std::string_view libm_name(core::UnOpKind op);
std::string_view libm_name(core::BinOpKind op);

// skald_op_sinpi_f32: an operator by its reference implementation.
std::string operator_symbol(core::UnOpKind op, Prim type);
std::string operator_symbol(core::BinOpKind op, Prim type);

}  // namespace skald::cpu
