// SPDX-License-Identifier: Apache-2.0
// What writing a mathematical function on vectors needs; inline_singles.cpp and inline_doubles.cpp
// have the functions.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <initializer_list>
#include <string_view>

namespace skald::cpu {

class MathsEmitter {
 public:
  using Value = llvm::Value;

  // Puts the first block into the function.
  MathsEmitter(llvm::Module& module, llvm::Function* fn, unsigned lanes);

 protected:
  // Added to a number of less than 2^51 it leaves the nearest integer in the low bits.
  static constexpr double kRound = 0x1.8p52;

  Value* single(double value) { return llvm::ConstantFP::get(singles_, value); }
  Value* number(double value) { return llvm::ConstantFP::get(doubles_, value); }
  Value* integer(int32_t value) {
    return llvm::ConstantInt::get(ints_, static_cast<uint64_t>(value), true);
  }
  Value* long_integer(uint64_t value) { return llvm::ConstantInt::get(longs_, value); }
  Value* widen(Value* x) { return b_.CreateFPExt(x, doubles_); }
  Value* narrow(Value* x) { return b_.CreateFPTrunc(x, singles_); }
  Value* bits(Value* x) { return b_.CreateBitCast(x, x->getType() == doubles_ ? longs_ : ints_); }
  Value* from_bits(Value* x) {
    return b_.CreateBitCast(x, x->getType() == longs_ ? doubles_ : singles_);
  }
  Value* mul_add(Value* x, Value* y, Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  // c0 + x·(c1 + x·(…))
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c) {
      Value* coefficient = llvm::ConstantFP::get(x->getType(), *c);
      sum = sum == nullptr ? coefficient : mul_add(sum, x, coefficient);
    }
    return sum;
  }

  // Where the condition does not hold in all lanes, the C library's function is called for each.
  void unless_all(Value* condition, std::string_view name);

  llvm::IRBuilder<> b_;
  llvm::Module& module_;
  llvm::Function* fn_;
  unsigned lanes_;
  llvm::Type *singles_, *doubles_, *ints_, *longs_;

 private:
  // Gets the addresses of the arguments and that of the result.
  llvm::Function* lane_by_lane(std::string_view name);
};

}  // namespace skald::cpu
