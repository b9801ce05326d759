// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/staged_tile.h"

#include <algorithm>

#include "imp/lower/gpu/fold/tiles/tile_members.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of the memory of a group, which every device has 32 KiB of.  Shuffles may take 2 KiB, and what
// the warps of a group tell each other some more.
constexpr int64_t kTileBytes = 28 << 10;
// GPUs have 48 KiB: groups that hold several tiles take that.
constexpr int64_t kTilesBytes = 45 << 10;
// Longer rows do not gain anything.
constexpr int64_t kMostOfRow = 23;

}  // namespace

StagedTile::StagedTile(KernelWriter& kernel, int64_t more_of_point, int64_t tiles,
                       int64_t next_bytes)
    : kernel_(kernel), tiles_(tiles) {
  for (const core::Ret& ret : kernel.node.pull.results) {
    has_arrays_ = has_arrays_ || ret.type.is_array();
    slots_.push_back({ret.type.elem, ret.type.elem});
  }
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kPartition || info.sink->late) continue;
    Slot& slot = slots_[info.values];
    slot.kept = Prim::kU8;
    slot.classes = info.sink->classes;
    too_many_classes_ = too_many_classes_ || slot.classes > kMostClasses;
  }
  bytes_ = more_of_point + (kernel.node.guarded ? 1 : 0);
  for (size_t k = kernel.node.guarded ? 1 : 0; k < slots_.size(); ++k)
    bytes_ += prim_size(slots_[k].kept);
  const int64_t room = tiles > 1 ? kTilesBytes : kTileBytes;
  row_ = std::min(kMostOfRow, room / kGroupThreads / tiles / std::max<int64_t>(bytes_, 1));
  if (tiles > 1) row_ = std::min(row_, next_bytes / std::max<int64_t>(bytes_, 4));
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
    return code.alloc(Space::kShared, const_i64(tiles_ * points() * prim_size(type)), what);
  };
  for (size_t k = kernel_.node.guarded ? 1 : 0; k < slots_.size(); ++k)
    slots_[k].block = room(slots_[k].kept, "staged");
  if (kernel_.node.guarded) present_ = room(Prim::kBool, "present");
}

void StagedTile::set_absent(Code& code, const Operand& offset) {
  if (present_)
    code.add(Store{Prim::kBool, present_, code.add_i64(base_, offset), core::const_bool(false)});
  for (const Slot& slot : slots_)
    if (slot.classes > 0)
      code.add(Store{slot.kept, slot.block, code.add_i64(base_, offset),
                     core::const_int(slot.kept, slot.classes)});
}

void StagedTile::if_present(Code& code, const Operand& offset,
                            const std::function<void(Code&)>& then) {
  if (!present_) return then(code);
  code.branch(code.load(Prim::kBool, present_, code.add_i64(base_, offset), "present"), then);
}

void StagedTile::store(Code& code, const Operand& offset, const std::vector<Operand>& values) {
  for (size_t k = 0; k < slots_.size(); ++k)
    if (slots_[k].block) store_value(code, k, offset, values[k]);
  if (present_)
    code.add(Store{Prim::kBool, present_, code.add_i64(base_, offset), core::const_bool(true)});
}

void StagedTile::store_value(Code& code, size_t value, const Operand& offset, const Operand& what) {
  const Slot& slot = slots_[value];
  Operand kept = what;
  if (slot.classes > 0) {
    // A class that does not exist is the one after the last.
    const Operand none = const_i64(slot.classes);
    const Operand positive = code.less_i64(const_i64(-1), what);
    const Operand known = code.both(positive, code.less_i64(what, none), "known");
    const Operand member = code.let(Prim::kI64, core::Select{known, what, none}, "class");
    kept = code.let(slot.kept, core::Convert{Prim::kI64, slot.kept, member}, "class");
  }
  code.add(Store{slot.kept, slot.block, code.add_i64(base_, offset), kept});
}

std::vector<Operand> StagedTile::load(Code& code, const Operand& offset) {
  std::vector<Operand> values;
  for (size_t k = 0; k < slots_.size(); ++k)
    values.push_back(slots_[k].block ? load_value(code, k, offset) : core::const_bool(true));
  return values;
}

Operand StagedTile::load_value(Code& code, size_t value, const Operand& offset) {
  const Slot& slot = slots_[value];
  const Operand kept = code.load(slot.kept, slot.block, code.add_i64(base_, offset), "value");
  if (slot.classes == 0) return kept;
  return code.let(Prim::kI64, core::Convert{slot.kept, Prim::kI64, kept}, "class");
}

}  // namespace skald::imp
