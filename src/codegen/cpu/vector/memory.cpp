// SPDX-License-Identifier: Apache-2.0
// Loads and stores in vector code.
#include "codegen/cpu/vector/memory.h"

#include <algorithm>

#include "codegen/cpu/emit/stream.h"
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/statements.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Elements so close together that vector loads pay, or neighbours in reverse.
bool is_small_stride(int64_t stride) {
  return stride == -1 || (stride >= 1 && stride <= 4);
}

}  // namespace

// A constant stride of that kind, or 0.
int64_t small_stride(Value* stride) {
  const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(stride);
  if (c == nullptr || c->getBitWidth() > 64) return 0;
  return is_small_stride(c->getSExtValue()) ? c->getSExtValue() : 0;
}

// A bool is an i8 in memory.
Value* to_memory(VectorEmitter& vec, Prim type, Value* v) {
  return type == Prim::kBool ? vec.b.CreateZExt(v, like(v, vec.b.getInt8Ty())) : v;
}

Value* from_memory(VectorEmitter& vec, Prim type, Value* v) {
  return type == Prim::kBool ? vec.b.CreateTrunc(v, like(v, vec.b.getInt1Ty())) : v;
}

llvm::Instruction* annotate(VectorEmitter& vec, llvm::Instruction* access, core::Name block) {
  vec.f.aliases.annotate(access, block);
  return access;
}

// The mask as something of which `is_active` asks for single lanes.  Masks that are bits are moved
// to a scalar register once.
Value* active_lanes(VectorEmitter& vec) {
  if (vec.mask == nullptr) return nullptr;
  Value* active = vec.bits(vec.mask);
  const bool in_one_word =
      vec.f.module.vector_registers().bit_masks && vec.lane_count >= 8 && vec.lane_count <= 64;
  return in_one_word ? vec.b.CreateBitCast(active, vec.b.getIntNTy(vec.lane_count)) : active;
}

Value* is_active(VectorEmitter& vec, Value* active, unsigned lane) {
  if (active->getType()->isVectorTy()) return vec.b.CreateExtractElement(active, lane);
  Value* bit =
      llvm::ConstantInt::get(active->getType(), llvm::APInt::getOneBitSet(vec.lane_count, lane));
  return vec.b.CreateIsNotNull(vec.b.CreateAnd(active, bit));
}

namespace {

std::vector<Value*> addresses(VectorEmitter& vec, Value* base, Prim type, const Lanes& index) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  std::vector<Value*> result;
  Value* active = active_lanes(vec);
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    Value* address = vec.b.CreateGEP(element, base, vec.in_lane(index, lane));
    if (active != nullptr)
      address = vec.f.unforeseen(is_active(vec, active, lane), address, vec.f.spare());
    result.push_back(address);
  }
  return result;
}

Value* gather(VectorEmitter& vec, core::Name block, Prim type, llvm::ArrayRef<Value*> addresses) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  Value* all = llvm::PoisonValue::get(vec.vector_type(element));
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    auto* one = vec.b.CreateAlignedLoad(element, addresses[lane], align_of(type));
    annotate(vec, one, block);
    all = vec.b.CreateInsertElement(all, one, lane);
  }
  return all;
}

// In the order of the lanes, so that of equal places the last iteration's value stays.
void scatter(VectorEmitter& vec, core::Name block, Prim type, llvm::ArrayRef<Value*> addresses,
             Value* in_memory) {
  for (unsigned lane = 0; lane < vec.lane_count; ++lane)
    annotate(vec,
             vec.b.CreateAlignedStore(vec.b.CreateExtractElement(in_memory, lane), addresses[lane],
                                      align_of(type)),
             block);
}

// Can all lanes be read although some are inactive?  One that is active lies in memory that exists,
// and so does everything in its page.  Not so on the stack, of which LLVM knows where arrays end.
Value* is_readable(VectorEmitter& vec, Value* base, Value* address, Prim type) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return vec.all(vec.mask);
  constexpr uint64_t kPage = 4096;
  const uint64_t bytes = vec.lane_count * static_cast<uint64_t>(prim_size(type));
  Value* in_page =
      vec.b.CreateAnd(vec.b.CreatePtrToInt(address, vec.b.getInt64Ty()), vec.b.getInt64(kPage - 1));
  return vec.b.CreateICmpULE(in_page, vec.b.getInt64(kPage - bytes));
}

// The active lanes of a piece of memory.  This is rare, so it is a loop, through the stack.
Value* load_one_by_one(VectorEmitter& vec, core::Name block, Prim type, Value* address) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  llvm::AllocaInst* wanted = vec.f.variable(vec.vector_type(vec.b.getInt8Ty()));
  llvm::AllocaInst* loaded = vec.f.variable(vec.vector_type(element));
  vec.b.CreateStore(vec.b.CreateSExt(vec.bits(vec.mask), vec.vector_type(vec.b.getInt8Ty())),
                    wanted);
  vec.b.CreateStore(llvm::Constant::getNullValue(vec.vector_type(element)), loaded);
  vec.f.leave_scalar(
      vec.f.count_up(vec.b.getInt64(0), vec.b.getInt64(vec.lane_count), 1, [&](Value* lane) {
        llvm::BasicBlock* yes = vec.f.new_block("lane");
        llvm::BasicBlock* after = vec.f.new_block("after");
        Value* flag =
            vec.b.CreateLoad(vec.b.getInt8Ty(), vec.b.CreateGEP(vec.b.getInt8Ty(), wanted, lane));
        vec.b.CreateCondBr(vec.b.CreateIsNotNull(flag), yes, after);
        vec.b.SetInsertPoint(yes);
        llvm::Instruction* one = vec.b.CreateAlignedLoad(
            element, vec.b.CreateGEP(element, address, lane), align_of(type));
        annotate(vec, one, block);
        vec.b.CreateStore(one, vec.b.CreateGEP(element, loaded, lane));
        vec.b.CreateBr(after);
        vec.b.SetInsertPoint(after);
      }));
  return vec.b.CreateLoad(vec.vector_type(element), loaded);
}

void fetch_ahead(VectorEmitter& vec, Value* address, llvm::Type* loaded) {
  // Measured: a Neoverse N1 takes half as long again for a sum with 4 KiB as with 512 bytes.
  constexpr uint64_t kAheadBytes = kIsArm64 ? 512 : 4096;
  const uint64_t bytes = loaded->getPrimitiveSizeInBits() / 8;
  Value* ahead = vec.f.next_chunk != nullptr
                     ? vec.b.CreateGEP(loaded->getScalarType(), address, vec.f.next_chunk)
                     : vec.b.CreateConstGEP1_64(vec.b.getInt8Ty(), address, kAheadBytes);
  const auto level = vec.f.next_chunk != nullptr ? CacheLevel::kSecond : CacheLevel::kFirst;
  for (uint64_t at = 0; at < bytes; at += kLineBytes)
    prefetch(vec.f, vec.b.CreateConstGEP1_64(vec.b.getInt8Ty(), ahead, at), level);
}

bool is_scratch(VectorEmitter& vec, core::Name block) {
  const auto slot = vec.f.slots.find(block.id);
  return slot != vec.f.slots.end() && slot->second.type.space == imp::Space::kScratch;
}

Value* load_contiguous(VectorEmitter& vec, core::Name block, Prim type, Value* index) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  Value* base = vec.f.data(block);
  llvm::Type* whole = vec.vector_type(element);
  Value* address = vec.b.CreateGEP(element, base, index);
  const auto load_all = [&] {
    return annotate(vec, vec.b.CreateAlignedLoad(whole, address, align_of(type)), block);
  };
  if (vec.fetches_ahead && vec.mask == nullptr && !is_scratch(vec, block))
    fetch_ahead(vec, address, whole);
  if (vec.mask == nullptr) return load_all();
  if (vec.f.module.vector_registers().masks_accesses(prim_size(type)))
    return load_masked(vec, block, type, address);
  llvm::BasicBlock* full = vec.f.new_block("full");
  llvm::BasicBlock* partial = vec.f.new_block("partial");
  llvm::BasicBlock* after = vec.f.new_block("loaded");
  vec.b.CreateCondBr(is_readable(vec, base, address, type), full, partial);
  vec.b.SetInsertPoint(full);
  Value* from_full = load_all();
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(partial);
  Value* from_partial = load_one_by_one(vec, block, type, address);
  partial = vec.b.GetInsertBlock();
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(after);
  llvm::PHINode* loaded = vec.b.CreatePHI(whole, 2);
  loaded->addIncoming(from_full, full);
  loaded->addIncoming(from_partial, partial);
  return loaded;
}

// All elements from the first lane's to the last lane's, in vector loads, and those that are wanted
// picked out of them.
Value* load_strided(VectorEmitter& vec, core::Name block, Prim type, const Lanes& index) {
  const int64_t stride = small_stride(index.stride);
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  const int64_t lanes = vec.lane_count;
  const int64_t span = (lanes - 1) * std::abs(stride);
  Value* first = index.value;
  if (stride < 0) first = vec.b.CreateAdd(first, vec.b.getInt64(static_cast<uint64_t>(-span)));
  auto* all =
      vec.b.CreateAlignedLoad(llvm::FixedVectorType::get(element, static_cast<unsigned>(span + 1)),
                              vec.b.CreateGEP(element, vec.f.data(block), first), align_of(type));
  annotate(vec, all, block);
  std::vector<int> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(static_cast<int>(lane * stride + (stride < 0 ? span : 0)));
  return vec.b.CreateShuffleVector(all, picked);
}

void store_reversed(VectorEmitter& vec, core::Name block, Prim type, Value* index,
                    Value* in_memory) {
  std::vector<int> reversed;
  for (unsigned lane = vec.lane_count; lane-- > 0;) reversed.push_back(static_cast<int>(lane));
  Value* first = vec.b.CreateSub(index, vec.b.getInt64(vec.lane_count - 1));
  Value* address =
      vec.b.CreateGEP(memory_type(vec.f.module.context(), type), vec.f.data(block), first);
  annotate(vec,
           vec.b.CreateAlignedStore(vec.b.CreateShuffleVector(in_memory, reversed), address,
                                    align_of(type)),
           block);
}

void store_contiguous(VectorEmitter& vec, core::Name block, Prim type, Value* index,
                      Value* in_memory) {
  Value* base = vec.f.data(block);
  Value* address = vec.b.CreateGEP(memory_type(vec.f.module.context(), type), base, index);
  const auto store_all = [&] {
    const bool streamed = std::ranges::find(vec.streamed, block) != vec.streamed.end();
    auto* store = vec.b.CreateAlignedStore(in_memory, address,
                                           streamed ? llvm::Align(kLineBytes) : align_of(type));
    if (streamed) set_past_caches(vec.f, store);
    annotate(vec, store, block);
  };
  if (vec.mask == nullptr) return store_all();
  if (vec.f.module.vector_registers().masks_accesses(prim_size(type)))
    return store_masked(vec, block, type, address, in_memory);
  llvm::BasicBlock* full = vec.f.new_block("full");
  llvm::BasicBlock* partial = vec.f.new_block("partial");
  llvm::BasicBlock* after = vec.f.new_block("stored");
  vec.b.CreateCondBr(vec.all(vec.mask), full, partial);
  vec.b.SetInsertPoint(full);
  store_all();
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(partial);
  const Lanes lanes{Shape::kLinear, index, vec.b.getInt64(1)};
  scatter(vec, block, type, addresses(vec, base, type, lanes), in_memory);
  vec.b.CreateBr(after);
  vec.b.SetInsertPoint(after);
}

}  // namespace

Value* load(VectorEmitter& vec, core::Name block, Prim type, const Lanes& index, LaneAccess how) {
  switch (how) {
    case LaneAccess::kOwn:
    case LaneAccess::kOwnEach:
      return from_memory(vec, type, load_private(vec, vec.slots.at(block.id), type, index));
    case LaneAccess::kScalar: {
      llvm::Type* element = memory_type(vec.f.module.context(), type);
      return vec.splat(vec.f.load(
          type, vec.b.CreateInBoundsGEP(element, vec.f.data(block), index.value), block));
    }
    case LaneAccess::kContiguous:
      return from_memory(vec, type, load_contiguous(vec, block, type, index.value));
    case LaneAccess::kGather: return gather_at_once(vec, block, type, index.value);
    case LaneAccess::kShared: return gather_or_load(vec, block, type, index.value);
    case LaneAccess::kStrided:
      if (vec.mask == nullptr) return from_memory(vec, type, load_strided(vec, block, type, index));
      break;
    case LaneAccess::kEach: break;
  }
  return from_memory(vec, type,
                     gather(vec, block, type, addresses(vec, vec.f.data(block), type, index)));
}

LaneAccess access_for(const VectorEmitter& vec, core::Name block, Prim type, const Lanes& index,
                      bool is_load) {
  const bool uniform = index.shape == Shape::kUniform;
  if (vec.is_private(block)) return uniform ? LaneAccess::kOwn : LaneAccess::kOwnEach;
  if (uniform) return is_load ? LaneAccess::kScalar : LaneAccess::kEach;
  if (index.shape == Shape::kVarying)
    return vec.f.module.vector_registers().gathers && prim_size(type) >= 4 ? LaneAccess::kGather
                                                                           : LaneAccess::kEach;
  const int64_t stride = small_stride(index.stride);
  if (stride == 1) return LaneAccess::kContiguous;
  return is_load ? (stride != 0 ? LaneAccess::kStrided : LaneAccess::kEach)
                 : (stride == -1 ? LaneAccess::kStrided : LaneAccess::kEach);
}

void store(VectorEmitter& vec, core::Name block, Prim type, const Lanes& index, Value* v,
           LaneAccess how) {
  v = to_memory(vec, type, v);
  switch (how) {
    case LaneAccess::kOwn:
    case LaneAccess::kOwnEach: return store_private(vec, vec.slots.at(block.id), type, index, v);
    case LaneAccess::kContiguous: return store_contiguous(vec, block, type, index.value, v);
    case LaneAccess::kGather: return scatter_at_once(vec, block, type, index.value, v);
    case LaneAccess::kShared: return scatter_or_store(vec, block, type, index.value, v);
    case LaneAccess::kStrided:
      if (vec.mask == nullptr) return store_reversed(vec, block, type, index.value, v);
      break;
    case LaneAccess::kScalar:
    case LaneAccess::kEach: break;
  }
  scatter(vec, block, type, addresses(vec, vec.f.data(block), type, index), v);
}

Value* until_aligned(VectorEmitter& vec, const imp::For& loop, const imp::RowStore& update,
                     Value* first) {
  vec.slots.clear();
  vec.bind(loop.var, loop.type, {Shape::kLinear, first, vec.b.getInt64(1)});
  for (const imp::Let* let : update.index) emit_lanes(vec, *let);
  const imp::Store& store = *update.store;
  Value* address = vec.b.CreateGEP(memory_type(vec.f.module.context(), store.type),
                                   vec.f.data(store.block), vec.lanes_of(store.index).value);
  const auto size = static_cast<uint64_t>(prim_size(store.type));
  Value* place =
      vec.b.CreateAnd(vec.b.CreatePtrToInt(address, vec.b.getInt64Ty()), vec.lane_count * size - 1);
  return vec.b.CreateSub(vec.b.getInt64(vec.lane_count),
                         vec.b.CreateUDiv(place, vec.b.getInt64(size)));
}

void emit_lanes(VectorEmitter& vec, const imp::Load& n) {
  if (n.access == LaneAccess::kScalar) return emit_stmt(vec.f, n);
  vec.bind(n.name, n.type,
           {Shape::kVarying, load(vec, n.block, n.type, vec.lanes_of(n.index), n.access), nullptr});
}

void emit_lanes(VectorEmitter& vec, const imp::Store& n) {
  store(vec, n.block, n.type, vec.lanes_of(n.index), vec.vector(n.value), n.access);
}

}  // namespace skald::cpu
