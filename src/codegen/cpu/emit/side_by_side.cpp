// SPDX-License-Identifier: Apache-2.0
// Scalar loops with checks: a few iterations side by side, statement by statement, so that a check
// is one branch for all of them.
//
//   x = is[i]                     x0 = is[i]; x1 = is[i+1]; x2 = …
//   check(x < n)                  if (!(x0 < n && x1 < n && …)) goto repeat
//   ys[i] = xs[x]                 ys[i] = xs[x0]; ys[i+1] = xs[x1]; …
//
// After a failing check plain code repeats the group, as in vector code (vector/loop.cpp).  With
// `beside` whole iterations run side by side, with `ahead` only what the checks need, before the
// rest:
//
//   x = is[i]                     x0 = is[i]; x1 = is[i+1]; …
//   check(x < n)                  if (!(x0 < n && x1 < n && …)) goto repeat
//   t = xs[x]; acc = acc + t      acc = acc + xs[x0]; acc = acc + xs[x1]; …
#include <llvm/IR/MDBuilder.h>

#include <unordered_set>

#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/optimise/optimise.h"
#include "imp/ir/visit.h"
#include "imp/simd/plan_parts.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Emits the groups and the plain loop; `inside` gets the first iteration of a group and where a
// failing check goes.
template <class Inside>
void checked_groups(FunctionEmitter& f, const imp::For& loop, unsigned beside,
                    const Inside& inside) {
  Value* begin = f.value(loop.begin);
  Value* end = f.value(loop.end);
  llvm::BasicBlock* before = f.b.GetInsertBlock();
  llvm::BasicBlock* head = f.new_block("groups");
  llvm::BasicBlock* group = f.new_block("group");
  llvm::BasicBlock* repeat = f.new_block("repeat");
  f.b.CreateBr(head);
  f.b.SetInsertPoint(head);
  llvm::PHINode* first = f.b.CreatePHI(begin->getType(), 2);
  first->addIncoming(begin, before);
  Value* size = llvm::ConstantInt::get(begin->getType(), beside);
  // Never wraps: there is an iteration left before the difference is taken.
  Value* some = f.b.CreateICmpSLT(first, end);
  Value* many = f.b.CreateICmpUGE(f.b.CreateSub(end, first), size);
  f.b.CreateCondBr(f.b.CreateAnd(some, many), group, repeat);
  f.b.SetInsertPoint(group);
  f.poll(loop.mark);
  inside(first, repeat);
  first->addIncoming(f.b.CreateNSWAdd(first, size), f.b.GetInsertBlock());
  f.b.CreateBr(head);
  f.b.SetInsertPoint(repeat);
  Value* one = llvm::ConstantInt::get(begin->getType(), 1);
  f.leave_scalar(f.counted_loop(first, end, one, loop.var, loop.type, loop.body, loop.mark));
}

// One statement for all iterations of a group; `own` says what names stand for in each.
void beside(FunctionEmitter& f, const imp::Stmt& s, std::vector<Slots>& own,
            llvm::BasicBlock* repeat) {
  const auto enter = [&](const Slots& slots) {
    for (const auto& [id, slot] : slots) f.slots[id] = slot;
  };
  if (const auto* check = imp::as<imp::Check>(s)) {
    Value* fine = f.b.getTrue();
    for (const Slots& slots : own) {
      enter(slots);
      fine = f.b.CreateAnd(fine, f.value(check->cond));
    }
    llvm::BasicBlock* go_on = f.new_block("checked");
    f.b.CreateCondBr(fine, go_on, repeat,
                     llvm::MDBuilder(f.module.context()).createLikelyBranchWeights());
    f.b.SetInsertPoint(go_on);
    return;
  }
  for (Slots& slots : own) {
    enter(slots);
    imp::visit(s.node, [&](const auto& n) { emit_stmt(f, n); });
    imp::for_each_binder(s, [&](core::Name name, const imp::Type&, imp::BinderScope) {
      slots[name.id] = f.slots.at(name.id);
    });
  }
}

std::vector<Slots> counters(FunctionEmitter& f, const imp::For& loop, Value* first,
                            unsigned beside) {
  std::vector<Slots> own(beside);
  for (unsigned k = 0; k < beside; ++k) {
    Value* i = f.b.CreateNSWAdd(first, llvm::ConstantInt::get(first->getType(), k));
    own[k][loop.var.id] = Slot{.type = imp::scalar(loop.type), .value = i};
  }
  return own;
}

}  // namespace

void side_by_side(FunctionEmitter& f, const imp::For& loop) {
  const auto size = static_cast<unsigned>(loop.beside);
  f.fn->addFnAttr(kKeepScalars);
  checked_groups(f, loop, size, [&](Value* first, llvm::BasicBlock* repeat) {
    std::vector<Slots> own = counters(f, loop, first, size);
    for (const imp::Stmt& s : loop.body.stmts) beside(f, s, own, repeat);
  });
}

void checks_ahead(FunctionEmitter& f, const imp::For& loop) {
  std::unordered_set<core::Name> needed;
  const std::unordered_set<const imp::Stmt*> ahead = imp::checks_and_needs(loop.body, needed);
  const auto size = static_cast<unsigned>(loop.ahead);
  f.fn->addFnAttr(kKeepScalars);
  checked_groups(f, loop, size, [&](Value* first, llvm::BasicBlock* repeat) {
    std::vector<Slots> own = counters(f, loop, first, size);
    for (const imp::Stmt& s : loop.body.stmts)
      if (ahead.contains(&s)) beside(f, s, own, repeat);
    for (const Slots& slots : own) {
      for (const auto& [id, slot] : slots) f.slots[id] = slot;
      f.open_scope();
      for (const imp::Stmt& s : loop.body.stmts)
        if (!ahead.contains(&s)) imp::visit(s.node, [&](const auto& n) { emit_stmt(f, n); });
      f.close_scope();
    }
  });
}

}  // namespace skald::cpu
