// SPDX-License-Identifier: Apache-2.0
// Branches, loops and checks in vector code.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/cpu/optimise/optimise.h"
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/vector_emitter.h"
#include "core/scalar/slow_ops.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

template <class Inside>
void VectorEmitter::if_any(Value* mask, const Inside& inside) {
  llvm::BasicBlock* some = f_.new_block("some");
  llvm::BasicBlock* after = f_.new_block("none");
  b_.CreateCondBr(any(mask), some, after);
  b_.SetInsertPoint(some);
  inside();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void VectorEmitter::divergent_body(const imp::Body& inner, Value* mask) {
  const int outer_context = std::exchange(context_, ++contexts_);
  Value* outer_mask = std::exchange(mask_, mask);
  body(inner);
  mask_ = outer_mask;
  context_ = outer_context;
}

// Nothing but a few operators: cheaper to run for all lanes than to ask whether some lane needs it.
bool VectorEmitter::is_cheap(const imp::Body& body, int& budget) const {
  for (const imp::Stmt& stmt : body.stmts) {
    if (--budget < 0) return false;
    if (const auto* n = imp::as<imp::Let>(stmt)) {
      if (const auto* e = std::get_if<core::BinOp>(&n->exp)) {
        const bool slow = core::is_division(e->op) || core::is_function(e->op);
        const bool product = is_int(e->type) && core::as_const(e->rhs) != nullptr;
        if (slow && !product && !analysis_.is_uniform(n->name)) return false;
      }
      if (const auto* e = std::get_if<core::UnOp>(&n->exp))
        if (e->op >= core::UnOpKind::kSqrt && is_float(e->type)) return false;
      continue;
    }
    if (const auto* n = imp::as<imp::If>(stmt)) {
      if (!is_cheap(n->then_body, budget) || !is_cheap(n->else_body, budget)) return false;
      continue;
    }
    if (imp::as<imp::Var>(stmt) == nullptr && imp::as<imp::Assign>(stmt) == nullptr) return false;
  }
  return true;
}

// Loads that no lane needs are as good as none, where single lanes can be left out of them.
bool VectorEmitter::only_reads(const imp::Body& body) const {
  return std::ranges::all_of(body.stmts, [&](const imp::Stmt& stmt) {
    if (const auto* n = imp::as<imp::Load>(stmt))
      return has_masked_access(n->type) && analysis_.is_contiguous(n->index);
    return imp::as<imp::Let>(stmt) != nullptr || imp::as<imp::Assign>(stmt) != nullptr;
  });
}

void VectorEmitter::stmt(const imp::If& n) {
  if (analysis_.is_taken(n) && !analysis_.is_uniform(n.cond)) return body(n.then_body);
  if (!analysis_.is_divergent(&n)) {
    llvm::BasicBlock* yes = f_.new_block("then");
    llvm::BasicBlock* no = f_.new_block("else");
    llvm::BasicBlock* after = f_.new_block("after");
    b_.CreateCondBr(scalar(n.cond), yes, no);
    b_.SetInsertPoint(yes);
    body(n.then_body);
    b_.CreateBr(after);
    b_.SetInsertPoint(no);
    body(n.else_body);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    return;
  }
  Value* cond = vector(n.cond);
  const auto side = [&](const imp::Body& inner, Value* mask) {
    if (inner.stmts.empty()) return;
    constexpr int kCheapStatements = 12;
    int budget = kCheapStatements;
    if ((n.maybe && only_reads(inner)) || is_cheap(inner, budget))
      return divergent_body(inner, mask);
    if_any(mask, [&] { divergent_body(inner, mask); });
  };
  Value* yes = and_mask(cond);
  Value* no = nullptr;
  if (!n.else_body.stmts.empty()) {
    Value* active = mask_ != nullptr ? mask_ : llvm::Constant::getAllOnesValue(mask_type());
    no = b_.CreateXor(active, yes);
  }
  side(n.then_body, yes);
  if (no != nullptr) side(n.else_body, no);
}

void VectorEmitter::stmt(const imp::While& n) {
  llvm::BasicBlock* head = f_.new_block("while");
  llvm::BasicBlock* inside = f_.new_block("body");
  llvm::BasicBlock* after = f_.new_block("after");
  if (!analysis_.is_divergent(&n)) {
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    b_.CreateCondBr(scalar(n.cond), inside, after);
    b_.SetInsertPoint(inside);
    body(n.body);
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    return;
  }
  llvm::AllocaInst* live = f_.variable(mask_type());
  b_.CreateStore(mask_ != nullptr ? mask_ : llvm::Constant::getAllOnesValue(mask_type()), live);
  const Few few = few_lanes(n.body);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* going_on = b_.CreateAnd(b_.CreateLoad(mask_type(), live), widen(vector(n.cond)));
  b_.CreateStore(going_on, live);
  go_on(going_on, few, inside, after);
  b_.SetInsertPoint(inside);
  divergent_body(n.body, going_on);
  b_.CreateBr(head);
  if (few.lanes > 0) {
    b_.SetInsertPoint(few.alone);
    finish_alone(used_in(n.cond, n.body), going_on, [&] { f_.stmt(n); });
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void VectorEmitter::stmt(const imp::For& n) {
  const bool is_signed = is_signed_int(n.type);
  const auto less = [&](Value* a, Value* b) {
    return is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
  };
  const bool divergent = analysis_.is_divergent(&n);
  llvm::BasicBlock* head = f_.new_block("head");
  llvm::BasicBlock* inside = f_.new_block("body");
  llvm::BasicBlock* after = f_.new_block("after");
  const core::Name exit = analysis_.exit_variable(n);
  const bool same_exit = !exit || analysis_.is_uniform(exit);
  if (analysis_.is_uniform(n.var)) {
    Value* begin = scalar(n.begin);
    Value* step = scalar(n.step);
    // Loops that differ only in when they have nothing more to do count together.
    const bool same_end = analysis_.is_uniform(n.end);
    Value* end = same_end ? scalar(n.end) : vector(n.end);
    const Few few = divergent ? few_lanes(n.body) : Few{};
    llvm::BasicBlock* before = b_.GetInsertBlock();
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(begin->getType(), 2);
    i->addIncoming(begin, before);
    Value* mask = mask_;
    if (same_end) {
      llvm::BasicBlock* go_on = exit ? f_.new_block("goes_on") : inside;
      b_.CreateCondBr(less(i, end), go_on, after);
      if (exit) b_.SetInsertPoint(go_on);
    } else {
      mask = and_mask(less(splat(i), end));
    }
    if (exit && !same_exit) {
      // A bool is stored like a mask.
      Value* wanted = b_.CreateLoad(mask_type(), slots_.at(exit.id).variable);
      mask = mask == nullptr ? wanted : b_.CreateAnd(mask, wanted);
    }
    if (divergent)
      go_on(mask, few, inside, after);
    else if (exit)
      b_.CreateCondBr(scalar(exit), inside, after);
    if (few.lanes > 0) {
      b_.SetInsertPoint(few.alone);
      std::vector<Straggling> used = used_in(n.end, n.body);
      finish_alone(std::move(used), mask,
                   [&] { f_.counted_loop(i, f_.value(n.end), step, n.var, n.type, n.body, exit); });
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(inside);
    f_.bind(n.var, n.type, i);
    if (divergent)
      divergent_body(n.body, mask);
    else
      body(n.body);
    // Some lane is active, so the sum is a value that this lane has.
    i->addIncoming(b_.CreateAdd(i, step, "", !is_signed, is_signed), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    return;
  }
  // Every lane counts on its own; those that are through stay so, even if their counter wraps.
  Value* end = vector(n.end);
  Value* step = vector(n.step);
  llvm::AllocaInst* live = f_.variable(mask_type());
  b_.CreateStore(mask_ != nullptr ? mask_ : llvm::Constant::getAllOnesValue(mask_type()), live);
  llvm::Type* type = vector_type(value_type(f_.m_.context(), n.type));
  llvm::AllocaInst* counter = f_.variable(type);
  b_.CreateStore(vector(n.begin), counter);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* i = b_.CreateLoad(type, counter);
  Value* going_on = b_.CreateAnd(b_.CreateLoad(mask_type(), live), widen(less(i, end)));
  if (exit && !same_exit)
    going_on = b_.CreateAnd(going_on, b_.CreateLoad(mask_type(), slots_.at(exit.id).variable));
  b_.CreateStore(going_on, live);
  b_.CreateCondBr(any(going_on), inside, after);
  b_.SetInsertPoint(inside);
  bind(n.var, n.type, {Shape::kVarying, i, nullptr});
  divergent_body(n.body, going_on);
  b_.CreateStore(b_.CreateAdd(i, step), counter);
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
}

void VectorEmitter::repeat_unless(Value* fine) {
  llvm::BasicBlock* go_on = f_.new_block("checked");
  b_.CreateCondBr(fine, go_on, repeat_,
                  llvm::MDBuilder(f_.m_.context()).createLikelyBranchWeights());
  b_.SetInsertPoint(go_on);
}

// Indices that have just been loaded are needed as scalars, to gather; where comparing those is as
// cheap as comparing vectors, nothing has to be moved between registers.
Value* VectorEmitter::all_in_range(Value* cond) {
  auto* compared = llvm::dyn_cast<llvm::ICmpInst>(cond);
  if (!kIsArm64 || mask_ != nullptr || compared == nullptr ||
      compared->getPredicate() != llvm::ICmpInst::ICMP_ULT)
    return nullptr;
  Value* bound = llvm::getSplatValue(compared->getOperand(1));
  auto* load = llvm::dyn_cast<llvm::LoadInst>(compared->getOperand(0));
  if (bound == nullptr || load == nullptr || llvm::isa<llvm::AllocaInst>(load->getPointerOperand()))
    return nullptr;
  f_.fn_->addFnAttr(kKeepScalars);
  Value* fine = b_.getTrue();
  for (unsigned lane = 0; lane < lanes_; ++lane)
    fine = b_.CreateAnd(fine, b_.CreateICmpULT(extract(load, lane), bound));
  return fine;
}

void VectorEmitter::stmt(const imp::Check& n) {
  if (analysis_.is_uniform(n.cond)) return repeat_unless(scalar(n.cond));
  if (Value* fine = all_in_range(vector(n.cond))) return repeat_unless(fine);
  Value* failing = and_mask(b_.CreateNot(vector(n.cond)));
  repeat_unless(b_.CreateNot(any(failing)));
}

}  // namespace skald::cpu
