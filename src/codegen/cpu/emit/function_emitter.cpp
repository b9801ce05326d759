// SPDX-License-Identifier: Apache-2.0
// Values, blocks, scopes and the frame of a function.  The statements are in stmts.cpp and
// parallel.cpp.
#include "codegen/cpu/emit/function_emitter.h"

#include <llvm/IR/MDBuilder.h>

#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* fn,
                                 const imp::Function& source, AliasClasses& aliases)
    : m_(module),
      fn_(fn),
      source_(source),
      aliases_(aliases),
      b_(module.context()),
      scalars_(b_, module.module()),
      entry_(llvm::BasicBlock::Create(module.context(), "variables", fn)) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(module.context(), "start", fn));
  if (module.vector_registers().long_operations) scalars_.use_long_operations();
}

// ---- values

Value* FunctionEmitter::value(const core::Operand& operand) {
  if (const core::Const* c = core::as_const(operand)) return constant(m_.context(), *c);
  const Slot& slot = slots_.at(core::as_name(operand)->id);
  if (slot.variable == nullptr) return slot.value;
  return b_.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
}

Value* FunctionEmitter::data(core::Name block) {
  return value(block);
}

Value* FunctionEmitter::block_pointer(core::Name block) {
  const Slot& slot = slots_.at(block.id);
  if (slot.block_variable == nullptr) return slot.block;
  return b_.CreateLoad(b_.getPtrTy(), slot.block_variable);
}

Value* FunctionEmitter::element(core::Name block, Prim type, const core::Operand& index) {
  Value* base = data(block);
  return b_.CreateInBoundsGEP(memory_type(m_.context(), type), base, value(index));
}

Value* FunctionEmitter::load(Prim type, Value* address, core::Name block) {
  auto* access = b_.CreateAlignedLoad(memory_type(m_.context(), type), address,
                                      llvm::Align(static_cast<uint64_t>(prim_size(type))));
  aliases_.annotate(access, block);
  if (type != Prim::kBool) return access;
  return b_.CreateTrunc(access, b_.getInt1Ty());
}

void FunctionEmitter::store(Prim type, Value* address, Value* v, core::Name block) {
  if (type == Prim::kBool) v = b_.CreateZExt(v, b_.getInt8Ty());
  auto* access =
      b_.CreateAlignedStore(v, address, llvm::Align(static_cast<uint64_t>(prim_size(type))));
  aliases_.annotate(access, block);
}

void FunctionEmitter::bind(core::Name name, Prim type, Value* v) {
  slots_[name.id] = Slot{.type = imp::scalar(type), .value = v};
}

llvm::AllocaInst* FunctionEmitter::variable(llvm::Type* type, const llvm::Twine& name) {
  llvm::IRBuilder<> at_entry(entry_);
  return at_entry.CreateAlloca(type, nullptr, name);
}

Value* FunctionEmitter::exp(const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::Value>(&exp)) return value(e->arg);
  if (const auto* e = std::get_if<core::UnOp>(&exp))
    return scalars_.unop(e->op, e->type, value(e->arg));
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return scalars_.binop(e->op, e->type, value(e->lhs), value(e->rhs));
  if (const auto* e = std::get_if<core::CmpOp>(&exp))
    return scalars_.cmpop(e->op, e->type, value(e->lhs), value(e->rhs));
  if (const auto* e = std::get_if<core::TernOp>(&exp))
    return scalars_.ternop(e->op, e->type, value(e->a), value(e->b), value(e->c));
  if (const auto* e = std::get_if<core::Convert>(&exp))
    return scalars_.convert(e->from, e->to, value(e->arg));
  if (const auto* e = std::get_if<core::Bitcast>(&exp)) {
    if (e->from == e->to && is_int(e->from) && prim_size(e->from) >= 4)
      return as_it_is(value(e->arg));
    return scalars_.bitcast(e->from, e->to, value(e->arg));
  }
  const auto* e = std::get_if<core::Select>(&exp);
  return b_.CreateSelect(value(e->cond), value(e->then), value(e->otherwise));
}

// A bitcast from a type to itself: LLVM must not look into the value, so it computes it before it
// is used (no instruction, but an end to reassociation).
Value* FunctionEmitter::as_it_is(Value* value) {
  return b_.CreateCall(as_it_is_asm(value->getType()), {value});
}

llvm::InlineAsm* FunctionEmitter::as_it_is_asm(llvm::Type* of) {
  return llvm::InlineAsm::get(llvm::FunctionType::get(of, {of}, false), "", "=r,0", false);
}

// ---- blocks

// Makes room for a block that this function owns; it holds nothing yet.
void FunctionEmitter::own(core::Name name) {
  Slot slot{.type = imp::block(), .owned = true};
  slot.variable = variable(b_.getPtrTy());
  llvm::IRBuilder<> at_entry(entry_);
  // The size is set when it is known.
  if (owned_table_ == nullptr) owned_table_ = at_entry.CreateAlloca(b_.getPtrTy(), b_.getInt64(1));
  slot.block_variable =
      at_entry.CreateConstInBoundsGEP1_64(b_.getPtrTy(), owned_table_, owned_count_++);
  slots_[name.id] = slot;
  scopes_.back().owned.push_back(name);
}

void FunctionEmitter::finish_variables() {
  llvm::IRBuilder<> at_entry(entry_);
  if (owned_table_ != nullptr) {
    owned_table_->setOperand(0, b_.getInt64(owned_count_));
    at_entry.CreateMemSet(owned_table_, b_.getInt8(0), 8 * owned_count_, llvm::Align(8));
  }
  at_entry.CreateBr(entry_->getNextNode());
}

void FunctionEmitter::set_block(Slot& slot, Value* block, Value* data) {
  b_.CreateStore(block, slot.block_variable);
  b_.CreateStore(data, slot.variable);
}

void FunctionEmitter::release(core::Name name) {
  const Slot& slot = slots_.at(name.id);
  b_.CreateCall(m_.runtime("skald_rt_release", b_.getVoidTy(), {b_.getPtrTy()}),
                {block_pointer(name)});
  b_.CreateStore(llvm::ConstantPointerNull::get(b_.getPtrTy()), slot.block_variable);
}

// SkaldBlock::data is the first field, and does not change.
Value* FunctionEmitter::load_data_pointer(Value* block) {
  auto* pointer = b_.CreateLoad(b_.getPtrTy(), block);
  pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context(), {}));
  return pointer;
}

// ---- control

llvm::BasicBlock* FunctionEmitter::new_block(const char* name) {
  return llvm::BasicBlock::Create(m_.context(), name, fn_);
}

llvm::BasicBlock* FunctionEmitter::failure_exit() {
  if (failure_exit_ == nullptr) failure_exit_ = new_block("failure");
  return failure_exit_;
}

void FunctionEmitter::branch_if_failed(Value* failed, core::Loc loc) {
  if (!failed->getType()->isIntegerTy(1)) failed = b_.CreateICmpNE(failed, b_.getInt32(0));
  llvm::BasicBlock* go_on = new_block("go_on");
  llvm::BasicBlock* unwind = loc.index == 0 ? failure_exit() : new_block("unwind");
  b_.CreateCondBr(failed, unwind, go_on,
                  llvm::MDBuilder(m_.context()).createUnlikelyBranchWeights());
  if (loc.index != 0) {
    b_.SetInsertPoint(unwind);
    add_frame(loc);
    b_.CreateBr(failure_exit());
  }
  b_.SetInsertPoint(go_on);
}

void FunctionEmitter::add_frame(core::Loc loc) {
  b_.CreateCall(m_.runtime("skald_rt_add_frame", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt32Ty()}),
                {ctx_, b_.getInt32(loc.index)});
}

void FunctionEmitter::emit_failure_exit() {
  if (failure_exit_ == nullptr) return;
  b_.SetInsertPoint(failure_exit_);
  if (owned_table_ != nullptr) {
    llvm::CallInst* call = b_.CreateCall(
        m_.runtime("skald_rt_release_all", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}),
        {owned_table_, b_.getInt64(owned_count_)});
    call->addParamAttr(0, llvm::Attribute::NoCapture);
  }
  if (scratch_mark_ != nullptr)
    b_.CreateCall(m_.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                  {b_.CreateLoad(b_.getInt64Ty(), scratch_mark_)});
  b_.CreateRet(b_.getInt32(1));
}

void FunctionEmitter::close_scope() {
  Scope& scope = scopes_.back();
  for (auto name = scope.owned.rbegin(); name != scope.owned.rend(); ++name) release(*name);
  if (scope.scratch_mark != nullptr)
    b_.CreateCall(m_.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                  {scope.scratch_mark});
  scopes_.pop_back();
}

void FunctionEmitter::body(const imp::Body& body) {
  open_scope();
  statements(body.stmts);
  close_scope();
}

void FunctionEmitter::statements(std::span<const imp::Stmt> stmts) {
  for (size_t k = 0; k < stmts.size(); ++k) {
    const auto* call = imp::as<imp::Call>(stmts[k]);
    if (call != nullptr && call->may_fork())
      k += fork(stmts.subspan(k)) - 1;
    else
      imp::visit(stmts[k].node, [&](const auto& n) { stmt(n); });
  }
}

void FunctionEmitter::emit_function(bool recursive, uint32_t group) {
  group_ = group;
  ctx_ = fn_->getArg(0);
  unsigned arg = 1;
  for (const imp::Decl& d : source_.params) {
    Slot slot{.type = d.type};
    Value* given = fn_->getArg(arg++);
    if (d.type.is_block() && d.type.space == imp::Space::kHeap) {
      slot.block = given;
      slot.value = load_data_pointer(given);
    } else {
      slot.value = given;
    }
    slots_[d.name.id] = slot;
  }
  open_scope();
  if (recursive)
    branch_if_failed(
        b_.CreateCall(m_.runtime("skald_rt_stack_low", b_.getInt32Ty(), {b_.getPtrTy()}), {ctx_}));
  statements(source_.body.stmts);
  for (size_t i = 0; i < source_.ret.size(); ++i) {
    Value* out = fn_->getArg(arg++);
    const core::Name* name = core::as_name(source_.ret[i]);
    if (!source_.results[i].is_block()) {
      Value* result = value(source_.ret[i]);
      if (result->getType()->isIntegerTy(1)) result = b_.CreateZExt(result, b_.getInt8Ty());
      b_.CreateStore(result, out);
      continue;
    }
    // Another reference; the scope's own ones go now.
    Value* block = block_pointer(*name);
    b_.CreateCall(m_.runtime("skald_rt_retain", b_.getVoidTy(), {b_.getPtrTy()}), {block});
    b_.CreateStore(block, out);
  }
  close_scope();
  b_.CreateRet(b_.getInt32(0));
  emit_failure_exit();
  finish_variables();
}

}  // namespace skald::cpu
