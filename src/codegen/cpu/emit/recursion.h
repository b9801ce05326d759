// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves are two: the one that others call, and the one that calls itself.
//
//   i32 f(ctx, parameters…, results…)              environment = {ctx, the end of the stack,
//                                                    the thread's small blocks, if any are used,
//                                                    the parameters that every call hands on as
//                                                    they are, with the addresses of their data}
//   {i32, results…} self(environment, others…)     if there are few results; else through pointers
//
// So a call costs what changes: a tree search has an index to hand on and not five arrays, and
// looks at a register to see whether there is stack left.
#pragma once

#include <optional>
#include <vector>

#include "codegen/cpu/emit/module_emitter.h"

namespace skald::cpu {

class FunctionEmitter;

struct Recursion {
  std::vector<bool> fixed;  // for each parameter: every call hands it on as it is
  llvm::StructType* environment = nullptr;
  llvm::Function* self = nullptr;
  llvm::Function* at_once = nullptr;  // calls/short_calls.cpp; or null
  bool returns_results = false;
  bool handles_blocks = false;
};

// Declares `self`; nothing if the function does not call itself on its own thread.
std::optional<Recursion> find_recursion(ModuleEmitter& module, const imp::Function& fn);
// The function that others call.
void emit_recursion(ModuleEmitter& module, const imp::Function& fn, const Recursion& recursion,
                    llvm::Function* target);

// In `self`: binds the parameters, and leaves if there is too little stack.  Gives the places of
// the results.
enum class StackCheck : uint8_t { kNone, kFirst };
std::vector<llvm::Value*> begin_self(FunctionEmitter& f, StackCheck check = StackCheck::kFirst);
// A call of `self` or `at_once` with the arguments of a call of the function; gives whether it
// failed.
llvm::Value* call_self(FunctionEmitter& f, const std::vector<llvm::Value*>& args);
// The end of `self`, or of any other function.
void return_status(FunctionEmitter& f, const std::vector<llvm::Value*>& results, bool failed);

// ---- calls that end at once (calls/short_calls.cpp)
// Is there a short way through the function on which it calls nothing?
bool has_short_way(const imp::Function& fn);
// Writes `recursion.at_once`.
void emit_short_call(ModuleEmitter& module, const imp::Function& fn, const Recursion& recursion);

}  // namespace skald::cpu
