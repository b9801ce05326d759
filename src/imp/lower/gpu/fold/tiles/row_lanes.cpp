// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/row_lanes.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/gpu/fold/tiles/tile_state.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/private_values.h"
#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

using core::Sink;

namespace {

// What a thread combines is in registers; and points with fewer bytes are staged (tiles.h).
constexpr int64_t kMostLaneBytes = 64, kFewBytesOfPoint = 16;

int64_t bytes_of_point(const KernelWriter& kernel) {
  int64_t bytes = 0;
  for (const core::Ret& ret : kernel.node.pull.results) bytes += prim_size(ret.type.elem);
  return bytes;
}

// The length of rows if it is known, else 0.
int64_t known_length(const KernelFacts& facts) {
  const core::Const* length = core::as_const(facts.dims.back());
  return length == nullptr ? 0 : core::int_value(*length);
}

// How many threads a row takes if each has so many points; 0 if they do not share it evenly.
int64_t threads_of_row(const KernelFacts& facts, int64_t points) {
  const int64_t length = known_length(facts), threads = length / points;
  const bool fits = threads > 1 && threads <= kGroupThreads && threads * points == length &&
                    (threads & (threads - 1)) == 0;
  return fits ? threads : 0;
}

class RowLanes {
 public:
  explicit RowLanes(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        states_(monoids_, false),
        loads_(gpu, gpu.kernel.facts.dims.size() - 1),
        points_(loads_.points()),
        threads_(threads_of_row(gpu.kernel.facts, points_)) {}

  void write(Code& code);

 private:
  void body(Code& code, Name group, Name thread);
  // The values of this thread's points, which begin at `first`.
  void load(Code& code, const std::vector<Operand>& first, const PrivateValues& kept);
  // What the threads of the row before this one have.
  TileState before(Code& code, Name thread, const TileState& own);
  void append_warps(Code& code, Name thread, const TileState& through, const TileState& found);
  void store(Code& code, const std::vector<Operand>& at, std::vector<Operand> values,
             const TileState& state);
  static std::vector<Operand> point(Code& code, const std::vector<Operand>& first,
                                    const Operand& k);
  Operand within_row(Code& code, Name thread) const {
    return code.binop(BinOpKind::kAnd, thread, const_i64(threads_ - 1), "within");
  }

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  TileStates states_;
  WideLoads loads_;
  const int64_t points_, threads_;  // of a thread, of a row
};

std::vector<Operand> RowLanes::point(Code& code, const std::vector<Operand>& first,
                                     const Operand& k) {
  std::vector<Operand> at = first;
  at.back() = code.add_i64(at.back(), k);
  return at;
}

void RowLanes::load(Code& code, const std::vector<Operand>& first, const PrivateValues& kept) {
  const auto each = [&](Code& at, bool wide) {
    at.loop(
        const_i64(0), const_i64(points_),
        [&](Code& here, const Operand& k) {
          const std::vector<Operand> indices = point(here, first, k);
          kept.store(here, k,
                     wide
                         ? loads_.values(here, const_i64(0), k, indices)
                         : kernel_.values_with(here, indices, [](size_t) { return std::nullopt; }));
        },
        1, LoopHint::kUnroll);
  };
  if (points_ == 1) return each(code, false);
  code.branch(
      loads_.aligned(code, first),
      [&](Code& at) {
        loads_.make_room(at, 1);
        loads_.load(at, const_i64(0), first);
        each(at, true);
      },
      [&](Code& at) { each(at, false); });
}

TileState RowLanes::before(Code& code, Name thread, const TileState& own) {
  const Operand within = within_row(code, thread);
  const Operand lane = code.binop(BinOpKind::kAnd, within, const_i64(kWarpThreads - 1), "lane");
  const TileState through = states_.copy(code, own);
  for (int64_t step = 1; step < std::min(threads_, kWarpThreads); step *= 2) {
    const TileState other = states_.shuffle(code, ShuffleKind::kUp, through, const_i64(step));
    code.branch(code.less_i64(const_i64(step - 1), lane), [&](Code& at) {
      states_.append(at, other, through);
      states_.assign(at, through, other);
    });
  }
  const TileState found = states_.start(code);
  if (threads_ > kWarpThreads) append_warps(code, thread, through, found);
  const TileState last = states_.shuffle(code, ShuffleKind::kUp, through, const_i64(1));
  code.branch(code.less_i64(const_i64(0), lane),
              [&](Code& at) { states_.append(at, found, last); });
  return found;
}

// Of the warps of the row that come before this one.
void RowLanes::append_warps(Code& code, Name thread, const TileState& through,
                            const TileState& found) {
  const Operand warp = warp_of(code, thread);
  const StatePlaces totals = states_.in_shared(code, kGroupThreads / kWarpThreads);
  code.branch(equals_i64(code, lane_of(code, thread), const_i64(kWarpThreads - 1)),
              [&](Code& at) { states_.store(at, totals, warp, through); });
  code.add(Barrier{});
  const Operand own =
      code.binop(BinOpKind::kLshr, within_row(code, thread), const_i64(kWarpSteps), "warp");
  const Operand first = code.sub_i64(warp, own);
  for (int64_t k = 0; k + 1 < threads_ / kWarpThreads; ++k)
    code.branch(code.less_i64(const_i64(k), own), [&](Code& at) {
      states_.append(at, found, states_.load(at, totals, at.add_i64(first, const_i64(k))));
    });
}

void RowLanes::store(Code& code, const std::vector<Operand>& at, std::vector<Operand> values,
                     const TileState& state) {
  const GpuPoint place{at, at, at.back()};
  gpu_.direct(code, place, values);
  std::vector<Operand> outputs;
  for (size_t k = 0; k < monoids_.all().size(); ++k)
    for (size_t v = 0; v < monoids_.all()[k].types.size(); ++v) {
      outputs.emplace_back(state.accs[k][v]);
      if (kernel_.node.post.empty())
        kernel_.fn.store(code, kernel_.result_place(monoids_.all()[k].info->results + v), at,
                         state.accs[k][v]);
    }
  if (kernel_.node.post.empty()) return;
  for (const SinkInfo& info : kernel_.facts.sinks)
    if (info.sink->kind == Sink::kOut)
      for (const Operand& value : kernel_.sink_values(info, values)) outputs.push_back(value);
  outputs = kernel_.fn.apply(code, kernel_.node.post[0], outputs);
  gpu_.direct(code, place, outputs, true);
  for (size_t k = kernel_.facts.late_values; k < outputs.size(); ++k)
    kernel_.fn.store(
        code, kernel_.result_place(kernel_.facts.first_array + k - kernel_.facts.late_values), at,
        outputs[k]);
}

void RowLanes::body(Code& code, Name group, Name thread) {
  const std::vector<Operand>& dims = kernel_.facts.dims;
  const int64_t rows = kGroupThreads / threads_;
  const Operand own = code.binop(BinOpKind::kQuot, thread, const_i64(threads_), "own");
  const Operand row = code.add_i64(code.mul_i64(group, const_i64(rows)), own);
  const Operand is_there = code.less_i64(row, gpu_.segments);
  std::vector<Operand> first =
      unflatten(code, row, std::vector<Operand>(dims.begin(), dims.end() - 1));
  first.push_back(code.mul_i64(within_row(code, thread), const_i64(points_)));
  const PrivateValues kept(code, kernel_, points_);
  const TileState sum = states_.start(code);
  const auto each = [&](Code& at, const Code::LoopBody& inside) {
    at.loop(const_i64(0), const_i64(points_), inside, 1, LoopHint::kUnroll);
  };
  code.branch(is_there, [&](Code& at) {
    load(at, first, kept);
    each(at,
         [&](Code& here, const Operand& k) { states_.add_point(here, sum, kept.load(here, k)); });
  });
  const TileState state = before(code, thread, sum);
  code.branch(is_there, [&](Code& at) {
    each(at, [&](Code& here, const Operand& k) {
      const std::vector<Operand> values = kept.load(here, k);
      states_.add_point(here, state, values);
      store(here, point(here, first, k), values, state);
    });
  });
}

void RowLanes::write(Code& code) {
  gpu_.count_points(code);
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(kernel_.fn);
    body(inner, group, thread);
  }
  const Operand groups = pieces(code, gpu_.segments, const_i64(kGroupThreads / threads_));
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

}  // namespace

WhyNot why_no_row_lanes(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (facts.dims.size() < 2 || gpu.is_seg()) return "there are no rows of one length";
  if (known_length(facts) == 0) return "the length of rows is not known";
  if (operators_may_fail(gpu.kernel)) return "an operator may fail";
  if (!is_straight_line(gpu.kernel.node.pull.body) || gpu.kernel.node.guarded)
    return "points are more than straight code";
  const bool only = std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
    const Sink::Kind kind = info.sink->kind;
    return (kind == Sink::kScan && !info.sink->late) || kind == Sink::kOut ||
           kind == Sink::kScatter;
  });
  if (!only || !facts.has(Sink::kScan)) return "sinks other than scans, arrays and scatters";
  for (const core::Ret& ret : gpu.kernel.node.pull.results)
    if (ret.type.is_array()) return "points give arrays";
  if (bytes_of_point(gpu.kernel) <= kFewBytesOfPoint) return "points have few values";
  if (bytes_of(Monoids(gpu)) > kMostLaneBytes) return "too many values are combined";
  const WideLoads loads(gpu, facts.dims.size() - 1);
  if (threads_of_row(facts, loads.points()) == 0) return "threads do not share a row evenly";
  return std::nullopt;
}

void write_row_lanes(GpuKernel& gpu, Code& code, const Otherwise&) {
  RowLanes(gpu).write(code);
}

}  // namespace skald::imp
