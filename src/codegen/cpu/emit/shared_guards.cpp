// SPDX-License-Identifier: Apache-2.0
// A few guarded updates in a row, such as those of a histogram whose keys may have no bin: mostly
// all of them run, and one branch finds that out.
//
//   k0 = keys[i];   if (k0 < n) { bins[k0] += 1 }        k0 = keys[i]; k1 = keys[i+1]; …
//   k1 = keys[i+1]; if (k1 < n) { bins[k1] += 1 }   →    if (k0 < n && k1 < n && …)
//   …                                                      { bins[k0] += 1; bins[k1] += 1; … }
//                                                        else { one after the other, as before }
//
// AArch64 puts the conditions together in one instruction each (ccmp); x86 compares and branches in
// one, and gains nothing.
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/target/target.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr size_t kFewestGuards = 3, kMostGuards = 8, kMostInGuard = 16;

// Stores behind a guard, and what they need.
bool is_update(const imp::Body& body, std::vector<core::Name>& written) {
  for (const imp::Stmt& s : body.stmts) {
    if (const auto* n = imp::as<imp::Store>(s)) {
      written.push_back(n->block);
    } else if (imp::as<imp::Let>(s) == nullptr && imp::as<imp::Load>(s) == nullptr) {
      return false;
    }
  }
  return body.stmts.size() <= kMostInGuard;
}

}  // namespace

bool guards_together(FunctionEmitter& f, const imp::Body& body) {
  if (!kIsArm64 || body.stmts.size() > kMostGuards * kMostInGuard) return false;
  std::vector<const imp::If*> guards;
  std::vector<core::Name> read, written;
  for (const imp::Stmt& s : body.stmts) {
    if (const auto* n = imp::as<imp::If>(s)) {
      if (n->maybe || !n->else_body.stmts.empty() || !is_update(n->then_body, written))
        return false;
      guards.push_back(n);
    } else if (const auto* n = imp::as<imp::Load>(s)) {
      read.push_back(n->block);
    } else if (imp::as<imp::Let>(s) == nullptr) {
      return false;
    }
  }
  if (guards.size() < kFewestGuards || guards.size() > kMostGuards) return false;
  // What comes between the guards moves before them.
  for (const core::Name w : written)
    for (const core::Name r : read)
      if (f.aliases.may_overlap(w, r)) return false;
  f.open_scope();
  for (const imp::Stmt& s : body.stmts)
    if (imp::as<imp::If>(s) == nullptr) imp::visit(s.node, [&](const auto& n) { emit_stmt(f, n); });
  Value* all = f.b.getTrue();
  for (const imp::If* guard : guards) all = f.b.CreateAnd(all, f.value(guard->cond));
  llvm::BasicBlock* together = f.new_block("together");
  llvm::BasicBlock* apart = f.new_block("apart");
  llvm::BasicBlock* after = f.new_block("after");
  f.b.CreateCondBr(all, together, apart,
                   llvm::MDBuilder(f.module.context()).createLikelyBranchWeights());
  f.b.SetInsertPoint(together);
  for (const imp::If* guard : guards) f.body(guard->then_body);
  f.b.CreateBr(after);
  f.b.SetInsertPoint(apart);
  for (const imp::If* guard : guards) emit_stmt(f, *guard);
  f.b.CreateBr(after);
  f.b.SetInsertPoint(after);
  f.close_scope();
  return true;
}

}  // namespace skald::cpu
