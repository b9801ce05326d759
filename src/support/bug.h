// SPDX-License-Identifier: Apache-2.0
// Internal errors: our own bugs.  Thrown by SKALD_BUG and SKALD_CHECK, caught in the driver, which
// prints how to report them and exits with 1.  Never used for what a user's program or data did.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace skald {

class InternalError : public std::runtime_error {
 public:
  InternalError(const char* file, int line, const std::string& what)
      : std::runtime_error(fmt::format("{}:{}: {}", file, line, what)) {}
};

}  // namespace skald

// SKALD_BUG("no type for {}", name): stops the compilation with an internal error.
#define SKALD_BUG(...) throw ::skald::InternalError(__FILE__, __LINE__, fmt::format(__VA_ARGS__))

// SKALD_CHECK(cond, "…"): SKALD_BUG unless `cond` holds.  Stays on in release builds.
#define SKALD_CHECK(cond, ...)           \
  do {                                   \
    if (!(cond)) SKALD_BUG(__VA_ARGS__); \
  } while (false)
