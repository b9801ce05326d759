// SPDX-License-Identifier: Apache-2.0
// Moving chosen elements together (imp::Collect), a register at a time: the chosen elements go to
// the front of a register, and all of it is stored, for what is behind them is overwritten by the
// next ones.  AVX-512 has an instruction for that.  (It can also store these only, which is
// slower.)  Where there is one that takes the bytes of a register in any order, a table says which
// order:
//
//   chosen   1 0 1 1   row 13 of the table, as the mask read from its end is 1101
//   x        a b c d   bytes 0 1 2 3, 8 9 10 11, 12 13 14 15, …
//   stored   a c d ?   and the next register begins at the place of ?
//
// Elsewhere one by one, without branches: each is stored, and the place advances if it was chosen.
// So does scalar code.
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <numeric>

#include "codegen/cpu/optimise/optimise.h"
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/memory.h"
#include "codegen/cpu/vector/statements.h"
#include "imp/ir/visit.h"
#include "support/bug.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Bytes of a register whose bytes can be put in any order.
constexpr unsigned kShuffled = 16;
// Elements that are looked up together.
constexpr unsigned kMarks = 8;

// Arranges elements of `size` bytes: how many of them one look-up moves.
unsigned shuffled_lanes(unsigned size) {
  return std::min(kMarks, kShuffled / size);
}

// The chosen elements of x, in order, then anything.
Value* compress(llvm::IRBuilder<>& b, Value* x, Value* chosen) {
  SKALD_CHECK(kIsX86, "no instruction moves elements together");
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {x->getType()},
                           {x, llvm::Constant::getNullValue(x->getType()), chosen});
}

// Byte k of the result is the one of x that byte k of `order` names.
Value* shuffle_bytes(llvm::IRBuilder<>& b, Value* x, Value* order) {
  SKALD_CHECK(kIsX86 || kIsArm64, "no instruction shuffles bytes");
  if (kIsX86) return b.CreateIntrinsic(llvm::Intrinsic::x86_ssse3_pshuf_b_128, {}, {x, order});
  return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_tbl1, {x->getType()}, {x, order});
}

// Half of a register is made a whole one for the instruction.
Value* arrange(llvm::IRBuilder<>& b, Value* x, Value* order) {
  const unsigned bytes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  if (bytes == kShuffled) return shuffle_bytes(b, x, order);
  std::vector<int> all(kShuffled);
  for (unsigned k = 0; k < kShuffled; ++k) all[k] = static_cast<int>(k % bytes);
  Value* both = shuffle_bytes(b, b.CreateShuffleVector(x, all), b.CreateShuffleVector(order, all));
  all.resize(bytes);
  return b.CreateShuffleVector(both, all);
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

// Which of eight lanes are chosen, and how many of the first ones.
class Marks {
 public:
  Marks(llvm::IRBuilder<>& b, Value* chosen) : b_(b) {
    if (!kIsArm64) {
      mask_ = b_.CreateZExt(b_.CreateBitCast(chosen, b_.getInt8Ty()), b_.getInt64Ty());
      return;
    }
    // Eight marks are one word, and products of it move its bits: to the mask in the highest byte,
    // or add them up, so that each byte has how many there are up to its own.
    Value* word = b_.CreateBitCast(
        b_.CreateZExt(chosen, llvm::FixedVectorType::get(b_.getInt8Ty(), kMarks)), b_.getInt64Ty());
    mask_ = b_.CreateLShr(b_.CreateMul(word, b_.getInt64(0x0102'0408'1020'4080)), b_.getInt64(56));
    counts_ = b_.CreateMul(word, b_.getInt64(0x0101'0101'0101'0101));
  }
  // The row of a table for `lanes` lanes from `first` on.
  Value* row(unsigned first, unsigned lanes) {
    return b_.CreateAnd(b_.CreateLShr(mask_, b_.getInt64(first)),
                        b_.getInt64((uint64_t{1} << lanes) - 1));
  }
  Value* count(unsigned lanes) {
    if (counts_ != nullptr)
      return b_.CreateAnd(b_.CreateLShr(counts_, b_.getInt64(8 * (lanes - 1))), b_.getInt64(0xff));
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, row(0, lanes));
  }

 private:
  llvm::IRBuilder<>& b_;
  Value* mask_;
  Value* counts_ = nullptr;
};

// All of these give the next place.

// Lanes first … first+count-1, in a vector of `room`; what follows them is zero if they are bits.
Value* slice(VectorEmitter& vec, Value* vector, unsigned first, unsigned count, unsigned room) {
  if (count == vec.lane_count && room == vec.lane_count) return vector;
  const bool zeros = vector->getType()->getScalarSizeInBits() == 1;
  std::vector<int> lanes(room, zeros ? static_cast<int>(vec.lane_count) : -1);
  std::iota(lanes.begin(), lanes.begin() + count, static_cast<int>(first));
  return vec.b.CreateShuffleVector(vector, llvm::Constant::getNullValue(vector->getType()), lanes);
}

void store_collected(VectorEmitter& vec, const imp::Collected& member, Value* x, Value* place) {
  llvm::Type* element = memory_type(vec.f.module.context(), member.type);
  Value* address = vec.b.CreateInBoundsGEP(element, vec.f.data(member.block), place);
  const auto align = llvm::Align(static_cast<uint64_t>(prim_size(member.type)));
  annotate(vec, vec.b.CreateAlignedStore(x, address, align), member.block);
}

Value* collect_by_instruction(VectorEmitter& vec, const imp::Collected& member, Value* x,
                              Value* chosen, Value* place) {
  // The smallest registers have 16 bytes.
  constexpr unsigned kLeastBytes = 16, kLeastBits = 8;
  const auto size = static_cast<unsigned>(prim_size(member.type));
  const unsigned some = std::min(vec.lane_count, vec.plan.register_bytes / size);
  const unsigned room = std::max(some, kLeastBytes / size);
  for (unsigned first = 0; first < vec.lane_count; first += some) {
    Value* which = slice(vec, chosen, first, some, room);
    store_collected(vec, member, compress(vec.b, slice(vec, x, first, some, room), which), place);
    const unsigned bits = std::max(some, kLeastBits);
    Value* word = vec.b.CreateBitCast(slice(vec, chosen, first, some, bits), vec.b.getIntNTy(bits));
    Value* count = vec.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word);
    place = vec.b.CreateNSWAdd(place, vec.b.CreateZExt(count, vec.b.getInt64Ty()));
  }
  return place;
}

Value* collect_by_table(VectorEmitter& vec, const imp::Collected& member, Value* x, Value* chosen,
                        Value* place) {
  const auto size = static_cast<unsigned>(prim_size(member.type));
  const unsigned at_once = shuffled_lanes(size), bytes = at_once * size;
  llvm::GlobalVariable* table = table_of_orders(vec.f.module.module(), size);
  llvm::Type* byte = vec.b.getInt8Ty();
  llvm::Type* row_type = llvm::FixedVectorType::get(byte, bytes);
  for (unsigned first = 0; first < vec.lane_count; first += kMarks) {
    const unsigned some = std::min(vec.lane_count - first, kMarks);
    Marks marks(vec.b, slice(vec, chosen, first, some, kMarks));
    for (unsigned k = 0; k < some; k += at_once) {
      Value* row = vec.b.CreateMul(marks.row(k, at_once), vec.b.getInt64(bytes));
      Value* order = vec.b.CreateAlignedLoad(row_type, vec.b.CreateInBoundsGEP(byte, table, row),
                                             llvm::Align(bytes));
      Value* part = slice(vec, x, first + k, std::min(some - k, at_once), at_once);
      Value* together = arrange(vec.b, vec.b.CreateBitCast(part, row_type), order);
      Value* before = k == 0 ? place : vec.b.CreateNSWAdd(place, marks.count(k));
      store_collected(vec, member, together, before);
    }
    place = vec.b.CreateNSWAdd(place, marks.count(kMarks));
  }
  return place;
}

Value* collect(VectorEmitter& vec, const imp::Collected& member, Value* chosen, Value* place) {
  const auto size = static_cast<unsigned>(prim_size(member.type));
  Value* x = vec.b.CreateBitCast(to_memory(vec, member.type, vec.vector(member.value)),
                                 vec.vector_type(vec.b.getIntNTy(8 * size)));
  const machine::VectorRegisters& machine = vec.f.module.vector_registers();
  if (machine.packed_bytes > 0 && size >= static_cast<unsigned>(machine.packed_bytes))
    return collect_by_instruction(vec, member, x, chosen, place);
  if (machine.shuffles) return collect_by_table(vec, member, x, chosen, place);
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    store_collected(vec, member, vec.b.CreateExtractElement(x, lane), place);
    Value* more = vec.b.CreateZExt(vec.b.CreateExtractElement(chosen, lane), vec.b.getInt64Ty());
    place = vec.b.CreateNSWAdd(place, more);
  }
  return place;
}

}  // namespace

void emit_lanes(VectorEmitter& vec, const imp::Collect& n) {
  Value* chosen = vec.vector(n.cond);
  if (vec.mask != nullptr) chosen = vec.bits(vec.and_mask(chosen));
  // Places of several classes would be put into one vector, from which each is taken to store
  // there.
  vec.f.fn->addFnAttr(kKeepScalars);
  llvm::AllocaInst* next = vec.f.slots.at(n.next.id).variable;
  Value* place = vec.b.CreateLoad(vec.b.getInt64Ty(), next);
  Value* after = place;
  for (const imp::Collected& each : n.members) after = collect(vec, each, chosen, place);
  vec.b.CreateStore(after, next);
}

}  // namespace skald::cpu
