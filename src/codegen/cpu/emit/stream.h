// SPDX-License-Identifier: Apache-2.0
// Memory ahead of its use, and stores past the caches.
#pragma once

#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

// What memory and caches exchange.
inline constexpr uint64_t kLineBytes = 64;

// Copies so.
void stream(FunctionEmitter& f, llvm::Value* dest, llvm::Value* src, llvm::Value* bytes);
void set_past_caches(FunctionEmitter& f, llvm::StoreInst* store);
void stream_fence(FunctionEmitter& f);
// Is it the beginning of a cache line?
llvm::Value* is_line(FunctionEmitter& f, llvm::Value* address);

// Asks for the line of an address, which need not exist.
enum class CacheLevel : uint8_t { kFirst = 3, kSecond = 2 };
void prefetch(FunctionEmitter& f, llvm::Value* address, CacheLevel level = CacheLevel::kFirst);
// How many elements ahead of a point the thread's next chunk begins; null if that is not known.
llvm::Value* next_chunk_of(FunctionEmitter& f);

}  // namespace skald::cpu
