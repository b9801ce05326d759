// SPDX-License-Identifier: Apache-2.0
// Compiled plans on disk (runtime/disk_cache.h), so that a script that was run before does not wait
// for the compiler.
//
// The key is the code of the plan with the names of its operations, this build and this machine.
// Sizes are no part of a plan, so a script finds its plans again for other data.
#pragma once

#include <memory>
#include <optional>

#include "compile/lazy/engine.h"
#include "compile/program/program.h"
#include "support/hash.h"

namespace skald::lazy {

// Empty: it cannot be kept.  Functions that are called have numbers of this process alone.
std::optional<Hash128> key_of_plan(const compile::Engine& engine, const std::vector<int64_t>& code,
                                   const std::vector<std::string>& op_names);
bool is_plan_kept(Hash128 key);
// Null: it is not there, or of no use.
std::unique_ptr<compile::Program> find_plan(Hash128 key, std::shared_ptr<compile::Engine> engine);

// What a process keeps of one plan.
class KeptPlan {
 public:
  explicit KeptPlan(std::optional<Hash128> key) : key_(key) {}
  // Writes what was compiled, if that is more than before.
  void keep(compile::Program& program);
  void was_found(compile::Program& program) { kept_ = hash128(program.image()); }

 private:
  std::optional<Hash128> key_;
  Hash128 kept_;
};

}  // namespace skald::lazy
