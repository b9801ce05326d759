// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace skald::driver {

// "no value", "1 value", "3 values".
std::string count_text(size_t count, std::string_view noun);
// With quotes around it.
std::string json_text(std::string_view text);

}  // namespace skald::driver
