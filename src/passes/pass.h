// SPDX-License-Identifier: Apache-2.0
// What a pass is, and the runner that times, verifies and dumps around it.
//
// A pass is one function `core::Program verb_object(core::Program, PassContext&)` in one file; all
// passes are rows of one table and all pipelines are lists, both in pipelines.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/program.h"
#include "support/result.h"

namespace skald::passes {

// What one run of a pass may use and must count.
class PassContext {
 public:
  explicit PassContext(uint64_t limit = UINT64_MAX) : limit_(limit) {}

  // Asks to do one rewrite.  False once `--limit=PASS:N` is used up: then leave the code as it is.
  bool may_rewrite() {
    if (rewrites_ >= limit_) return false;
    ++rewrites_;
    return true;
  }
  uint64_t rewrites() const { return rewrites_; }

 private:
  uint64_t limit_;
  uint64_t rewrites_ = 0;
};

using PassFunction = core::Program (*)(core::Program, PassContext&);

struct PassInfo {
  std::string_view name;         // also the command-line flag
  std::string_view description;  // one line
  PassFunction run;
  core::Stage from, to;
  // A lowering step: leaving it out would make the next pass fail.
  bool required = false;
};

// Every pass, in the order of the pipelines.
const std::vector<PassInfo>& all_passes();
const PassInfo* find_pass(std::string_view name);
// The passes that take a fresh stage-SOACS program to `stage`.
std::vector<std::string_view> pipeline_to(core::Stage stage);

struct PassEvent {
  std::string_view pass;
  double milliseconds = 0;
  uint64_t rewrites = 0;
  const core::Program* program = nullptr;
};

struct PassOptions {
  bool verify = true;
  std::unordered_set<std::string> disabled = {};          // --disable=PASS
  std::unordered_map<std::string, uint64_t> limits = {};  // --limit=PASS:N
  std::string stop_after = {};                            // --after=PASS
  std::function<void(const PassEvent&)> on_pass = {};     // after every pass
};

// Runs the passes in order.  Fails with a sentence if a name is unknown or a pass does not fit the
// stage.
Result<core::Program> run_passes(core::Program prog, const std::vector<std::string_view>& names,
                                 const PassOptions& options = {});

}  // namespace skald::passes
