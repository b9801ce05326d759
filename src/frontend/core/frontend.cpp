// SPDX-License-Identifier: Apache-2.0
#include "frontend/core/frontend.h"

#include "core/text/parse.h"
#include "core/verify/verify.h"

namespace skald::core {

namespace {

using source::Severity;

std::optional<Program> load_text(const std::string& path, source::SourceMap& sources,
                                 source::Diagnostics& diagnostics, const frontend::Options&) {
  const Result<source::FileId> file = sources.load(path);
  if (!file) {
    diagnostics.add({Severity::kError, "", file.error()});
    return std::nullopt;
  }
  Result<Program, source::Diagnostic> prog = parse(*file, sources);
  if (!prog) {
    diagnostics.add(prog.error());
    return std::nullopt;
  }
  const std::vector<std::string> problems = verify(*prog);
  for (const std::string& problem : problems)
    diagnostics.add({Severity::kError, "core-malformed", problem});
  if (!problems.empty()) return std::nullopt;
  return std::move(*prog);
}

bool check_text(const std::string& path, source::SourceMap& sources,
                source::Diagnostics& diagnostics, const frontend::Options& options) {
  return load_text(path, sources, diagnostics, options).has_value();
}

}  // namespace

const frontend::Frontend kFrontend = {
    .name = "core", .extensions = {".core"}, .check = check_text, .load = load_text};

}  // namespace skald::core
