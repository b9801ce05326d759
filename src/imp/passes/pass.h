// SPDX-License-Identifier: Apache-2.0
// What a pass of imp is, and the runner that times, limits and verifies it.
//
// A pass is one function `Program verb_object(Program, PassContext&)` in one file; all passes are
// rows of one table and the pipeline of each target is a list, both in pipelines.cpp.  What passes
// may ask and how they are run is the same as for core (support/pass.h, passes/pass.h).
#pragma once

#include <string_view>
#include <vector>

#include "imp/ir/imp.h"
#include "machine/vector_registers.h"
#include "support/pass.h"
#include "support/result.h"

namespace skald::imp {

// What passes may know about the machine that runs the program.
struct Device {
  // What lanes run in.
  machine::VectorRegisters registers = {};
  // Does `simd for` run in lanes?  If not, LLVM may find loops of its own to make vectors of.
  bool lanes = true;
  // Are there stores that go to memory past the caches?
  bool streams = false;
  // Must runs end when their time is over?  Then `polls` comes last.
  bool limits_time = false;
};

using PassContext = BasicPassContext<Device>;
using PassOptions = BasicPassOptions<Device>;
using PassFunction = Program (*)(Program, PassContext&);

struct PassInfo {
  std::string_view name;         // also the command-line flag
  std::string_view description;  // one line
  PassFunction run;
  std::vector<Target> targets;  // what the code may be for
  bool is_for(Target target) const;
};

// Every pass, in the order of the pipelines.
const std::vector<PassInfo>& all_passes();
const PassInfo* find_pass(std::string_view name);
// The passes that a program goes through after lowering.
std::vector<std::string_view> pipeline_for(Target target);

// Runs the passes in order.  Fails with a sentence if a name is unknown or a pass is not for the
// program's target.
Result<Program> run_passes(Program prog, const std::vector<std::string_view>& names,
                           const PassOptions& options = {});

}  // namespace skald::imp
