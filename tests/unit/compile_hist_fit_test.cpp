// SPDX-License-Identifier: Apache-2.0
// Constants of histograms from times that are made up.
#include <gtest/gtest.h>

#include "compile/calibrate/hist_fit.h"

namespace skald::compile {
namespace {

using machine::HistCost;

// A machine whose constants are `slow` times the usual ones, every third one twice that.
machine::HistCosts machine_of(double slow) {
  machine::HistCosts costs = machine::usual_hist_costs();
  for (size_t k = 0; k < machine::kHistCosts; ++k)
    costs.each[k] =
        static_cast<int64_t>(static_cast<double>(costs.each[k]) * slow * (k % 3 == 0 ? 2 : 1));
  return costs;
}

// Each constant of devices, with a launch beside it.
std::vector<MeasuredTime> times_on(const machine::HistCosts& costs) {
  std::vector<MeasuredTime> times;
  for (auto k = static_cast<size_t>(HistCost::kSortPoint); k < machine::kHistCosts; ++k)
    for (const double points : {2e6, 2e7}) {
      MeasuredTime time;
      time.form = HistForms::plus(HistForms::time(HistCost::kLaunch, 1),
                                  HistForms::time(static_cast<HistCost>(k), points));
      time.known = 1e9;
      time.femtoseconds = time.known + total_of(time.form, costs);
      times.push_back(time);
    }
  return times;
}

TEST(HistFit, MachinesOfAnySpeed) {
  for (const double slow : {0.2, 1.0, 3.0, 2000.0}) {
    const machine::HistCosts costs = machine_of(slow);
    const std::vector<MeasuredTime> times = times_on(costs);
    const machine::HistCosts found = fit_hist_costs(times, machine::usual_hist_costs());
    for (const MeasuredTime& time : times)
      EXPECT_NEAR((time.known + total_of(time.form, found)) / time.femtoseconds, 1, 0.02) << slow;
    EXPECT_EQ(found[HistCost::kUpdate], machine::usual_hist_costs()[HistCost::kUpdate])
        << "no trial shows it";
  }
}

}  // namespace
}  // namespace skald::compile
