// SPDX-License-Identifier: Apache-2.0
// How lanes get at memory.
#pragma once

#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

llvm::Value* load(VectorEmitter& vec, core::Name block, Prim type, const Lanes& index,
                  LaneAccess how);
void store(VectorEmitter& vec, core::Name block, Prim type, const Lanes& index, llvm::Value* v,
           LaneAccess how);
// How the lanes of a copy get at their elements.
LaneAccess access_for(const VectorEmitter& vec, core::Name block, Prim type, const Lanes& index,
                      bool is_load);
// A constant stride for which vector loads pay, or 0.
int64_t small_stride(llvm::Value* stride);

// A bool is an i8 in memory.
llvm::Value* to_memory(VectorEmitter& vec, Prim type, llvm::Value* v);
llvm::Value* from_memory(VectorEmitter& vec, Prim type, llvm::Value* v);
// Says what an access cannot overlap with.
llvm::Instruction* annotate(VectorEmitter& vec, llvm::Instruction* access, core::Name block);
inline llvm::Align align_of(Prim type) {
  return llvm::Align(static_cast<uint64_t>(prim_size(type)));
}
// The mask as something of which `is_active` asks for single lanes; null if there is none.
llvm::Value* active_lanes(VectorEmitter& vec);
llvm::Value* is_active(VectorEmitter& vec, llvm::Value* active, unsigned lane);

// ---- of lanes in the mask, where the machine has such accesses (masked.cpp)
llvm::Value* load_masked(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* address);
void store_masked(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* address,
                  llvm::Value* in_memory);

// ---- by instructions of their own (gather.cpp)
llvm::Value* gather_at_once(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* index);
llvm::Value* gather_or_load(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* index);
void scatter_at_once(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* index,
                     llvm::Value* in_memory);
void scatter_or_store(VectorEmitter& vec, core::Name block, Prim type, llvm::Value* index,
                      llvm::Value* in_memory);

// ---- arrays of the lanes' own (own_arrays.cpp)
llvm::Value* load_private(VectorEmitter& vec, const LaneSlot& slot, Prim type, const Lanes& index);
void store_private(VectorEmitter& vec, const LaneSlot& slot, Prim type, const Lanes& index,
                   llvm::Value* v);

}  // namespace skald::cpu
