// SPDX-License-Identifier: Apache-2.0
// What back ends that run compiled code have in common: values to slots and back, and the words of
// a failure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "codegen/clike/failure.h"
#include "compile/backend/run_failure.h"
#include "core/ir/program.h"
#include "runtime/context.h"
#include "runtime/values/entry_call.h"
#include "runtime/values/value.h"

namespace skald::compile {

// Calls the code of an entry point with its arguments, the sizes included.  `call` gives the
// failure, or nothing.
Result<std::vector<runtime::Value>, RunFailure> run_on_slots(
    const core::Function& entry, const std::vector<runtime::Value>& args,
    const std::function<std::optional<RunFailure>(std::span<const int64_t> in,
                                                  std::span<int64_t> out)>& call,
    const runtime::FirstPart& first_part = runtime::first_part_on_host);

// The run-time error that a context holds, as the interpreter would word it.  `places` are the
// bytes of the table of places (image_bytes.h).
RunFailure failure_of(const SkaldContext& context,
                      const std::vector<clike::FailureMessage>& messages, std::string_view places);

}  // namespace skald::compile
