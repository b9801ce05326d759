// SPDX-License-Identifier: Apache-2.0
// Accesses of those lanes only that the mask names.
//
// For AVX-512, LLVM 19 makes vectors of 128 bits of smaller ones and leaves open whether the lanes
// that it adds are in the mask: bytes behind the vector are overwritten then.  So vectors get their
// 128 bits here, with lanes that are off.
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/memory.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// How many lanes an access has: those of the vector, or as many as 128 bits hold.
unsigned accessed_lanes(const VectorEmitter& vec, Prim type) {
  constexpr unsigned kRegisterBytes = 16;
  const unsigned least = kIsArm64 ? 1 : kRegisterBytes / static_cast<unsigned>(prim_size(type));
  return std::max(vec.lane_count, least);
}

// The vector, followed by lanes of the other one.
Value* widened_to(VectorEmitter& vec, Value* narrow, Value* others, unsigned lanes) {
  std::vector<int> which;
  for (unsigned lane = 0; lane < lanes; ++lane)
    which.push_back(static_cast<int>(std::min(lane, vec.lane_count)));
  return vec.b.CreateShuffleVector(narrow, others, which);
}

Value* mask_of(VectorEmitter& vec, unsigned lanes) {
  Value* mask = vec.bits(vec.mask);
  if (lanes == vec.lane_count) return mask;
  return widened_to(vec, mask, llvm::Constant::getNullValue(mask->getType()), lanes);
}

}  // namespace

Value* load_masked(VectorEmitter& vec, core::Name block, Prim type, Value* address) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  const unsigned lanes = accessed_lanes(vec, type);
  llvm::Type* whole = llvm::FixedVectorType::get(element, lanes);
  llvm::Instruction* loaded = vec.b.CreateMaskedLoad(
      whole, address, align_of(type), mask_of(vec, lanes), llvm::Constant::getNullValue(whole));
  annotate(vec, loaded, block);
  if (lanes == vec.lane_count) return loaded;
  std::vector<int> first;
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) first.push_back(static_cast<int>(lane));
  return vec.b.CreateShuffleVector(loaded, first);
}

void store_masked(VectorEmitter& vec, core::Name block, Prim type, Value* address,
                  Value* in_memory) {
  const unsigned lanes = accessed_lanes(vec, type);
  Value* all =
      lanes == vec.lane_count
          ? in_memory
          : widened_to(vec, in_memory, llvm::Constant::getNullValue(in_memory->getType()), lanes);
  annotate(vec, vec.b.CreateMaskedStore(all, address, align_of(type), mask_of(vec, lanes)), block);
}

}  // namespace skald::cpu
