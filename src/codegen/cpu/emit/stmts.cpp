// SPDX-License-Identifier: Apache-2.0
// The statements of imp, except parallel loops.
#include <llvm/IR/MDBuilder.h>

#include "codegen/cpu/emit/function_emitter.h"
#include "imp/ir/visit.h"
#include "runtime/abi.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {
// Scratch memory of a known size up to this much per function lies on the stack.
constexpr int64_t kMaxStackBytes = 16 << 10;
}  // namespace

void FunctionEmitter::stmt(const imp::Let& n) {
  bind(n.name, n.type, exp(n.exp));
}

void FunctionEmitter::stmt(const imp::Var& n) {
  Slot slot{.type = imp::scalar(n.type)};
  slot.variable = variable(value_type(m_.context(), n.type));
  b_.CreateStore(value(n.init), slot.variable);
  slots_[n.name.id] = slot;
}

void FunctionEmitter::stmt(const imp::Assign& n) {
  b_.CreateStore(value(n.value), slots_.at(n.var.id).variable);
}

void FunctionEmitter::stmt(const imp::Tunable& n) {
  llvm::FunctionCallee get = m_.runtime("skald_rt_tunable", b_.getInt64Ty(),
                                        {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt64Ty()});
  llvm::CallInst* call = b_.CreateCall(
      get, {ctx_, b_.getInt32(static_cast<uint32_t>(m_.tuning_row(n.param))), value(n.fallback)});
  // The answer is the same in the whole run, so the call may leave loops.
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  bind(n.name, Prim::kI64, call);
}

void FunctionEmitter::stmt(const imp::Load& n) {
  bind(n.name, n.type, load(n.type, element(n.block, n.type, n.index), n.block));
}

void FunctionEmitter::stmt(const imp::Store& n) {
  store(n.type, element(n.block, n.type, n.index), value(n.value), n.block);
}

// ---- memory

void FunctionEmitter::stmt(const imp::Alloc& n) {
  if (n.space != imp::Space::kHeap) return scratch(n);
  own(n.name);
  Value* block =
      b_.CreateCall(m_.runtime("skald_rt_alloc", b_.getPtrTy(), {b_.getPtrTy(), b_.getInt64Ty()}),
                    {ctx_, value(n.bytes)});
  branch_if_failed(b_.CreateIsNull(block), n.loc);
  set_block(slots_.at(n.name.id), block, load_data_pointer(block));
}

Value* FunctionEmitter::scratch_memory(Value* bytes, core::Loc loc) {
  llvm::FunctionCallee mark = m_.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {});
  if (scratch_mark_ == nullptr) {
    scratch_mark_ = variable(b_.getInt64Ty());
    llvm::IRBuilder<> at_entry(entry_);
    at_entry.CreateStore(at_entry.CreateCall(mark, {}), scratch_mark_);
  }
  if (scopes_.back().scratch_mark == nullptr) scopes_.back().scratch_mark = b_.CreateCall(mark, {});
  Value* memory = b_.CreateCall(
      m_.runtime("skald_rt_scratch_alloc", b_.getPtrTy(), {b_.getPtrTy(), b_.getInt64Ty()}),
      {ctx_, bytes});
  branch_if_failed(b_.CreateIsNull(memory), loc);
  return memory;
}

void FunctionEmitter::scratch(const imp::Alloc& n) {
  Slot slot{.type = imp::block(imp::Space::kScratch)};
  const core::Const* size = core::as_const(n.bytes);
  const int64_t bytes = size == nullptr ? -1 : core::int_value(*size);
  const bool is_kept = kept_blocks_.contains(n.name.id);
  if (is_kept && bytes >= 0 && bytes <= kMaxStackBytes) {
    slot.value = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), kept_memory_, kept_bytes_);
    kept_bytes_ += llvm::alignTo(static_cast<uint64_t>(bytes), kKeptAlignment);
  } else if (!is_kept && bytes >= 0 && stack_bytes_ + bytes <= kMaxStackBytes) {
    stack_bytes_ += bytes;
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(bytes));
    llvm::AllocaInst* memory = variable(type);
    memory->setAlignment(llvm::Align(16));
    slot.value = memory;
  } else {
    slot.value = scratch_memory(value(n.bytes), n.loc);
  }
  slots_[n.name.id] = slot;
}

void FunctionEmitter::stmt(const imp::BlockVar& n) {
  Value* null = llvm::ConstantPointerNull::get(b_.getPtrTy());
  if (n.space == imp::Space::kView) {
    Slot slot{.type = imp::block(imp::Space::kView)};
    slot.variable = variable(b_.getPtrTy());
    b_.CreateStore(n.init ? data(n.init) : null, slot.variable);
    slots_[n.name.id] = slot;
    return;
  }
  own(n.name);
  Value* block = null;
  Value* address = null;
  if (n.init) {
    block = block_pointer(n.init);
    address = data(n.init);
    b_.CreateCall(m_.runtime("skald_rt_retain", b_.getVoidTy(), {b_.getPtrTy()}), {block});
  }
  set_block(slots_.at(n.name.id), block, address);
}

void FunctionEmitter::stmt(const imp::BlockAssign& n) {
  Slot& slot = slots_.at(n.var.id);
  Value* address = data(n.value);
  if (slot.block_variable == nullptr) {
    b_.CreateStore(address, slot.variable);
    return;
  }
  // First the new reference, then the old one, since both may be the same block.
  Value* block = block_pointer(n.value);
  b_.CreateCall(m_.runtime("skald_rt_retain", b_.getVoidTy(), {b_.getPtrTy()}), {block});
  release(n.var);
  set_block(slot, block, address);
}

void FunctionEmitter::stmt(const imp::Free& n) {
  release(n.block);
}

void FunctionEmitter::stmt(const imp::CopyBytes& n) {
  Value* dest = b_.CreateInBoundsGEP(b_.getInt8Ty(), data(n.dest), value(n.dest_offset));
  Value* src = b_.CreateInBoundsGEP(b_.getInt8Ty(), data(n.src), value(n.src_offset));
  if (n.stream)
    stream(dest, src, value(n.bytes));
  else if (n.overlap)
    b_.CreateMemMove(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), value(n.bytes));
  else
    b_.CreateMemCpy(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), value(n.bytes));
}

void FunctionEmitter::stmt(const imp::Fill& n) {
  Value* v = value(n.value);
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (prim_size(n.type) == 1 || (c != nullptr && c->isNullValue())) {
    Value* byte = b_.getInt8(0);
    if (c == nullptr || !c->isNullValue()) byte = b_.CreateZExt(v, b_.getInt8Ty());
    Value* bytes = b_.CreateMul(value(n.count), b_.getInt64(prim_size(n.type)));
    b_.CreateMemSet(element(n.block, n.type, n.start), byte, bytes, llvm::MaybeAlign());
    return;
  }
  Value* base = element(n.block, n.type, n.start);
  count_up(b_.getInt64(0), value(n.count), 1, [&](Value* i) {
    store(n.type, b_.CreateInBoundsGEP(memory_type(m_.context(), n.type), base, i), v, n.block);
  });
}

void FunctionEmitter::stmt(const imp::Trace& n) {
  const auto rank = static_cast<uint32_t>(n.shape.size());
  llvm::AllocaInst* shape = variable(llvm::ArrayType::get(b_.getInt64Ty(), std::max(rank, 1u)));
  for (uint32_t k = 0; k < rank; ++k)
    b_.CreateStore(value(n.shape[k]), b_.CreateInBoundsGEP(b_.getInt64Ty(), shape, b_.getInt64(k)));
  b_.CreateCall(m_.runtime("skald_rt_trace", b_.getVoidTy(),
                           {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty(), b_.getPtrTy(),
                            b_.getInt32Ty(), b_.getPtrTy()}),
                {ctx_, b_.CreateGlobalString(n.tag), b_.getInt32(static_cast<uint32_t>(n.type)),
                 element(n.block, n.type, n.index), b_.getInt32(rank), shape});
}

// Without branches: each element is stored, and the place advances if it was chosen.
void FunctionEmitter::stmt(const imp::Collect& n) {
  for (const imp::Collected& each : n.members)
    store(each.type, element(each.block, each.type, n.next), value(each.value), each.block);
  Value* more = b_.CreateZExt(value(n.cond), b_.getInt64Ty());
  b_.CreateStore(b_.CreateNSWAdd(value(n.next), more), slots_.at(n.next.id).variable);
}

// ---- control

void FunctionEmitter::stmt(const imp::If& n) {
  if (stores_without_branch(n) || both_sides(n)) return;
  remember_left_out(n.then_body);
  remember_left_out(n.else_body);
  llvm::BasicBlock* yes = new_block("then");
  llvm::BasicBlock* after = new_block("after");
  llvm::BasicBlock* no = n.else_body.stmts.empty() ? after : new_block("else");
  b_.CreateCondBr(value(n.cond), yes, no);
  const uint32_t group = group_, yes_group = m_.new_group(group);
  b_.SetInsertPoint(yes);
  group_ = yes_group;
  body(n.then_body);
  b_.CreateBr(after);
  if (no != after) {
    b_.SetInsertPoint(no);
    group_ = m_.new_group(group);
    m_.set_rivals(yes_group, group_);
    body(n.else_body);
    b_.CreateBr(after);
  }
  group_ = group;
  b_.SetInsertPoint(after);
}

llvm::Instruction* FunctionEmitter::counted_loop(Value* begin, Value* end, Value* step,
                                                 core::Name var, Prim type, const imp::Body& inner,
                                                 core::Name exit) {
  const bool is_signed = is_signed_int(type);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = new_block("head");
  llvm::BasicBlock* inside = new_block("body");
  llvm::BasicBlock* after = new_block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(begin->getType(), 2);
  i->addIncoming(begin, before);
  llvm::BasicBlock* more = exit ? new_block("more") : inside;
  b_.CreateCondBr(is_signed ? b_.CreateICmpSLT(i, end) : b_.CreateICmpULT(i, end), more, after);
  if (exit) {
    b_.SetInsertPoint(more);
    b_.CreateCondBr(value(exit), inside, after);
  }
  b_.SetInsertPoint(inside);
  bind(var, type, i);
  if (!guards_together(inner)) body(inner);
  i->addIncoming(b_.CreateAdd(i, step, "", !is_signed, is_signed), b_.GetInsertBlock());
  llvm::Instruction* back = b_.CreateBr(head);
  b_.SetInsertPoint(after);
  return back;
}

void FunctionEmitter::stmt(const imp::For& n) {
  const NotPoints not_points(*this);
  if (n.hint == imp::LoopHint::kSimd && simd_loop(n)) return;
  if (n.hint == imp::LoopHint::kNone && checks_ahead(n)) return;
  llvm::Instruction* back =
      counted_loop(value(n.begin), value(n.end), value(n.step), n.var, n.type, n.body,
                   n.hint == imp::LoopHint::kNone ? imp::early_exit(n) : core::Name{});
  // Without a constant number of iterations LLVM knows best whether to vectorise what we did not.
  const bool open_simd = n.hint == imp::LoopHint::kSimd && core::as_const(n.end) == nullptr;
  if (n.hint != imp::LoopHint::kNone && !open_simd) annotate(back, n);
}

namespace {

// The size of the widest element that the loop loads or stores.
int widest_access(const imp::Body& body) {
  int widest = 1;
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* n = imp::as<imp::Load>(stmt)) widest = std::max(widest, prim_size(n->type));
    if (const auto* n = imp::as<imp::Store>(stmt)) widest = std::max(widest, prim_size(n->type));
    imp::for_each_body(
        stmt, [&](const imp::Body& inner) { widest = std::max(widest, widest_access(inner)); });
  }
  return widest;
}

}  // namespace

// Tells LLVM what the hint says.  For a simd loop its vectoriser is asked for exactly as many lanes
// as the loop has iterations, in as many registers as that takes; unrolling before it would leave
// it nothing to work on.
void FunctionEmitter::annotate(llvm::Instruction* back_branch, const imp::For& loop) {
  llvm::LLVMContext& ctx = m_.context();
  const auto property = [&](const char* name, llvm::ConstantInt* v) {
    return llvm::MDNode::get(ctx,
                             {llvm::MDString::get(ctx, name), llvm::ConstantAsMetadata::get(v)});
  };
  const bool simd = loop.hint == imp::LoopHint::kSimd;
  std::vector<llvm::Metadata*> list = {
      nullptr, llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.unroll.disable")}),
      property("llvm.loop.vectorize.enable", b_.getInt1(simd))};
  const core::Const* end = core::as_const(loop.end);
  if (simd && end != nullptr) {
    const auto lanes = static_cast<uint32_t>(core::int_value(*end));
    const uint32_t width =
        std::clamp(m_.vector_bytes() / static_cast<uint32_t>(widest_access(loop.body)), 2u, lanes);
    constexpr uint32_t kMostRegisters = 16;  // LLVM takes no more.
    list.push_back(property("llvm.loop.vectorize.width", b_.getInt32(width)));
    list.push_back(property("llvm.loop.interleave.count",
                            b_.getInt32(std::min(lanes / width, kMostRegisters))));
  }
  llvm::MDNode* id = llvm::MDNode::getDistinct(ctx, list);
  id->replaceOperandWith(0, id);
  back_branch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

void FunctionEmitter::leave_scalar(llvm::Instruction* back_branch) {
  llvm::LLVMContext& ctx = m_.context();
  llvm::MDNode* id = llvm::MDNode::getDistinct(
      ctx, {nullptr, llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.unroll.disable")}),
            llvm::MDNode::get(ctx, {llvm::MDString::get(ctx, "llvm.loop.vectorize.enable"),
                                    llvm::ConstantAsMetadata::get(b_.getInt1(false))})});
  id->replaceOperandWith(0, id);
  back_branch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

void FunctionEmitter::stmt(const imp::While& n) {
  const NotPoints not_points(*this);
  llvm::BasicBlock* head = new_block("while");
  llvm::BasicBlock* inside = new_block("body");
  llvm::BasicBlock* after = new_block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  b_.CreateCondBr(value(n.cond), inside, after);
  b_.SetInsertPoint(inside);
  body(n.body);
  b_.CreateBr(head);
  b_.SetInsertPoint(after);
}

std::vector<Value*> FunctionEmitter::call_args(const imp::Call& n,
                                               const std::vector<llvm::AllocaInst*>& results) {
  const imp::Function* callee = m_.prog().find(n.fn);
  std::vector<Value*> args = {ctx_};
  for (size_t i = 0; i < n.args.size(); ++i) {
    const imp::Type& param = callee->params[i].type;
    if (param.is_block() && param.space == imp::Space::kHeap)
      args.push_back(block_pointer(*core::as_name(n.args[i])));
    else
      args.push_back(value(n.args[i]));
  }
  args.insert(args.end(), results.begin(), results.end());
  return args;
}

void FunctionEmitter::after_call(const imp::Call& n, Value* failed) {
  llvm::BasicBlock* unwind = new_block("unwind");
  llvm::BasicBlock* go_on = new_block("go_on");
  b_.CreateCondBr(b_.CreateICmpNE(failed, b_.getInt32(0)), unwind, go_on,
                  llvm::MDBuilder(m_.context()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(unwind);
  add_frame(n.loc);
  b_.CreateBr(failure_exit());
  b_.SetInsertPoint(go_on);
}

void FunctionEmitter::stmt(const imp::Call& n) {
  std::vector<llvm::AllocaInst*> results;
  for (const imp::Decl& d : n.results)
    results.push_back(
        variable(d.type.is_block() ? b_.getPtrTy() : memory_type(m_.context(), d.type.prim)));
  after_call(n, b_.CreateCall(m_.function(n.fn), call_args(n, results)));
  for (size_t i = 0; i < results.size(); ++i) {
    const imp::Decl& d = n.results[i];
    Value* result = b_.CreateLoad(results[i]->getAllocatedType(), results[i]);
    if (d.type.is_block()) {
      own(d.name);
      set_block(slots_.at(d.name.id), result, load_data_pointer(result));
    } else {
      if (d.type.prim == Prim::kBool) result = b_.CreateTrunc(result, b_.getInt1Ty());
      bind(d.name, d.type.prim, result);
    }
  }
}

void FunctionEmitter::stmt(const imp::Check& n) {
  if (on_failure_ != nullptr) {
    llvm::BasicBlock* fine = new_block("checked");
    b_.CreateCondBr(value(n.cond), fine, on_failure_,
                    llvm::MDBuilder(m_.context()).createLikelyBranchWeights());
    return b_.SetInsertPoint(fine);
  }
  llvm::BasicBlock* failing = new_block("failing");
  llvm::BasicBlock* go_on = new_block("checked");
  // One branch: which of two conditions lets it pass, such as that a slice is empty, may be
  // unforeseeable although that it passes is not.
  Value* cond = value(n.cond);
  llvm::MDBuilder metadata(m_.context());
  const auto* either = llvm::dyn_cast<llvm::BinaryOperator>(cond);
  const bool is_or = either != nullptr && either->getOpcode() == llvm::Instruction::Or;
  b_.CreateCondBr(cond, go_on, failing, metadata.createLikelyBranchWeights(),
                  is_or ? metadata.createUnpredictable() : nullptr);
  b_.SetInsertPoint(failing);
  std::vector<core::Operand> operands;
  FailureMessage message = clike::failure_message(
      n,
      [this](const core::Operand& operand) {
        const core::Const* c = core::as_const(operand);
        return c != nullptr ? c->type : slots_.at(core::as_name(operand)->id).type.prim;
      },
      operands);
  std::vector<Value*> values;
  size_t next = 0;
  for (const auto& part : message.parts)
    if (const Prim* type = std::get_if<Prim>(&part); type != nullptr && next < operands.size())
      values.push_back(to_bits(b_, *type, value(operands[next++])));
  Value* array = llvm::ConstantPointerNull::get(b_.getPtrTy());
  if (!values.empty()) {
    if (failure_values_ == nullptr)
      failure_values_ = variable(llvm::ArrayType::get(b_.getInt64Ty(), SKALD_RT_MAX_FAIL_VALUES));
    array = failure_values_;
    for (size_t i = 0; i < values.size(); ++i)
      b_.CreateStore(values[i], b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), array, i));
  }
  b_.CreateCall(m_.runtime("skald_rt_fail", b_.getVoidTy(),
                           {b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy(), b_.getInt32Ty()}),
                {ctx_, b_.getInt64(static_cast<uint64_t>(m_.add_failure(std::move(message)))),
                 array, b_.getInt32(static_cast<uint32_t>(values.size()))});
  b_.CreateBr(failure_exit());
  b_.SetInsertPoint(go_on);
}

void FunctionEmitter::stmt(const imp::ChunkSize& n) {
  bind(n.name, Prim::kI64,
       b_.CreateCall(
           m_.runtime("skald_rt_chunk_size", b_.getInt64Ty(), {b_.getInt64Ty(), b_.getInt64Ty()}),
           {value(n.count), value(n.least)}));
}

void FunctionEmitter::stmt(const imp::Workers& n) {
  Value* threads =
      b_.CreateCall(m_.runtime("skald_rt_workers", b_.getInt32Ty(), {b_.getPtrTy()}), {ctx_});
  bind(n.name, Prim::kI64, b_.CreateSExt(threads, b_.getInt64Ty()));
}

// ---- atomics

// Replaces the element at `address` by combine(element) until nobody else did so in between.
template <class Combine>
void FunctionEmitter::compare_exchange(Prim type, Value* address, const Combine& combine) {
  llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(8 * prim_size(type)));
  const llvm::Align align(static_cast<uint64_t>(prim_size(type)));
  auto* first = b_.CreateAlignedLoad(bits, address, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* again = new_block("try");
  llvm::BasicBlock* after = new_block("exchanged");
  b_.CreateBr(again);
  b_.SetInsertPoint(again);
  llvm::PHINode* seen = b_.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  Value* old = type == Prim::kBool ? b_.CreateTrunc(seen, b_.getInt1Ty())
                                   : b_.CreateBitCast(seen, value_type(m_.context(), type));
  Value* result = combine(old);
  result = type == Prim::kBool ? b_.CreateZExt(result, bits) : b_.CreateBitCast(result, bits);
  Value* outcome =
      b_.CreateAtomicCmpXchg(address, seen, result, align, llvm::AtomicOrdering::AcquireRelease,
                             llvm::AtomicOrdering::Monotonic);
  seen->addIncoming(b_.CreateExtractValue(outcome, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(outcome, 1), after, again);
  b_.SetInsertPoint(after);
}

void FunctionEmitter::stmt(const imp::Atomic& n) {
  using llvm::AtomicRMWInst;
  Value* address = element(n.block, n.type, n.index);
  Value* v = value(n.value);
  std::optional<AtomicRMWInst::BinOp> op;
  if (is_int(n.type)) {
    const bool is_signed = is_signed_int(n.type);
    switch (n.op) {
      case core::BinOpKind::kAdd: op = AtomicRMWInst::Add; break;
      case core::BinOpKind::kAnd: op = AtomicRMWInst::And; break;
      case core::BinOpKind::kOr: op = AtomicRMWInst::Or; break;
      case core::BinOpKind::kXor: op = AtomicRMWInst::Xor; break;
      case core::BinOpKind::kMin: op = is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin; break;
      case core::BinOpKind::kMax: op = is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax; break;
      default: break;
    }
  }
  if (op) {
    b_.CreateAtomicRMW(*op, address, v, llvm::Align(static_cast<uint64_t>(prim_size(n.type))),
                       llvm::AtomicOrdering::Monotonic);
    return;
  }
  compare_exchange(n.type, address,
                   [&](Value* old) { return scalars_.binop(n.op, n.type, old, v); });
}

void FunctionEmitter::stmt(const imp::AtomicUpdate& n) {
  compare_exchange(n.type, element(n.block, n.type, n.index), [&](Value* old) {
    bind(n.old, n.type, old);
    open_scope();
    statements(n.body.stmts);
    Value* result = value(n.result);
    close_scope();
    return result;
  });
}

void FunctionEmitter::stmt(const imp::Locked& n) {
  Value* address = element(n.block, Prim::kI32, n.index);
  const llvm::Align align(4);
  llvm::BasicBlock* again = new_block("lock");
  llvm::BasicBlock* wait = new_block("wait");
  llvm::BasicBlock* locked = new_block("locked");
  b_.CreateBr(again);
  b_.SetInsertPoint(again);
  Value* old = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, address, b_.getInt32(1), align,
                                  llvm::AtomicOrdering::Acquire);
  b_.CreateCondBr(b_.CreateICmpEQ(old, b_.getInt32(0)), locked, wait);
  // The holder may have lost its core.
  b_.SetInsertPoint(wait);
  b_.CreateCall(m_.runtime("skald_rt_wait_for_lock", b_.getVoidTy(), {b_.getPtrTy()}), {address});
  b_.CreateBr(again);
  b_.SetInsertPoint(locked);
  body(n.body);
  auto* unlock = b_.CreateAlignedStore(b_.getInt32(0), address, align);
  unlock->setAtomic(llvm::AtomicOrdering::Release);
}

}  // namespace skald::cpu
