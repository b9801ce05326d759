// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/staged_tile.h"

#include <algorithm>

namespace skald::imp {

using core::Sink;

namespace {

// Of the memory of a group, which every device has 32 KiB of; a few words are for all threads.
constexpr int64_t kTileBytes = 30 << 10;
// Longer rows do not gain anything.
constexpr int64_t kMostOfRow = 23;
constexpr int64_t kClassBits = 8, kClassMask = (1 << kClassBits) - 1;

Operand class_of(Code& code, const Operand& kept) {
  const Operand low = code.let(
      Prim::kI32,
      core::BinOp{BinOpKind::kAnd, Prim::kI32, kept, core::const_int(Prim::kI32, kClassMask)},
      "class");
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, low}, "class");
}

}  // namespace

StagedTile::StagedTile(KernelWriter& kernel, int64_t more_of_point, int64_t more_of_thread)
    : kernel_(kernel) {
  for (const core::Ret& ret : kernel.node.pull.results) {
    has_arrays_ = has_arrays_ || ret.type.is_array();
    slots_.push_back({ret.type.elem, ret.type.elem});
  }
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kPartition || info.sink->late) continue;
    Slot& slot = slots_[info.values];
    slot.kept = Prim::kI32;
    slot.classes = info.sink->classes;
    too_many_classes_ = too_many_classes_ || slot.classes >= kClassMask;
  }
  bytes_ = more_of_point + (kernel.node.guarded ? 1 : 0);
  for (size_t k = kernel.node.guarded ? 1 : 0; k < slots_.size(); ++k)
    bytes_ += prim_size(slots_[k].kept);
  const int64_t room = kTileBytes / kGroupThreads - more_of_thread;
  row_ = std::min(kMostOfRow, room / std::max<int64_t>(bytes_, 1));
  row_ -= row_ % 2 == 0 ? 1 : 0;
}

WhyNot StagedTile::why_not() const {
  if (has_arrays_) return "points give arrays";
  if (too_many_classes_) return "too many classes";
  if (row_ < 3) return "points have too many values for the memory of a group";
  return std::nullopt;
}

void StagedTile::make_room(Code& code) {
  const auto room = [&](Prim type, std::string_view what) {
    return code.alloc(Space::kShared, const_i64(points() * prim_size(type)), what);
  };
  for (size_t k = kernel_.node.guarded ? 1 : 0; k < slots_.size(); ++k)
    slots_[k].block = room(slots_[k].kept, "staged");
  if (kernel_.node.guarded) present_ = room(Prim::kBool, "present");
}

void StagedTile::set_absent(Code& code, const Operand& offset) {
  if (present_) code.add(Store{Prim::kBool, present_, offset, core::const_bool(false)});
}

void StagedTile::if_present(Code& code, const Operand& offset,
                            const std::function<void(Code&)>& then) {
  if (!present_) return then(code);
  code.branch(code.load(Prim::kBool, present_, offset, "present"), then);
}

void StagedTile::store(Code& code, const Operand& offset, const std::vector<Operand>& values) {
  for (size_t k = 0; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    if (!slot.block) continue;
    Operand value = values[k];
    if (slot.classes > 0) {
      // A class that does not exist is the one after the last.
      const Operand none = const_i64(slot.classes);
      const Operand positive = code.less_i64(const_i64(-1), value);
      const Operand known = code.both(positive, code.less_i64(value, none), "known");
      const Operand member = code.let(Prim::kI64, core::Select{known, value, none}, "class");
      value = code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, member}, "class");
    }
    code.add(Store{slot.kept, slot.block, offset, value});
  }
  if (present_) code.add(Store{Prim::kBool, present_, offset, core::const_bool(true)});
}

std::vector<Operand> StagedTile::load(Code& code, const Operand& offset) {
  std::vector<Operand> values;
  for (const Slot& slot : slots_) {
    if (!slot.block) {
      values.push_back(core::const_bool(true));
      continue;
    }
    const Operand value = code.load(slot.kept, slot.block, offset, "value");
    values.push_back(slot.classes == 0 ? value : class_of(code, value));
  }
  return values;
}

void StagedTile::replace(Code& code, const Operand& offset, Monoids& monoids,
                         const TileState& state, bool reductions_too) {
  for (size_t k = 0; k < monoids.all().size(); ++k) {
    const Monoid& monoid = monoids.all()[k];
    if (monoid.is_scan || (reductions_too && monoid.op != nullptr))
      for (size_t v = 0; v < monoid.types.size(); ++v)
        code.add(Store{monoid.types[v], slots_[monoid.info->values + v].block, offset,
                       state.accs[k][v]});
    if (monoid.op != nullptr) continue;
    const Slot& slot = slots_[monoid.info->values];
    const Operand kept = code.load(Prim::kI32, slot.block, offset, "class");
    const Operand is_member = code.let(
        Prim::kBool,
        core::CmpOp{CmpOpKind::kEq, Prim::kI32, kept,
                    core::const_int(Prim::kI32, static_cast<int64_t>(monoid.member_class))},
        "member");
    code.branch(is_member, [&](Code& at) {
      const Operand rank = at.sub_i64(state.accs[k][0], const_i64(1));
      const Operand both = at.add_i64(at.mul_i64(rank, const_i64(1 << kClassBits)),
                                      const_i64(static_cast<int64_t>(monoid.member_class)));
      at.add(Store{Prim::kI32, slot.block, offset,
                   at.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, both}, "rank")});
    });
  }
}

Operand StagedTile::rank(Code& code, const SinkInfo& info, const Operand& offset) {
  const Operand both = code.load(Prim::kI32, slots_[info.values].block, offset, "rank");
  const Operand rank = code.let(
      Prim::kI32,
      core::BinOp{BinOpKind::kLshr, Prim::kI32, both, core::const_int(Prim::kI32, kClassBits)},
      "rank");
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, rank}, "rank");
}

}  // namespace skald::imp
