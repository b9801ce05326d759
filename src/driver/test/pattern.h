// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/result.h"

namespace skald::driver {

// Does the POSIX extended regular expression match somewhere in the text?  A newline is an ordinary
// character.  Fails if the expression is malformed.
Result<bool> matches_pattern(const std::string& pattern, const std::string& text);

}  // namespace skald::driver
