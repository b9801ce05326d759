// SPDX-License-Identifier: Apache-2.0
// NEON's comparisons give vectors of integers, all bits of a lane 0 or 1, as wide as what they
// compare.  LLVM's IR has vectors of single bits, and the code generator chooses integers for
// these: of bytes, mostly, if comparisons of several widths are combined, and takes them apart lane
// by lane to choose between 64-bit elements.  So this says it at the end, with integers:
//
//   before   a = icmp <8 x i32> …             after   m = sext a & sext b, both <8 x i32>
//            b = icmp <8 x i64> …                     w = sext m to <8 x i64>
//            select (a & b), <8 x i64> x, y           (w & x) | (~w & y)
//
// Masks that loops carry are such integers already (vector/vector_emitter.cpp); what is known to be
// one is not compared with 0.  Choices by one comparison as wide as the elements stay what they
// are.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "codegen/cpu/optimise/masks.h"

namespace skald::cpu {

namespace {

using llvm::Value;
namespace match = llvm::PatternMatch;

// A register, in bits, must be filled at least half by a vector.
constexpr unsigned kLeastVector = 64;

unsigned lanes_of_type(const llvm::Type* type) {
  return llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
}

class WideMasks {
 public:
  explicit WideMasks(llvm::Function& fn) : fn_(fn) {}

  bool run() {
    std::vector<llvm::Instruction*> users;
    for (llvm::Instruction& at : llvm::instructions(fn_)) {
      const bool chooses = llvm::isa<llvm::SelectInst>(at) && !is_vector_of_bits(at.getType());
      if ((chooses || llvm::isa<llvm::SExtInst>(at)) &&
          is_vector_of_bits(at.getOperand(0)->getType()))
        users.push_back(&at);
    }
    for (llvm::Instruction* user : users) rewrite(*user);
    return changed_;
  }

 private:
  // What a condition is made of.
  struct Condition {
    unsigned narrowest = 64, widest = 0;  // of the comparisons, in bits
    bool has_mask = false;                // a mask that is there already
    bool has_other = false;
    int operators = 0;
  };

  struct Chosen {
    Value *mask, *yes, *no;
  };

  void rewrite(llvm::Instruction& user) {
    Value* bits = user.getOperand(0);
    const unsigned width = user.getType()->getScalarSizeInBits();
    if (width < 8 || width > 64 || !std::has_single_bit(width) ||
        user.getType()->getScalarType()->isPointerTy())
      return;
    Condition condition;
    look(bits, condition);
    const bool mixed =
        condition.operators > 0 && (condition.narrowest != width || condition.widest != width);
    if (condition.has_other || condition.widest == 0 || (!mixed && !condition.has_mask)) return;
    const unsigned lanes = lanes_of_type(user.getType());
    if (lanes == 1 || has_undefined(user)) return;
    const unsigned narrow = std::max(condition.narrowest, kLeastVector / std::min(lanes, 8u));
    llvm::IRBuilder<> b(&user);
    Value* mask = converted(b, mask_of(bits, narrow), width);
    changed_ = true;
    if (llvm::isa<llvm::SExtInst>(user)) {
      user.replaceAllUsesWith(mask);
      return;
    }
    llvm::Type* integers = mask->getType();
    Value* yes = b.CreateBitCast(user.getOperand(1), integers);
    Value* no = b.CreateBitCast(user.getOperand(2), integers);
    Value* result = choose(b, mask, yes, no);
    user.replaceAllUsesWith(b.CreateBitCast(result, user.getType()));
  }

  static bool has_undefined(const llvm::Instruction& user) {
    return std::any_of(user.op_begin(), user.op_end(), [](const llvm::Use& use) {
      const auto* constant = llvm::dyn_cast<llvm::Constant>(use.get());
      return constant != nullptr && constant->containsUndefOrPoisonElement();
    });
  }

  // mask & yes | ~mask & no
  Value* choose(llvm::IRBuilder<>& b, Value* mask, Value* yes, Value* no) {
    if (match::match(no, match::m_Zero())) return both(b, mask, yes);
    if (match::match(yes, match::m_Zero())) return b.CreateAnd(b.CreateNot(mask), no);
    Value* result = b.CreateOr(b.CreateAnd(mask, yes), b.CreateAnd(b.CreateNot(mask), no));
    chosen_[result] = {mask, yes, no};
    return result;
  }

  // Where the mask has chosen, it has chosen `yes`.
  Value* both(llvm::IRBuilder<>& b, Value* x, Value* y) {
    for (const auto& [chosen, mask] : {std::pair{x, y}, std::pair{y, x}})
      if (const auto found = chosen_.find(chosen);
          found != chosen_.end() && found->second.mask == mask)
        return b.CreateAnd(mask, found->second.yes);
    return b.CreateAnd(x, y);
  }

  Value* converted(llvm::IRBuilder<>& b, Value* mask, unsigned width) {
    return b.CreateSExtOrTrunc(
        mask, llvm::FixedVectorType::get(b.getIntNTy(width), lanes_of_type(mask->getType())));
  }

  // ---- conditions

  void look(Value* bits, Condition& out) {
    Value *x, *y;
    if (is_operator(bits, x, y)) {
      if (++out.operators > 16) {
        out.has_other = true;
        return;
      }
      look(x, out);
      look(y, out);
    } else if (Value* mask = known_mask(bits)) {
      out.has_mask = true;
      count(mask, out);
    } else if (auto* compared = llvm::dyn_cast<llvm::CmpInst>(bits)) {
      count(compared->getOperand(0), out);
    } else if (!llvm::isa<llvm::Constant>(bits)) {
      out.has_other = true;
    }
  }

  void count(const Value* compared, Condition& out) {
    const unsigned width = compared->getType()->getScalarSizeInBits();
    if (width < 8 || width > 64 || !std::has_single_bit(width)) {
      out.has_other = true;
      return;
    }
    out.narrowest = std::min(out.narrowest, width);
    out.widest = std::max(out.widest, width);
  }

  static bool is_operator(Value* bits, Value*& x, Value*& y) {
    auto* at = llvm::dyn_cast<llvm::BinaryOperator>(bits);
    if (at == nullptr || !at->isBitwiseLogicOp()) return false;
    x = at->getOperand(0);
    y = at->getOperand(1);
    return true;
  }

  // The mask of which these bits say where it is set.
  Value* known_mask(Value* bits) {
    Value* mask;
    llvm::ICmpInst::Predicate predicate;
    if (!match::match(bits, match::m_ICmp(predicate, match::m_Value(mask), match::m_Zero())))
      return nullptr;
    if (predicate != llvm::ICmpInst::ICMP_SLT && predicate != llvm::ICmpInst::ICMP_NE)
      return nullptr;
    std::unordered_set<const Value*> seen;
    return is_mask(mask, seen) ? mask : nullptr;
  }

  // Are all bits of each lane the same?  True of what a loop carries if it is of what it begins
  // with and of what each iteration makes of it.
  bool is_mask(const Value* x, std::unordered_set<const Value*>& seen) {
    if (!seen.insert(x).second) return true;
    if (seen.size() > 64) return false;
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(x)) {
      if (constant->isNullValue() || constant->isAllOnesValue()) return true;
      return false;
    }
    if (const auto* extended = llvm::dyn_cast<llvm::SExtInst>(x))
      return is_vector_of_bits(extended->getOperand(0)->getType()) ||
             is_mask(extended->getOperand(0), seen);
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(x))
      return std::all_of(phi->incoming_values().begin(), phi->incoming_values().end(),
                         [&](const llvm::Use& use) { return is_mask(use.get(), seen); });
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(x))
      return is_mask(select->getTrueValue(), seen) && is_mask(select->getFalseValue(), seen);
    if (const auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(x))
      return logic->isBitwiseLogicOp() && is_mask(logic->getOperand(0), seen) &&
             is_mask(logic->getOperand(1), seen);
    return false;
  }

  // The condition as integers of that width, computed where it was.
  Value* mask_of(Value* bits, unsigned width) {
    if (const llvm::WeakTrackingVH& known = masks_[bits][width]; known != nullptr) return known;
    auto* at = llvm::dyn_cast<llvm::Instruction>(bits);
    llvm::IRBuilder<> b(at != nullptr ? &*std::next(at->getIterator())
                                      : &*fn_.getEntryBlock().getFirstInsertionPt());
    llvm::Type* type =
        llvm::FixedVectorType::get(b.getIntNTy(width), lanes_of_type(bits->getType()));
    Value *x, *y, *result;
    if (is_operator(bits, x, y)) {
      Value* left = mask_of(x, width);
      Value* right = mask_of(y, width);
      const auto opcode = llvm::cast<llvm::BinaryOperator>(bits)->getOpcode();
      result = opcode == llvm::Instruction::And ? both(b, left, right)
                                                : b.CreateBinOp(opcode, left, right);
    } else if (Value* mask = known_mask(bits)) {
      result = converted(b, mask, width);
    } else {
      result = b.CreateSExt(bits, type);
    }
    masks_[bits][width] = result;
    return result;
  }

  llvm::Function& fn_;
  bool changed_ = false;
  // What has been made of conditions; choices that are rewritten later may be among it.
  std::unordered_map<Value*, std::unordered_map<unsigned, llvm::WeakTrackingVH>> masks_;
  std::unordered_map<Value*, Chosen> chosen_;
};

}  // namespace

bool is_vector_of_bits(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getElementType()->isIntegerTy(1);
}

bool widen_masks(llvm::Function& fn) {
  return WideMasks(fn).run();
}

}  // namespace skald::cpu
