// SPDX-License-Identifier: Apache-2.0
// What the user says about tuning parameters: --param NAME=INT, --tuning FILE; and what `skald run
// --tune FILE` finds out about them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tuning/tuning.h"
#include "support/result.h"

namespace skald::driver {

Result<core::Tuning> parse_choices(const std::vector<std::string>& choices);
// Those that are numbers of the device (passes/pass.h), which code is made for.
core::Tuning device_choices(const core::Tuning& tuning);
// Adds the lines NAME=INT of a file; empty lines are fine.
Result<Unit> read_tuning_file(const std::string& path, core::Tuning& tuning);
Result<Unit> write_tuning_file(const std::string& path, const core::Tuning& tuning);

// Seconds that a run takes with these choices; none if it fails.
using TimeChoices = std::function<std::optional<double>(const core::Tuning& tuning)>;
// One line for somebody who looks on.
using SayTried = std::function<void(const std::string& line)>;
// Tries for one threshold after the other to be below and above it, and keeps what is faster.  What
// is in `chosen` already stays as it is.  Nothing if a run fails as it is.
std::optional<core::Tuning> find_fastest(const std::vector<core::TuningParam>& params,
                                         core::Tuning chosen, const TimeChoices& time,
                                         const SayTried& say);

}  // namespace skald::driver
