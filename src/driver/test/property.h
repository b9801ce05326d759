// SPDX-License-Identifier: Apache-2.0
// Properties: entry points of type t -> bool with the attribute `prop`, which must give true for
// every argument.  We look for one that does not, and then for a smaller one.
//
//   #[prop]                                   arguments are made up
//   #[prop(gen(f), shrink(g), size(10))]      f : i64 -> u64 -> t takes a size and a random number,
//                                             g : t -> u64 -> t gives something smaller
//
// Without `shrink`, elements of arrays are removed; without `gen`, numbers are made smaller too.
#pragma once

#include "compile/program/host_program.h"
#include "driver/test/run_program.h"

namespace skald::driver {

CaseReport test_property(const core::Program& prog, compile::HostProgram& program,
                         const std::string& name, const TestOptions& options);

}  // namespace skald::driver
