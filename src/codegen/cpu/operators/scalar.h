// SPDX-License-Identifier: Apache-2.0
// LLVM IR for the scalar operators, with exactly the results of core/scalar/scalar.h.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "imp/ir/imp.h"

namespace skald::cpu {

// A bool is an i1 as a value and an i8 in memory; everything else is the same in both.
llvm::Type* value_type(llvm::LLVMContext& ctx, Prim type);
llvm::Type* memory_type(llvm::LLVMContext& ctx, Prim type);
llvm::Constant* constant(llvm::LLVMContext& ctx, const core::Const& c);

// A vector of `element` with as many lanes as `v` if that is a vector.
llvm::Type* like(const llvm::Value* v, llvm::Type* element);

// The 64 bits that Const::bits would hold, and back.
llvm::Value* to_bits(llvm::IRBuilder<>& b, Prim type, llvm::Value* value);
llvm::Value* from_bits(llvm::IRBuilder<>& b, Prim type, llvm::Value* bits);

// Operands are all scalars or all vectors with the same number of lanes.  What has no vector form
// is computed lane by lane.
class ScalarEmitter {
 public:
  ScalarEmitter(llvm::IRBuilder<>& builder, llvm::Module& module) : b_(builder), module_(module) {}

  // Vectors of 64-bit integers are multiplied, and converted from and to floats, by instructions.
  void use_long_operations() { long_operations_ = true; }
  // From here on functions on vectors of 64 bytes may be called.
  void use_wide_maths() { wide_maths_ = true; }

  llvm::Value* unop(core::UnOpKind op, Prim type, llvm::Value* a);
  llvm::Value* binop(core::BinOpKind op, Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* cmpop(core::CmpOpKind op, Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* ternop(core::TernOpKind op, Prim type, llvm::Value* a, llvm::Value* b,
                      llvm::Value* c);
  llvm::Value* convert(Prim from, Prim to, llvm::Value* a);
  llvm::Value* bitcast(Prim from, Prim to, llvm::Value* a);
  llvm::Value* fitting_to_int(Prim to, llvm::Value* wide);
  // The last byte of f32's as i64's, without these.
  llvm::Value* low_byte(llvm::Value* floats);

 private:
  llvm::Value* int_binop(core::BinOpKind op, Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* float_binop(core::BinOpKind op, Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* int_unop(core::UnOpKind op, Prim type, llvm::Value* a);
  llvm::Value* float_unop(core::UnOpKind op, Prim type, llvm::Value* a);
  // Quotient and remainder toward zero.
  struct QuotRem {
    llvm::Value *quot, *rem;
  };
  QuotRem divide(Prim type, llvm::Value* a, llvm::Value* b);
  // Of vectors, unless lane by lane or by LLVM's means is better; then null (vector_division.cpp).
  llvm::Value* vector_quotient(Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* quotient_by_scalar(Prim type, llvm::Value* a, llvm::Value* divisor);
  llvm::Value* unsigned_by_scalar(llvm::Value* n, llvm::Value* divisor);
  llvm::Value* narrow_quotient(Prim type, llvm::Value* a, llvm::Value* divisor);
  llvm::Value* quotient_of_longs(llvm::Value* a, llvm::Value* b);
  llvm::Value* long_quotient(Prim type, llvm::Value* a, llvm::Value* b);
  llvm::Value* quotient_of_floats(Prim type, llvm::Value* a, llvm::Value* b);
  // Of scalars by what does not change in the loop; null otherwise (invariant_division.cpp).
  enum class Rounding : uint8_t { kToZero, kDown };
  llvm::Value* quotient_by_invariant(Prim type, llvm::Value* a, llvm::Value* divisor,
                                     Rounding rounding);
  // Two comparisons as one if they ask whether an index is in bounds; null otherwise.
  llvm::Value* in_range(llvm::Value* a, llvm::Value* b);
  llvm::Value* min_max(bool is_min, llvm::Value* a, llvm::Value* b);
  llvm::Value* mul_hi(Prim type, llvm::Value* a, llvm::Value* b);
  // f16 is computed in f32 where an operation does more than one step.
  llvm::Value* widen(llvm::Value* a);
  llvm::Value* lanes_to_int(Prim from, Prim to, llvm::Value* wide);
  llvm::Value* narrow(Prim type, llvm::Value* a);
  llvm::Value* to_half(llvm::Value* wide);
  llvm::Value* wide_to_f32(bool is_signed, llvm::Value* a);
  llvm::Value* call_pure(llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* call_libm(std::string_view name, Prim type, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* call_vector(std::string_view name, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* call_operator(llvm::StringRef name, Prim result, Prim type,
                             llvm::ArrayRef<llvm::Value*> args);

  llvm::IRBuilder<>& b_;
  llvm::Module& module_;
  bool long_operations_ = false, wide_maths_ = false;
};

}  // namespace skald::cpu
