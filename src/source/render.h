// SPDX-License-Identifier: Apache-2.0
// How diagnostics are shown: drawn with the source excerpt, or as JSON lines.
#pragma once

#include <string>

#include "source/diagnostic.h"

namespace skald::source {

enum class Colour : uint8_t { kNever, kAlways };

// Several lines, ending with a line break.
std::string render(const Diagnostic& d, const SourceMap& sources, Colour colour);

// One JSON object on one line: severity, code, message, labels with file/line/column, why, hint.
std::string render_json(const Diagnostic& d, const SourceMap& sources);

// `text` as a JSON string literal, quotes included.
std::string json_string(std::string_view text);

}  // namespace skald::source
