// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/frontend.h"

#include "frontend/futhark/check/check.h"
#include "frontend/futhark/elaborate/elaborate.h"
#include "frontend/futhark/parse/parse.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark {

namespace {

std::unique_ptr<CheckedProgram> checked(const std::string& path, source::SourceMap& sources,
                                        source::Diagnostics& diagnostics,
                                        const frontend::Options& options, bool only_messages) {
  auto program = check_program(
      path, sources, diagnostics,
      {.warnings = options.warnings, .only_messages = only_messages, .progress = options.progress});
  diagnostics.sort_by_position();
  return program;
}

bool check_file(const std::string& path, source::SourceMap& sources,
                source::Diagnostics& diagnostics, const frontend::Options& options) {
  return checked(path, sources, diagnostics, options, true) != nullptr;
}

std::optional<core::Program> load_file(const std::string& path, source::SourceMap& sources,
                                       source::Diagnostics& diagnostics,
                                       const frontend::Options& options) {
  const auto program = checked(path, sources, diagnostics, options, false);
  if (program == nullptr) return std::nullopt;
  core::Program core;
  if (!elaborate(*program, sources, diagnostics, {.safe = options.safe}, core)) return std::nullopt;
  return core;
}

std::string show_syntax(source::FileId file, source::SourceMap& sources,
                        source::Diagnostics& diagnostics) {
  return pretty(parse_program(file, sources, diagnostics));
}

}  // namespace

const frontend::Frontend kFrontend = {.name = "futhark",
                                      .extensions = {".fut"},
                                      .check = check_file,
                                      .load = load_file,
                                      .show_syntax = show_syntax};

}  // namespace skald::futhark
