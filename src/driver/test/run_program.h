// SPDX-License-Identifier: Apache-2.0
// Runs all tests of one program on one back end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compile/backend/backend.h"
#include "driver/options.h"

namespace skald::driver {

struct CaseReport {
  enum Outcome : uint8_t { kPassed, kFailed, kSkipped } outcome = kPassed;
  std::string name;    // "main #0", or "compile"
  std::string detail;  // why it failed or was skipped; what is weak about its passing
};

// Calls `report` once for each case, as soon as its outcome is known.  If `held` is not null, it
// gets an engine that stays open when the first program needs one.
void run_program_tests(const std::string& file, const compile::Backend* backend,
                       const CommonOptions& common, const TestOptions& options,
                       std::shared_ptr<compile::Engine>* held,
                       const std::function<void(CaseReport)>& report);

}  // namespace skald::driver
