// SPDX-License-Identifier: Apache-2.0
// Transpositions of blocks of memory.
#pragma once

#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

// `rows` rows of `columns` elements become columns.  Strides are in elements; a block without a
// name is one that only a group of lanes knows.
struct Transposition {
  Prim type = Prim::kI64;
  llvm::Value *src = nullptr, *src_stride = nullptr;
  llvm::Value *dest = nullptr, *dest_stride = nullptr;
  llvm::Value *rows = nullptr, *columns = nullptr;
  core::Name src_block = {}, dest_block = {};
};

void transpose(FunctionEmitter& f, const Transposition& n);

}  // namespace skald::cpu
