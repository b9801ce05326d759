// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/members/member_points.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/members/packed_counts.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of the registers of a thread, for the values of its points.
constexpr int64_t kKeptBytes = 64;
// Of the memory of a group, of which GPUs have 48 KiB at least.
constexpr int64_t kPackedBytes = 32 << 10;

Operand mask_const(int64_t bits) {
  return core::const_int(Prim::kU32, bits);
}

Operand mask_op(Code& code, BinOpKind op, const Operand& a, const Operand& b) {
  return code.let(Prim::kU32, core::BinOp{op, Prim::kU32, a, b}, "mask");
}

// Does this always give a number of 0 … classes-1?  Choices between constants do.
bool is_always_below(const core::Body& body, const Operand& operand, int64_t classes) {
  if (const core::Const* number = core::as_const(operand)) {
    const int64_t value = core::int_value(*number);
    return value >= 0 && value < classes;
  }
  const core::Name name = *core::as_name(operand);
  for (const core::Stmt& stmt : body.stmts) {
    if (stmt.pat.size() != 1 || stmt.pat[0].name != name) continue;
    const auto* choice = std::get_if<core::Select>(&stmt.exp);
    return choice != nullptr && is_always_below(body, choice->then, classes) &&
           is_always_below(body, choice->otherwise, classes);
  }
  return false;
}

}  // namespace

int64_t MemberPoints::bytes_of(const KernelWriter& kernel) {
  int64_t bytes = 0;
  for (const SinkInfo& info : kernel.facts.sinks)
    if (info.sink->kind == Sink::kPartition)
      for (int64_t v = 1; v < info.sink->count; ++v)
        bytes +=
            prim_size(kernel.node.pull.results[info.values + static_cast<size_t>(v)].type.elem);
  return bytes;
}

int64_t MemberPoints::most_points(const KernelWriter& kernel, int64_t tiles) {
  const int64_t bytes = std::max<int64_t>(bytes_of(kernel), 1);
  return std::min({kKeptBytes / std::max<int64_t>(bytes, 4),
                   kPackedBytes / kGroupThreads / tiles / bytes,
                   kMostMemberPoints / kGroupThreads});
}

MemberPoints::MemberPoints(GpuKernel& gpu, const Monoids& monoids, int64_t tiles)
    : gpu_(gpu), loads_(gpu, 0) {
  const core::Lambda& pull = gpu.kernel.node.pull;
  for (const SinkInfo& info : gpu.kernel.facts.sinks) {
    if (info.sink->kind != Sink::kPartition) continue;
    MemberPart& part = parts_.emplace_back(MemberPart{&info, {}, false});
    for (size_t k = 0; k < monoids.all().size(); ++k)
      if (monoids.all()[k].info == &info) part.monoids.push_back(k);
    part.has_all = part.monoids.size() > 1 && !gpu.kernel.node.guarded &&
                   is_always_below(pull.body, pull.body.result[info.values], info.sink->classes);
  }
  const int64_t most = most_points(gpu.kernel, tiles);
  wide_ = loads_.points() > 1 && loads_.points() <= most && !gpu.kernel.node.guarded;
  of_set_ = wide_ ? loads_.points() : 1;
  sets_ = std::max<int64_t>(most / of_set_, 1);
}

void MemberPoints::make_room(Code& code) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    std::vector<Name>& masks = masks_.emplace_back();
    for (size_t c = 0; c < parts_[p].monoids.size(); ++c)
      masks.push_back(code.var(Prim::kU32, mask_const(0), "mask"));
    std::vector<Name>& kept = kept_.emplace_back();
    for (size_t v = 0; v + 1 < static_cast<size_t>(parts_[p].info->sink->count); ++v)
      kept.push_back(code.alloc(Space::kPrivate, const_i64(row() * prim_size(type(p, v))), "kept"));
  }
  present_ = code.var(Prim::kU32, mask_const(0), "present");
}

Prim MemberPoints::type(size_t part, size_t v) const {
  return gpu_.kernel.node.pull.results[parts_[part].info->values + 1 + v].type.elem;
}

Operand MemberPoints::value(Code& code, size_t part, size_t v, const Operand& k) const {
  return code.load(type(part, v), kept_[part][v], k, "kept");
}

Operand MemberPoints::count(Code& code, const Operand& tile) const {
  const Operand most = const_i64(points());
  return code.min_i64(most, code.sub_i64(gpu_.total, code.mul_i64(tile, most)));
}

void MemberPoints::keep(Code& code, const Operand& k, const std::vector<Operand>& values) {
  const Operand shift = code.let(Prim::kU32, core::Convert{Prim::kI64, Prim::kU32, k}, "shift");
  const Operand bit = mask_op(code, BinOpKind::kShl, mask_const(1), shift);
  for (size_t p = 0; p < parts_.size(); ++p) {
    const MemberPart& part = parts_[p];
    for (size_t c = 0; c < part.counted(); ++c) {
      const Operand member =
          code.let(Prim::kBool,
                   core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[part.info->values],
                               const_i64(static_cast<int64_t>(c))},
                   "member");
      const Operand own = code.let(Prim::kU32, core::Select{member, bit, mask_const(0)}, "bit");
      code.add(Assign{masks_[p][c], mask_op(code, BinOpKind::kOr, masks_[p][c], own)});
    }
    for (size_t v = 0; v < kept_[p].size(); ++v)
      code.add(Store{type(p, v), kept_[p][v], k, values[part.info->values + 1 + v]});
  }
}

void MemberPoints::in_sets(Code& code, const Operand& first) {
  const auto first_of = [&](Code& at, const Operand& set) {
    return at.add_i64(first, at.mul_i64(set, const_i64(kWarpThreads * of_set_)));
  };
  if (wide_) {
    loads_.make_room(code, sets_);
    each_set(code, sets_,
             [&](Code& at, const Operand& set) { loads_.load(at, set, {first_of(at, set)}); });
  }
  each_set(code, sets_, [&](Code& at, const Operand& set) {
    const Operand begin = first_of(at, set);
    at.loop(
        const_i64(0), const_i64(of_set_),
        [&](Code& here, const Operand& k) {
          const Operand index = here.add_i64(begin, k);
          const std::vector<Operand> values =
              wide_ ? loads_.values(here, set, k, {index})
                    : gpu_.kernel.values_with(here, {index}, [](size_t) { return std::nullopt; });
          keep(here, here.add_i64(here.mul_i64(set, const_i64(of_set_)), k), values);
          gpu_.direct(here, {{index}, {index}, index}, values);
        },
        1, LoopHint::kUnroll);
  });
  code.add(Assign{present_, mask_const((int64_t{1} << row()) - 1)});
}

// Of the points from `first` on, so many are there.
void MemberPoints::one_by_one(Code& code, const Operand& first, const Operand& left) {
  code.add(Assign{present_, mask_const(0)});
  each_set(code, sets_, [&](Code& at, const Operand& set) {
    const Operand begin = at.mul_i64(set, const_i64(kWarpThreads * of_set_));
    at.loop(
        const_i64(0), const_i64(of_set_),
        [&](Code& here, const Operand& k) {
          const Operand offset = here.add_i64(begin, k);
          here.branch(here.less_i64(offset, left), [&](Code& in) {
            const Operand index = in.add_i64(first, offset);
            const Operand place = in.add_i64(in.mul_i64(set, const_i64(of_set_)), k);
            gpu_.kernel.point(
                in, {index},
                [&](Code& then, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  keep(then, place, values);
                  const Operand shift =
                      then.let(Prim::kU32, core::Convert{Prim::kI64, Prim::kU32, place}, "shift");
                  const Operand bit = mask_op(then, BinOpKind::kShl, mask_const(1), shift);
                  then.add(Assign{present_, mask_op(then, BinOpKind::kOr, present_, bit)});
                  gpu_.direct(then, {{index}, {index}, index}, values);
                });
          });
        },
        1, LoopHint::kUnroll);
  });
}

void MemberPoints::compute(Code& code, Name thread, const Operand& tile) {
  for (const std::vector<Name>& masks : masks_)
    for (const Name mask : masks) code.add(Assign{mask, mask_const(0)});
  const Operand of_warp = code.mul_i64(warp_of(code, thread), const_i64(kWarpThreads * row()));
  const Operand own =
      code.add_i64(of_warp, code.mul_i64(lane_of(code, thread), const_i64(of_set_)));
  const Operand first = code.add_i64(code.mul_i64(tile, const_i64(points())), own);
  const Operand there = count(code, tile);
  Operand whole = code.less_i64(const_i64(points() - 1), there);
  if (gpu_.kernel.node.guarded) whole = core::const_bool(false);
  if (wide_) whole = code.both(whole, loads_.aligned(code, {first}), "wide");
  code.branch(
      whole, [&](Code& at) { in_sets(at, first); },
      [&](Code& at) { one_by_one(at, first, at.sub_i64(there, own)); });
  finish(code);
}

// Members of the last class, where all points are members.
void MemberPoints::finish(Code& code) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].has_all) continue;
    Operand others = mask_const(0);
    for (size_t c = 0; c < parts_[p].counted(); ++c)
      others = mask_op(code, BinOpKind::kOr, others, masks_[p][c]);
    code.add(Assign{masks_[p].back(), mask_op(code, BinOpKind::kXor, present_, others)});
  }
}

}  // namespace skald::imp
