// SPDX-License-Identifier: Apache-2.0
// Measures the constants of machine/hist_costs.h on this machine, by running histograms through
// compiled programs with each way forced.  Nothing that compiles calls it.
#pragma once

#include "compile/backend/backend.h"
#include "compile/calibrate/hist_trials.h"

namespace skald::compile {

struct HistCalibration {
  machine::NumbersByName costs;   // those that trials depend on
  std::vector<HistTrial> trials;  // with what was measured, and what the new constants predict
};

// How much work that is: half a minute, or seconds for numbers that are less exact.
enum class CalibrationEffort : uint8_t { kWhole, kQuick };

// Keeps what it finds.
Result<HistCalibration> calibrate_processor(const Backend& backend,
                                            const machine::Processor& processor,
                                            CalibrationEffort effort);
Result<HistCalibration> calibrate_device(const Backend& backend, const machine::DeviceModel& device,
                                         CalibrationEffort effort);

}  // namespace skald::compile
