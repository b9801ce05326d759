// SPDX-License-Identifier: Apache-2.0
#include "driver/test/pattern.h"

#include <regex.h>

namespace skald::driver {

Result<bool> matches_pattern(const std::string& pattern, const std::string& text) {
  if (pattern.empty()) return true;
  regex_t compiled;
  if (const int error = regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
    char message[200];
    regerror(error, &compiled, message, sizeof message);
    return Failure(fmt::format("`{}` is not a regular expression: {}", pattern, message));
  }
  const bool matches = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return matches;
}

}  // namespace skald::driver
