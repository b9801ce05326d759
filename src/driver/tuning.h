// SPDX-License-Identifier: Apache-2.0
// What the user says about tuning parameters: --param NAME=INT, --tuning FILE.
#pragma once

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

}  // namespace skald::driver
