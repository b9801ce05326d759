// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/frontend.h"

#include "frontend/nesl/check/check.h"
#include "frontend/nesl/elaborate/elaborate.h"

namespace skald::nesl {

namespace {

std::optional<core::Program> load_file(const std::string& path, source::SourceMap& sources,
                                       source::Diagnostics& diagnostics,
                                       const frontend::Options& options) {
  static_cast<void>(options);
  const std::unique_ptr<CheckedProgram> checked = check_program(path, sources, diagnostics);
  if (checked == nullptr) return std::nullopt;
  core::Program core;
  if (!elaborate(*checked, sources, diagnostics, core)) return std::nullopt;
  return core;
}

// What cannot be compiled is said here, too.
bool check_file(const std::string& path, source::SourceMap& sources,
                source::Diagnostics& diagnostics, const frontend::Options& options) {
  return load_file(path, sources, diagnostics, options).has_value();
}

}  // namespace

const frontend::Frontend kFrontend = {.name = "nesl",
                                      .extensions = {".nesl"},
                                      .check = check_file,
                                      .load = load_file,
                                      .has_forms = true};

}  // namespace skald::nesl
