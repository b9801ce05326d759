// SPDX-License-Identifier: Apache-2.0
// The messages of failing checks, and how a failure is worded: as the interpreter would.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/program.h"

namespace skald::clike {

// What a check in the program says when it fails.
struct FailureMessage {
  // Text, or the type of the next value given with the failure.
  std::vector<std::variant<std::string, Prim>> parts;
  core::Loc loc = {};
};

struct FailureText {
  std::string message;
  std::string backtrace;
};

// `id`, `values` and `frames` are what runtime::RunError says.
FailureText describe_failure(const std::vector<FailureMessage>& messages,
                             const core::LocTable& locs, int64_t id,
                             std::span<const int64_t> values, std::span<const int32_t> frames);

}  // namespace skald::clike
