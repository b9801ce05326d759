// SPDX-License-Identifier: Apache-2.0
// The pages of docs/errors/, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace skald::driver {

struct ErrorPage {
  std::string_view code;
  std::string_view text;
};

// Sorted by code.
std::span<const ErrorPage> error_pages();

}  // namespace skald::driver
