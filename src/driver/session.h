// SPDX-License-Identifier: Apache-2.0
// One invocation of the compiler: the files it read, what it found wrong, and how that is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ir/program.h"
#include "driver/options.h"
#include "source/diagnostic.h"

namespace skald::driver {

// Exit codes: 1 is only for our own bugs.
inline constexpr int kOk = 0;
inline constexpr int kInternalError = 1;
inline constexpr int kUserError = 2;

class Session {
 public:
  explicit Session(const CommonOptions& options) : options_(options) {}

  const CommonOptions& options() const { return options_; }
  source::SourceMap& sources() { return sources_; }
  source::Diagnostics& diagnostics() { return diagnostics_; }

  // Shows what was found since the last call, on stderr.  True if it contains no error (or, with
  // --Werror, no warning).
  bool report();
  // Draws the findings instead of printing them, for callers that collect output.
  std::string drawn();
  // One sentence on stderr, in the form of the diagnostics: for what has no place in the source.
  void error(std::string_view what);
  std::string error_text(std::string_view what) const;

  // A .fut file (checked and elaborated) or a .core file (parsed and verified) → core.  Empty after
  // an error, which is in diagnostics() or, if it has no place, in `problem`.
  std::optional<core::Program> load(const std::string& path);
  // Parses and checks only.
  bool check(const std::string& path);

 private:
  std::optional<core::Program> load_core(const std::string& path);
  std::optional<core::Program> load_futhark(const std::string& path);
  bool exists(const std::string& path);

  CommonOptions options_;
  source::SourceMap sources_;
  source::Diagnostics diagnostics_;
  size_t shown_ = 0;
};

}  // namespace skald::driver
