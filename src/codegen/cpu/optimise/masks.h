// SPDX-License-Identifier: Apache-2.0
// Conditions of vectors, said so that LLVM's code generator makes of them what the machine has:
// ordinary vectors of integers (NEON) or registers of single bits (AVX-512).
#pragma once

#include <llvm/IR/Function.h>

namespace skald::cpu {

bool is_vector_of_bits(const llvm::Type* type);

// Both give whether anything has changed.

// For NEON: choices between vectors become bitwise operations with masks of the right width where
// LLVM would take conditions apart.
bool widen_masks(llvm::Function& fn);
// For AVX-512: pieces of conditions become conditions of pieces.
bool split_conditions(llvm::Function& fn);

}  // namespace skald::cpu
