// SPDX-License-Identifier: Apache-2.0
// The message and back trace of a failure, as the interpreter would word them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "codegen/cpu/compile.h"

namespace skald::cpu {

struct FailureText {
  std::string message;
  std::string backtrace;
};

// `values` and `frames` are what compiled code gave to skald_rt_fail and skald_rt_add_frame.
FailureText describe_failure(const CompiledProgram& prog, const core::LocTable& locs, int64_t id,
                             std::span<const int64_t> values, std::span<const int32_t> frames);

}  // namespace skald::cpu
