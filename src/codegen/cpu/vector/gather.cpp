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
#include "codegen/cpu/vector/memory.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// A condition of each lane, in all lanes that are active.
Value* holds_in_active(VectorEmitter& vec, Value* condition) {
  if (vec.mask != nullptr)
    condition = vec.b.CreateOr(condition, vec.b.CreateNot(vec.bits(vec.mask)));
  return vec.all(vec.widen(condition));
}

}  // namespace

Value* gather_at_once(VectorEmitter& vec, core::Name block, Prim type, Value* index) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  llvm::Type* all = vec.vector_type(element);
  return annotate(
      vec,
      vec.b.CreateMaskedGather(all, vec.b.CreateGEP(element, vec.f.data(block), index),
                               align_of(type), vec.mask != nullptr ? vec.bits(vec.mask) : nullptr,
                               llvm::Constant::getNullValue(all)),
      block);
}

// Of lanes that are inactive, anything may come back.  If the first one is and the others equal it,
// its place is theirs, so it exists.
Value* gather_or_load(VectorEmitter& vec, core::Name block, Prim type, Value* index) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  llvm::Type* whole = vec.vector_type(element);
  Value* first = vec.b.CreateExtractElement(index, uint64_t{0});
  Value* distance = vec.b.CreateSub(index, vec.splat(first));
  Value* equal = holds_in_active(
      vec, vec.b.CreateICmpEQ(distance, llvm::Constant::getNullValue(index->getType())));
  Value* neighbours =
      holds_in_active(vec, vec.b.CreateICmpEQ(distance, vec.lane_numbers(first->getType())));
  llvm::BasicBlock* one = vec.f.new_block("one_place");
  llvm::BasicBlock* several = vec.f.new_block("several");
  llvm::BasicBlock* row = vec.f.new_block("row");
  llvm::BasicBlock* each = vec.f.new_block("each");
  llvm::BasicBlock* after = vec.f.new_block("gathered");
  Value* address = vec.b.CreateGEP(element, vec.f.data(block), first);
  vec.b.CreateCondBr(equal, one, several);
  vec.b.SetInsertPoint(one);
  auto* single = vec.b.CreateAlignedLoad(element, address, align_of(type));
  annotate(vec, single, block);
  Value* from_one = vec.splat(single);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(several);
  vec.b.CreateCondBr(neighbours, row, each);
  vec.b.SetInsertPoint(row);
  Value* from_row =
      vec.mask == nullptr
          ? annotate(vec, vec.b.CreateAlignedLoad(whole, address, align_of(type)), block)
          : load_masked(vec, block, type, address);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(each);
  Value* from_each = gather_at_once(vec, block, type, index);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(after);
  llvm::PHINode* loaded = vec.b.CreatePHI(whole, 3);
  loaded->addIncoming(from_one, one);
  loaded->addIncoming(from_row, row);
  loaded->addIncoming(from_each, each);
  return loaded;
}

// In the order of the lanes, so that of equal places the last iteration's value stays: so it is
// defined for the instruction and by LLVM.
void scatter_at_once(VectorEmitter& vec, core::Name block, Prim type, Value* index,
                     Value* in_memory) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  annotate(
      vec,
      vec.b.CreateMaskedScatter(in_memory, vec.b.CreateGEP(element, vec.f.data(block), index),
                                align_of(type), vec.mask != nullptr ? vec.bits(vec.mask) : nullptr),
      block);
}

void scatter_or_store(VectorEmitter& vec, core::Name block, Prim type, Value* index,
                      Value* in_memory) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  Value* first = vec.b.CreateExtractElement(index, uint64_t{0});
  Value* distance = vec.b.CreateSub(index, vec.splat(first));
  Value* neighbours =
      holds_in_active(vec, vec.b.CreateICmpEQ(distance, vec.lane_numbers(first->getType())));
  llvm::BasicBlock* row = vec.f.new_block("row");
  llvm::BasicBlock* each = vec.f.new_block("each");
  llvm::BasicBlock* after = vec.f.new_block("scattered");
  vec.b.CreateCondBr(neighbours, row, each);
  vec.b.SetInsertPoint(row);
  Value* address = vec.b.CreateGEP(element, vec.f.data(block), first);
  if (vec.mask == nullptr)
    annotate(vec, vec.b.CreateAlignedStore(in_memory, address, align_of(type)), block);
  else
    store_masked(vec, block, type, address, in_memory);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(each);
  scatter_at_once(vec, block, type, index, in_memory);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(after);
}

}  // namespace skald::cpu
