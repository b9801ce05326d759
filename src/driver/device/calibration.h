// SPDX-License-Identifier: Apache-2.0
// What `skald device --calibrate` shows: constants, predicted and measured times, and a page with a
// plot of them.
#pragma once

#include <string>

#include "compile/calibrate/calibrate_hist.h"

namespace skald::driver {

void show_calibration(const std::string& machine, const compile::HistCalibration& found);
// A page that needs nothing from outside.
std::string calibration_page(const std::string& machine, const compile::HistCalibration& found);

}  // namespace skald::driver
