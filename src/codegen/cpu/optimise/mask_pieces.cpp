// SPDX-License-Identifier: Apache-2.0
// A check asks whether any of, say, 32 lanes fails.  The numbers compared lie in four registers,
// and so do the results, of eight bits each; but LLVM's code generator first puts these together to
// one of 32 bits, by instructions that take four steps each, because the IR compares all 32 lanes
// at once and a vector of 32 bits is a register to it.  InstCombine turns the other form into this
// one, so it is said last:
//
//   before   c = icmp <32 x i64> x, y                 after   icmp <8 x i64> x[0..7], y[0..7]
//            c[0..7] | c[8..15] | …                           | icmp <8 x i64> x[8..15], …
//
// Pieces of numbers are registers and cost nothing.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <numeric>
#include <optional>
#include <ranges>
#include <vector>

#include "codegen/cpu/optimise/masks.h"

namespace skald::cpu {

namespace {

using llvm::Value;

struct Piece {
  Value* whole;
  int first, lanes;
};

// Neighbouring lanes of one vector.
std::optional<Piece> piece_of(Value* value) {
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
  if (shuffle == nullptr) return std::nullopt;
  int first = 0;
  if (!shuffle->isExtractSubvectorMask(first)) return std::nullopt;
  return Piece{shuffle->getOperand(0), first, static_cast<int>(shuffle->getShuffleMask().size())};
}

// Only of comparisons: other conditions lie in registers of bits.
constexpr int kMostLogic = 8;

bool is_made_of_comparisons(Value* condition, int& operators) {
  if (llvm::isa<llvm::CmpInst>(condition) || llvm::isa<llvm::Constant>(condition)) return true;
  if (const std::optional<Piece> piece = piece_of(condition))
    return is_made_of_comparisons(piece->whole, operators);
  const auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(condition);
  return logic != nullptr && ++operators <= kMostLogic &&
         is_made_of_comparisons(logic->getOperand(0), operators) &&
         is_made_of_comparisons(logic->getOperand(1), operators);
}

Value* condition_of(llvm::IRBuilder<>& b, const Piece& piece) {
  const auto [whole, first, lanes] = piece;
  if (const std::optional<Piece> outer = piece_of(whole))
    return condition_of(b, {outer->whole, outer->first + first, lanes});
  const auto part = [&](Value* operand) -> Value* {
    if (is_vector_of_bits(operand->getType())) return condition_of(b, {operand, first, lanes});
    std::vector<int> mask(static_cast<size_t>(lanes));
    std::iota(mask.begin(), mask.end(), first);
    return b.CreateShuffleVector(operand, mask);
  };
  if (auto* compared = llvm::dyn_cast<llvm::CmpInst>(whole))
    return b.CreateCmp(compared->getPredicate(), part(compared->getOperand(0)),
                       part(compared->getOperand(1)));
  if (auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(whole)) {
    Value* left = part(logic->getOperand(0));
    return b.CreateBinOp(logic->getOpcode(), left, part(logic->getOperand(1)));
  }
  std::vector<int> mask(static_cast<size_t>(lanes));
  std::iota(mask.begin(), mask.end(), first);
  return b.CreateShuffleVector(whole, mask);
}

}  // namespace

bool split_conditions(llvm::Function& fn) {
  std::vector<llvm::WeakTrackingVH> pieces;
  for (llvm::Instruction& at : llvm::instructions(fn))
    if (is_vector_of_bits(at.getType()) && piece_of(&at)) pieces.emplace_back(&at);
  bool changed = false;
  // The smallest pieces come last; those that they were made of go with them.
  for (const llvm::WeakTrackingVH& value : pieces | std::views::reverse) {
    auto* at = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    int operators = 0;
    if (at == nullptr || !is_made_of_comparisons(at, operators)) continue;
    llvm::IRBuilder<> b(at);
    at->replaceAllUsesWith(condition_of(b, *piece_of(at)));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(at);
    changed = true;
  }
  return changed;
}

}  // namespace skald::cpu
