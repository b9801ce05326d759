// SPDX-License-Identifier: Apache-2.0
// One invocation of the program: what it read, and how it talks to the user.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/program/loader.h"
#include "driver/options.h"

namespace skald::driver {

// Exit codes: 1 is only for our own bugs.
inline constexpr int kOk = 0;
inline constexpr int kInternalError = 1;
inline constexpr int kUserError = 2;

class Session {
 public:
  explicit Session(const CommonOptions& options);

  const CommonOptions& options() const { return options_; }
  compile::Loader& loader() { return loader_; }
  source::SourceMap& sources() { return loader_.sources(); }
  source::Diagnostics& diagnostics() { return loader_.diagnostics(); }

  // Shows what was found since the last call, on stderr.  True if it contains no error (or, with
  // --Werror, no warning).
  bool report();
  // Draws the findings instead of printing them, for callers that collect output.
  std::string drawn() { return loader_.drawn(); }
  // One sentence on stderr, in the form of the diagnostics: for what has no place in the source.
  void error(std::string_view what);
  // The same, for a command that ends with it.
  int fail(std::string_view what) {
    error(what);
    return kUserError;
  }
  std::string error_text(std::string_view what) const { return loader_.error_text(what); }

  // See compile::Loader.
  std::optional<core::Program> load(const std::string& path) { return loader_.load(path); }
  bool check(const std::string& path) { return loader_.check(path); }

 private:
  CommonOptions options_;
  compile::Loader loader_;
};

}  // namespace skald::driver
