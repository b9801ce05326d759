// SPDX-License-Identifier: Apache-2.0
// What the files of the lazy engine share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/backend/backend.h"
#include "frontend/lazy/engine_api.h"
#include "frontend/lazy/lower/callees.h"
#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

// One engine for each back end, opened when it is first needed.
Result<std::shared_ptr<compile::Engine>> engine_of(const std::string& backend);
// How programs are compiled: every pass is checked where SKALD_VERIFY_PLANS is set, as in tests.
compile::ProgramOptions program_options();
// An array of a call in the engine's memory.  An array that is lent keeps its copy there.
Result<runtime::Value> engine_value(compile::Engine& engine, EngineArray& array);
// Calls an entry point; the results go to `call`.
bool run_entry(compile::Engine& engine, compile::Executable& executable,
               const core::Function& entry, std::vector<runtime::Value> args, EngineCall& call,
               std::string& message);

DType dtype_of(Prim prim);
// Functions that plans call; they are never removed.
const Callee& find_callee(int64_t id);
LoweredPlan lower_code(const std::vector<int64_t>& code, const std::vector<std::string>& op_names,
                       Plan& plan, Machine machine = Machine::kHost);
extern const CalleeApi kCalleeApi;

}  // namespace skald::lazy
