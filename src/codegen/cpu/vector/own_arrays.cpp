// SPDX-License-Identifier: Apache-2.0
// Arrays of the lanes' own, and whole pieces of memory.
#include <algorithm>

#include "codegen/cpu/emit/transpose.h"
#include "codegen/cpu/vector/memory.h"
#include "codegen/cpu/vector/statements.h"

namespace skald::cpu {

using llvm::Value;

namespace {

Value* memory_of(VectorEmitter& vec, const LaneSlot& slot) {
  return slot.variable == nullptr ? slot.memory : vec.b.CreateLoad(vec.b.getPtrTy(), slot.variable);
}

template <class Inside>
void each_lane(VectorEmitter& vec, const Inside& inside) {
  Value* active = vec.mask == nullptr ? nullptr : vec.bits(vec.mask);
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    if (active == nullptr) {
      inside(lane);
      continue;
    }
    llvm::BasicBlock* yes = vec.f.new_block("lane");
    llvm::BasicBlock* after = vec.f.new_block("after");
    vec.b.CreateCondBr(vec.b.CreateExtractElement(active, lane), yes, after);
    vec.b.SetInsertPoint(yes);
    inside(lane);
    vec.b.CreateBr(after);
    vec.b.SetInsertPoint(after);
  }
}

// A row of every lane in memory outside is a column of the private array: all rows together are
// transposed.  False (and no code) if they are no such rows.
bool copy_rows(VectorEmitter& vec, const imp::CopyBytes& n, const Lanes& to, const Lanes& from) {
  const Prim type = *n.elements;
  const bool in = !vec.is_private(n.src), out = !vec.is_private(n.dest);
  if (in == out || vec.mask != nullptr) return false;
  const Lanes& outside = in ? from : to;
  const Lanes& inside = in ? to : from;
  if (outside.shape != Shape::kLinear || inside.shape != Shape::kUniform ||
      small_stride(outside.stride) != 0)
    return false;
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  const auto start = [&](core::Name block, Value* index) {
    return vec.b.CreateGEP(element, vec.f.data(block), index);
  };
  Value* lanes = vec.b.getInt64(vec.lane_count);
  const LaneSlot& slot = vec.slots.at((in ? n.dest : n.src).id);
  Value* own = vec.b.CreateGEP(element, memory_of(vec, slot), vec.b.CreateMul(inside.value, lanes));
  Value* count = vec.per_element(vec.lanes_of(n.bytes), prim_size(type)).value;
  if (in)
    transpose(vec.f, {.type = type,
                      .src = start(n.src, from.value),
                      .src_stride = from.stride,
                      .dest = own,
                      .dest_stride = lanes,
                      .rows = lanes,
                      .columns = count,
                      .src_block = n.src});
  else
    transpose(vec.f, {.type = type,
                      .src = own,
                      .src_stride = lanes,
                      .dest = start(n.dest, to.value),
                      .dest_stride = to.stride,
                      .rows = count,
                      .columns = lanes,
                      .dest_block = n.dest});
  return true;
}

// Between arrays of which one is private: element by element, in all lanes at once.
void copy_elements(VectorEmitter& vec, const imp::CopyBytes& n) {
  const Prim type = *n.elements;
  const int size = prim_size(type);
  const Lanes to = vec.per_element(vec.lanes_of(n.dest_offset), size);
  const Lanes from = vec.per_element(vec.lanes_of(n.src_offset), size);
  if (copy_rows(vec, n, to, from)) return;
  vec.f.count_up(
      vec.b.getInt64(0), vec.per_element(vec.lanes_of(n.bytes), size).value, 1, [&](Value* k) {
        const Lanes step{Shape::kUniform, k, nullptr};
        const Lanes source = vec.plus(from, step);
        Value* element = load(vec, n.src, type, source, access_for(vec, n.src, type, source, true));
        const Lanes place = vec.plus(to, step);
        store(vec, n.dest, type, place, element, access_for(vec, n.dest, type, place, false));
      });
}

}  // namespace

void emit_lanes(VectorEmitter& vec, const imp::Alloc& n) {
  LaneSlot slot;
  const core::Const* size = core::as_const(n.bytes);
  constexpr int64_t kMostBytes = int64_t{1} << 40;
  const int64_t bytes = size == nullptr ? -1 : core::int_value(*size);
  // Never empty: inactive lanes may look at the first element.
  if (bytes >= 0 && bytes <= imp::kSmallArray) {
    const uint64_t room = static_cast<uint64_t>(std::max<int64_t>(bytes, 8)) * vec.lane_count;
    llvm::AllocaInst* memory = vec.f.variable(llvm::ArrayType::get(vec.b.getInt8Ty(), room));
    memory->setAlignment(llvm::Align(16));
    slot.memory = memory;
  } else {
    Value* asked = vec.scalar(n.bytes);
    vec.repeat_unless(
        vec.b.CreateICmpULT(asked, vec.b.getInt64(static_cast<uint64_t>(kMostBytes))));
    Value* room =
        vec.b.CreateMul(vec.b.CreateAdd(asked, vec.b.getInt64(8)), vec.b.getInt64(vec.lane_count));
    slot.memory = vec.f.scratch_memory(room, n.loc);
  }
  vec.slots[n.name.id] = slot;
}

// Names of blocks that change do so in all lanes at once.
void emit_lanes(VectorEmitter& vec, const imp::BlockVar& n) {
  LaneSlot slot;
  slot.variable = vec.f.variable(vec.b.getPtrTy());
  if (n.init) vec.b.CreateStore(memory_of(vec, vec.slots.at(n.init.id)), slot.variable);
  vec.slots[n.name.id] = slot;
}

void emit_lanes(VectorEmitter& vec, const imp::BlockAssign& n) {
  vec.b.CreateStore(memory_of(vec, vec.slots.at(n.value.id)), vec.slots.at(n.var.id).variable);
}

Value* load_private(VectorEmitter& vec, const LaneSlot& slot, Prim type, const Lanes& index) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  if (index.shape == Shape::kUniform) {
    Value* first = vec.b.CreateMul(index.value, vec.b.getInt64(vec.lane_count));
    return vec.b.CreateAlignedLoad(vec.vector_type(element),
                                   vec.b.CreateGEP(element, memory_of(vec, slot), first),
                                   align_of(type));
  }
  Lanes at = index;
  if (vec.mask != nullptr) {
    // Element 0 is always there.
    Value* wanted = vec.vector(index);
    at = {Shape::kVarying,
          vec.b.CreateSelect(vec.bits(vec.mask), wanted,
                             llvm::Constant::getNullValue(wanted->getType())),
          nullptr};
  }
  Value* all = llvm::PoisonValue::get(vec.vector_type(element));
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    Value* place =
        vec.b.CreateAdd(vec.b.CreateMul(vec.in_lane(at, lane), vec.b.getInt64(vec.lane_count)),
                        vec.b.getInt64(lane));
    Value* one = vec.b.CreateAlignedLoad(
        element, vec.b.CreateGEP(element, memory_of(vec, slot), place), align_of(type));
    all = vec.b.CreateInsertElement(all, one, lane);
  }
  return all;
}

void store_private(VectorEmitter& vec, const LaneSlot& slot, Prim type, const Lanes& index,
                   Value* v) {
  llvm::Type* element = memory_type(vec.f.module.context(), type);
  if (index.shape == Shape::kUniform) {
    Value* address = vec.b.CreateGEP(element, memory_of(vec, slot),
                                     vec.b.CreateMul(index.value, vec.b.getInt64(vec.lane_count)));
    if (vec.mask != nullptr) {
      Value* old = vec.b.CreateAlignedLoad(vec.vector_type(element), address, align_of(type));
      v = vec.b.CreateSelect(vec.bits(vec.mask), v, old);
    }
    vec.b.CreateAlignedStore(v, address, align_of(type));
    return;
  }
  Value* active = active_lanes(vec);
  for (unsigned lane = 0; lane < vec.lane_count; ++lane) {
    Value* place =
        vec.b.CreateAdd(vec.b.CreateMul(vec.in_lane(index, lane), vec.b.getInt64(vec.lane_count)),
                        vec.b.getInt64(lane));
    Value* address = vec.b.CreateGEP(element, memory_of(vec, slot), place);
    if (active != nullptr)
      address = vec.f.unforeseen(is_active(vec, active, lane), address, vec.f.spare());
    vec.b.CreateAlignedStore(vec.b.CreateExtractElement(v, lane), address, align_of(type));
  }
}

// ---- whole pieces

void emit_lanes(VectorEmitter& vec, const imp::CopyBytes& n) {
  if (n.elements) return copy_elements(vec, n);
  const Lanes to = vec.lanes_of(n.dest_offset), from = vec.lanes_of(n.src_offset),
              bytes = vec.lanes_of(n.bytes);
  each_lane(vec, [&](unsigned lane) {
    Value* dest = vec.b.CreateGEP(vec.b.getInt8Ty(), vec.f.data(n.dest), vec.in_lane(to, lane));
    Value* src = vec.b.CreateGEP(vec.b.getInt8Ty(), vec.f.data(n.src), vec.in_lane(from, lane));
    if (n.overlap)
      vec.b.CreateMemMove(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(),
                          vec.in_lane(bytes, lane));
    else
      vec.b.CreateMemCpy(dest, llvm::MaybeAlign(), src, llvm::MaybeAlign(),
                         vec.in_lane(bytes, lane));
  });
}

void emit_lanes(VectorEmitter& vec, const imp::Fill& n) {
  const Lanes start = vec.lanes_of(n.start), count = vec.lanes_of(n.count);
  const Lanes v = vec.lanes_of(n.value);
  if (vec.is_private(n.block)) {
    Value* all = vec.vector(v);
    vec.f.count_up(vec.b.getInt64(0), count.value, 1, [&](Value* k) {
      const Lanes place = vec.plus(start, {Shape::kUniform, k, nullptr});
      store(vec, n.block, n.type, place, all, access_for(vec, n.block, n.type, place, false));
    });
    return;
  }
  each_lane(vec, [&](unsigned lane) {
    llvm::Type* element = memory_type(vec.f.module.context(), n.type);
    Value* base = vec.b.CreateGEP(element, vec.f.data(n.block), vec.in_lane(start, lane));
    Value* one = to_memory(vec, n.type, vec.in_lane(v, lane));
    vec.f.count_up(vec.b.getInt64(0), vec.in_lane(count, lane), 1, [&](Value* k) {
      annotate(vec,
               vec.b.CreateAlignedStore(one, vec.b.CreateGEP(element, base, k), align_of(n.type)),
               n.block);
    });
  });
}

// Values of other lanes.
void emit_lanes(VectorEmitter& vec, const imp::Earlier& n) {
  Value* mine = vec.vector(n.value);
  const auto by = static_cast<unsigned>(core::int_value(*core::as_const(n.by)));
  std::vector<int> from;
  for (unsigned lane = 0; lane < vec.lane_count; ++lane)
    from.push_back(static_cast<int>(lane < by ? vec.lane_count + lane : lane - by));
  vec.bind(n.name, n.type,
           {Shape::kVarying, vec.b.CreateShuffleVector(mine, vec.vector(n.none), from), nullptr});
}

}  // namespace skald::cpu
