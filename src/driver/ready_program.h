// SPDX-License-Identifier: Apache-2.0
// A program of which one entry point can be called: compiled now, or taken from the cache.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "driver/backend.h"
#include "driver/session.h"

namespace skald::driver {

struct ReadyProgram {
  // Without code if it came from the cache.
  std::unique_ptr<core::Program> prog;
  const core::Function* entry = nullptr;
  std::unique_ptr<Backend> backend;
  bool from_cache = false;
  // Puts into the cache what was compiled, which may be more after a run than before.
  std::function<void()> keep = [] {};
};

// Empty after an error, which has been shown.
std::optional<ReadyProgram> make_ready(Session& session, const RunOptions& options,
                                       BackendOptions backend_options);

}  // namespace skald::driver
