// SPDX-License-Identifier: Apache-2.0
// The values that test cases name: written, in files, random, or made by a script.
#pragma once

#include <string>
#include <vector>

#include "compile/program/host_program.h"
#include "driver/test/spec.h"
#include "runtime/values/value.h"

namespace skald::driver {

// The input of a case as arguments for `entry`.  Scripts call other entry points of the program.
// File names are relative to `folder`.
Result<std::vector<runtime::Value>> case_arguments(const CaseInput& input,
                                                   const core::Program& prog,
                                                   const core::Function& entry,
                                                   compile::HostProgram& program,
                                                   const std::string& folder);

// The values that a case expects.
Result<std::vector<runtime::Value>> case_expectation(const CaseResult& result,
                                                     const std::string& folder);

}  // namespace skald::driver
