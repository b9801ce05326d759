// SPDX-License-Identifier: Apache-2.0
// Scans of short rows that follow one another in memory (imp::ScanRows), a register at a time.
//
// Each lane knows its position in its row.  A lane is combined with the one `by` places before it
// only if both are in the same row, so a register with several rows, or with parts of two, is
// scanned in the same log2(lanes) steps as one that has a single row.  Rows of three:
//
//   value            a    b    c    | d    e    f    | g    h
//   position         0    1    2    | 0    1    2    | 0    1
//   1 place before   a    ab   bc   | d    de   ef   | g    gh
//   2 places before  a    ab   abc  | d    de   def  | g    gh
//
// Lanes of a row that began before the register then get the last lane of the register before.
#include <numeric>

#include "codegen/cpu/emit/function_emitter.h"
#include "codegen/cpu/emit/scan_lanes.h"

namespace skald::cpu {

using llvm::Value;

namespace {

llvm::Constant* lane_numbers(llvm::Type* type, uint32_t lanes) {
  std::vector<llvm::Constant*> numbers;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::get(type, lane));
  return llvm::ConstantVector::get(numbers);
}

// Each lane's number modulo `length`, which is small: by floats, whose quotients are half a unit
// away from where they would be rounded wrongly.
Value* positions(llvm::IRBuilder<>& b, llvm::Type* type, Value* length, uint32_t lanes) {
  auto* floats = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
  llvm::Constant* numbers = lane_numbers(b.getInt32Ty(), lanes);
  Value* middle = b.CreateFAdd(b.CreateUIToFP(numbers, floats), llvm::ConstantFP::get(floats, 0.5));
  Value* length32 = b.CreateVectorSplat(lanes, b.CreateTrunc(length, b.getInt32Ty()));
  Value* quotient =
      b.CreateFPToUI(b.CreateFDiv(middle, b.CreateUIToFP(length32, floats)), numbers->getType());
  return b.CreateZExtOrTrunc(b.CreateSub(numbers, b.CreateMul(quotient, length32)),
                             llvm::FixedVectorType::get(type, lanes));
}

}  // namespace

void FunctionEmitter::stmt(const imp::ScanRows& n) {
  llvm::Type* type = value_type(m_.context(), n.type);
  const auto size = static_cast<uint32_t>(prim_size(n.type));
  const imp::VectorRegisters& machine = m_.vector_registers();
  const bool wide = machine.wide_bytes > machine.bytes;
  if (wide) use_wide_registers(machine.wide_bytes);
  const uint32_t lanes = static_cast<uint32_t>(wide ? machine.wide_bytes : machine.bytes) / size;
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  const llvm::Align align(size);
  Value* to = element(n.dest, n.type, n.start);
  Value* from = element(n.src, n.type, n.src_start);
  Value* count = value(n.count);
  Value* length = value(n.length);
  Value* whole = b_.CreateAnd(count, b_.getInt64(~uint64_t{lanes - 1}));
  llvm::Constant* neutral = neutral_of(n.op, n.type, type);
  llvm::Constant* neutral_lanes =
      llvm::ConstantVector::getSplat(vector->getElementCount(), neutral);

  // Whole registers.
  Value* row = b_.CreateVectorSplat(lanes, b_.CreateZExtOrTrunc(length, type));
  Value* step = b_.CreateVectorSplat(
      lanes, b_.CreateZExtOrTrunc(b_.CreateURem(b_.getInt64(lanes), length), type));
  std::vector<Value*> lane_values = {positions(b_, type, length, lanes), neutral_lanes};
  using Values = std::vector<Value*>;
  count_up(b_.getInt64(0), whole, lanes, lane_values, [&](Value* i, const Values& before) {
    Value *const position = before[0], *const carry = before[1];
    auto* loaded = b_.CreateAlignedLoad(vector, b_.CreateInBoundsGEP(type, from, i), align);
    aliases_.annotate(loaded, n.src);
    Value* x = loaded;
    const auto combine_if = [&](Value* same_row, Value* other) {
      x = combine_lanes(b_, n.op, n.type, b_.CreateSelect(same_row, other, neutral_lanes), x);
    };
    for (uint32_t by = 1; by < lanes; by *= 2) {
      std::vector<int> earlier;
      for (uint32_t lane = 0; lane < lanes; ++lane)
        earlier.push_back(static_cast<int>(lane < by ? lane : lanes + lane - by));
      combine_if(b_.CreateICmpUGE(position, llvm::ConstantInt::get(vector, by)),
                 b_.CreateShuffleVector(neutral_lanes, x, earlier));
    }
    combine_if(b_.CreateICmpUGT(position, lane_numbers(type, lanes)), carry);
    aliases_.annotate(b_.CreateAlignedStore(x, b_.CreateInBoundsGEP(type, to, i), align), n.dest);
    Value* moved = b_.CreateAdd(position, step);
    Value* next = b_.CreateSelect(b_.CreateICmpUGE(moved, row), b_.CreateSub(moved, row), moved);
    const std::vector<int> last(lanes, static_cast<int>(lanes) - 1);
    return Values{next, b_.CreateShuffleVector(x, last)};
  });

  // The rest, one by one.
  Value* column = b_.CreateExtractElement(lane_values[0], uint64_t{0});
  std::vector<Value*> values = {b_.CreateZExt(column, b_.getInt64Ty()),
                                b_.CreateExtractElement(lane_values[1], uint64_t{0})};
  leave_scalar(count_up(whole, count, 1, values, [&](Value* k, const Values& before) {
    Value* element = load(n.type, b_.CreateInBoundsGEP(type, from, k), n.src);
    Value* left = b_.CreateSelect(b_.CreateICmpEQ(before[0], b_.getInt64(0)), neutral, before[1]);
    Value* scanned = combine_lanes(b_, n.op, n.type, left, element);
    store(n.type, b_.CreateInBoundsGEP(type, to, k), scanned, n.dest);
    Value* on = b_.CreateNSWAdd(before[0], b_.getInt64(1));
    return Values{b_.CreateSelect(b_.CreateICmpEQ(on, length), b_.getInt64(0), on), scanned};
  }));
}

}  // namespace skald::cpu
