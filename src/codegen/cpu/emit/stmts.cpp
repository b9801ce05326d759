// SPDX-License-Identifier: Apache-2.0
// Statements about scalars and memory.
#include "codegen/cpu/emit/small_blocks.h"
#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/emit/stream.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Scratch memory of a known size up to this much per function lies on the stack.
constexpr int64_t kMaxStackBytes = 16 << 10;
// Blocks in the memory that a chunk keeps begin at multiples of this.
constexpr uint64_t kKeptAlignment = 16;

void scratch(FunctionEmitter& f, const imp::Alloc& n) {
  Slot slot{.type = imp::block(imp::Space::kScratch)};
  const core::Const* size = core::as_const(n.bytes);
  const int64_t bytes = size == nullptr ? -1 : core::int_value(*size);
  const bool is_kept = f.kept_blocks.contains(n.name.id);
  if (is_kept && bytes >= 0 && bytes <= kMaxStackBytes) {
    slot.value = f.b.CreateConstInBoundsGEP1_64(f.b.getInt8Ty(), f.kept_memory, f.kept_bytes);
    f.kept_bytes += llvm::alignTo(static_cast<uint64_t>(bytes), kKeptAlignment);
  } else if (!is_kept && bytes >= 0 && f.stack_bytes + bytes <= kMaxStackBytes) {
    f.stack_bytes += bytes;
    auto* type = llvm::ArrayType::get(f.b.getInt8Ty(), static_cast<uint64_t>(bytes));
    llvm::AllocaInst* memory = f.variable(type);
    memory->setAlignment(llvm::Align(16));
    slot.value = memory;
  } else {
    slot.value = f.scratch_memory(f.value(n.bytes), n.loc);
  }
  f.slots[n.name.id] = slot;
}

}  // namespace

void emit_stmt(FunctionEmitter& f, const imp::Let& n) {
  f.bind(n.name, n.type, f.exp(n.exp));
}

void emit_stmt(FunctionEmitter& f, const imp::Var& n) {
  Slot slot{.type = imp::scalar(n.type)};
  slot.variable = f.variable(value_type(f.module.context(), n.type));
  f.b.CreateStore(f.value(n.init), slot.variable);
  f.slots[n.name.id] = slot;
}

void emit_stmt(FunctionEmitter& f, const imp::Assign& n) {
  f.b.CreateStore(f.value(n.value), f.slots.at(n.var.id).variable);
}

void emit_stmt(FunctionEmitter& f, const imp::Tunable& n) {
  llvm::FunctionCallee get = f.module.runtime("skald_rt_tunable", f.b.getInt64Ty(),
                                              {f.b.getPtrTy(), f.b.getInt32Ty(), f.b.getInt64Ty()});
  llvm::CallInst* call =
      f.b.CreateCall(get, {f.ctx, f.b.getInt32(static_cast<uint32_t>(f.module.tuning_row(n.param))),
                           f.value(n.fallback)});
  // The answer is the same in the whole run, so the call may leave loops.
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  f.bind(n.name, Prim::kI64, call);
}

void emit_stmt(FunctionEmitter& f, const imp::Load& n) {
  f.bind(n.name, n.type, f.load(n.type, f.element(n.block, n.type, n.index), n.block));
}

void emit_stmt(FunctionEmitter& f, const imp::Store& n) {
  f.store(n.type, f.element(n.block, n.type, n.index), f.value(n.value), n.block);
}

// ---- memory

void emit_stmt(FunctionEmitter& f, const imp::Alloc& n) {
  if (n.space != imp::Space::kHeap) return scratch(f, n);
  f.own(n.name);
  Value* block = take_block(f, f.value(n.bytes));
  f.branch_if_failed(f.b.CreateIsNull(block), n.loc);
  f.set_block(f.slots.at(n.name.id), block, f.load_data_pointer(block));
}

void emit_stmt(FunctionEmitter& f, const imp::BlockVar& n) {
  Value* null = llvm::ConstantPointerNull::get(f.b.getPtrTy());
  if (n.space == imp::Space::kView) {
    Slot slot{.type = imp::block(imp::Space::kView)};
    slot.variable = f.variable(f.b.getPtrTy());
    f.b.CreateStore(n.init ? f.data(n.init) : null, slot.variable);
    f.slots[n.name.id] = slot;
    return;
  }
  f.own(n.name);
  Value* block = null;
  Value* address = null;
  if (n.init) {
    block = f.block_pointer(n.init);
    address = f.data(n.init);
    f.b.CreateCall(f.module.runtime("skald_rt_retain", f.b.getVoidTy(), {f.b.getPtrTy()}), {block});
  }
  f.set_block(f.slots.at(n.name.id), block, address);
}

void emit_stmt(FunctionEmitter& f, const imp::BlockAssign& n) {
  Slot& slot = f.slots.at(n.var.id);
  Value* address = f.data(n.value);
  if (slot.block_variable == nullptr) {
    f.b.CreateStore(address, slot.variable);
    return;
  }
  // First the new reference, then the old one, since both may be the same block.
  Value* block = f.block_pointer(n.value);
  f.b.CreateCall(f.module.runtime("skald_rt_retain", f.b.getVoidTy(), {f.b.getPtrTy()}), {block});
  f.release(n.var);
  f.set_block(slot, block, address);
}

void emit_stmt(FunctionEmitter& f, const imp::Free& n) {
  f.release(n.block);
}

void emit_stmt(FunctionEmitter& f, const imp::CopyBytes& n) {
  Value* dest = f.b.CreateInBoundsGEP(f.b.getInt8Ty(), f.data(n.dest), f.value(n.dest_offset));
  Value* src = f.b.CreateInBoundsGEP(f.b.getInt8Ty(), f.data(n.src), f.value(n.src_offset));
  if (n.stream)
    stream(f, dest, src, f.value(n.bytes));
  else if (n.overlap)
    f.b.CreateMemMove(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), f.value(n.bytes));
  else
    f.b.CreateMemCpy(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), f.value(n.bytes));
}

void emit_stmt(FunctionEmitter& f, const imp::Fill& n) {
  Value* v = f.value(n.value);
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (prim_size(n.type) == 1 || (c != nullptr && c->isNullValue())) {
    Value* byte = f.b.getInt8(0);
    if (c == nullptr || !c->isNullValue()) byte = f.b.CreateZExt(v, f.b.getInt8Ty());
    Value* bytes = f.b.CreateMul(f.value(n.count), f.b.getInt64(prim_size(n.type)));
    f.b.CreateMemSet(f.element(n.block, n.type, n.start), byte, bytes, llvm::MaybeAlign());
    return;
  }
  Value* base = f.element(n.block, n.type, n.start);
  f.count_up(f.b.getInt64(0), f.value(n.count), 1, [&](Value* i) {
    f.store(n.type, f.b.CreateInBoundsGEP(memory_type(f.module.context(), n.type), base, i), v,
            n.block);
  });
}

void emit_stmt(FunctionEmitter& f, const imp::Trace& n) {
  const auto rank = static_cast<uint32_t>(n.shape.size());
  llvm::AllocaInst* shape = f.variable(llvm::ArrayType::get(f.b.getInt64Ty(), std::max(rank, 1u)));
  for (uint32_t k = 0; k < rank; ++k)
    f.b.CreateStore(f.value(n.shape[k]),
                    f.b.CreateInBoundsGEP(f.b.getInt64Ty(), shape, f.b.getInt64(k)));
  f.b.CreateCall(f.module.runtime("skald_rt_trace", f.b.getVoidTy(),
                                  {f.b.getPtrTy(), f.b.getPtrTy(), f.b.getInt32Ty(), f.b.getPtrTy(),
                                   f.b.getInt32Ty(), f.b.getPtrTy()}),
                 {f.ctx, f.b.CreateGlobalString(n.tag), f.b.getInt32(static_cast<uint32_t>(n.type)),
                  f.element(n.block, n.type, n.index), f.b.getInt32(rank), shape});
}

// Without branches: each element is stored, and the place advances if it was chosen.
void emit_stmt(FunctionEmitter& f, const imp::Collect& n) {
  for (const imp::Collected& each : n.members)
    f.store(each.type, f.element(each.block, each.type, n.next), f.value(each.value), each.block);
  Value* more = f.b.CreateZExt(f.value(n.cond), f.b.getInt64Ty());
  f.b.CreateStore(f.b.CreateNSWAdd(f.value(n.next), more), f.slots.at(n.next.id).variable);
}

}  // namespace skald::cpu
