// SPDX-License-Identifier: Apache-2.0
#include "driver/session.h"

#include <cstdio>

namespace skald::driver {

Session::Session(const CommonOptions& options)
    : options_(options),
      loader_({.frontend = {.warnings = options.warnings || options.warnings_are_errors,
                            .safe = options.safe},
               .warnings_are_errors = options.warnings_are_errors,
               .json = options.json_diagnostics,
               .colour = options.colour}) {}

bool Session::report() {
  std::fputs(drawn().c_str(), stderr);
  return loader_.accepts();
}

void Session::error(std::string_view what) {
  std::fputs(error_text(what).c_str(), stderr);
}

}  // namespace skald::driver
