// SPDX-License-Identifier: Apache-2.0
// Float functions that the C library lacks or leaves loose.  Private to core/scalar/scalar.cpp.
#pragma once

#include <cstdint>

namespace skald::core::math {

// sin(πx), cos(πx), tan(πx) without the error of multiplying a large x by a rounded π.
double sin_pi(double x);
double cos_pi(double x);
double tan_pi(double x);

// log|Γ(x)| without the C library's global sign.
float log_gamma(float x);
double log_gamma(double x);

// IEEE minNum/maxNum: a NaN loses, -0 is smaller than +0.
template <class T>
T min_num(T a, T b);
template <class T>
T max_num(T a, T b);

// The half-precision number after `from` in the direction of `to`.
uint16_t next_after_f16(uint16_t from, uint16_t to);

}  // namespace skald::core::math
