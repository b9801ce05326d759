// SPDX-License-Identifier: Apache-2.0
// What `skald device --calibrate` found for an engine: constants of machine/hist_costs.h, kept in
// the folder of compiled code by name and version of the processor or driver.
#pragma once

#include "compile/backend/backend.h"
#include "machine/hist_costs.h"

namespace skald::compile {

// Empty if nobody has calibrated it.
machine::NumbersByName kept_hist_costs(const Engine& engine);
void keep_hist_costs(const Engine& engine, const machine::NumbersByName& costs);
// Adds what was kept to what was chosen by the user, who comes first.
ProgramOptions with_kept_costs(const Engine& engine, ProgramOptions options);

}  // namespace skald::compile
