// SPDX-License-Identifier: Apache-2.0
// Calls: the C library, vector maths, operators of the runtime.
#include <llvm/IR/Module.h>

#include "codegen/cpu/operators/inline_maths.h"
#include "codegen/cpu/operators/scalar.h"
#include "codegen/cpu/operators/vector_maths.h"

namespace skald::cpu {

using llvm::Value;

Value* ScalarEmitter::call_pure(llvm::StringRef name, llvm::Type* result,
                                llvm::ArrayRef<Value*> args) {
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType())) {
    Value* all = llvm::PoisonValue::get(like(args[0], result));
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      std::vector<Value*> one;
      for (Value* arg : args) one.push_back(b_.CreateExtractElement(arg, lane));
      all = b_.CreateInsertElement(all, call_pure(name, result, one), lane);
    }
    return all;
  }
  std::vector<llvm::Type*> types;
  for (Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, type);
  auto* fn = llvm::cast<llvm::Function>(callee.getCallee());
  fn->setDoesNotAccessMemory();
  fn->setDoesNotThrow();
  fn->setWillReturn();
  return b_.CreateCall(callee, args);
}

Value* ScalarEmitter::call_libm(std::string_view name, Prim type, llvm::ArrayRef<Value*> args) {
  std::vector<Value*> wide;
  for (Value* arg : args) wide.push_back(widen(arg));
  std::string full(name);
  if (type != Prim::kF64) full += 'f';
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(wide[0]->getType());
  if (vector != nullptr)
    if (llvm::Function* fn = inline_maths(module_, full, vector->getNumElements()))
      return narrow(type, b_.CreateCall(fn, wide));
  if (vector != nullptr && has_vector_maths(full)) return narrow(type, call_vector(full, wide));
  return narrow(type, call_pure("skald_m_" + full, wide[0]->getType()->getScalarType(), wide));
}

// In pieces of one register each.
Value* ScalarEmitter::call_vector(std::string_view name, llvm::ArrayRef<Value*> args) {
  llvm::Type* element = args[0]->getType()->getScalarType();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(args[0]->getType())->getNumElements();
  const unsigned element_bytes = element->isFloatTy() ? 4 : 8;
  constexpr unsigned kWideBytes = 64;
  const bool wide =
      wide_maths_ && lanes * element_bytes >= kWideBytes && has_wide_vector_maths(name);
  const unsigned size = (wide ? kWideBytes : vector_maths_bytes()) / element_bytes;
  auto* whole = llvm::FixedVectorType::get(element, size);
  const std::string symbol = (wide ? "skald_w_" : "skald_v_") + std::string(name);
  std::vector<llvm::Type*> types(args.size(), whole);
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(symbol, llvm::FunctionType::get(whole, types, false));
  auto* fn = llvm::cast<llvm::Function>(callee.getCallee());
  fn->setDoesNotAccessMemory();
  fn->setDoesNotThrow();
  fn->setWillReturn();
  Value* all = nullptr;
  for (unsigned first = 0; first < lanes; first += size) {
    std::vector<Value*> piece;
    std::vector<int> which;
    // The lanes of a piece that is not full repeat the last one.
    for (unsigned k = 0; k < size; ++k)
      which.push_back(static_cast<int>(std::min(first + k, lanes - 1)));
    for (Value* arg : args) piece.push_back(b_.CreateShuffleVector(arg, which));
    Value* result = b_.CreateCall(callee, piece);
    if (lanes < size) {
      std::vector<int> used;
      for (unsigned k = 0; k < lanes; ++k) used.push_back(static_cast<int>(k));
      return b_.CreateShuffleVector(result, used);
    }
    if (lanes == size) return result;
    if (all == nullptr) all = llvm::PoisonValue::get(args[0]->getType());
    all = b_.CreateInsertVector(args[0]->getType(), all, result, b_.getInt64(first));
  }
  return all;
}

Value* ScalarEmitter::call_operator(llvm::StringRef name, Prim result, Prim type,
                                    llvm::ArrayRef<Value*> args) {
  std::vector<Value*> bits;
  for (Value* arg : args) bits.push_back(to_bits(b_, type, arg));
  return from_bits(b_, result, call_pure(name, b_.getInt64Ty(), bits));
}

}  // namespace skald::cpu
