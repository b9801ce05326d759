// SPDX-License-Identifier: Apache-2.0
// The tree-walking interpreter: the reference semantics of core at every stage.
//
// What passes and back ends are compared with, so it follows exp.h to the letter and takes nothing
// for granted: accesses outside of an array, shapes that differ from their types, and memory plans
// that leave their block are errors here even where a program is unsafe or a pass was wrong.
//
//   Order       Everything runs in order, reductions and scans from the left starting with the
//               neutral element, so results are the same on every machine.
//   Arrays      are values: an update changes only its result.  It works in place if nobody else
//               holds the array, which is so where a program consumes it.
//   Stage       MEMORY is taken literally: an array with a place is the bytes at that place,
//   kernels
//               and copies write there at once, updates are in place whoever else looks.  A wrong
//               plan therefore gives a wrong result.
//   Memory      Arrays may take what the machine has left when the interpretation starts.
//
// Functions are compiled to a form with slots instead of names when they are first called; see
// code.h for it, machine.h for what runs it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/program.h"
#include "core/tuning/tuning.h"
#include "support/result.h"

namespace skald::core {

// An array in row-major order; `data` has prim_size(elem) bytes per element.  A scalar has an empty
// shape.
struct ArrayValue {
  Prim elem = Prim::kI32;
  std::vector<int64_t> shape;
  std::shared_ptr<std::vector<std::byte>> data;
};

// What the user's data did wrong: Futhark's wording, and where.
struct RuntimeError {
  std::string message;    // "Index [5] out of bounds for array of shape [3]."
  std::string backtrace;  // LocTable::backtrace of the failing statement, with the calls around it
  // Not the program's fault: a limit was reached, or there was no memory.
  bool gave_up = false;
  // "time-limit", "memory-limit", "stack-limit": of a limit that the user has set.
  std::string code = {};
};

struct InterpOptions {
  // Stops with a RuntimeError when calls nest deeper than this.
  int max_call_depth = 50'000;
  // Receives what #[trace] prints, line by line.
  std::function<void(const std::string&)> trace = {};
  Tuning tuning = {};
  // Gives up after so many seconds; 0: never.
  double time_limit = 0;
  // Bytes that blocks may have together, and those of them that the caller uses already; 0: as many
  // as the machine has.
  int64_t memory_limit = 0, memory_used = 0;
  // Bytes of the interpreter's stack for calls; 0: as many as it has.
  int64_t stack_limit = 0;
};

// Runs function `fn` (its name in the program).  The arguments and results are those of the core
// function, sizes included, so the caller passes sizes as i64 scalars.
Result<std::vector<ArrayValue>, RuntimeError> interpret(const Program& prog, std::string_view fn,
                                                        std::vector<ArrayValue> args,
                                                        const InterpOptions& options = {});

}  // namespace skald::core
