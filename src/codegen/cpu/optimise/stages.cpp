// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/optimise/stages.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace skald::cpu {

bool separate_stages(llvm::Function& fn) {
  std::vector<llvm::Instruction*> marks;
  for (llvm::Instruction& at : llvm::instructions(fn))
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&at);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::sideeffect)
      marks.push_back(&at);
  for (llvm::Instruction* mark : marks) {
    llvm::IRBuilder<> b(mark);
    llvm::MDNode* text = llvm::MDNode::get(b.getContext(), {});
    b.CreateIntrinsic(llvm::Intrinsic::codeview_annotation, {},
                      {llvm::MetadataAsValue::get(b.getContext(), text)});
    mark->eraseFromParent();
  }
  return !marks.empty();
}

}  // namespace skald::cpu
