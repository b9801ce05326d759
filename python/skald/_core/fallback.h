// SPDX-License-Identifier: Apache-2.0
// How often, and for how many bytes, things were left to NumPy.
#pragma once

#include <map>
#include <string>

#include "common.h"

namespace skald::python {

enum class FallbackMode { kQuiet, kWarn, kError };
FallbackMode& fallback_mode();

struct FallbackCount {
  int64_t times = 0, bytes = 0;
};
std::map<std::string, FallbackCount>& fallback_counts();
// False: an exception is set, because the user asked for that.
bool count_fallback(const char* name, int64_t bytes);

}  // namespace skald::python
