// SPDX-License-Identifier: Apache-2.0
// Values, blocks, scopes and the frame of a function.
#include "codegen/cpu/emit/function_emitter.h"

#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/small_blocks.h"
#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/optimise/optimise.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* fn,
                                 const imp::Function& source, AliasClasses& aliases)
    : module(module),
      fn(fn),
      source(source),
      aliases(aliases),
      b(module.context()),
      scalars(b, module.module()),
      entry(llvm::BasicBlock::Create(module.context(), "variables", fn)) {
  b.SetInsertPoint(llvm::BasicBlock::Create(module.context(), "start", fn));
  if (module.vector_registers().long_operations) scalars.use_long_operations();
}

// ---- values

Value* FunctionEmitter::value(const core::Operand& operand) {
  if (const core::Const* c = core::as_const(operand)) return constant(module.context(), *c);
  const Slot& slot = slots.at(core::as_name(operand)->id);
  if (slot.variable == nullptr) return slot.value;
  return b.CreateLoad(slot.variable->getAllocatedType(), slot.variable);
}

Value* FunctionEmitter::data(core::Name block) {
  return value(block);
}

Value* FunctionEmitter::block_pointer(core::Name block) {
  const Slot& slot = slots.at(block.id);
  if (slot.block_variable == nullptr) return slot.block;
  return b.CreateLoad(b.getPtrTy(), slot.block_variable);
}

Value* FunctionEmitter::element(core::Name block, Prim type, const core::Operand& index) {
  Value* base = data(block);
  return b.CreateInBoundsGEP(memory_type(module.context(), type), base, value(index));
}

Value* FunctionEmitter::load(Prim type, Value* address, core::Name block) {
  auto* access = b.CreateAlignedLoad(memory_type(module.context(), type), address,
                                     llvm::Align(static_cast<uint64_t>(prim_size(type))));
  aliases.annotate(access, block);
  if (type != Prim::kBool) return access;
  return b.CreateTrunc(access, b.getInt1Ty());
}

void FunctionEmitter::store(Prim type, Value* address, Value* v, core::Name block) {
  if (type == Prim::kBool) v = b.CreateZExt(v, b.getInt8Ty());
  auto* access =
      b.CreateAlignedStore(v, address, llvm::Align(static_cast<uint64_t>(prim_size(type))));
  aliases.annotate(access, block);
}

void FunctionEmitter::bind(core::Name name, Prim type, Value* v) {
  slots[name.id] = Slot{.type = imp::scalar(type), .value = v};
}

llvm::AllocaInst* FunctionEmitter::variable(llvm::Type* type, const llvm::Twine& name) {
  llvm::IRBuilder<> at_entry(entry);
  return at_entry.CreateAlloca(type, nullptr, name);
}

Value* FunctionEmitter::exp(const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::Value>(&exp)) return value(e->arg);
  if (const auto* e = std::get_if<core::UnOp>(&exp))
    return scalars.unop(e->op, e->type, value(e->arg));
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return scalars.binop(e->op, e->type, value(e->lhs), value(e->rhs));
  if (const auto* e = std::get_if<core::CmpOp>(&exp))
    return scalars.cmpop(e->op, e->type, value(e->lhs), value(e->rhs));
  if (const auto* e = std::get_if<core::TernOp>(&exp))
    return scalars.ternop(e->op, e->type, value(e->a), value(e->b), value(e->c));
  if (const auto* e = std::get_if<core::Convert>(&exp))
    return scalars.convert(e->from, e->to, value(e->arg));
  if (const auto* e = std::get_if<core::Bitcast>(&exp)) {
    if (e->from == e->to && is_int(e->from) && prim_size(e->from) >= 4)
      return as_it_is(value(e->arg));
    return scalars.bitcast(e->from, e->to, value(e->arg));
  }
  const auto* e = std::get_if<core::Select>(&exp);
  return b.CreateSelect(value(e->cond), value(e->then), value(e->otherwise));
}

// A bitcast from a type to itself: LLVM must not look into the value, so it computes it before it
// is used (no instruction, but an end to reassociation).
Value* FunctionEmitter::as_it_is(Value* value) {
  return b.CreateCall(as_it_is_asm(value->getType()), {value});
}

llvm::InlineAsm* FunctionEmitter::as_it_is_asm(llvm::Type* of) {
  return llvm::InlineAsm::get(llvm::FunctionType::get(of, {of}, false), "", "=r,0", false);
}

// ---- blocks

// Makes room for a block that this function owns; it holds nothing yet.
void FunctionEmitter::own(core::Name name) {
  Slot slot{.type = imp::block(), .owned = true};
  slot.variable = variable(b.getPtrTy());
  llvm::IRBuilder<> at_entry(entry);
  // The size is set when it is known.
  if (owned_table_ == nullptr) owned_table_ = at_entry.CreateAlloca(b.getPtrTy(), b.getInt64(1));
  slot.block_variable =
      at_entry.CreateConstInBoundsGEP1_64(b.getPtrTy(), owned_table_, owned_count_++);
  slots[name.id] = slot;
  scopes.back().owned.push_back(name);
}

void FunctionEmitter::finish_variables() {
  llvm::IRBuilder<> at_entry(entry);
  if (owned_table_ != nullptr) {
    owned_table_->setOperand(0, b.getInt64(owned_count_));
    at_entry.CreateMemSet(owned_table_, b.getInt8(0), 8 * owned_count_, llvm::Align(8));
  }
  at_entry.CreateBr(entry->getNextNode());
}

void FunctionEmitter::set_block(Slot& slot, Value* block, Value* data) {
  b.CreateStore(block, slot.block_variable);
  b.CreateStore(data, slot.variable);
}

void FunctionEmitter::release(core::Name name) {
  const Slot& slot = slots.at(name.id);
  give_back_block(*this, block_pointer(name));
  b.CreateStore(llvm::ConstantPointerNull::get(b.getPtrTy()), slot.block_variable);
}

// SkaldBlock::data is the first field, and does not change.
Value* FunctionEmitter::load_data_pointer(Value* block) {
  auto* pointer = b.CreateLoad(b.getPtrTy(), block);
  pointer->setMetadata(llvm::LLVMContext::MD_invariant_load,
                       llvm::MDNode::get(module.context(), {}));
  return pointer;
}

// ---- control

llvm::BasicBlock* FunctionEmitter::new_block(const char* name) {
  return llvm::BasicBlock::Create(module.context(), name, fn);
}

void FunctionEmitter::use_wide_registers(int bytes) {
  fn->addFnAttr(kLegalVectors, std::to_string(8 * bytes));
  if (module.vector_registers().bit_masks) scalars.use_wide_maths();
}

void FunctionEmitter::trap() {
  b.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  b.CreateUnreachable();
}

llvm::BasicBlock* FunctionEmitter::failure_exit() {
  if (failure_block_ == nullptr) failure_block_ = new_block("failure");
  return failure_block_;
}

void FunctionEmitter::branch_if_failed(Value* failed, core::Loc loc) {
  if (!failed->getType()->isIntegerTy(1)) failed = b.CreateICmpNE(failed, b.getInt32(0));
  llvm::BasicBlock* go_on = new_block("go_on");
  llvm::BasicBlock* unwind = loc.index == 0 ? failure_exit() : new_block("unwind");
  b.CreateCondBr(failed, unwind, go_on,
                 llvm::MDBuilder(module.context()).createUnlikelyBranchWeights());
  if (loc.index != 0) {
    b.SetInsertPoint(unwind);
    add_frame(loc);
    b.CreateBr(failure_exit());
  }
  b.SetInsertPoint(go_on);
}

// The word that the context begins with (runtime/abi.h) is read anew each time.
void FunctionEmitter::poll(imp::LoopMark mark) {
  if (!mark.polls) return;
  llvm::LoadInst* word = b.CreateAlignedLoad(b.getInt32Ty(), ctx, llvm::Align(4));
  word->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* stopping = new_block("stopping");
  llvm::BasicBlock* go_on = new_block("go_on");
  b.CreateCondBr(b.CreateIsNotNull(word), stopping, go_on,
                 llvm::MDBuilder(module.context()).createUnlikelyBranchWeights());
  b.SetInsertPoint(stopping);
  if (held_lock != nullptr) unlock(*this, held_lock);
  b.CreateCall(module.runtime("skald_rt_stop", b.getVoidTy(), {b.getPtrTy()}), {ctx});
  if (mark.loc.index != 0) add_frame(mark.loc);
  b.CreateBr(failure_exit());
  b.SetInsertPoint(go_on);
}

void FunctionEmitter::add_frame(core::Loc loc) {
  b.CreateCall(module.runtime("skald_rt_add_frame", b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}),
               {ctx, b.getInt32(loc.index)});
}

void FunctionEmitter::emit_failure_exit() {
  if (failure_block_ == nullptr) return;
  b.SetInsertPoint(failure_block_);
  if (owned_table_ != nullptr) {
    llvm::CallInst* call = b.CreateCall(
        module.runtime("skald_rt_release_all", b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}),
        {owned_table_, b.getInt64(owned_count_)});
    call->addParamAttr(0, llvm::Attribute::NoCapture);
  }
  if (scratch_mark_ != nullptr)
    b.CreateCall(module.runtime("skald_rt_scratch_reset", b.getVoidTy(), {b.getInt64Ty()}),
                 {b.CreateLoad(b.getInt64Ty(), scratch_mark_)});
  return_status(*this, {}, true);
}

void FunctionEmitter::close_scope() {
  Scope& scope = scopes.back();
  for (auto name = scope.owned.rbegin(); name != scope.owned.rend(); ++name) release(*name);
  if (scope.scratch_mark != nullptr)
    b.CreateCall(module.runtime("skald_rt_scratch_reset", b.getVoidTy(), {b.getInt64Ty()}),
                 {scope.scratch_mark});
  scopes.pop_back();
}

bool FunctionEmitter::owns(core::Name name) const {
  return std::ranges::find(scopes.back().owned, name) != scopes.back().owned.end();
}

void FunctionEmitter::disown(core::Name name) {
  std::erase(scopes.back().owned, name);
  b.CreateStore(llvm::ConstantPointerNull::get(b.getPtrTy()), slots.at(name.id).block_variable);
}

namespace {

bool mentions(const imp::Stmt& stmt, core::Name name) {
  bool found = false;
  imp::for_each_use(stmt, [&](const core::Operand& o) {
    const core::Name* used = core::as_name(o);
    found = found || (used != nullptr && *used == name);
  });
  imp::for_each_body(stmt, [&](const imp::Body& body) {
    for (const imp::Stmt& inner : body.stmts) found = found || mentions(inner, name);
  });
  return found;
}

}  // namespace

void FunctionEmitter::body(const imp::Body& body) {
  open_scope();
  // Blocks that the body makes, hands on and does not look at again are handed on for good.
  const std::span<const imp::Stmt> stmts = body.stmts;
  size_t done = 0;
  for (size_t k = 0; k < stmts.size(); ++k) {
    const auto* assign = imp::as<imp::BlockAssign>(stmts[k]);
    if (assign == nullptr) continue;
    statements(stmts.subspan(done, k - done));
    done = k;
    const auto later = [&](const imp::Stmt& stmt) { return mentions(stmt, assign->value); };
    const Slot& slot = slots.at(assign->var.id);
    if (slot.block_variable == nullptr || !owns(assign->value) ||
        std::ranges::any_of(stmts.subspan(k + 1), later))
      continue;
    Value* block = block_pointer(assign->value);
    Value* address = data(assign->value);
    release(assign->var);
    set_block(slots.at(assign->var.id), block, address);
    disown(assign->value);
    done = k + 1;
  }
  statements(stmts.subspan(done));
  close_scope();
}

void FunctionEmitter::statements(std::span<const imp::Stmt> stmts) {
  for (size_t k = 0; k < stmts.size(); ++k) {
    const auto* call = imp::as<imp::Call>(stmts[k]);
    if (call != nullptr && call->may_fork())
      k += fork(*this, stmts.subspan(k)) - 1;
    else
      imp::visit(stmts[k].node, [&](const auto& n) { emit_stmt(*this, n); });
  }
}

std::vector<Value*> FunctionEmitter::begin_function(bool recursive) {
  ctx = fn->getArg(0);
  unsigned arg = 1;
  for (const imp::Decl& d : source.params) {
    Slot slot{.type = d.type};
    Value* given = fn->getArg(arg++);
    if (d.type.is_block() && d.type.space == imp::Space::kHeap) {
      slot.block = given;
      slot.value = load_data_pointer(given);
    } else {
      slot.value = given;
    }
    slots[d.name.id] = slot;
  }
  open_scope();
  if (recursive)
    branch_if_failed(
        b.CreateCall(module.runtime("skald_rt_stack_low", b.getInt32Ty(), {b.getPtrTy()}), {ctx}));
  std::vector<Value*> results;
  while (arg < fn->arg_size()) results.push_back(fn->getArg(arg++));
  return results;
}

void FunctionEmitter::emit_function(bool recursive, uint32_t kernels) {
  group = kernels;
  const std::vector<Value*> results =
      recursion != nullptr ? begin_self(*this) : begin_function(recursive);
  statements(source.body.stmts);
  end_function(results);
}

void FunctionEmitter::end_function(const std::vector<Value*>& results) {
  for (size_t i = 0; i < source.ret.size(); ++i) {
    Value* out = results[i];
    const core::Name* name = core::as_name(source.ret[i]);
    if (!source.results[i].is_block()) {
      Value* result = value(source.ret[i]);
      if (result->getType()->isIntegerTy(1)) result = b.CreateZExt(result, b.getInt8Ty());
      b.CreateStore(result, out);
      continue;
    }
    Value* block = block_pointer(*name);
    b.CreateStore(block, out);
    // The scope's own reference, or another one.
    if (owns(*name) && std::ranges::count(source.ret, source.ret[i]) == 1)
      disown(*name);
    else
      b.CreateCall(module.runtime("skald_rt_retain", b.getVoidTy(), {b.getPtrTy()}), {block});
  }
  close_scope();
  return_status(*this, results, false);
  emit_failure_exit();
  finish_variables();
}

// ---- loops and choices

// LLVM must not know what it is, or it makes a branch of every choice between it and another place.
Value* FunctionEmitter::spare() {
  if (spare_place_ == nullptr) {
    llvm::AllocaInst* place = variable(b.getInt64Ty());
    llvm::IRBuilder<> at_entry(entry);
    at_entry.CreateStore(at_entry.getInt64(0), place);
    spare_place_ = at_entry.CreateCall(as_it_is_asm(place->getType()), {place});
  }
  return spare_place_;
}

Value* FunctionEmitter::unforeseen(Value* cond, Value* yes, Value* no) {
  Value* chosen = b.CreateSelect(cond, yes, no);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(chosen))
    select->setMetadata(llvm::LLVMContext::MD_unpredictable,
                        llvm::MDBuilder(module.context()).createUnpredictable());
  return chosen;
}

Value* FunctionEmitter::scratch_memory(Value* bytes, core::Loc loc) {
  llvm::FunctionCallee mark = module.runtime("skald_rt_scratch_mark", b.getInt64Ty(), {});
  if (scratch_mark_ == nullptr) {
    scratch_mark_ = variable(b.getInt64Ty());
    llvm::IRBuilder<> at_entry(entry);
    at_entry.CreateStore(at_entry.CreateCall(mark, {}), scratch_mark_);
  }
  if (scopes.back().scratch_mark == nullptr) scopes.back().scratch_mark = b.CreateCall(mark, {});
  Value* memory = b.CreateCall(
      module.runtime("skald_rt_scratch_alloc", b.getPtrTy(), {b.getPtrTy(), b.getInt64Ty()}),
      {ctx, bytes});
  branch_if_failed(b.CreateIsNull(memory), loc);
  return memory;
}

llvm::Instruction* FunctionEmitter::counted_loop(Value* begin, Value* end, Value* step,
                                                 core::Name var, Prim type, const imp::Body& inner,
                                                 imp::LoopMark mark, core::Name exit) {
  const bool is_signed = is_signed_int(type);
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* head = new_block("head");
  llvm::BasicBlock* inside = new_block("body");
  llvm::BasicBlock* after = new_block("after");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* i = b.CreatePHI(begin->getType(), 2);
  i->addIncoming(begin, before);
  llvm::BasicBlock* more = exit ? new_block("more") : inside;
  b.CreateCondBr(is_signed ? b.CreateICmpSLT(i, end) : b.CreateICmpULT(i, end), more, after);
  if (exit) {
    b.SetInsertPoint(more);
    b.CreateCondBr(value(exit), inside, after);
  }
  b.SetInsertPoint(inside);
  poll(mark);
  bind(var, type, i);
  if (!guards_together(*this, inner)) body(inner);
  i->addIncoming(b.CreateAdd(i, step, "", !is_signed, is_signed), b.GetInsertBlock());
  llvm::Instruction* back = b.CreateBr(head);
  b.SetInsertPoint(after);
  return back;
}

void FunctionEmitter::leave_scalar(llvm::Instruction* back_branch) {
  llvm::LLVMContext& ctx = module.context();
  llvm::MDNode* id = llvm::MDNode::getDistinct(
      ctx, {nullptr, llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.unroll.disable")}),
            llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.vectorize.enable"),
                                    llvm::ConstantAsMetadata::get(b.getInt1(false))})});
  id->replaceOperandWith(0, id);
  back_branch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace skald::cpu
