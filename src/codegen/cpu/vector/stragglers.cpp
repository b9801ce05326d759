// SPDX-License-Identifier: Apache-2.0
// Loops that most lanes have left: a vector takes as long for one lane as for all of them.
//
//   lanes that go on   8  8  7  5  3  2 │ each of the last two alone, as scalar code
//
// How many are few depends on what a round costs in vectors and as scalar code.  Not in the first
// rounds: what is left then may be less work than taking a lane out of the vectors.  Only where
// both give the same bits: which lanes are the last ones depends on where groups begin.
#include <algorithm>
#include <cmath>
#include <functional>

#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/vector_emitter.h"
#include "core/ir/name_map.h"
#include "core/scalar/slow_ops.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Larger loops would take too long to compile twice.
constexpr int kMostStatements = 100;
constexpr uint32_t kFirstRounds = 16;

// Functions of floats differ in their last bits.
bool may_differ(const imp::Exp& exp) {
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return is_float(e->type) && (core::is_function(e->op) ||
                                 (core::is_division(e->op) && e->op != core::BinOpKind::kDiv));
  const auto* e = std::get_if<core::UnOp>(&exp);
  return e != nullptr && core::is_function(e->op, e->type);
}

bool divides_integers(const imp::Exp& exp) {
  const auto* e = std::get_if<core::BinOp>(&exp);
  return e != nullptr && is_int(e->type) && core::as_const(e->rhs) == nullptr &&
         core::is_division(e->op);
}

}  // namespace

// What a round costs, if single lanes can run it.
bool VectorEmitter::runs_alone(const imp::Body& body, RoundCost& cost) const {
  constexpr double kDivision = 8, kDivisionOfLane = 5, kLoadOfLane = 2;
  const auto registers = [&](Prim type) {
    return std::ceil(static_cast<double>(lanes_) * prim_size(type) / register_bytes_);
  };
  return std::ranges::all_of(body.stmts, [&](const imp::Stmt& stmt) {
    if (++cost.statements > kMostStatements) return false;
    if (const auto* n = imp::as<imp::Let>(stmt)) {
      if (may_differ(n->exp)) return false;
      const bool division = divides_integers(n->exp);
      cost.scalar += division ? kDivision : 1;
      if (analysis_.shape(n->name) != Shape::kVarying)
        cost.vector += division ? kDivision : 1;
      else if (division)
        cost.vector += kDivisionOfLane * lanes_;
      else
        cost.vector +=
            std::ceil(static_cast<double>(lanes_) * prim_size(n->type) / register_bytes_);
      return true;
    }
    if (const auto* n = imp::as<imp::Load>(stmt)) {
      cost.scalar += 1;
      cost.vector += analysis_.is_uniform(n->index)      ? 1
                     : analysis_.is_contiguous(n->index) ? registers(n->type)
                                                         : kLoadOfLane * lanes_;
      return !analysis_.is_private(n->block);
    }
    const bool nested = imp::as<imp::If>(stmt) != nullptr || imp::as<imp::While>(stmt) != nullptr;
    if (!nested && imp::as<imp::Var>(stmt) == nullptr && imp::as<imp::Assign>(stmt) == nullptr &&
        imp::as<imp::Check>(stmt) == nullptr)
      return false;
    bool fine = true;
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { fine = fine && runs_alone(inner, cost); });
    return fine;
  });
}

VectorEmitter::Few VectorEmitter::few_lanes(const imp::Body& round) {
  // A lane alone waits for its own results.
  constexpr double kWaiting = 0.75;
  RoundCost cost;
  if (!runs_alone(round, cost)) return {};
  const auto lanes = static_cast<unsigned>(kWaiting * cost.vector / cost.scalar);
  if (lanes == 0) return {};
  Few few = {std::min(lanes, std::max(1U, lanes_ / 2)), f_.variable(b_.getInt32Ty()),
             f_.new_block("few")};
  b_.CreateStore(b_.getInt32(0), few.rounds);
  return few;
}

Value* VectorEmitter::count(Value* mask) {
  if (kIsArm64) return b_.CreateNeg(b_.CreateAddReduce(mask));
  return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                 b_.CreateBitCast(bits(mask), b_.getIntNTy(lanes_)));
}

// Goes on with all lanes, with single ones if they are few, or after the loop.
void VectorEmitter::go_on(Value* mask, const Few& few, llvm::BasicBlock* inside,
                          llvm::BasicBlock* after) {
  if (few.lanes == 0) {
    b_.CreateCondBr(any(mask), inside, after);
    return;
  }
  Value* left = count(mask);
  Value* rounds = b_.CreateLoad(b_.getInt32Ty(), few.rounds);
  b_.CreateStore(b_.CreateAdd(rounds, b_.getInt32(1)), few.rounds);
  Value* limit = b_.CreateSelect(b_.CreateICmpULT(rounds, b_.getInt32(kFirstRounds)),
                                 llvm::ConstantInt::get(left->getType(), 0),
                                 llvm::ConstantInt::get(left->getType(), few.lanes));
  llvm::BasicBlock* not_many = f_.new_block("not_many");
  b_.CreateCondBr(b_.CreateICmpUGT(left, limit), inside, not_many);
  b_.SetInsertPoint(not_many);
  b_.CreateCondBr(b_.CreateIsNotNull(left), few.alone, after);
}

// The names of lanes that a loop uses, and which of them it changes; `first` is used besides.
std::vector<VectorEmitter::Straggling> VectorEmitter::used_in(const core::Operand& first,
                                                              const imp::Body& round) const {
  std::vector<Straggling> found;
  core::NameSet inside;
  const auto use = [&](const core::Operand& operand, bool changed) {
    const core::Name* name = core::as_name(operand);
    if (name == nullptr || inside.contains(*name) || !slots_.contains(name->id)) return;
    const auto known = std::ranges::find(found, *name, &Straggling::name);
    if (known == found.end())
      found.push_back({.name = *name, .changed = changed});
    else
      known->changed = known->changed || changed;
  };
  const auto walk = [&](const auto& self, const imp::Body& body) -> void {
    for (const imp::Stmt& stmt : body.stmts) {
      imp::for_each_use(stmt, [&](const core::Operand& operand) { use(operand, false); });
      if (const auto* n = imp::as<imp::Assign>(stmt)) use(core::Operand{n->var}, true);
      imp::for_each_binder(
          stmt, [&](core::Name name, const imp::Type&, imp::BinderScope) { inside.insert(name); });
      imp::for_each_body(stmt, [&](const imp::Body& inner) { self(self, inner); });
    }
  };
  use(first, false);
  walk(walk, round);
  return found;
}

// All values of the lanes in memory, from where single lanes take and to where they put theirs.
void VectorEmitter::finish_alone(std::vector<Straggling> used, Value* left,
                                 const std::function<void()>& rounds) {
  llvm::Type* byte = b_.getInt8Ty();
  const auto spill = [&](Value* v) {
    if (v->getType()->getScalarType()->isIntegerTy(1)) v = b_.CreateZExt(v, vector_type(byte));
    llvm::AllocaInst* memory = f_.variable(v->getType());
    b_.CreateStore(v, memory);
    return memory;
  };
  llvm::AllocaInst* active = spill(bits(left));
  for (Straggling& each : used) each.memory = spill(vector(core::Operand{each.name}));
  const auto element = [&](llvm::AllocaInst* memory, Value* lane) {
    return b_.CreateInBoundsGEP(memory->getAllocatedType()->getScalarType(), memory, lane);
  };
  const auto alone = [&](Value* lane) {
    for (Straggling& each : used) {
      const Prim type = slots_.at(each.name.id).type;
      Value* x = b_.CreateLoad(each.memory->getAllocatedType()->getScalarType(),
                               element(each.memory, lane));
      if (type == Prim::kBool) x = b_.CreateIsNotNull(x);
      f_.bind(each.name, type, x);
      if (!each.changed) continue;
      FunctionEmitter::Slot& slot = f_.slots_.at(each.name.id);
      slot.variable = f_.variable(x->getType());
      b_.CreateStore(x, slot.variable);
    }
    llvm::BasicBlock* outer = std::exchange(f_.on_failure_, repeat_);
    rounds();
    f_.on_failure_ = outer;
    for (const Straggling& each : used) {
      if (!each.changed) continue;
      Value* x = f_.value(core::Operand{each.name});
      if (x->getType()->isIntegerTy(1)) x = b_.CreateZExt(x, byte);
      b_.CreateStore(x, element(each.memory, lane));
    }
  };
  f_.leave_scalar(count_up(b_.getInt64(lanes_), [&](Value* lane) {
    llvm::BasicBlock* goes_on = f_.new_block("alone");
    llvm::BasicBlock* after = f_.new_block("after");
    Value* is_left = b_.CreateIsNotNull(b_.CreateLoad(byte, element(active, lane)));
    b_.CreateCondBr(is_left, goes_on, after);
    b_.SetInsertPoint(goes_on);
    alone(lane);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }));
  for (const Straggling& each : used) {
    f_.slots_.erase(each.name.id);
    if (!each.changed) continue;
    const Slot& slot = slots_.at(each.name.id);
    Value* all = b_.CreateLoad(each.memory->getAllocatedType(), each.memory);
    if (slot.type == Prim::kBool) all = widen(b_.CreateIsNotNull(all));
    b_.CreateStore(all, slot.variable);
  }
}

}  // namespace skald::cpu
