// SPDX-License-Identifier: Apache-2.0
// Run-time errors as diagnostics: the place in the source, and who called.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compile/backend/run_failure.h"
#include "source/diagnostic.h"

namespace skald::compile {

// A line of a back trace: "-> #0  a.fut:3:5-3:9 in lookup".
struct BacktraceFrame {
  std::string_view place;
  std::string_view function;  // may be empty
};
// Innermost first.
std::vector<BacktraceFrame> frames_of(std::string_view backtrace);

// A place such as "a.fut:3:5-3:9", if its file can be read.
std::optional<source::Span> find_span(source::SourceMap& sources, std::string_view place);

// The second line of a message is about the names that the failing place uses; it stands there.
// Reads the files that the back trace names, if `sources` does not have them.  Places that cannot
// be read are in the text only.
source::Diagnostic diagnose(const RunFailure& failure, source::SourceMap& sources);

}  // namespace skald::compile
