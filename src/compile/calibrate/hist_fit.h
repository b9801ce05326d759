// SPDX-License-Identifier: Apache-2.0
// Constants of the model of histograms from measured times: least squares of relative errors, with
// a little weight on what is usual for a machine of its speed, so that what no trial shows well
// stays near that.
#pragma once

#include <vector>

#include "compile/calibrate/hist_forms.h"

namespace skald::compile {

struct MeasuredTime {
  HistForms::Time form;  // by the model
  double known = 0;      // what it takes besides, in femtoseconds
  double femtoseconds = 0;
};

machine::HistCosts fit_hist_costs(const std::vector<MeasuredTime>& times,
                                  const machine::HistCosts& usual);

}  // namespace skald::compile
