// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/staged_tile.h"

#include <algorithm>

namespace skald::imp {

using core::Sink;

namespace {

// Of the memory of a group, which every device has 32 KiB of, for values; states need the rest.
constexpr int64_t kTileBytes = 24 << 10;
// Longer rows do not gain anything.
constexpr int64_t kMostOfRow = 23;
constexpr int64_t kMostClasses = 100;

}  // namespace

StagedTile::StagedTile(KernelWriter& kernel) : kernel_(kernel) {
  for (const core::Ret& ret : kernel.node.pull.results) {
    has_arrays_ = has_arrays_ || ret.type.is_array();
    slots_.push_back({ret.type.elem, ret.type.elem});
  }
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kPartition || info.sink->late) continue;
    Slot& slot = slots_[info.values];
    slot.kept = Prim::kI8;
    slot.classes = info.sink->classes;
    // Ranks have one place for each point.
    too_many_classes_ = too_many_classes_ || slot.classes > kMostClasses || has_members_;
    has_members_ = true;
  }
  bytes_ = (has_members_ ? 2 : 0) + (kernel.node.guarded ? 1 : 0);
  for (size_t k = kernel.node.guarded ? 1 : 0; k < slots_.size(); ++k)
    bytes_ += prim_size(slots_[k].kept);
  row_ = std::min(kMostOfRow, kTileBytes / (kGroupThreads * std::max<int64_t>(bytes_, 1)));
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
  if (has_members_) ranks_ = room(Prim::kI16, "ranks");
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
      value = code.let(Prim::kI8, core::Convert{Prim::kI64, Prim::kI8, member}, "class");
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
    values.push_back(
        slot.classes == 0
            ? value
            : code.let(Prim::kI64, core::Convert{Prim::kI8, Prim::kI64, value}, "class"));
  }
  return values;
}

void StagedTile::replace(Code& code, const Operand& offset, Monoids& monoids,
                         const TileState& state) {
  for (size_t k = 0; k < monoids.all().size(); ++k) {
    const Monoid& monoid = monoids.all()[k];
    if (monoid.is_scan)
      for (size_t v = 0; v < monoid.types.size(); ++v)
        code.add(Store{monoid.types[v], slots_[monoid.info->values + v].block, offset,
                       state.accs[k][v]});
    if (monoid.op != nullptr) continue;
    const Slot& slot = slots_[monoid.info->values];
    const Operand kept = code.load(Prim::kI8, slot.block, offset, "class");
    const Operand is_member =
        code.let(Prim::kBool,
                 core::CmpOp{CmpOpKind::kEq, Prim::kI8, kept,
                             core::const_int(Prim::kI8, static_cast<int64_t>(monoid.member_class))},
                 "member");
    code.branch(is_member, [&](Code& at) {
      const Operand rank = at.sub_i64(state.accs[k][0], const_i64(1));
      const Operand narrow =
          at.let(Prim::kI16, core::Convert{Prim::kI64, Prim::kI16, rank}, "rank");
      at.add(Store{Prim::kI16, ranks_, offset, narrow});
    });
  }
}

Operand StagedTile::rank(Code& code, const Operand& offset) {
  const Operand rank = code.load(Prim::kI16, ranks_, offset, "rank");
  return code.let(Prim::kI64, core::Convert{Prim::kI16, Prim::kI64, rank}, "rank");
}

}  // namespace skald::imp
