// SPDX-License-Identifier: Apache-2.0
// imp promises that different names of blocks do not lead to the same written memory unless one
// was assigned or returned from the other.  Here that becomes LLVM's !alias.scope and !noalias.
#include <llvm/IR/MDBuilder.h>

#include <map>

#include "codegen/cpu/emit/function_emitter.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

namespace {
// The lists are quadratic in the number of classes, and long ones slow LLVM down.
constexpr size_t kMaxClasses = 48;
}  // namespace

AliasClasses::AliasClasses(const imp::Function& fn, const imp::SameBlocks& same,
                           llvm::LLVMContext& ctx)
    : same_(same) {
  for (const imp::Decl& d : fn.params)
    if (d.type.is_block()) parent_.emplace(d.name.id, d.name.id);
  collect(fn.body);
  make_lists(ctx);
}

AliasClasses::AliasClasses(const imp::Body& parallel_body, std::span<const core::Name> outer_blocks,
                           const imp::SameBlocks& same, llvm::LLVMContext& ctx)
    : same_(same) {
  for (const core::Name block : outer_blocks) parent_.emplace(block.id, block.id);
  for (const auto& [a, b] : same.at(parallel_body))
    if (parent_.contains(a.id) && parent_.contains(b.id)) unite(a, b);
  collect(parallel_body);
  make_lists(ctx);
}

void AliasClasses::make_lists(llvm::LLVMContext& ctx) {
  std::map<uint32_t, llvm::MDNode*> scopes;  // ordered, for equal output from equal input
  for (const auto& entry : parent_) scopes.emplace(find(entry.first), nullptr);
  if (scopes.size() < 2 || scopes.size() > kMaxClasses) return;
  llvm::MDBuilder builder(ctx);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain();
  for (auto& [id, scope] : scopes) scope = builder.createAnonymousAliasScope(domain);
  for (const auto& [id, scope] : scopes) {
    std::vector<llvm::Metadata*> others;
    for (const auto& [other_id, other] : scopes)
      if (other_id != id) others.push_back(other);
    lists_[id] = {llvm::MDNode::get(ctx, {scope}), llvm::MDNode::get(ctx, others)};
  }
}

uint32_t AliasClasses::find(uint32_t id) {
  uint32_t root = id;
  while (parent_.at(root) != root) root = parent_.at(root);
  while (parent_.at(id) != root) id = std::exchange(parent_.at(id), root);
  return root;
}

void AliasClasses::unite(core::Name a, core::Name b) {
  parent_.emplace(a.id, a.id);
  parent_.emplace(b.id, b.id);
  const uint32_t x = find(a.id), y = find(b.id);
  parent_[std::max(x, y)] = std::min(x, y);
}

void AliasClasses::collect(const imp::Body& body) {
  for (const imp::Stmt& stmt : body.stmts) {
    imp::for_each_binder(stmt, [&](core::Name name, imp::Type type, imp::BinderScope) {
      if (type.is_block()) parent_.emplace(name.id, name.id);
    });
    if (const auto* n = imp::as<imp::BlockVar>(stmt)) {
      if (n->init) unite(n->name, n->init);
    } else if (const auto* n = imp::as<imp::BlockAssign>(stmt)) {
      unite(n->var, n->value);
    } else if (const auto* n = imp::as<imp::Call>(stmt)) {
      // A result may be any of the arguments, or share a block with another result.
      core::Name first = {};
      for (const imp::Decl& d : n->results) {
        if (!d.type.is_block()) continue;
        if (first) unite(first, d.name);
        first = d.name;
        for (const core::Operand& arg : n->args)
          if (const core::Name* name = core::as_name(arg); name && parent_.contains(name->id))
            unite(d.name, *name);
      }
    }
    imp::for_each_body(stmt, [&](const imp::Body& inner) { collect(inner); });
  }
}

bool AliasClasses::may_overlap(core::Name a, core::Name b) {
  if (a == b) return true;
  if (!parent_.contains(a.id) || !parent_.contains(b.id)) return true;
  return find(a.id) == find(b.id);
}

void AliasClasses::annotate(llvm::Instruction* access, core::Name block) {
  if (lists_.empty() || !parent_.contains(block.id)) return;
  const Lists& lists = lists_.at(find(block.id));
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, lists.scope);
  access->setMetadata(llvm::LLVMContext::MD_noalias, lists.others);
}

}  // namespace skald::cpu
