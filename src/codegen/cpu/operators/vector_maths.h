// SPDX-License-Identifier: Apache-2.0
// Functions on vectors of one register, SLEEF's where this build has that library.
//
//   skald_v_sinf   four floats, or eight on x86-64 with AVX2
//   skald_v_sin    two doubles, or four
//   skald_w_tanhf  sixteen floats, with AVX-512
//   skald_w_tanh   eight doubles
//
// The functions of both sizes give the same results, bit by bit.
//
// They are good to about one ulp, like the C library's, but not equal to them.  So a loop that
// calls them does so for all of its iterations: the rest that does not fill a vector is masked.
#pragma once

#include <string_view>

namespace skald::cpu {

// The size of the vectors that they take.
unsigned vector_maths_bytes();
// `name` is that of the C library's function: sinf, sin.
bool has_vector_maths(std::string_view name);
// Is there a version for vectors of 64 bytes, if code may use AVX-512?
bool has_wide_vector_maths(std::string_view name);
// Null for an unknown symbol.
void* vector_maths_address(std::string_view symbol);
// What the library itself calls it; empty for an unknown symbol.
std::string_view vector_maths_symbol(std::string_view symbol);

}  // namespace skald::cpu
