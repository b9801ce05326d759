// SPDX-License-Identifier: Apache-2.0
#include "driver/words.h"

#include <fmt/format.h>

namespace skald::driver {

std::string count_text(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count == 0 ? "no" : std::to_string(count), noun,
                     count == 1 ? "" : "s");
}

}  // namespace skald::driver
