// SPDX-License-Identifier: Apache-2.0
// The values that test cases name: written, in files, or random.
#pragma once

#include <string>
#include <vector>

#include "driver/backend.h"
#include "driver/test/spec.h"
#include "runtime/value.h"

namespace skald::driver {

// The input of a case as arguments for `entry`.  File names are relative to `folder`.
Result<std::vector<runtime::Value>> case_arguments(const CaseInput& input,
                                                   const core::Function& entry,
                                                   const std::string& folder);

// The values that a case expects.
Result<std::vector<runtime::Value>> case_expectation(const CaseResult& result,
                                                     const std::string& folder);

}  // namespace skald::driver
