// SPDX-License-Identifier: Apache-2.0
// Functions on vectors that are part of the program's own code, so that they are inlined and cost
// no registers: inline_singles.cpp has those of f32, inline_doubles.cpp those of f64.
//
// They are good to less than one ulp.  What needs more bits than a float has is carried as the sum
// of two (in f32 also as one f64).  Polynomials are minimax; vector_maths.h has the functions that
// are not here.
#pragma once

#include <llvm/IR/Module.h>

#include <string_view>

namespace skald::cpu {

// The module's function for that many lanes, made if it is not there yet; null if there is none of
// that name.  `name` is that of the C library: sinf, sin.
llvm::Function* inline_maths(llvm::Module& module, std::string_view name, unsigned lanes);

// True for what the function above makes.
bool is_inline_maths(const llvm::Function& fn);

}  // namespace skald::cpu
