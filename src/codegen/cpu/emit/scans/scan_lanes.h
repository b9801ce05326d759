// SPDX-License-Identifier: Apache-2.0
// The operators of scans in vector registers (imp::ScanBlock, imp::ScanRows), on scalars and lanes.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/ir/exp.h"

namespace skald::cpu {

// x op neutral is x, bit by bit.
llvm::Constant* neutral_of(core::BinOpKind op, Prim prim, llvm::Type* type);

llvm::Value* combine_lanes(llvm::IRBuilder<>& b, core::BinOpKind op, Prim prim, llvm::Value* x,
                           llvm::Value* y);

}  // namespace skald::cpu
