// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters of 32 and 64 bits, for which the machine has instructions.
//
// These still take one element after the other.  Where several accesses have the same index, it
// is first looked at:
//
//   all lanes equal   one scalar load: all elements look up where their segment begins
//   neighbours        one vector load or store: segments of one element, what stays in its order
//   else              the instruction
//
// The branches cost little where they are foreseen, which is when the lanes are mostly of one kind.
#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

using llvm::Value;

namespace {

llvm::Align gather_align(Prim type) {
  return llvm::Align(static_cast<uint64_t>(prim_size(type)));
}

}  // namespace

bool VectorEmitter::has_gather(Prim type, const Lanes& index) const {
  return index.shape == Shape::kVarying && f_.m_.vector_registers().gathers && prim_size(type) >= 4;
}

// A condition of each lane, in all lanes that are active.
Value* VectorEmitter::holds_in_active(Value* condition) {
  if (mask_ != nullptr) condition = b_.CreateOr(condition, b_.CreateNot(bits(mask_)));
  return all(widen(condition));
}

Value* VectorEmitter::gather_at_once(core::Name block, Prim type, Value* index) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  llvm::Type* all = vector_type(element);
  return annotate(b_.CreateMaskedGather(
                      all, b_.CreateGEP(element, f_.data(block), index), gather_align(type),
                      mask_ != nullptr ? bits(mask_) : nullptr, llvm::Constant::getNullValue(all)),
                  block);
}

// Of lanes that are inactive, anything may come back.  If the first one is and the others equal it,
// its place is theirs, so it exists.
Value* VectorEmitter::gather_or_load(core::Name block, Prim type, Value* index) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  llvm::Type* whole = vector_type(element);
  Value* first = b_.CreateExtractElement(index, uint64_t{0});
  Value* distance = b_.CreateSub(index, splat(first));
  Value* equal =
      holds_in_active(b_.CreateICmpEQ(distance, llvm::Constant::getNullValue(index->getType())));
  Value* neighbours = holds_in_active(b_.CreateICmpEQ(distance, lane_numbers(first->getType())));
  llvm::BasicBlock* one = f_.new_block("one_place");
  llvm::BasicBlock* several = f_.new_block("several");
  llvm::BasicBlock* row = f_.new_block("row");
  llvm::BasicBlock* each = f_.new_block("each");
  llvm::BasicBlock* after = f_.new_block("gathered");
  Value* address = b_.CreateGEP(element, f_.data(block), first);
  b_.CreateCondBr(equal, one, several);
  b_.SetInsertPoint(one);
  auto* single = b_.CreateAlignedLoad(element, address, gather_align(type));
  annotate(single, block);
  Value* from_one = splat(single);
  b_.CreateBr(after);
  b_.SetInsertPoint(several);
  b_.CreateCondBr(neighbours, row, each);
  b_.SetInsertPoint(row);
  llvm::Instruction* from_row =
      mask_ == nullptr ? static_cast<llvm::Instruction*>(
                             b_.CreateAlignedLoad(whole, address, gather_align(type)))
                       : b_.CreateMaskedLoad(whole, address, gather_align(type), bits(mask_),
                                             llvm::Constant::getNullValue(whole));
  annotate(from_row, block);
  b_.CreateBr(after);
  b_.SetInsertPoint(each);
  Value* from_each = gather_at_once(block, type, index);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* loaded = b_.CreatePHI(whole, 3);
  loaded->addIncoming(from_one, one);
  loaded->addIncoming(from_row, row);
  loaded->addIncoming(from_each, each);
  return loaded;
}

// In the order of the lanes, so that of equal places the last iteration's value stays: so it is
// defined for the instruction and by LLVM.
void VectorEmitter::scatter_at_once(core::Name block, Prim type, Value* index, Value* in_memory) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  annotate(b_.CreateMaskedScatter(in_memory, b_.CreateGEP(element, f_.data(block), index),
                                  gather_align(type), mask_ != nullptr ? bits(mask_) : nullptr),
           block);
}

void VectorEmitter::scatter_or_store(core::Name block, Prim type, Value* index, Value* in_memory) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  Value* first = b_.CreateExtractElement(index, uint64_t{0});
  Value* distance = b_.CreateSub(index, splat(first));
  Value* neighbours = holds_in_active(b_.CreateICmpEQ(distance, lane_numbers(first->getType())));
  llvm::BasicBlock* row = f_.new_block("row");
  llvm::BasicBlock* each = f_.new_block("each");
  llvm::BasicBlock* after = f_.new_block("scattered");
  b_.CreateCondBr(neighbours, row, each);
  b_.SetInsertPoint(row);
  Value* address = b_.CreateGEP(element, f_.data(block), first);
  annotate(mask_ == nullptr
               ? static_cast<llvm::Instruction*>(
                     b_.CreateAlignedStore(in_memory, address, gather_align(type)))
               : b_.CreateMaskedStore(in_memory, address, gather_align(type), bits(mask_)),
           block);
  b_.CreateBr(after);
  b_.SetInsertPoint(each);
  scatter_at_once(block, type, index, in_memory);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

}  // namespace skald::cpu
