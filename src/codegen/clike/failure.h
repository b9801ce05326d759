// SPDX-License-Identifier: Apache-2.0
// The messages of failing checks, and how a failure is worded: as the interpreter would.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::clike {

// One of the values given with a failure, perhaps shown more than once.
struct FailureValue {
  Prim type = Prim::kI64;
  uint32_t number = 0;
  friend bool operator==(const FailureValue&, const FailureValue&) = default;
};

// What a check in the program says when it fails.  Lines after the first say more about the names
// in the text of the program: "`i` is 10, `xs` has shape [5]".
struct FailureMessage {
  std::vector<std::variant<std::string, FailureValue>> parts;
  core::Loc loc = {};
};

// The message of a check; `values` are the operands that the runtime is given with a failure, each
// once.
FailureMessage failure_message(const imp::Check& check,
                               const std::function<Prim(const core::Operand&)>& type_of,
                               std::vector<core::Operand>& values);

struct FailureText {
  std::string message;
  std::string backtrace;
  std::string code = {};  // "time-limit", for a limit that the user has set; docs/errors has more
};

// `id`, `values` and `frames` are what runtime::RunError says.
FailureText describe_failure(const std::vector<FailureMessage>& messages,
                             const core::LocTable& locs, int64_t id,
                             std::span<const int64_t> values, std::span<const int32_t> frames);

}  // namespace skald::clike
