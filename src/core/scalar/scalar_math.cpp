// SPDX-License-Identifier: Apache-2.0
#include "core/scalar/scalar_math.h"

#include <math.h>

#include <cmath>
#include <numbers>

#include "support/f16.h"

namespace skald::core::math {

namespace {

constexpr double kPi = std::numbers::pi;

// x = quarter/2 + rest (mod 2), with |rest| <= 1/4 and `quarter` in 0 … 3.  Every step is exact.
struct HalfTurns {
  int quarter;
  double rest;
};
HalfTurns half_turns(double x) {
  const double turn = std::fmod(x, 2.0);
  const double nearest = std::nearbyint(2.0 * turn);
  return {static_cast<int>(nearest) & 3, turn - nearest / 2.0};
}

}  // namespace

double sin_pi(double x) {
  if (!std::isfinite(x)) return std::nan("");
  const auto [quarter, rest] = half_turns(x);
  const double angle = kPi * rest;
  const double sine = quarter == 0   ? std::sin(angle)
                      : quarter == 1 ? std::cos(angle)
                      : quarter == 2 ? -std::sin(angle)
                                     : -std::cos(angle);
  return sine == 0.0 ? std::copysign(0.0, x) : sine;
}

double cos_pi(double x) {
  if (!std::isfinite(x)) return std::nan("");
  const auto [quarter, rest] = half_turns(x);
  const double angle = kPi * rest;
  const double cosine = quarter == 0   ? std::cos(angle)
                        : quarter == 1 ? -std::sin(angle)
                        : quarter == 2 ? -std::cos(angle)
                                       : std::sin(angle);
  // Adding +0 turns a negative zero into a positive one.
  return cosine + 0.0;
}

double tan_pi(double x) {
  if (!std::isfinite(x)) return std::nan("");
  const auto [quarter, rest] = half_turns(x);
  if (std::fabs(rest) == 0.25) return std::copysign(1.0, quarter % 2 == 0 ? rest : -rest);
  if (rest != 0.0 && quarter % 2 == 0) return std::tan(kPi * rest);
  return sin_pi(x) / cos_pi(x);
}

float log_gamma(float x) {
  int sign = 0;
  return ::lgammaf_r(x, &sign);
}
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

template <class T>
T min_num(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T max_num(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
template float min_num(float, float);
template double min_num(double, double);
template float max_num(float, float);
template double max_num(double, double);

uint16_t next_after_f16(uint16_t from, uint16_t to) {
  const float x = f16_to_f32(from);
  const float y = f16_to_f32(to);
  if (std::isnan(x) || std::isnan(y)) return 0x7e00u;
  if (x == y) return to;
  if (x == 0.0f) return y > 0.0f ? 0x0001u : 0x8001u;
  // Without the sign bit the bits of halves are ordered like their magnitudes.
  const bool away_from_zero = (y > x) == (x > 0.0f);
  return static_cast<uint16_t>(away_from_zero ? from + 1 : from - 1);
}

}  // namespace skald::core::math
