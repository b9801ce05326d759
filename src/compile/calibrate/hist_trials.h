// SPDX-License-Identifier: Apache-2.0
// The programs that calibration runs: histograms of some operators, each way forced.
#pragma once

#include <string>
#include <vector>

#include "compile/calibrate/hist_forms.h"
#include "machine/device_model.h"
#include "machine/hist_model.h"
#include "machine/processor.h"

namespace skald::compile {

// What the points of a trial go to: all bins alike; one bin; some bins that lie far apart.
enum class TrialKeys : uint8_t { kUniform, kSame, kSparse };
inline constexpr int64_t kSparseBins = 4096;

struct HistTrial {
  std::string entry;  // of the program below
  machine::HistWay way;
  bool all_threads;
  TrialKeys keys;
  int64_t points, bins;
  HistForms::Time form;
  double known = 0;  // femtoseconds that it takes besides
  // In nanoseconds; 0: not measured yet.
  double predicted = 0, measured = 0;
};

// In Futhark: `uniform n h`, `same n h` and `sparse n h` make keys; the others take the number of
// bins and keys.
extern const char* const kHistTrialProgram;

// So many points are seconds for all trials together.
std::vector<HistTrial> processor_trials(const machine::Processor& processor, int64_t points);
std::vector<HistTrial> device_trials(const machine::DeviceModel& device, int64_t points);

}  // namespace skald::compile
