// SPDX-License-Identifier: Apache-2.0
// Vector code for one `simd for`: a group of iterations at a time, one in each lane.
//
// What all lanes share stays scalar and is emitted by the FunctionEmitter itself; the rest are
// vectors here (the pass `vectorise` has written down which).  Divergent control becomes masks:
//
//   if      both sides run, each with its part of the mask and only if some
//   lane takes it while   runs with the lanes that go on, until none does, or
//   few that are quicker alone
//
// A mask is a vector of i1 where the target has registers for those (AVX-512).  Elsewhere it is a
// vector of integers of the width that is most common in the body, all ones for an active lane:
// bits of that kind stay in vector registers across blocks, while vectors of i1 would be packed and
// unpacked again.
//
// Memory outside is touched for active lanes only: where the target has no masked accesses, an
// inactive lane reads and writes a place on the stack instead.  Private arrays are interleaved:
// element e of lane l is at e * lanes + l.
//
// A check that fails in an active lane leaves the vector loop; scalar code then repeats the group
// and finds the failure that comes first, with its message.
//
// Read next: statements.h (what is emitted for each), loop.h (groups, and what follows them).
#pragma once

#include <map>

#include "codegen/cpu/emit/function_emitter.h"
#include "imp/simd/plan_parts.h"

namespace skald::cpu {

using imp::LaneAccess;
using imp::Shape;

// A scalar in all lanes: `value` is the scalar, the base (then with a stride), or the vector.
struct Lanes {
  Shape shape = Shape::kUniform;
  llvm::Value* value = nullptr;
  llvm::Value* stride = nullptr;
};

// What a name stands for that is not the same in all lanes.
struct LaneSlot {
  Prim type = Prim::kI64;
  Lanes value = {};
  llvm::AllocaInst* variable = nullptr;  // varying; a bool is stored like a mask
  int context = 0;                       // where it was declared
  llvm::Value* memory = nullptr;         // of a private block, unless `variable` holds it
};

// Groups of so many lanes, one after the other.
class VectorEmitter {
 public:
  // `repeat` is where a failing check goes.
  VectorEmitter(FunctionEmitter& f, const imp::LanePlan& plan, unsigned lanes,
                llvm::BasicBlock* repeat);

  // The results of borders, by name, in the groups that follow.
  void know(std::unordered_map<uint32_t, llvm::Value*> borders) { known = std::move(borders); }
  // Results that go past the caches; the groups that follow begin with cache lines of them.
  void store_past_caches(std::vector<core::Name> results) { streamed = std::move(results); }
  // The iterations first, first + 1 …, in all lanes or in the first `active` ones.
  void group(const imp::For& loop, llvm::Value* first, llvm::Value* active);
  void body(const imp::Body& body);
  // In a part of the lanes.
  void divergent_body(const imp::Body& inner, llvm::Value* active);
  void repeat_unless(llvm::Value* fine);

  // ---- values
  Lanes lanes_of(const core::Operand& operand);
  Shape shape_of(const core::Operand& operand) const;
  bool is_uniform(const core::Operand& operand) const {
    return shape_of(operand) == Shape::kUniform;
  }
  bool is_private(core::Name block) const { return slots.contains(block.id); }
  llvm::Value* scalar(const core::Operand& operand) { return f.value(operand); }
  llvm::Value* vector(const core::Operand& operand) { return vector(lanes_of(operand)); }
  llvm::Value* vector(const Lanes& value);
  llvm::Value* splat(llvm::Value* v) { return b.CreateVectorSplat(lane_count, v); }
  llvm::FixedVectorType* vector_type(llvm::Type* element) {
    return llvm::FixedVectorType::get(element, lane_count);
  }
  // <0, 1, 2, …>
  llvm::Constant* lane_numbers(llvm::Type* element);
  llvm::Value* in_lane(const Lanes& value, unsigned lane);
  llvm::Value* extract(llvm::Value* vector, unsigned lane);
  void bind(core::Name name, Prim type, Lanes value);
  Lanes plus(const Lanes& x, const Lanes& y);
  Lanes times(const Lanes& a, llvm::Value* factor);
  // A value in bytes as a number of elements.
  Lanes per_element(const Lanes& bytes, int size);

  // ---- masks
  llvm::Type* mask_type() { return vector_type(b.getIntNTy(mask_bits)); }
  llvm::Value* widen(llvm::Value* bits) { return b.CreateSExt(bits, mask_type()); }
  llvm::Value* bits(llvm::Value* mask);
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* all(llvm::Value* mask);
  llvm::Value* and_mask(llvm::Value* cond);  // the current mask and a vector of i1

  FunctionEmitter& f;
  llvm::IRBuilder<>& b;
  const imp::LanePlan& plan;
  const unsigned lane_count;
  const unsigned mask_bits;
  const unsigned lanes_in_register;  // of the width that is most common in the body
  llvm::BasicBlock* repeat;
  llvm::Value* mask = nullptr;  // none: all lanes
  bool fetches_ahead = false;   // in this group
  std::vector<core::Name> streamed;
  std::unordered_map<uint32_t, LaneSlot> slots;
  std::unordered_map<uint32_t, llvm::Value*> known;
  std::unordered_map<llvm::Value*, llvm::Value*> truncated_floats;  // i64 → the f32 it was
  int context = 0, contexts = 0;  // parts of the body that lanes reach together

 private:
  void statements(const imp::Body& body);
  llvm::Value* reduce_mask(llvm::Value* mask, bool is_max);

  std::map<std::pair<llvm::Value*, unsigned>, llvm::Value*> reloaded_;
};

}  // namespace skald::cpu
