// SPDX-License-Identifier: Apache-2.0
// Measures the constants of machine/hist_costs.h on this machine, by running histograms through
// compiled programs with each way forced.  Takes half a minute; nothing that compiles calls it.
#pragma once

#include "compile/backend/backend.h"
#include "compile/calibrate/hist_trials.h"

namespace skald::compile {

struct HistCalibration {
  machine::NumbersByName costs;   // those that trials depend on
  std::vector<HistTrial> trials;  // with what was measured, and what the new constants predict
};

// Keeps what it finds.
Result<HistCalibration> calibrate_processor(const Backend& backend,
                                            const machine::Processor& processor);
Result<HistCalibration> calibrate_device(const Backend& backend,
                                         const machine::DeviceModel& device);

}  // namespace skald::compile
