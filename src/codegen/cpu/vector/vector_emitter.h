// SPDX-License-Identifier: Apache-2.0
// Vector code for one `simd for`: a group of iterations at a time, one in each lane.
//
// What all lanes share stays scalar and is emitted by the FunctionEmitter itself; the rest are
// vectors here (imp/simd/lanes_analysis.h says which).  Divergent control becomes masks:
//
//   if      both sides run, each with its part of the mask and only if some lane takes it
//   while   runs with the lanes that go on, until none does, or few that are quicker alone
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
//   loop.cpp        groups, tails, the scalar repetition
//   borders.cpp     the same where groups at borders differ from the others
//   vector_emitter.cpp  values, masks, scalar statements
//   control.cpp     branches, loops, checks
//   memory.cpp      accesses
//   collect.cpp     chosen elements moved together
//   gather.cpp      gathers and scatters by instructions of their own
//   stragglers.cpp  the last lanes of a loop, one by one
//   stages.cpp      the registers of a group one after another, up to a division first
#pragma once

#include <functional>
#include <map>

#include "codegen/cpu/emit/function_emitter.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::cpu {

// Are single iterations as scalar code cheaper than a vector that is not full?
bool is_cheap_body(const imp::LaneWork& work);
// Is the body so large that one vector version of it must do?
bool is_rest_scalar(const imp::LaneWork& work);
// Does the loop collect elements of points that the thread has seen before?
bool collects_again(const imp::For& loop);

class VectorEmitter {
 public:
  // `bytes` is the size of the registers; `repeat` is where a failing check goes.
  VectorEmitter(FunctionEmitter& f, const imp::LanesAnalysis& analysis, unsigned lanes, int bytes,
                llvm::BasicBlock* repeat);

  // The results of borders, by name, in the groups that follow.
  void know(std::unordered_map<uint32_t, llvm::Value*> known) { known_ = std::move(known); }
  // Results that go past the caches; the groups that follow begin with cache lines of them.
  void store_past_caches(std::vector<core::Name> results) { streamed_ = std::move(results); }
  // Groups that follow run their registers one after another (LaneChoice::first_stage).
  void run_in_stages(size_t first_stage) { first_stage_ = first_stage; }
  // The iterations first, first + 1 …, in all lanes or in the first `active` ones.
  void group(const imp::For& loop, llvm::Value* first, llvm::Value* active);
  // How many iterations from `first` on, at least one, until a group begins where a register does.
  llvm::Value* until_aligned(const imp::For& loop, const imp::RowStore& update, llvm::Value* first);

 private:
  using Shape = imp::Shape;
  // A scalar in all lanes: `value` is the scalar, the base (then with a stride), or the vector.
  struct Lanes {
    Shape shape = Shape::kUniform;
    llvm::Value* value = nullptr;
    llvm::Value* stride = nullptr;
  };
  struct Slot {
    Prim type = Prim::kI64;
    Lanes value = {};
    llvm::AllocaInst* variable = nullptr;  // varying; a bool is stored like a mask
    int context = 0;                       // where it was declared
    llvm::Value* memory = nullptr;         // of a private block, unless `variable` holds it
  };

  // ---- values
  Lanes lanes_of(const core::Operand& operand);
  llvm::Value* scalar(const core::Operand& operand) { return f_.value(operand); }
  llvm::Value* vector(const core::Operand& operand) { return vector(lanes_of(operand)); }
  llvm::Value* vector(const Lanes& value);
  llvm::Value* splat(llvm::Value* v) { return b_.CreateVectorSplat(lanes_, v); }
  llvm::FixedVectorType* vector_type(llvm::Type* element) {
    return llvm::FixedVectorType::get(element, lanes_);
  }
  // <0, 1, 2, …>
  llvm::Constant* lane_numbers(llvm::Type* element);
  llvm::Value* in_lane(const Lanes& value, unsigned lane);
  llvm::Value* extract(llvm::Value* vector, unsigned lane);
  void bind(core::Name name, Prim type, Lanes value);
  Lanes linear(const imp::Exp& exp);
  llvm::Value* varying(const imp::Exp& exp);
  llvm::Value* counter_to_f32(Prim from, const Lanes& a);
  Lanes plus(const Lanes& a, const Lanes& b);
  Lanes times(const Lanes& a, llvm::Value* factor);
  // A value in bytes as a number of elements.
  Lanes per_element(const Lanes& bytes, int size);

  // ---- masks
  llvm::Type* mask_type() { return vector_type(b_.getIntNTy(mask_bits_)); }
  llvm::Value* widen(llvm::Value* bits) { return b_.CreateSExt(bits, mask_type()); }
  llvm::Value* bits(llvm::Value* mask);
  llvm::Value* reduce_mask(llvm::Value* mask, bool is_max);
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* all(llvm::Value* mask);
  llvm::Value* and_mask(llvm::Value* cond);  // the current mask and a vector of i1

  // ---- statements
  void group_in_stages(const imp::For& loop, llvm::Value* first);
  void body(const imp::Body& body);
  void statements(const imp::Body& body);
  template <class N>
  void stmt(const N& n) {
    f_.stmt(n);
  }
  void stmt(const imp::Let& n);
  void stmt(const imp::Var& n);
  void stmt(const imp::Assign& n);
  void stmt(const imp::Load& n);
  void stmt(const imp::Store& n);
  void stmt(const imp::Alloc& n);
  void stmt(const imp::BlockVar& n);
  void stmt(const imp::BlockAssign& n);
  void stmt(const imp::CopyBytes& n);
  void stmt(const imp::Earlier& n);
  void stmt(const imp::Collect& n);
  void stmt(const imp::Fill& n);
  void stmt(const imp::If& n);
  void stmt(const imp::For& n);
  void stmt(const imp::While& n);
  void stmt(const imp::Check& n);
  void repeat_unless(llvm::Value* fine);
  llvm::Value* all_in_range(llvm::Value* cond);

  // ---- the last lanes of a loop (stragglers.cpp)
  struct RoundCost {
    int statements = 0;
    double vector = 0, scalar = 0;  // in scalar instructions
  };
  struct Straggling {
    core::Name name;
    bool changed = false;
    llvm::AllocaInst* memory = nullptr;  // of all lanes
  };
  bool runs_alone(const imp::Body& body, RoundCost& cost) const;
  // So many lanes are as quick one by one (in the block `alone`), after some rounds; 0 if they must
  // stay together.
  struct Few {
    unsigned lanes = 0;
    llvm::AllocaInst* rounds = nullptr;
    llvm::BasicBlock* alone = nullptr;
  };
  Few few_lanes(const imp::Body& round);
  llvm::Value* count(llvm::Value* mask);
  void go_on(llvm::Value* mask, const Few& few, llvm::BasicBlock* inside, llvm::BasicBlock* after);
  std::vector<Straggling> used_in(const core::Operand& first, const imp::Body& round) const;
  // `rounds` emits those of one lane.
  void finish_alone(std::vector<Straggling> used, llvm::Value* left,
                    const std::function<void()>& rounds);

  // ---- control
  bool is_cheap(const imp::Body& body, int& budget) const;
  bool only_reads(const imp::Body& body) const;
  void divergent_body(const imp::Body& inner, llvm::Value* mask);
  // Runs `inside` if some lane of the mask is active.
  template <class Inside>
  void if_any(llvm::Value* mask, const Inside& inside);
  template <class Inside>
  llvm::Instruction* count_up(llvm::Value* count, const Inside& inside) {
    return f_.count_up(b_.getInt64(0), count, 1, inside);
  }
  // Runs `inside(lane)` for every active lane, one after another.
  template <class Inside>
  void each_lane(const Inside& inside);

  // ---- memory
  // `shared`: other accesses have the same index (LanesAnalysis::is_shared_index).
  llvm::Value* load(core::Name block, Prim type, const Lanes& index, bool shared = false);
  void store(core::Name block, Prim type, const Lanes& index, llvm::Value* v, bool shared = false);
  // A constant stride for which vector loads pay, or 0.
  static int64_t small_stride(const Lanes& index);
  llvm::Value* load_strided(core::Name block, Prim type, const Lanes& index, int64_t stride);
  llvm::Value* memory_of(const Slot& slot);
  llvm::Value* load_private(const Slot& slot, Prim type, const Lanes& index);
  void store_private(const Slot& slot, Prim type, const Lanes& index, llvm::Value* v);
  llvm::Value* active_lanes();
  llvm::Value* is_active(llvm::Value* active, unsigned lane);
  // Addresses of the lanes' elements; inactive lanes get a spare place.
  std::vector<llvm::Value*> addresses(llvm::Value* base, Prim type, const Lanes& index);
  llvm::Value* gather(core::Name block, Prim type, llvm::ArrayRef<llvm::Value*> addresses);
  bool has_gather(Prim type, const Lanes& index) const;
  llvm::Value* holds_in_active(llvm::Value* condition);
  llvm::Value* gather_at_once(core::Name block, Prim type, llvm::Value* index);
  llvm::Value* gather_or_load(core::Name block, Prim type, llvm::Value* index);
  void scatter_at_once(core::Name block, Prim type, llvm::Value* index, llvm::Value* in_memory);
  void scatter_or_store(core::Name block, Prim type, llvm::Value* index, llvm::Value* in_memory);
  void scatter(core::Name block, Prim type, llvm::ArrayRef<llvm::Value*> addresses,
               llvm::Value* in_memory);
  llvm::Value* load_one_by_one(core::Name block, Prim type, llvm::Value* address);
  bool only_collects(const imp::Body& body) const;
  bool accumulates(const imp::Body& body) const;
  bool is_scratch(core::Name block) const;
  void fetch_ahead(llvm::Value* address, llvm::Type* loaded);
  bool has_masked_access(Prim type) const;
  llvm::Value* is_readable(llvm::Value* base, llvm::Value* address, Prim type);
  llvm::Value* to_memory(Prim type, llvm::Value* v);
  llvm::Value* from_memory(Prim type, llvm::Value* v);
  llvm::Instruction* annotate(llvm::Instruction* access, core::Name block);
  void copy_elements(const imp::CopyBytes& n);
  bool copy_rows(const imp::CopyBytes& n, Prim type, const Lanes& to, const Lanes& from);

  // ---- chosen elements (collect.cpp); all give the next place
  llvm::Value* slice(llvm::Value* vector, unsigned first, unsigned count, unsigned room);
  llvm::Value* collect(const imp::Collected& member, llvm::Value* chosen, llvm::Value* place);
  llvm::Value* collect_by_instruction(const imp::Collected& member, llvm::Value* x,
                                      llvm::Value* chosen, llvm::Value* place);
  llvm::Value* collect_by_table(const imp::Collected& member, llvm::Value* x, llvm::Value* chosen,
                                llvm::Value* place);
  void store_collected(const imp::Collected& member, llvm::Value* x, llvm::Value* place);

  FunctionEmitter& f_;
  llvm::IRBuilder<>& b_;
  const imp::LanesAnalysis& analysis_;
  const unsigned lanes_;
  unsigned mask_bits_;
  const unsigned register_bytes_;
  unsigned lanes_in_register_;  // of the width that is most common in the body
  llvm::BasicBlock* repeat_;
  llvm::Value* mask_ = nullptr;  // none: all lanes
  bool fetches_ahead_ = false;
  size_t first_stage_ = 0;
  std::vector<core::Name> streamed_;
  std::unordered_map<uint32_t, Slot> slots_;
  std::unordered_map<uint32_t, llvm::Value*> known_;
  std::unordered_map<llvm::Value*, llvm::Value*> truncated_floats_;  // i64 → the f32 it was
  std::map<std::pair<llvm::Value*, unsigned>, llvm::Value*> reloaded_;
  int context_ = 0, contexts_ = 0;
};

}  // namespace skald::cpu
