// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/emit/alias.h"

#include <llvm/IR/MDBuilder.h>

namespace skald::cpu {

namespace {
// The lists are quadratic in the number of classes, and long ones slow LLVM down.
constexpr size_t kMaxClasses = 48;
}  // namespace

AliasClasses::AliasClasses(imp::BlockClasses classes, llvm::LLVMContext& ctx)
    : classes_(std::move(classes)) {
  // In a fixed order, for equal output from equal input.
  const std::vector<uint32_t> ids = classes_.representatives();
  if (ids.size() < 2 || ids.size() > kMaxClasses) return;
  llvm::MDBuilder builder(ctx);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain();
  std::vector<llvm::MDNode*> scopes;
  for (size_t k = 0; k < ids.size(); ++k)
    scopes.push_back(builder.createAnonymousAliasScope(domain));
  for (size_t k = 0; k < ids.size(); ++k) {
    std::vector<llvm::Metadata*> others;
    for (size_t other = 0; other < ids.size(); ++other)
      if (other != k) others.push_back(scopes[other]);
    lists_[ids[k]] = {llvm::MDNode::get(ctx, {scopes[k]}), llvm::MDNode::get(ctx, others)};
  }
}

void AliasClasses::annotate(llvm::Instruction* access, core::Name block) {
  if (lists_.empty() || !classes_.knows(block)) return;
  const Lists& lists = lists_.at(classes_.representative(block));
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, lists.scope);
  access->setMetadata(llvm::LLVMContext::MD_noalias, lists.others);
}

}  // namespace skald::cpu
