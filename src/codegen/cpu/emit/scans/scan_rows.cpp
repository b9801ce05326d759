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

#include "codegen/cpu/emit/scans/scan_lanes.h"
#include "codegen/cpu/emit/statements.h"

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

void emit_stmt(FunctionEmitter& f, const imp::ScanRows& n) {
  llvm::Type* type = value_type(f.module.context(), n.type);
  const auto size = static_cast<uint32_t>(prim_size(n.type));
  const machine::VectorRegisters& machine = f.module.vector_registers();
  const bool wide = machine.wide_bytes > machine.bytes;
  if (wide) f.use_wide_registers(machine.wide_bytes);
  const uint32_t lanes = static_cast<uint32_t>(wide ? machine.wide_bytes : machine.bytes) / size;
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  const llvm::Align align(size);
  Value* to = f.element(n.dest, n.type, n.start);
  Value* from = f.element(n.src, n.type, n.src_start);
  Value* count = f.value(n.count);
  Value* length = f.value(n.length);
  Value* whole = f.b.CreateAnd(count, f.b.getInt64(~uint64_t{lanes - 1}));
  llvm::Constant* neutral = neutral_of(n.op, n.type, type);
  llvm::Constant* neutral_lanes =
      llvm::ConstantVector::getSplat(vector->getElementCount(), neutral);

  // Whole registers.
  Value* row = f.b.CreateVectorSplat(lanes, f.b.CreateZExtOrTrunc(length, type));
  Value* step = f.b.CreateVectorSplat(
      lanes, f.b.CreateZExtOrTrunc(f.b.CreateURem(f.b.getInt64(lanes), length), type));
  std::vector<Value*> lane_values = {positions(f.b, type, length, lanes), neutral_lanes};
  using Values = std::vector<Value*>;
  f.count_up(f.b.getInt64(0), whole, lanes, lane_values, [&](Value* i, const Values& before) {
    Value *const position = before[0], *const carry = before[1];
    auto* loaded = f.b.CreateAlignedLoad(vector, f.b.CreateInBoundsGEP(type, from, i), align);
    f.aliases.annotate(loaded, n.src);
    Value* x = loaded;
    const auto combine_if = [&](Value* same_row, Value* other) {
      x = combine_lanes(f.b, n.op, n.type, f.b.CreateSelect(same_row, other, neutral_lanes), x);
    };
    for (uint32_t by = 1; by < lanes; by *= 2) {
      std::vector<int> earlier;
      for (uint32_t lane = 0; lane < lanes; ++lane)
        earlier.push_back(static_cast<int>(lane < by ? lane : lanes + lane - by));
      combine_if(f.b.CreateICmpUGE(position, llvm::ConstantInt::get(vector, by)),
                 f.b.CreateShuffleVector(neutral_lanes, x, earlier));
    }
    combine_if(f.b.CreateICmpUGT(position, lane_numbers(type, lanes)), carry);
    f.aliases.annotate(f.b.CreateAlignedStore(x, f.b.CreateInBoundsGEP(type, to, i), align),
                       n.dest);
    Value* moved = f.b.CreateAdd(position, step);
    Value* next = f.b.CreateSelect(f.b.CreateICmpUGE(moved, row), f.b.CreateSub(moved, row), moved);
    const std::vector<int> last(lanes, static_cast<int>(lanes) - 1);
    return Values{next, f.b.CreateShuffleVector(x, last)};
  });

  // The rest, one by one.
  Value* column = f.b.CreateExtractElement(lane_values[0], uint64_t{0});
  std::vector<Value*> values = {f.b.CreateZExt(column, f.b.getInt64Ty()),
                                f.b.CreateExtractElement(lane_values[1], uint64_t{0})};
  f.leave_scalar(f.count_up(whole, count, 1, values, [&](Value* k, const Values& before) {
    Value* element = f.load(n.type, f.b.CreateInBoundsGEP(type, from, k), n.src);
    Value* left =
        f.b.CreateSelect(f.b.CreateICmpEQ(before[0], f.b.getInt64(0)), neutral, before[1]);
    Value* scanned = combine_lanes(f.b, n.op, n.type, left, element);
    f.store(n.type, f.b.CreateInBoundsGEP(type, to, k), scanned, n.dest);
    Value* on = f.b.CreateNSWAdd(before[0], f.b.getInt64(1));
    return Values{f.b.CreateSelect(f.b.CreateICmpEQ(on, length), f.b.getInt64(0), on), scanned};
  }));
}

}  // namespace skald::cpu
