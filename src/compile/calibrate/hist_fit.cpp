// SPDX-License-Identifier: Apache-2.0
#include "compile/calibrate/hist_fit.h"

#include <algorithm>

namespace skald::compile {

namespace {

constexpr size_t kCount = machine::kHistCosts;
// Of what is usual, beside one trial.
constexpr double kWeightOfUsual = 0.003;
// No constant becomes less than this part of what is usual for a machine of its speed, nor more
// than so many times.
constexpr double kLeast = 0.02, kMost = 1000;
constexpr int kRounds = 4000;

// How many times as slow as usual the machine is, by the trial in the middle.
double slowness(const std::vector<MeasuredTime>& times, const machine::HistCosts& usual) {
  std::vector<double> ratios;
  for (const MeasuredTime& time : times)
    if (const double predicted = total_of(time.form, usual); predicted > 0)
      ratios.push_back((time.femtoseconds - time.known) / predicted);
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return std::max(*middle, kLeast);
}

// The usual constants of such a machine, where a trial shows them.
machine::HistCosts scaled(const std::vector<MeasuredTime>& times, machine::HistCosts usual) {
  const double slow = slowness(times, usual);
  for (size_t k = 0; k < kCount; ++k)
    if (std::ranges::any_of(times, [&](const MeasuredTime& time) { return time.form[k] > 0; }))
      usual.each[k] =
          std::max<int64_t>(1, static_cast<int64_t>(slow * static_cast<double>(usual.each[k])));
  return usual;
}

struct NormalEquations {
  double sum[kCount][kCount] = {};
  double right[kCount] = {};
};

// The unknowns are how many times what is usual a constant is.
NormalEquations equations_of(const std::vector<MeasuredTime>& times,
                             const machine::HistCosts& usual) {
  NormalEquations all;
  for (const MeasuredTime& time : times) {
    double row[kCount];
    for (size_t k = 0; k < kCount; ++k)
      row[k] = time.form[k] * static_cast<double>(usual.each[k]) / time.femtoseconds;
    const double right = 1 - time.known / time.femtoseconds;
    for (size_t i = 0; i < kCount; ++i) {
      all.right[i] += row[i] * right;
      for (size_t j = 0; j < kCount; ++j) all.sum[i][j] += row[i] * row[j];
    }
  }
  for (size_t k = 0; k < kCount; ++k) {
    all.sum[k][k] += kWeightOfUsual;
    all.right[k] += kWeightOfUsual;
  }
  return all;
}

}  // namespace

machine::HistCosts fit_hist_costs(const std::vector<MeasuredTime>& times,
                                  const machine::HistCosts& usual_anywhere) {
  const machine::HistCosts usual = scaled(times, usual_anywhere);
  const NormalEquations all = equations_of(times, usual);
  // One unknown after the other, none below its bound: the sum is convex.
  std::array<double, kCount> found;
  found.fill(1);
  for (int round = 0; round < kRounds; ++round)
    for (size_t i = 0; i < kCount; ++i) {
      double rest = all.right[i];
      for (size_t j = 0; j < kCount; ++j)
        if (j != i) rest -= all.sum[i][j] * found[j];
      found[i] = std::clamp(rest / all.sum[i][i], kLeast, kMost);
    }
  machine::HistCosts costs;
  for (size_t k = 0; k < kCount; ++k)
    costs.each[k] =
        std::max<int64_t>(1, static_cast<int64_t>(found[k] * static_cast<double>(usual.each[k])));
  return costs;
}

}  // namespace skald::compile
