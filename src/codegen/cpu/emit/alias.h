// SPDX-License-Identifier: Apache-2.0
// Which names of blocks may lead to the same memory becomes LLVM's !alias.scope and !noalias.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>

#include <unordered_map>

#include "imp/analysis/block_classes.h"

namespace skald::cpu {

// Of one function that is emitted.
class AliasClasses {
 public:
  AliasClasses(imp::BlockClasses classes, llvm::LLVMContext& ctx);
  const imp::SameBlocks& same() const { return classes_.same(); }
  // Says of a load or store to `block` what it cannot overlap with.
  void annotate(llvm::Instruction* access, core::Name block);
  bool may_overlap(core::Name a, core::Name b) { return classes_.may_overlap(a, b); }

 private:
  imp::BlockClasses classes_;
  struct Lists {
    llvm::MDNode *scope = nullptr, *others = nullptr;
  };
  std::unordered_map<uint32_t, Lists> lists_;  // by representative
};

}  // namespace skald::cpu
