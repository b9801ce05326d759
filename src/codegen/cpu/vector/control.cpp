// SPDX-License-Identifier: Apache-2.0
// Branches, loops and checks in vector code.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/optimise/optimise.h"
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/statements.h"
#include "codegen/cpu/vector/stragglers.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

template <class Inside>
void if_any(VectorEmitter& vec, Value* mask, const Inside& inside) {
  llvm::BasicBlock* some = vec.f.new_block("some");
  llvm::BasicBlock* after = vec.f.new_block("none");
  vec.b.CreateCondBr(vec.any(mask), some, after);
  vec.b.SetInsertPoint(some);
  inside();
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(after);
}

// The lanes that are active.
Value* active_mask(VectorEmitter& vec) {
  return vec.mask != nullptr ? vec.mask : llvm::Constant::getAllOnesValue(vec.mask_type());
}

Value* is_less(VectorEmitter& vec, Prim type, Value* a, Value* b) {
  return is_signed_int(type) ? vec.b.CreateICmpSLT(a, b) : vec.b.CreateICmpULT(a, b);
}

}  // namespace

void emit_lanes(VectorEmitter& vec, const imp::If& n) {
  if (n.branch == imp::Branch::kTaken) return vec.body(n.then_body);
  if (n.branch != imp::Branch::kMask) {
    llvm::BasicBlock* yes = vec.f.new_block("then");
    llvm::BasicBlock* no = vec.f.new_block("else");
    llvm::BasicBlock* after = vec.f.new_block("after");
    vec.b.CreateCondBr(vec.scalar(n.cond), yes, no);
    vec.b.SetInsertPoint(yes);
    vec.body(n.then_body);
    vec.b.CreateBr(after);
    vec.b.SetInsertPoint(no);
    vec.body(n.else_body);
    vec.b.CreateBr(after);
    vec.b.SetInsertPoint(after);
    return;
  }
  Value* cond = vec.vector(n.cond);
  const auto side = [&](const imp::Body& inner, Value* mask, bool skips) {
    if (inner.stmts.empty()) return;
    if (!skips) return vec.divergent_body(inner, mask);
    if_any(vec, mask, [&] { vec.divergent_body(inner, mask); });
  };
  Value* yes = vec.and_mask(cond);
  Value* no = nullptr;
  if (!n.else_body.stmts.empty()) {
    Value* active = active_mask(vec);
    no = vec.b.CreateXor(active, yes);
  }
  side(n.then_body, yes, n.skips_then);
  if (no != nullptr) side(n.else_body, no, n.skips_else);
}

void emit_lanes(VectorEmitter& vec, const imp::While& n) {
  llvm::BasicBlock* head = vec.f.new_block("while");
  llvm::BasicBlock* inside = vec.f.new_block("body");
  llvm::BasicBlock* after = vec.f.new_block("after");
  if (!n.masked) {
    vec.b.CreateBr(head);
    vec.b.SetInsertPoint(head);
    vec.b.CreateCondBr(vec.scalar(n.cond), inside, after);
    vec.b.SetInsertPoint(inside);
    vec.f.poll(n.mark);
    vec.body(n.body);
    vec.b.CreateBr(head);
    vec.b.SetInsertPoint(after);
    return;
  }
  llvm::AllocaInst* live = vec.f.variable(vec.mask_type());
  vec.b.CreateStore(active_mask(vec), live);
  const Few few = few_lanes(vec, n.alone);
  vec.b.CreateBr(head);
  vec.b.SetInsertPoint(head);
  Value* going_on =
      vec.b.CreateAnd(vec.b.CreateLoad(vec.mask_type(), live), vec.widen(vec.vector(n.cond)));
  vec.b.CreateStore(going_on, live);
  go_on(vec, going_on, few, inside, after);
  vec.b.SetInsertPoint(inside);
  vec.f.poll(n.mark);
  vec.divergent_body(n.body, going_on);
  vec.b.CreateBr(head);
  if (few.lanes > 0) {
    vec.b.SetInsertPoint(few.alone);
    finish_alone(vec, used_in(vec, n.cond, n.body), going_on, [&] { emit_stmt(vec.f, n); });
    vec.b.CreateBr(after);
  }
  vec.b.SetInsertPoint(after);
}

namespace {

// A bool is stored like a mask.
Value* wanted_lanes(VectorEmitter& vec, core::Name exit) {
  return vec.b.CreateLoad(vec.mask_type(), vec.slots.at(exit.id).variable);
}

// One counter for all lanes.
void count_together(VectorEmitter& vec, const imp::For& n) {
  const bool is_signed = is_signed_int(n.type), divergent = n.masked;
  llvm::BasicBlock* head = vec.f.new_block("head");
  llvm::BasicBlock* inside = vec.f.new_block("body");
  llvm::BasicBlock* after = vec.f.new_block("after");
  const core::Name exit = n.until;
  Value* begin = vec.scalar(n.begin);
  Value* step = vec.scalar(n.step);
  // Loops that differ only in when they have nothing more to do count together.
  const bool same_end = vec.is_uniform(n.end);
  Value* end = same_end ? vec.scalar(n.end) : vec.vector(n.end);
  const Few few = divergent ? few_lanes(vec, n.alone) : Few{};
  llvm::BasicBlock* before = vec.b.GetInsertBlock();
  vec.b.CreateBr(head);
  vec.b.SetInsertPoint(head);
  llvm::PHINode* i = vec.b.CreatePHI(begin->getType(), 2);
  i->addIncoming(begin, before);
  Value* mask = vec.mask;
  if (same_end) {
    llvm::BasicBlock* goes_on = exit ? vec.f.new_block("goes_on") : inside;
    vec.b.CreateCondBr(is_less(vec, n.type, i, end), goes_on, after);
    if (exit) vec.b.SetInsertPoint(goes_on);
  } else {
    mask = vec.and_mask(is_less(vec, n.type, vec.splat(i), end));
  }
  if (exit && !vec.is_uniform(exit)) {
    Value* wanted = wanted_lanes(vec, exit);
    mask = mask == nullptr ? wanted : vec.b.CreateAnd(mask, wanted);
  }
  if (divergent)
    go_on(vec, mask, few, inside, after);
  else if (exit)
    vec.b.CreateCondBr(vec.scalar(exit), inside, after);
  if (few.lanes > 0) {
    vec.b.SetInsertPoint(few.alone);
    finish_alone(vec, used_in(vec, n.end, n.body), mask, [&] {
      vec.f.counted_loop(i, vec.f.value(n.end), step, n.var, n.type, n.body, n.mark, exit);
    });
    vec.b.CreateBr(after);
  }
  vec.b.SetInsertPoint(inside);
  vec.f.poll(n.mark);
  vec.f.bind(n.var, n.type, i);
  if (divergent)
    vec.divergent_body(n.body, mask);
  else
    vec.body(n.body);
  // Some lane is active, so the sum is a value that this lane has.
  i->addIncoming(vec.b.CreateAdd(i, step, "", !is_signed, is_signed), vec.b.GetInsertBlock());
  vec.b.CreateBr(head);
  vec.b.SetInsertPoint(after);
}

// Every lane counts on its own; those that are through stay so, even if their counter wraps.
void count_apart(VectorEmitter& vec, const imp::For& n) {
  llvm::BasicBlock* head = vec.f.new_block("head");
  llvm::BasicBlock* inside = vec.f.new_block("body");
  llvm::BasicBlock* after = vec.f.new_block("after");
  Value* end = vec.vector(n.end);
  Value* step = vec.vector(n.step);
  llvm::AllocaInst* live = vec.f.variable(vec.mask_type());
  vec.b.CreateStore(active_mask(vec), live);
  llvm::Type* type = vec.vector_type(value_type(vec.f.module.context(), n.type));
  llvm::AllocaInst* counter = vec.f.variable(type);
  vec.b.CreateStore(vec.vector(n.begin), counter);
  vec.b.CreateBr(head);
  vec.b.SetInsertPoint(head);
  Value* i = vec.b.CreateLoad(type, counter);
  Value* going_on = vec.b.CreateAnd(vec.b.CreateLoad(vec.mask_type(), live),
                                    vec.widen(is_less(vec, n.type, i, end)));
  if (n.until && !vec.is_uniform(n.until))
    going_on = vec.b.CreateAnd(going_on, wanted_lanes(vec, n.until));
  vec.b.CreateStore(going_on, live);
  vec.b.CreateCondBr(vec.any(going_on), inside, after);
  vec.b.SetInsertPoint(inside);
  vec.f.poll(n.mark);
  vec.bind(n.var, n.type, {Shape::kVarying, i, nullptr});
  vec.divergent_body(n.body, going_on);
  vec.b.CreateStore(vec.b.CreateAdd(i, step), counter);
  vec.b.CreateBr(head);
  vec.b.SetInsertPoint(after);
}

// Indices that have just been loaded are needed as scalars, to gather; where comparing those is as
// cheap as comparing vectors, nothing has to be moved between registers.
Value* all_in_range(VectorEmitter& vec, Value* cond) {
  auto* compared = llvm::dyn_cast<llvm::ICmpInst>(cond);
  if (!kIsArm64 || vec.mask != nullptr || compared == nullptr ||
      compared->getPredicate() != llvm::ICmpInst::ICMP_ULT)
    return nullptr;
  Value* bound = llvm::getSplatValue(compared->getOperand(1));
  auto* load = llvm::dyn_cast<llvm::LoadInst>(compared->getOperand(0));
  if (bound == nullptr || load == nullptr || llvm::isa<llvm::AllocaInst>(load->getPointerOperand()))
    return nullptr;
  vec.f.fn->addFnAttr(kKeepScalars);
  Value* fine = vec.b.getTrue();
  for (unsigned lane = 0; lane < vec.lane_count; ++lane)
    fine = vec.b.CreateAnd(fine, vec.b.CreateICmpULT(vec.extract(load, lane), bound));
  return fine;
}

}  // namespace

void emit_lanes(VectorEmitter& vec, const imp::For& n) {
  return n.counter == Shape::kUniform ? count_together(vec, n) : count_apart(vec, n);
}

void emit_lanes(VectorEmitter& vec, const imp::Check& n) {
  if (vec.is_uniform(n.cond)) return vec.repeat_unless(vec.scalar(n.cond));
  if (Value* fine = all_in_range(vec, vec.vector(n.cond))) return vec.repeat_unless(fine);
  Value* failing = vec.and_mask(vec.b.CreateNot(vec.vector(n.cond)));
  vec.repeat_unless(vec.b.CreateNot(vec.any(failing)));
}

}  // namespace skald::cpu
