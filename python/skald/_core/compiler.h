// SPDX-License-Identifier: Apache-2.0
// The compiler as a library that is loaded, and the thread in which it works while NumPy goes on.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "plan_cache.h"

namespace skald::python {

inline double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Loads it, the first time.
bool has_compiler();
// Has somebody needed it so far?
bool compiler_is_loaded();
void note_failure(std::string message);
// While the caller waits.
void compile_now(CachedPlan* plan);
// In the background, with a run on copies of what is at hand, or on zeros in its place.
void compile_later(CachedPlan* plan, const lazy::PlanWriter& writer);
// Around a fork: nobody changes the queue or runs a plan; then, in the child, the thread is gone.
void hold_compiler();
void release_compiler();
void forget_compiler_thread();
// Puts the code of a plan that has run on disk, in the background.
void keep_later(CachedPlan* plan);
// The same for all plans that ran and have more code than before; not for longer than this.
void keep_plans(double seconds);
// Does it call functions of the user?
bool has_calls(const lazy::PlanWriter& writer);
// The sizes and constants of a call.
void add_numbers(CachedPlan* plan, const lazy::PlanWriter& writer, lazy::EngineCall& call);
// The tables of a loop, up to this round; they must live as long as the call.
using TableMemory = std::vector<std::unique_ptr<std::byte[]>>;
void add_tables(CachedPlan* plan, const lazy::PlanWriter& writer, int64_t rounds,
                lazy::EngineCall& call, TableMemory& memory);
// Gives a copy of the array away; the caller owns a reference.  Null: not enough memory.
Buffer* add_copy(lazy::EngineCall& call, const Node* node);

}  // namespace skald::python
