// SPDX-License-Identifier: Apache-2.0
// Blocks of the heap, taken and given back.
//
// Where code does so again and again (functions that call themselves, points of kernels), small
// blocks come from the lists of the thread and go there without a call of the runtime
// (SkaldSmallBlocks in runtime/abi.h): for arrays of a few elements the calls would take longer
// than all that is done with them.
#pragma once

#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

// Does the code take or give back blocks, apart from the bodies of parallel loops?
bool handles_blocks(const imp::Body& body);
// The lists of the thread, for FunctionEmitter::small_blocks.
llvm::Value* own_small_blocks(ModuleEmitter& module, llvm::IRBuilder<>& b, llvm::Value* ctx);

// A block with one reference; null after a failure.
llvm::Value* take_block(FunctionEmitter& f, llvm::Value* bytes);
// Gives one reference back; null is allowed.
void give_back_block(FunctionEmitter& f, llvm::Value* block);

}  // namespace skald::cpu
