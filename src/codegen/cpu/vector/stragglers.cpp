// SPDX-License-Identifier: Apache-2.0
// Loops that most lanes have left: a vector takes as long for one lane as for all of them.
//
//   lanes that go on   8  8  7  5  3  2 │ each of the last two alone, as scalar code
//
// How many are few is written in the loop.  Not in the first rounds: what is left then may be less
// work than taking a lane out of the vectors.
#include "codegen/cpu/vector/stragglers.h"

#include <algorithm>

#include "codegen/cpu/target/target.h"
#include "core/ir/name_map.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

constexpr uint32_t kFirstRounds = 16;

Value* count(VectorEmitter& vec, Value* mask) {
  if (kIsArm64) return vec.b.CreateNeg(vec.b.CreateAddReduce(mask));
  return vec.b.CreateUnaryIntrinsic(
      llvm::Intrinsic::ctpop, vec.b.CreateBitCast(vec.bits(mask), vec.b.getIntNTy(vec.lane_count)));
}

}  // namespace

Few few_lanes(VectorEmitter& vec, imp::Stragglers stragglers) {
  const bool whole = vec.lane_count == static_cast<unsigned>(vec.plan.lanes());
  const int lanes = whole ? stragglers.whole : stragglers.few;
  if (lanes == 0) return {};
  Few few = {static_cast<unsigned>(lanes), vec.f.variable(vec.b.getInt32Ty()),
             vec.f.new_block("few")};
  vec.b.CreateStore(vec.b.getInt32(0), few.rounds);
  return few;
}

// Goes on with all lanes, with single ones if they are few, or after the loop.
void go_on(VectorEmitter& vec, Value* mask, const Few& few, llvm::BasicBlock* inside,
           llvm::BasicBlock* after) {
  if (few.lanes == 0) {
    vec.b.CreateCondBr(vec.any(mask), inside, after);
    return;
  }
  Value* left = count(vec, mask);
  Value* rounds = vec.b.CreateLoad(vec.b.getInt32Ty(), few.rounds);
  vec.b.CreateStore(vec.b.CreateAdd(rounds, vec.b.getInt32(1)), few.rounds);
  Value* limit = vec.b.CreateSelect(vec.b.CreateICmpULT(rounds, vec.b.getInt32(kFirstRounds)),
                                    llvm::ConstantInt::get(left->getType(), 0),
                                    llvm::ConstantInt::get(left->getType(), few.lanes));
  llvm::BasicBlock* not_many = vec.f.new_block("not_many");
  vec.b.CreateCondBr(vec.b.CreateICmpUGT(left, limit), inside, not_many);
  vec.b.SetInsertPoint(not_many);
  vec.b.CreateCondBr(vec.b.CreateIsNotNull(left), few.alone, after);
}

// The names of lanes that a loop uses, and which of them it changes; `first` is used besides.
std::vector<Straggling> used_in(const VectorEmitter& vec, const core::Operand& first,
                                const imp::Body& round) {
  std::vector<Straggling> found;
  core::NameSet inside;
  const auto use = [&](const core::Operand& operand, bool changed) {
    const core::Name* name = core::as_name(operand);
    if (name == nullptr || inside.contains(*name) || !vec.slots.contains(name->id)) return;
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
void finish_alone(VectorEmitter& vec, std::vector<Straggling> used, Value* left,
                  const std::function<void()>& rounds) {
  llvm::Type* byte = vec.b.getInt8Ty();
  const auto spill = [&](Value* v) {
    if (v->getType()->getScalarType()->isIntegerTy(1))
      v = vec.b.CreateZExt(v, vec.vector_type(byte));
    llvm::AllocaInst* memory = vec.f.variable(v->getType());
    vec.b.CreateStore(v, memory);
    return memory;
  };
  llvm::AllocaInst* active = spill(vec.bits(left));
  for (Straggling& each : used) each.memory = spill(vec.vector(core::Operand{each.name}));
  const auto element = [&](llvm::AllocaInst* memory, Value* lane) {
    return vec.b.CreateInBoundsGEP(memory->getAllocatedType()->getScalarType(), memory, lane);
  };
  const auto alone = [&](Value* lane) {
    for (Straggling& each : used) {
      const Prim type = vec.slots.at(each.name.id).type;
      Value* x = vec.b.CreateLoad(each.memory->getAllocatedType()->getScalarType(),
                                  element(each.memory, lane));
      if (type == Prim::kBool) x = vec.b.CreateIsNotNull(x);
      vec.f.bind(each.name, type, x);
      if (!each.changed) continue;
      Slot& slot = vec.f.slots.at(each.name.id);
      slot.variable = vec.f.variable(x->getType());
      vec.b.CreateStore(x, slot.variable);
    }
    llvm::BasicBlock* outer = std::exchange(vec.f.on_failure, vec.repeat);
    rounds();
    vec.f.on_failure = outer;
    for (const Straggling& each : used) {
      if (!each.changed) continue;
      Value* x = vec.f.value(core::Operand{each.name});
      if (x->getType()->isIntegerTy(1)) x = vec.b.CreateZExt(x, byte);
      vec.b.CreateStore(x, element(each.memory, lane));
    }
  };
  vec.f.leave_scalar(
      vec.f.count_up(vec.b.getInt64(0), vec.b.getInt64(vec.lane_count), 1, [&](Value* lane) {
        llvm::BasicBlock* goes_on = vec.f.new_block("alone");
        llvm::BasicBlock* after = vec.f.new_block("after");
        Value* is_left = vec.b.CreateIsNotNull(vec.b.CreateLoad(byte, element(active, lane)));
        vec.b.CreateCondBr(is_left, goes_on, after);
        vec.b.SetInsertPoint(goes_on);
        alone(lane);
        vec.b.CreateBr(after);
        vec.b.SetInsertPoint(after);
      }));
  for (const Straggling& each : used) {
    vec.f.slots.erase(each.name.id);
    if (!each.changed) continue;
    const LaneSlot& slot = vec.slots.at(each.name.id);
    Value* all = vec.b.CreateLoad(each.memory->getAllocatedType(), each.memory);
    if (slot.type == Prim::kBool) all = vec.widen(vec.b.CreateIsNotNull(all));
    vec.b.CreateStore(all, slot.variable);
  }
}

}  // namespace skald::cpu
