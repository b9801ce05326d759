// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together (imp::Pack), a register at a time: the chosen elements go to the
// front of a register, and all of it is stored, for what is behind them is overwritten by the next
// ones.  AVX-512 has an instruction for that.  (It can also store these only, which is slower.)
// Where there is one that takes the bytes of a register in any order, a table says which order:
//
//   chosen   1 0 1 1   row 13 of the table, as the mask read from its end is 1101
//   x        a b c d   bytes 0 1 2 3, 8 9 10 11, 12 13 14 15, …
//   stored   a c d ?   and the next register begins at the place of ?
//
// Elsewhere one by one, without branches: each is stored, and the place advances if it was chosen.
//
// Large results are packed piece by piece into a buffer that stays in the first-level cache, and
// written past the caches from there.  Threads that take chunks in turns have looked at the
// elements before, so these are in a cache too, and memory has time to bring the thread's next
// chunk.
#if defined(__x86_64__)
#include <llvm/IR/IntrinsicsX86.h>
#elif defined(__aarch64__)
#include <llvm/IR/IntrinsicsAArch64.h>
#endif

#include <algorithm>

#include "codegen/cpu/function_emitter.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Bytes of a register whose bytes can be put in any order.
constexpr unsigned kShuffled = 16;
// Elements that are looked up together: their marks fill a word.
constexpr unsigned kMarks = 8;
// Bytes that are packed before they are written past the caches.
constexpr unsigned kPieceBytes = 16384;

// Arranges elements of `size` bytes: how many of them one look-up moves.
unsigned shuffled_lanes(unsigned size) {
  return std::min(kMarks, kShuffled / size);
}

// The chosen elements of x, in order, then anything.
Value* compress([[maybe_unused]] llvm::IRBuilder<>& b, [[maybe_unused]] Value* x,
                [[maybe_unused]] Value* chosen) {
#if defined(__x86_64__)
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {x->getType()},
                           {x, llvm::Constant::getNullValue(x->getType()), chosen});
#else
  SKALD_BUG("no instruction moves elements together");
#endif
}

// Byte k of the result is the one of x that byte k of `order` names.
Value* shuffle_bytes([[maybe_unused]] llvm::IRBuilder<>& b, [[maybe_unused]] Value* x,
                     [[maybe_unused]] Value* order) {
#if defined(__x86_64__)
  return b.CreateIntrinsic(llvm::Intrinsic::x86_ssse3_pshuf_b_128, {}, {x, order});
#elif defined(__aarch64__)
  return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_tbl1, {x->getType()}, {x, order});
#else
  SKALD_BUG("no instruction shuffles bytes");
#endif
}

// For each mask of shuffled_lanes(size) bits the bytes of the chosen elements, then those of the
// first one.
llvm::GlobalVariable* table_of_orders(llvm::Module& module, unsigned size) {
  const std::string name = "orders_" + std::to_string(size);
  if (llvm::GlobalVariable* known = module.getGlobalVariable(name, true)) return known;
  const unsigned lanes = shuffled_lanes(size);
  std::vector<uint8_t> bytes;
  for (unsigned mask = 0; mask < 1u << lanes; ++mask) {
    const size_t end = bytes.size() + size_t{lanes} * size;
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned k = 0; k < size && (mask >> lane & 1) != 0; ++k)
        bytes.push_back(static_cast<uint8_t>(lane * size + k));
    bytes.resize(end);
  }
  llvm::Constant* rows = llvm::ConstantDataArray::get(module.getContext(), bytes);
  auto* table = new llvm::GlobalVariable(module, rows->getType(), true,
                                         llvm::GlobalValue::PrivateLinkage, rows, name);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  table->setAlignment(llvm::Align(kShuffled));
  return table;
}

}  // namespace

// The loop over elements of one statement.
class PackLoop {
 public:
  PackLoop(FunctionEmitter& f, const imp::Pack& n)
      : f_(f), b_(f.b_), n_(n), size_(static_cast<unsigned>(prim_size(n.type))) {
    type_ = b_.getIntNTy(8 * size_);
    to_ = f.element(n.dest, n.type, n.start);
    from_ = f.element(n.src, n.type, n.src_start);
    flags_ = f.element(n.flags, Prim::kBool, core::const_i64(0));
  }

  // How many there were.
  Value* run() { return n_.buffer ? in_pieces() : pack(f_.value(n_.count)); }

 private:
  // Moves the elements that begin at i to `place`; gives the next place.
  using Step = Value* (PackLoop::*)(Value* i, Value* place);

  Value* in_pieces() {
    llvm::AllocaInst* found = f_.variable(b_.getInt64Ty());
    b_.CreateStore(b_.getInt64(0), found);
    Value* count = f_.value(n_.count);
    Value *result = to_, *from = from_, *flags = flags_;
    to_ = f_.data(n_.buffer);
    next_chunk_ = next_chunk();
    f_.count_up(b_.getInt64(0), count, kPieceBytes / size_, [&](Value* first) {
      Value* some = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(count, first),
                                             b_.getInt64(kPieceBytes / size_));
      from_ = b_.CreateInBoundsGEP(type_, from, first);
      flags_ = b_.CreateInBoundsGEP(b_.getInt8Ty(), flags, first);
      Value* more = pack(some);
      Value* before = b_.CreateLoad(b_.getInt64Ty(), found);
      f_.stream(b_.CreateInBoundsGEP(type_, result, before), to_,
                b_.CreateMul(more, b_.getInt64(size_)));
      b_.CreateStore(b_.CreateNSWAdd(before, more), found);
    });
    return b_.CreateLoad(b_.getInt64Ty(), found);
  }

  // How far ahead of an element the thread's next chunk has one; null if that is not known.
  Value* next_chunk() {
    const auto slot = f_.slots_.find(n_.src.id);
    if (f_.chunk_size_ == nullptr || slot->second.type.space != imp::Space::kHeap) return nullptr;
    Value* threads = b_.CreateCall(
        f_.m_.runtime("skald_rt_workers", b_.getInt32Ty(), {b_.getPtrTy()}), {f_.ctx_});
    return b_.CreateMul(f_.chunk_size_, b_.CreateZExt(threads, b_.getInt64Ty()));
  }

  // The first `count` elements; gives how many were chosen.
  Value* pack(Value* count) {
    const imp::VectorRegisters& machine = f_.m_.vector_registers();
    Value* zero = b_.getInt64(0);
    if (machine.packed_bytes > 0 && prim_size(n_.type) >= machine.packed_bytes) {
      const bool wide = machine.wide_bytes > machine.bytes;
      if (wide) f_.use_wide_registers(machine.wide_bytes);
      const int bytes = wide ? machine.wide_bytes : machine.bytes;
      return groups(static_cast<unsigned>(bytes) / size_, count, &PackLoop::by_instruction);
    }
    if (machine.shuffles) return groups(kMarks, count, &PackLoop::by_table);
    return loop(1, zero, count, zero, &PackLoop::one);
  }

  Value* groups(unsigned lanes, Value* count, Step step) {
    lanes_ = lanes;
    Value* zero = b_.getInt64(0);
    Value* whole = b_.CreateAnd(count, b_.getInt64(~uint64_t{lanes - 1}));
    Value* place = loop(lanes, zero, whole, zero, step);
    return loop(1, whole, count, place, &PackLoop::one, true);
  }

  // Elements `begin` … `end`-1, `width` at a time; `at`: where they go.
  Value* loop(unsigned width, Value* begin, Value* end, Value* at, Step step, bool rest = false) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* head = f_.new_block("pack");
    llvm::BasicBlock* inside = f_.new_block("pack_some");
    llvm::BasicBlock* after = f_.new_block("packed");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    llvm::PHINode* place = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    place->addIncoming(at, before);
    b_.CreateCondBr(b_.CreateICmpSLT(i, end), inside, after);
    b_.SetInsertPoint(inside);
    place->addIncoming((this->*step)(i, place), inside);
    i->addIncoming(b_.CreateNSWAdd(i, b_.getInt64(width)), inside);
    llvm::Instruction* back = b_.CreateBr(head);
    if (rest) f_.leave_scalar(back);
    b_.SetInsertPoint(after);
    return place;
  }

  Value* one(Value* i, Value* place) {
    store(elements(type_, i), place);
    return advance(place, marks(b_.getInt8Ty(), i));
  }

  Value* by_instruction(Value* i, Value* place) {
    Value* x = elements(llvm::FixedVectorType::get(type_, lanes_), i);
    Value* chosen =
        b_.CreateIsNotNull(marks(llvm::FixedVectorType::get(b_.getInt8Ty(), lanes_), i));
    store(compress(b_, x, chosen), place);
    Value* bits = b_.CreateBitCast(chosen, b_.getIntNTy(lanes_));
    return advance(place, b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits));
  }

  // Eight marks are one word, and products of it move its bits: to the mask in the highest byte, or
  // add them up, so that each byte has how many there are up to its own.
  Value* by_table(Value* i, Value* place) {
    Value* word = marks(b_.getInt64Ty(), i);
    Value* mask =
        b_.CreateLShr(b_.CreateMul(word, b_.getInt64(0x0102'0408'1020'4080)), b_.getInt64(56));
    Value* counts = b_.CreateMul(word, b_.getInt64(0x0101'0101'0101'0101));
    const unsigned lanes = shuffled_lanes(size_), bytes = lanes * size_;
    llvm::GlobalVariable* table = table_of_orders(f_.m_.module(), size_);
    llvm::Type* byte = b_.getInt8Ty();
    llvm::Type* some = llvm::FixedVectorType::get(byte, bytes);
    for (unsigned first = 0; first < kMarks; first += lanes) {
      Value* row = b_.CreateAnd(b_.CreateLShr(mask, b_.getInt64(first)),
                                b_.getInt64((uint64_t{1} << lanes) - 1));
      Value* order = b_.CreateAlignedLoad(
          some, b_.CreateInBoundsGEP(byte, table, b_.CreateMul(row, b_.getInt64(bytes))),
          llvm::Align(bytes));
      Value* x = elements(some, b_.CreateNSWAdd(i, b_.getInt64(first)));
      Value* before = first == 0 ? place : advance(place, byte_of(counts, first - 1));
      store(arrange(x, order), before);
    }
    return advance(place, byte_of(counts, kMarks - 1));
  }

  // Half of a register is made a whole one for the instruction.
  Value* arrange(Value* x, Value* order) {
    const unsigned bytes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
    if (bytes == kShuffled) return shuffle_bytes(b_, x, order);
    std::vector<int> all(kShuffled);
    for (unsigned k = 0; k < kShuffled; ++k) all[k] = static_cast<int>(k % bytes);
    Value* both =
        shuffle_bytes(b_, b_.CreateShuffleVector(x, all), b_.CreateShuffleVector(order, all));
    all.resize(bytes);
    return b_.CreateShuffleVector(both, all);
  }

  Value* byte_of(Value* word, unsigned k) {
    return b_.CreateAnd(b_.CreateLShr(word, b_.getInt64(8 * k)), b_.getInt64(0xff));
  }

  Value* elements(llvm::Type* type, Value* i) {
    auto* x = b_.CreateAlignedLoad(type, b_.CreateInBoundsGEP(type_, from_, i), llvm::Align(size_));
    f_.aliases_.annotate(x, n_.src);
    if (next_chunk_ != nullptr && type->isVectorTy())
      f_.prefetch(b_.CreateGEP(type_, from_, b_.CreateAdd(i, next_chunk_)),
                  FunctionEmitter::Level::kSecond);
    return x;
  }

  Value* marks(llvm::Type* type, Value* i) {
    Value* address = b_.CreateInBoundsGEP(b_.getInt8Ty(), flags_, i);
    auto* x = b_.CreateAlignedLoad(type, address, llvm::Align(1));
    f_.aliases_.annotate(x, n_.flags);
    return x;
  }

  void store(Value* x, Value* place) {
    Value* address = b_.CreateInBoundsGEP(type_, to_, place);
    f_.aliases_.annotate(b_.CreateAlignedStore(x, address, llvm::Align(size_)),
                         n_.buffer ? n_.buffer : n_.dest);
  }

  Value* advance(Value* place, Value* more) {
    return b_.CreateNSWAdd(place, b_.CreateZExt(more, b_.getInt64Ty()));
  }

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
  const imp::Pack& n_;
  const unsigned size_;
  unsigned lanes_ = 1;
  llvm::Type* type_;
  Value *to_, *from_, *flags_;
  Value* next_chunk_ = nullptr;
};

void FunctionEmitter::stmt(const imp::Pack& n) {
  bind(n.name, Prim::kI64, PackLoop(*this, n).run());
}

}  // namespace skald::cpu
