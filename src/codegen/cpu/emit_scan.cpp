// SPDX-License-Identifier: Apache-2.0
// Scans of contiguous memory in vector registers (imp::ScanBlock).
//
// A register of 16 bytes is scanned by itself in log2(lanes) steps of shifting and combining; then
// what comes before it is combined with all its lanes.  Only the latter waits for the register
// before, so four registers at a time keep the units busy.  The width is the same on every machine,
// because the association of floats must be.  Integers do not mind: where registers have 32 bytes,
// both halves of one are scanned at once, and the upper one gets what the lower one comes to.
#include <optional>

#include "codegen/cpu/function_emitter.h"
#include "codegen/cpu/scan_lanes.h"

namespace skald::cpu {

using core::BinOpKind;
using llvm::Value;

namespace {

constexpr uint32_t kScanBytes = 16;
constexpr uint32_t kWideScanBytes = 32;
constexpr uint32_t kScanRegisters = 4;

// The lanes of x scanned among themselves; `part` lanes make 16 bytes.
Value* scan_register(llvm::IRBuilder<>& b, BinOpKind op, Prim prim, Value* x, Value* neutral,
                     uint32_t part) {
  const uint32_t lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  // Lane k is combined with lane from(k), if there is one.
  const auto step = [&](auto from) {
    std::vector<int> mask;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const std::optional<uint32_t> other = from(lane);
      mask.push_back(static_cast<int>(other ? lanes + *other : lane));
    }
    x = combine_lanes(b, op, prim, b.CreateShuffleVector(neutral, x, mask), x);
  };
  using Lane = std::optional<uint32_t>;
  for (uint32_t by = 1; by < part; by *= 2)
    step([&](uint32_t lane) { return lane % part < by ? Lane() : Lane(lane - by); });
  if (lanes > part) step([&](uint32_t lane) { return lane < part ? Lane() : Lane(part - 1); });
  return x;
}

}  // namespace

void FunctionEmitter::stmt(const imp::ScanBlock& n) {
  llvm::Type* type = value_type(m_.context(), n.type);
  const auto element_bytes = static_cast<uint32_t>(prim_size(n.type));
  const bool wide = type->isIntegerTy() && m_.vector_bytes() >= kWideScanBytes;
  const uint32_t part = kScanBytes / element_bytes;
  const uint32_t lanes = (wide ? kWideScanBytes : kScanBytes) / element_bytes;
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  const llvm::Align align(static_cast<uint64_t>(prim_size(n.type)));
  Value* base = element(n.block, n.type, n.start);
  Value* carry_place = element(n.carry, n.type, core::const_i64(0));
  Value* count = value(n.count);
  Value* whole = b_.CreateAnd(count, b_.getInt64(~uint64_t{lanes * kScanRegisters - 1}));
  Value* first = load(n.type, carry_place, n.carry);

  // Whole registers.
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = new_block("scan");
  llvm::BasicBlock* inside = new_block("scan_lanes");
  llvm::BasicBlock* tail = new_block("scan_rest");
  Value* first_lanes = b_.CreateVectorSplat(lanes, first);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  llvm::PHINode* carry = b_.CreatePHI(vector, 2);
  i->addIncoming(b_.getInt64(0), before);
  carry->addIncoming(first_lanes, before);
  b_.CreateCondBr(b_.CreateICmpSLT(i, whole), inside, tail);
  b_.SetInsertPoint(inside);
  Value* neutral =
      llvm::ConstantVector::getSplat(vector->getElementCount(), neutral_of(n.op, n.type, type));
  Value* running = carry;
  for (uint32_t r = 0; r < kScanRegisters; ++r) {
    Value* place = b_.CreateInBoundsGEP(type, base, b_.CreateAdd(i, b_.getInt64(r * lanes)));
    auto* x = b_.CreateAlignedLoad(vector, place, align);
    aliases_.annotate(x, n.block);
    Value* scanned = scan_register(b_, n.op, n.type, x, neutral, part);
    Value* total =
        b_.CreateShuffleVector(scanned, std::vector<int>(lanes, static_cast<int>(lanes) - 1));
    auto* write =
        b_.CreateAlignedStore(combine_lanes(b_, n.op, n.type, running, scanned), place, align);
    aliases_.annotate(write, n.block);
    running = combine_lanes(b_, n.op, n.type, running, total);
  }
  i->addIncoming(b_.CreateNSWAdd(i, b_.getInt64(lanes * kScanRegisters)), inside);
  carry->addIncoming(running, inside);
  b_.CreateBr(head);

  // The rest, one by one.
  b_.SetInsertPoint(tail);
  Value* so_far = b_.CreateExtractElement(carry, uint64_t{0});
  llvm::BasicBlock* rest_head = new_block("rest");
  llvm::BasicBlock* rest_body = new_block("rest_one");
  llvm::BasicBlock* after = new_block("scanned");
  b_.CreateBr(rest_head);
  b_.SetInsertPoint(rest_head);
  llvm::PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
  llvm::PHINode* acc = b_.CreatePHI(type, 2);
  k->addIncoming(whole, tail);
  acc->addIncoming(so_far, tail);
  b_.CreateCondBr(b_.CreateICmpSLT(k, count), rest_body, after);
  b_.SetInsertPoint(rest_body);
  Value* place = b_.CreateInBoundsGEP(type, base, k);
  Value* next = combine_lanes(b_, n.op, n.type, acc, load(n.type, place, n.block));
  store(n.type, place, next, n.block);
  k->addIncoming(b_.CreateNSWAdd(k, b_.getInt64(1)), rest_body);
  acc->addIncoming(next, rest_body);
  llvm::Instruction* back = b_.CreateBr(rest_head);
  leave_scalar(back);
  b_.SetInsertPoint(after);
  store(n.type, carry_place, acc, n.carry);
}

}  // namespace skald::cpu
