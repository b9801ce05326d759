// SPDX-License-Identifier: Apache-2.0
// Errors of the C interface: every function ends in `guarded`, which catches what must not reach a
// C program, and keeps the words for skald_last_error.
#pragma once

#include <skald/skald.h>

#include <functional>
#include <new>
#include <string>

#include "support/bug.h"

namespace skald::c_api {

// What went wrong, or SKALD_OK.
struct [[nodiscard]] Outcome {
  skald_status status = SKALD_OK;
  std::string text = {}, code = {}, place = {};
};

inline Outcome failed(skald_status status, std::string text) {
  return {status, std::move(text)};
}

// Keeps the words of a failure for this thread.
skald_status finish(Outcome outcome) noexcept;
skald_status finish_without_memory() noexcept;

template <class Body>
skald_status guarded(Body&& body) noexcept {
  try {
    return finish(body());
  } catch (const std::bad_alloc&) {
    return finish_without_memory();
  } catch (const std::exception& bug) {
    try {
      return finish(
          failed(SKALD_INTERNAL_ERROR,
                 std::string("internal error: ") + bug.what() +
                     "\nThis is a bug in Skald, not in your program.  Please report it."));
    } catch (...) {
      return finish_without_memory();
    }
  }
}

}  // namespace skald::c_api
