// SPDX-License-Identifier: Apache-2.0
// Parses one value of the text format.  Part of ValueReader.
#pragma once

#include <optional>

#include "runtime/values/input.h"
#include "runtime/values/value_reader.h"

namespace skald::runtime {

// The cursor is at the first character of the value.  `rank` is -1 if any will do.
Result<Value, ReadError> parse_text_value(Input& input, std::optional<Prim> type, int rank);

}  // namespace skald::runtime
