// SPDX-License-Identifier: Apache-2.0
// Loads, stores and arrays in vector code.
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

using llvm::Value;

namespace {

llvm::Align align_of(Prim type) {
  return llvm::Align(static_cast<uint64_t>(prim_size(type)));
}

bool is_one(Value* v) {
  const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(v);
  return c != nullptr && c->isOne();
}

}  // namespace

// A bool is an i8 in memory.
Value* VectorEmitter::to_memory(Prim type, Value* v) {
  return type == Prim::kBool ? b_.CreateZExt(v, like(v, b_.getInt8Ty())) : v;
}

Value* VectorEmitter::from_memory(Prim type, Value* v) {
  return type == Prim::kBool ? b_.CreateTrunc(v, like(v, b_.getInt1Ty())) : v;
}

llvm::Instruction* VectorEmitter::annotate(llvm::Instruction* access, core::Name block) {
  f_.aliases_.annotate(access, block);
  return access;
}

// The mask as something of which `is_active` asks for single lanes.  Masks that are bits are moved
// to a scalar register once.
Value* VectorEmitter::active_lanes() {
  if (mask_ == nullptr) return nullptr;
  Value* active = bits(mask_);
  const bool in_one_word = f_.m_.vector_registers().bit_masks && lanes_ >= 8 && lanes_ <= 64;
  return in_one_word ? b_.CreateBitCast(active, b_.getIntNTy(lanes_)) : active;
}

Value* VectorEmitter::is_active(Value* active, unsigned lane) {
  if (active->getType()->isVectorTy()) return b_.CreateExtractElement(active, lane);
  Value* bit = llvm::ConstantInt::get(active->getType(), llvm::APInt::getOneBitSet(lanes_, lane));
  return b_.CreateIsNotNull(b_.CreateAnd(active, bit));
}

std::vector<Value*> VectorEmitter::addresses(Value* base, Prim type, const Lanes& index) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  std::vector<Value*> result;
  Value* active = active_lanes();
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value* address = b_.CreateGEP(element, base, in_lane(index, lane));
    if (active != nullptr) address = f_.unforeseen(is_active(active, lane), address, f_.spare());
    result.push_back(address);
  }
  return result;
}

Value* VectorEmitter::gather(core::Name block, Prim type, llvm::ArrayRef<Value*> addresses) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  Value* all = llvm::PoisonValue::get(vector_type(element));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    auto* one = b_.CreateAlignedLoad(element, addresses[lane], align_of(type));
    annotate(one, block);
    all = b_.CreateInsertElement(all, one, lane);
  }
  return all;
}

// In the order of the lanes, so that of equal places the last iteration's value stays.
void VectorEmitter::scatter(core::Name block, Prim type, llvm::ArrayRef<Value*> addresses,
                            Value* in_memory) {
  for (unsigned lane = 0; lane < lanes_; ++lane)
    annotate(b_.CreateAlignedStore(b_.CreateExtractElement(in_memory, lane), addresses[lane],
                                   align_of(type)),
             block);
}

// ---- outside

// Does the target have masked loads and stores of such elements?
bool VectorEmitter::has_masked_access(Prim type) const {
  if (!kIsX86) return false;
  return f_.m_.vector_registers().bit_masks || (f_.m_.vector_bytes() >= 32 && prim_size(type) >= 4);
}

// Can all lanes be read although some are inactive?  One that is active lies in memory that exists,
// and so does everything in its page.  Not so on the stack, of which LLVM knows where arrays end.
Value* VectorEmitter::is_readable(Value* base, Value* address, Prim type) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return all(mask_);
  constexpr uint64_t kPage = 4096;
  const uint64_t bytes = lanes_ * static_cast<uint64_t>(prim_size(type));
  Value* in_page =
      b_.CreateAnd(b_.CreatePtrToInt(address, b_.getInt64Ty()), b_.getInt64(kPage - 1));
  return b_.CreateICmpULE(in_page, b_.getInt64(kPage - bytes));
}

// The active lanes of a piece of memory.  This is rare, so it is a loop, through the stack.
Value* VectorEmitter::load_one_by_one(core::Name block, Prim type, Value* address) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  llvm::AllocaInst* wanted = f_.variable(vector_type(b_.getInt8Ty()));
  llvm::AllocaInst* loaded = f_.variable(vector_type(element));
  b_.CreateStore(b_.CreateSExt(bits(mask_), vector_type(b_.getInt8Ty())), wanted);
  b_.CreateStore(llvm::Constant::getNullValue(vector_type(element)), loaded);
  f_.leave_scalar(count_up(b_.getInt64(lanes_), [&](Value* lane) {
    llvm::BasicBlock* yes = f_.new_block("lane");
    llvm::BasicBlock* after = f_.new_block("after");
    Value* flag = b_.CreateLoad(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), wanted, lane));
    b_.CreateCondBr(b_.CreateIsNotNull(flag), yes, after);
    b_.SetInsertPoint(yes);
    llvm::Instruction* one =
        b_.CreateAlignedLoad(element, b_.CreateGEP(element, address, lane), align_of(type));
    annotate(one, block);
    b_.CreateStore(one, b_.CreateGEP(element, loaded, lane));
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }));
  return b_.CreateLoad(vector_type(element), loaded);
}

void VectorEmitter::fetch_ahead(Value* address, llvm::Type* loaded) {
  // Measured: a Neoverse N1 takes half as long again for a sum with 4 KiB as with 512 bytes.
  constexpr uint64_t kAheadBytes = kIsArm64 ? 512 : 4096;
  const uint64_t bytes = loaded->getPrimitiveSizeInBits() / 8;
  Value* ahead = f_.next_chunk_ != nullptr
                     ? b_.CreateGEP(loaded->getScalarType(), address, f_.next_chunk_)
                     : b_.CreateConstGEP1_64(b_.getInt8Ty(), address, kAheadBytes);
  const auto level =
      f_.next_chunk_ != nullptr ? FunctionEmitter::Level::kSecond : FunctionEmitter::Level::kFirst;
  for (uint64_t at = 0; at < bytes; at += kLineBytes)
    f_.prefetch(b_.CreateConstGEP1_64(b_.getInt8Ty(), ahead, at), level);
}

Value* VectorEmitter::load(core::Name block, Prim type, const Lanes& index, bool shared) {
  if (const auto found = slots_.find(block.id); found != slots_.end())
    return from_memory(type, load_private(found->second, type, index));
  llvm::Type* element = memory_type(f_.m_.context(), type);
  Value* base = f_.data(block);
  if (index.shape == Shape::kUniform)
    return splat(f_.load(type, b_.CreateInBoundsGEP(element, base, index.value), block));
  const int64_t stride = small_stride(index);
  if (mask_ == nullptr && stride != 0 && stride != 1)
    return from_memory(type, load_strided(block, type, index, stride));
  if (!is_one(index.stride)) {
    if (has_gather(type, index))
      return shared ? gather_or_load(block, type, index.value)
                    : gather_at_once(block, type, index.value);
    return from_memory(type, gather(block, type, addresses(base, type, index)));
  }
  llvm::Type* whole = vector_type(element);
  Value* address = b_.CreateGEP(element, base, index.value);
  const auto load_all = [&] {
    return annotate(b_.CreateAlignedLoad(whole, address, align_of(type)), block);
  };
  if (fetches_ahead_ && mask_ == nullptr && !is_scratch(block)) fetch_ahead(address, whole);
  if (mask_ == nullptr) return from_memory(type, load_all());
  if (has_masked_access(type)) {
    llvm::Instruction* loaded = b_.CreateMaskedLoad(whole, address, align_of(type), bits(mask_),
                                                    llvm::Constant::getNullValue(whole));
    return from_memory(type, annotate(loaded, block));
  }
  llvm::BasicBlock* full = f_.new_block("full");
  llvm::BasicBlock* partial = f_.new_block("partial");
  llvm::BasicBlock* after = f_.new_block("loaded");
  b_.CreateCondBr(is_readable(base, address, type), full, partial);
  b_.SetInsertPoint(full);
  Value* from_full = load_all();
  b_.CreateBr(after);
  b_.SetInsertPoint(partial);
  Value* from_partial = load_one_by_one(block, type, address);
  partial = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* loaded = b_.CreatePHI(whole, 2);
  loaded->addIncoming(from_full, full);
  loaded->addIncoming(from_partial, partial);
  return from_memory(type, loaded);
}

int64_t VectorEmitter::small_stride(const Lanes& index) {
  if (index.shape != Shape::kLinear) return 0;
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(index.stride);
  if (c == nullptr || c->getBitWidth() > 64) return 0;
  return imp::is_small_stride(c->getSExtValue()) ? c->getSExtValue() : 0;
}

// All elements from the first lane's to the last lane's, in vector loads, and those that are wanted
// picked out of them.
Value* VectorEmitter::load_strided(core::Name block, Prim type, const Lanes& index,
                                   int64_t stride) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  const int64_t lanes = lanes_;
  const int64_t span = (lanes - 1) * std::abs(stride);
  Value* first = index.value;
  if (stride < 0) first = b_.CreateAdd(first, b_.getInt64(static_cast<uint64_t>(-span)));
  auto* all =
      b_.CreateAlignedLoad(llvm::FixedVectorType::get(element, static_cast<unsigned>(span + 1)),
                           b_.CreateGEP(element, f_.data(block), first), align_of(type));
  annotate(all, block);
  std::vector<int> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(static_cast<int>(lane * stride + (stride < 0 ? span : 0)));
  return b_.CreateShuffleVector(all, picked);
}

void VectorEmitter::store(core::Name block, Prim type, const Lanes& index, Value* v, bool shared) {
  v = to_memory(type, v);
  if (const auto found = slots_.find(block.id); found != slots_.end())
    return store_private(found->second, type, index, v);
  Value* base = f_.data(block);
  if (mask_ == nullptr && small_stride(index) == -1) {
    std::vector<int> reversed;
    for (unsigned lane = lanes_; lane-- > 0;) reversed.push_back(static_cast<int>(lane));
    Value* first = b_.CreateSub(index.value, b_.getInt64(lanes_ - 1));
    annotate(b_.CreateAlignedStore(b_.CreateShuffleVector(v, reversed),
                                   b_.CreateGEP(memory_type(f_.m_.context(), type), base, first),
                                   align_of(type)),
             block);
    return;
  }
  if (has_gather(type, index))
    return shared ? scatter_or_store(block, type, index.value, v)
                  : scatter_at_once(block, type, index.value, v);
  if (index.shape != Shape::kLinear || !is_one(index.stride))
    return scatter(block, type, addresses(base, type, index), v);
  Value* address = b_.CreateGEP(memory_type(f_.m_.context(), type), base, index.value);
  const auto store_all = [&] {
    const bool streamed = std::ranges::find(streamed_, block) != streamed_.end();
    auto* store =
        b_.CreateAlignedStore(v, address, streamed ? llvm::Align(kLineBytes) : align_of(type));
    if (streamed) f_.set_past_caches(store);
    annotate(store, block);
  };
  if (mask_ == nullptr) return store_all();
  if (has_masked_access(type)) {
    annotate(b_.CreateMaskedStore(v, address, align_of(type), bits(mask_)), block);
    return;
  }
  llvm::BasicBlock* full = f_.new_block("full");
  llvm::BasicBlock* partial = f_.new_block("partial");
  llvm::BasicBlock* after = f_.new_block("stored");
  b_.CreateCondBr(all(mask_), full, partial);
  b_.SetInsertPoint(full);
  store_all();
  b_.CreateBr(after);
  b_.SetInsertPoint(partial);
  scatter(block, type, addresses(base, type, index), v);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

Value* VectorEmitter::until_aligned(const imp::For& loop, const imp::RowStore& update,
                                    Value* first) {
  slots_.clear();
  bind(loop.var, loop.type, {Shape::kLinear, first, b_.getInt64(1)});
  for (const imp::Let* let : update.index) stmt(*let);
  const imp::Store& store = *update.store;
  Value* address = b_.CreateGEP(memory_type(f_.m_.context(), store.type), f_.data(store.block),
                                lanes_of(store.index).value);
  const auto size = static_cast<uint64_t>(prim_size(store.type));
  Value* place = b_.CreateAnd(b_.CreatePtrToInt(address, b_.getInt64Ty()), lanes_ * size - 1);
  return b_.CreateSub(b_.getInt64(lanes_), b_.CreateUDiv(place, b_.getInt64(size)));
}

void VectorEmitter::stmt(const imp::Load& n) {
  if (analysis_.is_uniform(n.name)) return f_.stmt(n);
  const bool shared = analysis_.is_shared_index(n.index);
  bind(n.name, n.type,
       {Shape::kVarying, load(n.block, n.type, lanes_of(n.index), shared), nullptr});
}

void VectorEmitter::stmt(const imp::Store& n) {
  store(n.block, n.type, lanes_of(n.index), vector(n.value), analysis_.is_shared_index(n.index));
}

// ---- private arrays

void VectorEmitter::stmt(const imp::Alloc& n) {
  Slot slot;
  const core::Const* size = core::as_const(n.bytes);
  constexpr int64_t kMostBytes = int64_t{1} << 40;
  const int64_t bytes = size == nullptr ? -1 : core::int_value(*size);
  // Never empty: inactive lanes may look at the first element.
  if (bytes >= 0 && bytes <= imp::kSmallArray) {
    const uint64_t room = static_cast<uint64_t>(std::max<int64_t>(bytes, 8)) * lanes_;
    llvm::AllocaInst* memory = f_.variable(llvm::ArrayType::get(b_.getInt8Ty(), room));
    memory->setAlignment(llvm::Align(16));
    slot.memory = memory;
  } else {
    Value* asked = scalar(n.bytes);
    repeat_unless(b_.CreateICmpULT(asked, b_.getInt64(static_cast<uint64_t>(kMostBytes))));
    Value* room = b_.CreateMul(b_.CreateAdd(asked, b_.getInt64(8)), b_.getInt64(lanes_));
    slot.memory = f_.scratch_memory(room, n.loc);
  }
  slots_[n.name.id] = slot;
}

// Names of blocks that change do so in all lanes at once.
void VectorEmitter::stmt(const imp::BlockVar& n) {
  Slot slot;
  slot.variable = f_.variable(b_.getPtrTy());
  if (n.init) b_.CreateStore(memory_of(slots_.at(n.init.id)), slot.variable);
  slots_[n.name.id] = slot;
}

void VectorEmitter::stmt(const imp::BlockAssign& n) {
  b_.CreateStore(memory_of(slots_.at(n.value.id)), slots_.at(n.var.id).variable);
}

Value* VectorEmitter::memory_of(const Slot& slot) {
  return slot.variable == nullptr ? slot.memory : b_.CreateLoad(b_.getPtrTy(), slot.variable);
}

Value* VectorEmitter::load_private(const Slot& slot, Prim type, const Lanes& index) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  if (index.shape == Shape::kUniform) {
    Value* first = b_.CreateMul(index.value, b_.getInt64(lanes_));
    return b_.CreateAlignedLoad(vector_type(element), b_.CreateGEP(element, memory_of(slot), first),
                                align_of(type));
  }
  Lanes at = index;
  if (mask_ != nullptr) {
    // Element 0 is always there.
    Value* wanted = vector(index);
    at = {Shape::kVarying,
          b_.CreateSelect(bits(mask_), wanted, llvm::Constant::getNullValue(wanted->getType())),
          nullptr};
  }
  Value* all = llvm::PoisonValue::get(vector_type(element));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value* place =
        b_.CreateAdd(b_.CreateMul(in_lane(at, lane), b_.getInt64(lanes_)), b_.getInt64(lane));
    Value* one = b_.CreateAlignedLoad(element, b_.CreateGEP(element, memory_of(slot), place),
                                      align_of(type));
    all = b_.CreateInsertElement(all, one, lane);
  }
  return all;
}

void VectorEmitter::store_private(const Slot& slot, Prim type, const Lanes& index, Value* v) {
  llvm::Type* element = memory_type(f_.m_.context(), type);
  if (index.shape == Shape::kUniform) {
    Value* address =
        b_.CreateGEP(element, memory_of(slot), b_.CreateMul(index.value, b_.getInt64(lanes_)));
    if (mask_ != nullptr) {
      Value* old = b_.CreateAlignedLoad(vector_type(element), address, align_of(type));
      v = b_.CreateSelect(bits(mask_), v, old);
    }
    b_.CreateAlignedStore(v, address, align_of(type));
    return;
  }
  Value* active = active_lanes();
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value* place =
        b_.CreateAdd(b_.CreateMul(in_lane(index, lane), b_.getInt64(lanes_)), b_.getInt64(lane));
    Value* address = b_.CreateGEP(element, memory_of(slot), place);
    if (active != nullptr) address = f_.unforeseen(is_active(active, lane), address, f_.spare());
    b_.CreateAlignedStore(b_.CreateExtractElement(v, lane), address, align_of(type));
  }
}

// ---- whole pieces

template <class Inside>
void VectorEmitter::each_lane(const Inside& inside) {
  Value* active = mask_ == nullptr ? nullptr : bits(mask_);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (active == nullptr) {
      inside(lane);
      continue;
    }
    llvm::BasicBlock* yes = f_.new_block("lane");
    llvm::BasicBlock* after = f_.new_block("after");
    b_.CreateCondBr(b_.CreateExtractElement(active, lane), yes, after);
    b_.SetInsertPoint(yes);
    inside(lane);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }
}

void VectorEmitter::stmt(const imp::CopyBytes& n) {
  const bool is_private = analysis_.is_private(n.dest) || analysis_.is_private(n.src);
  if (is_private) return copy_elements(n);
  const Lanes to = lanes_of(n.dest_offset), from = lanes_of(n.src_offset),
              bytes = lanes_of(n.bytes);
  each_lane([&](unsigned lane) {
    Value* dest = b_.CreateGEP(b_.getInt8Ty(), f_.data(n.dest), in_lane(to, lane));
    Value* src = b_.CreateGEP(b_.getInt8Ty(), f_.data(n.src), in_lane(from, lane));
    if (n.overlap)
      b_.CreateMemMove(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), in_lane(bytes, lane));
    else
      b_.CreateMemCpy(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(), in_lane(bytes, lane));
  });
}

// Between arrays of which one is private: element by element, in all lanes at once.
void VectorEmitter::copy_elements(const imp::CopyBytes& n) {
  const Prim type = analysis_.element_type(analysis_.is_private(n.dest) ? n.dest : n.src);
  const int size = prim_size(type);
  const Lanes to = per_element(lanes_of(n.dest_offset), size);
  const Lanes from = per_element(lanes_of(n.src_offset), size);
  if (copy_rows(n, type, to, from)) return;
  count_up(per_element(lanes_of(n.bytes), size).value, [&](Value* k) {
    const Lanes step{Shape::kUniform, k, nullptr};
    store(n.dest, type, plus(to, step), load(n.src, type, plus(from, step)));
  });
}

// A row of every lane in memory outside is a column of the private array: all rows together are
// transposed.  False (and no code) if they are no such rows.
bool VectorEmitter::copy_rows(const imp::CopyBytes& n, Prim type, const Lanes& to,
                              const Lanes& from) {
  const bool in = !analysis_.is_private(n.src), out = !analysis_.is_private(n.dest);
  if (in == out || mask_ != nullptr) return false;
  const Lanes& outside = in ? from : to;
  const Lanes& inside = in ? to : from;
  if (outside.shape != Shape::kLinear || inside.shape != Shape::kUniform ||
      small_stride(outside) != 0)
    return false;
  llvm::Type* element = memory_type(f_.m_.context(), type);
  const auto start = [&](core::Name block, Value* index) {
    return b_.CreateGEP(element, f_.data(block), index);
  };
  Value* lanes = b_.getInt64(lanes_);
  const Slot& slot = slots_.at((in ? n.dest : n.src).id);
  Value* own = b_.CreateGEP(element, memory_of(slot), b_.CreateMul(inside.value, lanes));
  Value* count = per_element(lanes_of(n.bytes), prim_size(type)).value;
  if (in)
    f_.transpose({.type = type,
                  .src = start(n.src, from.value),
                  .src_stride = from.stride,
                  .dest = own,
                  .dest_stride = lanes,
                  .rows = lanes,
                  .columns = count,
                  .src_block = n.src});
  else
    f_.transpose({.type = type,
                  .src = own,
                  .src_stride = lanes,
                  .dest = start(n.dest, to.value),
                  .dest_stride = to.stride,
                  .rows = count,
                  .columns = lanes,
                  .dest_block = n.dest});
  return true;
}

void VectorEmitter::stmt(const imp::Fill& n) {
  const Lanes start = lanes_of(n.start), count = lanes_of(n.count);
  const Lanes v = lanes_of(n.value);
  if (analysis_.is_private(n.block)) {
    Value* all = vector(v);
    count_up(count.value, [&](Value* k) {
      store(n.block, n.type, plus(start, {Shape::kUniform, k, nullptr}), all);
    });
    return;
  }
  each_lane([&](unsigned lane) {
    llvm::Type* element = memory_type(f_.m_.context(), n.type);
    Value* base = b_.CreateGEP(element, f_.data(n.block), in_lane(start, lane));
    Value* one = to_memory(n.type, in_lane(v, lane));
    count_up(in_lane(count, lane), [&](Value* k) {
      annotate(b_.CreateAlignedStore(one, b_.CreateGEP(element, base, k), align_of(n.type)),
               n.block);
    });
  });
}

// Values of other lanes.
void VectorEmitter::stmt(const imp::Earlier& n) {
  Value* mine = vector(n.value);
  const auto by = static_cast<unsigned>(core::int_value(*core::as_const(n.by)));
  std::vector<int> from;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    from.push_back(static_cast<int>(lane < by ? lanes_ + lane : lane - by));
  bind(n.name, n.type,
       {Shape::kVarying, b_.CreateShuffleVector(mine, vector(n.none), from), nullptr});
}

}  // namespace skald::cpu
