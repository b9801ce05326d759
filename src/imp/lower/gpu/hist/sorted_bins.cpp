// SPDX-License-Identifier: Apache-2.0
// Many bins: one launch sorts points by ranges of bins that fit the memory of a group, another one
// counts range by range.  Ranges have groups by their sizes, so that keys that are not spread
// evenly cost no more than others.
#include "imp/lower/gpu/hist/bin_table.h"
#include "imp/lower/gpu/hist/group_sum.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/runs.h"
#include "imp/lower/gpu/hist/sorted_points.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;

namespace {

// Threads that take a part together.
constexpr int64_t kTeamThreads = 8, kTeams = kBinThreads / kTeamThreads;

size_t sorted_sink(const KernelFacts& facts) {
  size_t sink = 0;
  while (facts.sinks[sink].sink->kind != Sink::kHist) ++sink;
  return sink;
}

class SortedBins {
 public:
  SortedBins(GpuKernel& gpu, Code& host);
  const SortedBinsPlan& plan() const { return plan_; }
  // What decided.
  std::vector<HistNumber> numbers() const {
    return {{"points", gpu_.total},
            {"bins", all_},
            {"bins of a range", plan_.width},
            {"ranges", plan_.ranges},
            {"bytes to sort", plan_.sort_memory},
            {"bytes to count", plan_.count_memory},
            {"groups", plan_.groups}};
  }
  void write(Code& host);

 private:
  // Which range a group counts, and which share of its tiles.
  struct Share {
    Operand range, number, of;
  };
  Share find_share(Code& code, const Launch& launch) const;
  void count_parts(Code& code, const Launch& launch, const Share& share);
  void count_unit(Code& code, const SortedPoints::Unit& unit);
  void to_destination(Code& code, const Operand& bin, const std::vector<Operand>& found);
  void give(Code& code, const Launch& launch, const Share& share);
  void count(Code& host);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  OwnBins bins_;
  Operand all_;
  SortedBinsPlan plan_;
  SortedPoints points_;
  BinTable table_;
  bool direct_;  // are updates of the destination instructions?
  bool locked_;  // do they need locks?
};

SortedBins::SortedBins(GpuKernel& gpu, Code& host)
    : gpu_(gpu),
      kernel_(gpu.kernel),
      bins_(kernel_, sorted_sink(kernel_.facts)),
      all_(bins_.count(host)),
      plan_(plan_sorted_bins(host, device_limits(host), gpu.total, all_, bins_.bytes(),
                             payload_bytes(kernel_, bins_))),
      points_(gpu, bins_, plan_),
      table_(gpu, bins_, all_),
      direct_(bin_update(bins_.op()) == BinUpdate::kInstruction),
      locked_(bin_update(bins_.op()) == BinUpdate::kLock) {}

// Every thread looks at one range.  A range gets one group more for each `quota` points, rounded,
// and at least one if it has any.
SortedBins::Share SortedBins::find_share(Code& code, const Launch& launch) const {
  const Name found = code.alloc(Space::kShared, const_i64(3 * 4), "share");
  const Name groups = code.var(Prim::kI64, const_i64(0), "groups");
  code.branch(code.less_i64(launch.thread, plan_.ranges), [&](Code& at) {
    const Operand size = points_.size(at, launch.thread);
    const Operand half = at.binop(BinOpKind::kQuot, plan_.quota, const_i64(2), "half");
    const Operand some = at.binop(BinOpKind::kQuot, at.add_i64(size, half), plan_.quota, "some");
    at.add(Assign{groups, at.max_i64(some, at.min_i64(size, const_i64(1)))});
  });
  code.branch(code.less_i64(launch.thread, const_i64(3)),
              [&](Code& at) { at.add(Store{Prim::kI32, found, launch.thread, const_i32(-1)}); });
  const Operand of = as_small(code, groups);
  // Its barrier comes between the two stores.
  const GroupSum sum = sum_in_group(code, launch.thread, kBinThreads, of);
  const Operand number = small(code, BinOpKind::kSub, as_small(code, launch.group), sum.before);
  const Operand begun = small_less(code, const_i32(-1), number);
  code.branch(code.both(begun, small_less(code, number, of), "counts"), [&](Code& at) {
    at.add(Store{Prim::kI32, found, const_i64(0), as_small(at, launch.thread)});
    at.add(Store{Prim::kI32, found, const_i64(1), number});
    at.add(Store{Prim::kI32, found, const_i64(2), of});
  });
  code.add(Barrier{});
  const auto get = [&](int64_t k) {
    return as_wide(code, code.load(Prim::kI32, found, const_i64(k), "share"));
  };
  const Operand range = get(0), own = get(1), together = get(2);
  return {range, own, together};
}

// Where updates are long, their code is there once, and the unit lies in memory.
void SortedBins::count_unit(Code& code, const SortedPoints::Unit& unit) {
  BinRuns runs(code, kernel_, bins_);
  code.loop(
      const_i64(0), const_i64(kSortUnit),
      [&](Code& at, const Operand& k) {
        const SortedPoints::Point point = points_.point(at, unit, k);
        const auto add = [&](Code& to) {
          points_.with_value(to, unit, k, [&](Code& in, const std::vector<Operand>& value) {
            runs.add(in, core::const_bool(true), point.bin, value);
          });
        };
        if (!locked_) return add(at);
        at.branch(point.has_value, add);
      },
      1, locked_ ? LoopHint::kShort : LoopHint::kUnroll);
  runs.finish(code);
}

void SortedBins::count_parts(Code& code, const Launch& launch, const Share& share) {
  const Operand team = code.binop(BinOpKind::kQuot, launch.thread, const_i64(kTeamThreads), "team");
  const Operand member =
      code.binop(BinOpKind::kAnd, launch.thread, const_i64(kTeamThreads - 1), "member");
  const Operand first = code.add_i64(code.mul_i64(share.number, const_i64(kTeams)), team);
  const Operand step = code.mul_i64(share.of, const_i64(kTeams));
  Code tiles(code.program());
  const Name tile = code.fresh("tile");
  const SortedPoints::Part part = points_.part(tiles, share.range, tile);
  tiles.loop(
      tiles.add_i64(part.begin, member), part.end,
      [&](Code& at, const Operand& number) {
        const SortedPoints::Unit unit = points_.make_unit(at, tile);
        points_.load(at, unit, number);
        count_unit(at, unit);
      },
      kTeamThreads);
  code.add(For{tile, Prim::kI64, first, plan_.tiles, step, tiles.finish()});
}

void SortedBins::to_destination(Code& code, const Operand& bin, const std::vector<Operand>& found) {
  const SinkInfo& info = kernel_.facts.sinks[bins_.sink()];
  if (locked_) return gpu_.update_locked(code, bins_.sink(), info, bins_.indices(code, bin), found);
  if (!direct_) return table_.update(code, bin, found);
  const ArrayPlace dest = kernel_.result_place(info.results);
  const Operand to = address(code, dest, bins_.indices(code, bin));
  update_word(kernel_, code, bins_.op(), dest.loc.block, to, found);
}

// What the group has counted goes to the destination, or to the table.
void SortedBins::give(Code& code, const Launch& launch, const Share& share) {
  const Operand first = code.mul_i64(share.range, plan_.width);
  const Operand count = code.min_i64(plan_.width, code.sub_i64(all_, first));
  code.loop(
      launch.thread, count,
      [&](Code& at, const Operand& b) {
        const Operand place = as_wide(at, mixed_bin(at, as_small(at, b)));
        const std::vector<Operand> found = bins_.load(at, place);
        const std::vector<Operand> neutral = bins_.neutral();
        Operand same = core::const_bool(true);
        for (size_t k = 0; k < found.size(); ++k) {
          const Prim type = bins_.op().fn.params[k].type.elem;
          const Operand equal =
              at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, type, found[k], neutral[k]}, "same");
          same = at.both(same, equal, "same");
        }
        at.branch(
            same, [](Code&) {},
            [&](Code& in) {
              const Operand bin = in.add_i64(first, b);
              to_destination(in, bin, found);
            });
      },
      kBinThreads);
}

void SortedBins::count(Code& host) {
  Launch launch{host.fresh("group"),    host.fresh("thread"), plan_.groups,
                const_i64(kBinThreads), const_i64(0),         {}};
  // One bin more for what fills up.
  const Operand places = host.add_i64(plan_.width, const_i64(1));
  launch.shared = bins_.bytes_of(host, places);
  {
    const InKernel inside(kernel_.fn);
    Code inner(host.program());
    bins_.make_room(inner, places);
    inner.loop(
        launch.thread, places, [&](Code& at, const Operand& b) { bins_.clear(at, b); },
        kBinThreads);
    const Share share = find_share(inner, launch);
    // Groups that are left over have nothing to do.
    inner.branch(inner.less_i64(const_i64(-1), share.range),
                 [&](Code& at) { count_parts(at, launch, share); });
    inner.add(Barrier{});
    inner.branch(inner.less_i64(const_i64(-1), share.range),
                 [&](Code& at) { give(at, launch, share); });
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
}

void SortedBins::write(Code& host) {
  const bool by_table = !direct_ && !locked_;
  points_.make_room(host);
  if (by_table) {
    table_.make(host, const_i64(1));
    table_.clear(host);
  }
  if (locked_) gpu_.make_locks(host);
  points_.sort(host);
  count(host);
  points_.free(host);
  if (locked_) gpu_.free_locks(host);
  if (by_table) table_.join_one(host);
}

}  // namespace

WhyNot why_no_sorted_bins(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kHist)) return "it is no histogram";
  if (facts.is_seg) return "it runs over segments";
  if (facts.sinks_of(Sink::kHist).size() > 1) return "there are several histograms";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->late) return "what it counts is computed from what it scans";
    if (info.sink->kind != Sink::kHist && info.sink->kind != Sink::kOut &&
        info.sink->kind != Sink::kScatter)
      return "it does more than count and store";
  }
  const SinkInfo& hist = facts.sinks[sorted_sink(facts)];
  if (hist.writes != 1) return "a point counts several times";
  if (!may_lie_apart(hist.sink->op[0])) return "the operator works on arrays, or may fail";
  if (!has_cheap_points(gpu.kernel)) return "points are more than a little scalar code";
  return std::nullopt;
}

void write_sorted_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  SortedBins bins(gpu, code);
  const auto take = [&](Code& host) {
    report_hist(gpu.kernel, host, "gpu/sorted-bins", bins.numbers());
    bins.write(host);
  };
  code.branch(bins.plan().pays, take, [&](Code& host) {
    report_hist(gpu.kernel, host, "not gpu/sorted-bins", bins.numbers());
    otherwise(host);
  });
}

}  // namespace skald::imp
