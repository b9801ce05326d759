// SPDX-License-Identifier: Apache-2.0
// Reading programs: the files, what is wrong with them, and how that is shown.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "compile/backend/run_failure.h"
#include "core/ir/program.h"
#include "frontend/frontend.h"
#include "source/diagnostic.h"

namespace skald::compile {

struct LoaderOptions {
  frontend::Options frontend = {};
  bool warnings_are_errors = false;
  // How diagnostics are drawn.
  bool json = false;
  bool colour = false;
};

class Loader {
 public:
  explicit Loader(const LoaderOptions& options = {}) : options_(options) {}

  const LoaderOptions& options() const { return options_; }
  source::SourceMap& sources() { return sources_; }
  source::Diagnostics& diagnostics() { return diagnostics_; }
  const source::Diagnostics& diagnostics() const { return diagnostics_; }

  // Reads and checks a program, by the front end that its name asks for, or by the one given.
  // Empty after an error, which is in diagnostics().
  std::optional<core::Program> load(const std::string& path,
                                    const frontend::Frontend* frontend = nullptr);
  bool check(const std::string& path);
  // From now on, who reads long programs says how far it is.
  void show_progress(source::Progress progress) {
    options_.frontend.progress = std::move(progress);
  }

  // What was found since the last call, as text.
  std::string drawn();
  // One sentence in the form of the diagnostics, for what has no place in the source.
  std::string error_text(std::string_view what) const;
  // A run-time error, with an excerpt of the place.
  std::string failure_text(const RunFailure& failure);
  // No error was found, and no warning if these are errors.
  bool accepts() const;

 private:
  void check_derivatives(const core::Program& prog);
  void warn_of_integers(const core::Program& prog);

  LoaderOptions options_;
  source::SourceMap sources_;
  source::Diagnostics diagnostics_;
  size_t shown_ = 0;
};

}  // namespace skald::compile
