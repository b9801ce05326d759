// SPDX-License-Identifier: Apache-2.0
// Cheap points, and those that load nothing: a thread takes several, so that the loads, or the
// chains of operations, of all of them are under way at once.
//
//   in turn   neighbouring threads have neighbouring points
//   in sets   a thread has some neighbouring points, which it loads and stores sixteen bytes at a
//             time; where arrays lie side by side along the last index and are aligned
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/kernel.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/private_values.h"
#include "imp/lower/gpu/tile_points.h"
#include "imp/lower/gpu/wide_loads.h"
#include "imp/lower/gpu/wide_stores.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kPointsOfThread = 4;
// Larger thunks take long to compile, and have enough to load by themselves.
constexpr size_t kCheapThunk = 128;

class SeveralPoints {
 public:
  explicit SeveralPoints(GpuKernel& gpu)
      : gpu_(gpu),
        loads_(gpu, gpu.kernel.facts.dims.size() - 1, WideStores::at_once(gpu)),
        stores_(gpu, loads_.points()),
        in_sets_(loads_.points() > 1 && stores_.fit()),
        sets_(in_sets_ ? std::max<int64_t>(kPointsOfThread / loads_.points(), 1) : 0),
        tile_(kGroupThreads * (in_sets_ ? sets_ * loads_.points() : kPointsOfThread)) {}
  void write(Code& code);

 private:
  void body(Code& code, Name group, Name thread);
  void in_turn(Code& code, const Operand& left, bool whole);
  // Are all sets parts of rows, and aligned?  The threads of a group must agree.
  Operand are_aligned(Code& code);
  void in_sets(Code& code);
  std::vector<Operand> first_of(Code& code, const Operand& set) const;

  GpuKernel& gpu_;
  WideLoads loads_;
  WideStores stores_;
  const bool in_sets_;
  const int64_t sets_;  // of a thread
  const int64_t tile_;  // points of a group
  Operand begin_ = const_i64(0), thread_ = const_i64(0);
  const TilePoints* points_ = nullptr;
};

void SeveralPoints::in_turn(Code& code, const Operand& left, bool whole) {
  const auto point = [&](Code& at, const Operand& offset) {
    const std::vector<Operand> indices = points_->at(at, offset);
    gpu_.write_point(at, {indices, indices, begin_});
  };
  const auto row = [&](Code& at, const Operand& first) {
    const Operand offset = at.add_i64(first, thread_);
    if (whole) return point(at, offset);
    at.branch(at.less_i64(offset, left), [&](Code& here) { point(here, offset); });
  };
  // The last group need not hurry.
  const bool all_at_once = whole && tile_ <= kPointsOfThread * kGroupThreads;
  code.loop(const_i64(0), const_i64(tile_), row, kGroupThreads,
            all_at_once ? LoopHint::kUnroll
            : whole     ? LoopHint::kNone
                        : LoopHint::kShort);
}

std::vector<Operand> SeveralPoints::first_of(Code& code, const Operand& set) const {
  const Operand number = code.add_i64(code.mul_i64(set, const_i64(kGroupThreads)), thread_);
  return points_->at(code, code.mul_i64(number, const_i64(loads_.points())));
}

Operand SeveralPoints::are_aligned(Code& code) {
  Operand all = core::const_bool(true);
  const std::vector<Operand>& dims = gpu_.kernel.facts.dims;
  if (dims.size() > 1) {
    const Operand beyond =
        code.binop(BinOpKind::kAnd, dims.back(), const_i64(loads_.points() - 1), "beyond");
    all = code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, beyond, const_i64(0)},
                   "even");
  }
  all = code.both(all, loads_.aligned_in_all_rows(code), "aligned");
  return code.both(all, stores_.aligned_in_all_rows(code), "aligned");
}

void SeveralPoints::in_sets(Code& code) {
  loads_.make_room(code, sets_);
  stores_.make_room(code, sets_);
  each_set(code, sets_,
           [&](Code& at, const Operand& set) { loads_.load(at, set, first_of(at, set)); });
  each_set(code, sets_, [&](Code& at, const Operand& set) {
    const std::vector<Operand> first = first_of(at, set);
    at.loop(
        const_i64(0), const_i64(loads_.points()),
        [&](Code& here, const Operand& k) {
          std::vector<Operand> indices = first;
          indices.back() = here.add_i64(indices.back(), k);
          const std::vector<Operand> values = loads_.values(here, set, k, indices);
          stores_.keep(here, set, k, values);
          for (const SinkInfo& info : gpu_.kernel.facts.sinks)
            if (info.sink->kind == Sink::kScatter) gpu_.kernel.scatter_sink(here, info, values);
        },
        1, LoopHint::kUnroll);
    stores_.store(at, set, first);
  });
}

void SeveralPoints::body(Code& code, Name group, Name thread) {
  begin_ = code.mul_i64(group, const_i64(tile_));
  thread_ = thread;
  const Operand left = code.sub_i64(gpu_.total, begin_);
  const TilePoints points(code, begin_, gpu_.kernel.facts.dims);
  points_ = &points;
  code.branch(
      code.less_i64(const_i64(tile_ - 1), left),
      [&](Code& whole) {
        if (!in_sets_) return in_turn(whole, left, true);
        whole.branch(
            are_aligned(whole), [&](Code& at) { in_sets(at); },
            [&](Code& at) { in_turn(at, left, true); });
      },
      [&](Code& last) { in_turn(last, left, false); });
}

void SeveralPoints::write(Code& code) {
  gpu_.count_points(code);
  Code inner(gpu_.kernel.fn.prog);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(gpu_.kernel.fn);
    body(inner, group, thread);
  }
  add_launch(code, {group, thread, pieces(code, gpu_.total, const_i64(tile_)),
                    const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

}  // namespace

WhyNot why_not_several_points(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (gpu.is_seg()) return "segments have different lengths";
  if (!facts.scalar_code) return "points are more than scalar code that cannot fail";
  if (core::statement_count(facts.node.pull.body) > kCheapThunk && !is_made_of_chains(gpu.kernel))
    return "points cost enough";
  if (!std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
        return info.sink->kind == Sink::kOut || info.sink->kind == Sink::kScatter;
      }))
    return "sinks other than arrays and scatters";
  return std::nullopt;
}

void write_several_points(GpuKernel& gpu, Code& code, const Otherwise&) {
  SeveralPoints(gpu).write(code);
}

}  // namespace skald::imp
