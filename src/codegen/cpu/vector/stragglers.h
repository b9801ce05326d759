// SPDX-License-Identifier: Apache-2.0
// The last lanes of a loop (imp::Stragglers).
#pragma once

#include <functional>

#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

// So many lanes go on one by one (in the block `alone`), after some rounds; 0 if they stay
// together.
struct Few {
  unsigned lanes = 0;
  llvm::AllocaInst* rounds = nullptr;
  llvm::BasicBlock* alone = nullptr;
};
Few few_lanes(VectorEmitter& vec, imp::Stragglers stragglers);

// Goes on with all lanes, with single ones if they are few, or after the loop.
void go_on(VectorEmitter& vec, llvm::Value* mask, const Few& few, llvm::BasicBlock* inside,
           llvm::BasicBlock* after);

// A name of lanes that a loop uses.
struct Straggling {
  core::Name name;
  bool changed = false;
  llvm::AllocaInst* memory = nullptr;  // of all lanes
};
std::vector<Straggling> used_in(const VectorEmitter& vec, const core::Operand& first,
                                const imp::Body& round);
// `rounds` emits those of one lane.
void finish_alone(VectorEmitter& vec, std::vector<Straggling> used, llvm::Value* left,
                  const std::function<void()>& rounds);

}  // namespace skald::cpu
