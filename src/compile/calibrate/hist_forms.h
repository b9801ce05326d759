// SPDX-License-Identifier: Apache-2.0
// The arithmetic of machine/hist_model.h for constants that are not known yet: a time is how often
// it has each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "machine/hist_costs.h"

namespace skald::compile {

struct HistForms {
  using Number = double;
  using Time = std::array<double, machine::kHistCosts>;

  static Number number(int64_t n) { return static_cast<double>(n); }
  static Number add(Number x, Number y) { return x + y; }
  static Number mul(Number x, Number y) { return x * y; }
  static Number least(Number x, Number y) { return std::min(x, y); }
  static Number most(Number x, Number y) { return std::max(x, y); }
  static Number quotient(Number x, Number y) { return std::floor(x / y); }
  static Time time(machine::HistCost cost, Number n) {
    Time form = {};
    form[static_cast<size_t>(cost)] = n;
    return form;
  }
  static Time plus(Time x, const Time& y) {
    for (size_t k = 0; k < x.size(); ++k) x[k] += y[k];
    return x;
  }
  static Time by(Time x, Number n) {
    for (double& each : x) each *= n;
    return x;
  }
  static Time over(const Time& x, Number n) { return by(x, 1 / n); }
};

// With constants for all of them, in femtoseconds.
inline double total_of(const HistForms::Time& form, const machine::HistCosts& costs) {
  double total = 0;
  for (size_t k = 0; k < form.size(); ++k) total += form[k] * static_cast<double>(costs.each[k]);
  return total;
}

}  // namespace skald::compile
