// SPDX-License-Identifier: Apache-2.0
// Core → the interpreter's form.
#pragma once

#include "core/interp/code/code.h"
#include "core/tuning/tuning.h"

namespace skald::core::interp {

// Where each name of a program lives; shared by all its functions, because names are unique.
struct NameSlot {
  Kind kind = Kind::kNone;
  Prim elem = Prim::kI32;
  int rank = 0;
  Slot slot = 0;
};
using NameSlots = std::vector<NameSlot>;

// Compiles `fn` into `out`.
void compile_function(const Program& prog, const Function& fn, const Tuning& tuning,
                      NameSlots& slots, FunctionCode& out);

}  // namespace skald::core::interp
