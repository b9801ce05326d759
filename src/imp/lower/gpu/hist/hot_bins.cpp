// SPDX-License-Identifier: Apache-2.0
// Points that no other way fits, and whose updates are more than an instruction.  Threads that
// compare and swap a word of the device's memory, or take a lock there, wait a microsecond for each
// of those before them; so each group of threads has places in its memory for some thousand bins.
// A bin that comes often comes early, and finds one.  What is counted there is added to the
// destination at the end.
#include "imp/lower/gpu/hist/hot_bins.h"

#include <algorithm>
#include <memory>

#include "imp/lower/gpu/device_numbers.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;
using machine::HistWay;

namespace {

// A bin may be at so many places that lie together.
constexpr int64_t kTries = 4;
constexpr int64_t kMostPlaces = 4096;
// Fewer points for each group are not worth its places.
constexpr int64_t kPointsWorthGroup = 8192;
// An odd number that spreads bins, and which bits of the product are taken.
constexpr int64_t kSpreadTags = -1640531535, kSpreadTagsShift = 15;
constexpr int64_t kReservedOfGroup = 2 << 10;
// Keys come in runs if so many of 1024 points have the bin of a neighbour.
constexpr int64_t kMostlySame = 768;
// With so many copies of its bins a group counts runs as quickly as other keys.
constexpr int64_t kCopiesForRuns = 8;
// A bin finds its place if so many are there for each.
constexpr int64_t kPlacesOfBin = 2;
// Fewer bins have many copies in the memory of groups.
constexpr int64_t kFewestRunBins = 512;

}  // namespace

Operand HotBins::bytes_of(Code& code, const Operand& places) const {
  const Operand tags = code.mul_i64(places, const_i64(prim_size(Prim::kI32)));
  return code.add_i64(tags, bins_.bytes_of(code, places));
}

void HotBins::make_room(Code& code, const Operand& places) {
  places_ = places;
  const Operand bytes = code.mul_i64(places, const_i64(prim_size(Prim::kI32)));
  tags_ = code.alloc(Space::kShared, code.let(Prim::kI64, core::Value{bytes}, "room"), "tags");
  bins_.make_room(code, places);
}

void HotBins::clear(Code& code, const Operand& place) const {
  code.add(Store{Prim::kI32, tags_, place, const_i32(-1)});
  bins_.clear(code, place);
}

// Whoever finds a free place takes it, unless somebody else is quicker.
Operand HotBins::find(Code& code, const Operand& number) const {
  const Operand tag = as_small(code, number);
  const Operand product = small(code, BinOpKind::kMul, tag, const_i32(kSpreadTags));
  const Operand spread = small(code, BinOpKind::kLshr, product, const_i32(kSpreadTagsShift));
  const Operand last = code.sub_i64(places_, const_i64(kTries));
  const Operand first = code.binop(BinOpKind::kAnd, as_wide(code, spread), last, "first");
  const Name found = code.var(Prim::kI64, const_i64(-1), "found");
  code.short_loop(const_i64(0), const_i64(kTries), [&](Code& loop, const Operand& k) {
    loop.branch(loop.less_i64(found, const_i64(0)), [&](Code& at) {
      const Operand place = at.add_i64(first, k);
      const Name seen = at.var(Prim::kI32, at.load(Prim::kI32, tags_, place, "tag"), "seen");
      at.branch(small_less(at, seen, const_i32(0)), [&](Code& in) {
        Code take(in.program());
        const Name old = in.fresh("old");
        const Operand is_free = small_less(take, old, const_i32(0));
        const Operand next = take.let(Prim::kI32, core::Select{is_free, tag, old}, "next");
        in.add(AtomicUpdate{Prim::kI32, tags_, place, old, take.finish(), next});
        in.add(Assign{seen, in.load(Prim::kI32, tags_, place, "tag")});
      });
      const Operand own =
          at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, seen, tag}, "own");
      at.add(Assign{found, at.let(Prim::kI64, core::Select{own, place, found}, "found")});
    });
  });
  return found;
}

void HotBins::update(Code& code, const std::vector<Operand>& at, const std::vector<Operand>& given,
                     const std::function<void(Code&)>& elsewhere) const {
  const Operand place = find(code, bins_.number(code, at));
  code.branch(code.less_i64(place, const_i64(0)), elsewhere,
              [&](Code& here) { bins_.update(here, place, given); });
}

void HotBins::give(Code& code, const Operand& place, const Give& to) const {
  const Operand tag = code.load(Prim::kI32, tags_, place, "tag");
  code.branch(small_less(code, const_i32(-1), tag), [&](Code& at) {
    const std::vector<Operand> components = bins_.load(at, place);
    to(at, bins_.indices(at, as_wide(at, tag)), components);
  });
}

namespace {

struct HotBinsPlan {
  Operand pays, groups, places, bytes;
};

HotBinsPlan plan_hot_bins(Code& code, const std::vector<HotBins>& hists, const Operand& points,
                          bool wanted) {
  const DeviceLimits limits = device_limits(code);
  const auto at_most = [&](const Operand& a, const Operand& b) {
    return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLe, Prim::kI64, a, b}, "at_most");
  };
  const auto bytes_of = [&](const Operand& places) {
    Operand all = const_i64(0);
    for (const HotBins& hist : hists) all = code.add_i64(all, hist.bytes_of(code, places));
    return all;
  };
  const Operand half =
      code.binop(BinOpKind::kQuot, limits.memory, const_i64(kBinGroupsAtOnce), "half");
  const Operand room = code.sub_i64(half, const_i64(kReservedOfGroup));
  HotBinsPlan plan;
  plan.places = const_i64(0);
  for (int64_t next = HotBins::kLeastPlaces; next <= kMostPlaces; next *= 2) {
    const Operand fits = at_most(bytes_of(const_i64(next)), room);
    plan.places = code.let(Prim::kI64, core::Select{fits, const_i64(next), plan.places}, "places");
  }
  const Operand most = code.mul_i64(limits.units, const_i64(kBinGroupsAtOnce));
  const Operand some = code.binop(BinOpKind::kQuot, points, const_i64(kPointsWorthGroup), "some");
  plan.groups = code.min_i64(most, wanted ? code.max_i64(some, const_i64(1)) : some);
  plan.bytes = bytes_of(plan.places);
  plan.pays = code.less_i64(const_i64(0), plan.places);
  const auto also = [&](const Operand& holds) { plan.pays = code.both(plan.pays, holds, "pays"); };
  also(code.less_i64(const_i64(0), plan.groups));
  also(at_most(const_i64(kBinThreads), limits.threads));
  for (const HotBins& hist : hists) also(at_most(hist.count(code), const_i64(INT32_MAX)));
  return plan;
}

void each_place(Code& code, const Launch& launch, const HotBinsPlan& plan,
                const Code::LoopBody& body) {
  code.loop(launch.thread, plan.places, body, kBinThreads);
}

// A thread has one point after another; what they give goes to a place, or to the destination.
void count_points(GpuKernel& gpu, Code& code, const std::vector<HotBins>& hists,
                  const HotBinsPlan& plan, const Launch& launch) {
  gpu.hot_bins.assign(gpu.kernel.facts.sinks.size(), nullptr);
  for (const HotBins& hist : hists) gpu.hot_bins[hist.sink()] = &hist;
  Code points(code.program());
  const Name begin = code.fresh("begin");
  const Operand i = points.add_i64(begin, launch.thread);
  points.branch(points.less_i64(i, gpu.total), [&](Code& at) {
    Code tried(at.program());
    gpu.write_point(tried, gpu.point_at(tried, i));
    at.add(Attempt{i, tried.finish()});
  });
  // All threads come here, and updates are such that those of a warp have parted.
  points.add(WarpMeet{});
  const Operand first = code.mul_i64(launch.group, const_i64(kBinThreads));
  const Operand step = code.mul_i64(plan.groups, const_i64(kBinThreads));
  code.add(For{begin, Prim::kI64, first, gpu.total, step, points.finish()});
  gpu.hot_bins.clear();
}

// A thread has some neighbouring points at once, and those that have the same bin are one update.
void count_runs(GpuKernel& gpu, Code& code, const std::vector<HotBins>& hists,
                const HotBinsPlan& plan, const Launch& launch) {
  std::vector<std::unique_ptr<OwnBins>> runs;
  gpu.own_bins.assign(gpu.kernel.facts.sinks.size(), nullptr);
  for (const HotBins& hist : hists) {
    OwnBins& bins = *runs.emplace_back(std::make_unique<OwnBins>(gpu.kernel, hist.sink()));
    bins.instead = [&gpu, &hist, &bins](Code& at, const Operand& number,
                                        const std::vector<Operand>& given) {
      const std::vector<Operand> place = bins.indices(at, number);
      hist.update(at, place, given,
                  [&](Code& in) { gpu.update_memory(in, hist.sink(), place, given); });
    };
    gpu.own_bins[hist.sink()] = &bins;
  }
  each_point_of_tiles(gpu, code, launch, launch.group, plan.groups);
  gpu.own_bins.clear();
}

using CountPoints = void (*)(GpuKernel&, Code&, const std::vector<HotBins>&, const HotBinsPlan&,
                             const Launch&);

Body group_of_hot_bins(GpuKernel& gpu, Code& host, std::vector<HotBins>& hists,
                       const HotBinsPlan& plan, const Launch& launch, CountPoints count) {
  const InKernel inside(gpu.kernel.fn);
  Code code(host.program());
  for (HotBins& hist : hists) hist.make_room(code, plan.places);
  each_place(code, launch, plan, [&](Code& at, const Operand& place) {
    for (const HotBins& hist : hists) hist.clear(at, place);
  });
  code.add(Barrier{});
  count(gpu, code, hists, plan, launch);
  code.add(Barrier{});
  each_place(code, launch, plan, [&](Code& at, const Operand& place) {
    for (const HotBins& hist : hists)
      hist.give(
          at, place,
          [&](Code& in, const std::vector<Operand>& bin, const std::vector<Operand>& components) {
            gpu.update_memory(in, hist.sink(), bin, components);
          });
  });
  return code.finish();
}

// Histograms in the order of their sinks.
std::vector<HotBins> hot_bins_of(GpuKernel& gpu) {
  std::vector<HotBins> hists;
  for (size_t k = 0; k < gpu.kernel.facts.sinks.size(); ++k)
    if (gpu.kernel.facts.sinks[k].sink->kind == Sink::kHist) hists.emplace_back(gpu.kernel, k);
  return hists;
}

struct HotWay {
  std::string_view name, not_name;
  CountPoints count;
  int64_t at_once;  // groups of a multiprocessor
};

void write_way(GpuKernel& gpu, Code& code, std::vector<HotBins>& hists, const HotBinsPlan& plan,
               const HotWay& way, const Otherwise& otherwise) {
  const std::vector<HistNumber> numbers = {
      {"points", gpu.total}, {"groups", plan.groups}, {"places of a group", plan.places}};
  code.branch(
      plan.pays,
      [&](Code& host) {
        report_taken(gpu.kernel, host, way.name, numbers,
                     [&] { return const_i64(gpu.lock_bytes()); });
        gpu.make_locks(host);
        Launch launch{host.fresh("group"),    host.fresh("thread"), plan.groups,
                      const_i64(kBinThreads), const_i64(0),         {}};
        launch.shared = plan.bytes;
        launch.at_once = way.at_once;
        launch.body = group_of_hot_bins(gpu, host, hists, plan, launch, way.count);
        add_launch(host, std::move(launch));
        gpu.free_locks(host);
      },
      [&](Code& host) {
        report_hist(gpu.kernel, host, way.not_name, numbers);
        otherwise(host);
      });
}

}  // namespace

WhyNot why_no_run_bins(GpuKernel& gpu) {
  if (WhyNot why = why_no_hot_bins(gpu)) return why;
  if (!can_see_keys(gpu)) return "keys are not looked at";
  return std::nullopt;
}

void write_run_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  std::vector<HotBins> hists = hot_bins_of(gpu);
  const HistWay wanted = gpu.kernel.fn.options.hist.way;
  HotBinsPlan plan = plan_hot_bins(code, hists, gpu.total, wanted == HistWay::kRunBins);
  if (wanted >= HistWay::kGroupBins) {
    plan.pays = code.both(plan.pays, core::const_bool(wanted == HistWay::kRunBins), "pays");
  } else {
    const SeenKeys keys = see_keys(gpu, code);
    // Runs of different bins, that is: of one bin all threads would wait for each other.
    const Operand mostly = code.less_i64(const_i64(kMostlySame), keys.same);
    const Operand different = code.less_i64(keys.frequent, const_i64(kMostlySame));
    const Operand in_runs = code.both(mostly, different, "in_runs");
    const Operand many = code.less_i64(const_i64(kFewestRunBins), hists[0].count(code));
    plan.pays = code.both(plan.pays, code.both(in_runs, many, "pays"), "pays");
    // With copies for neighbours nobody waits but for locks.
    const Operand memory = device_limits(code).memory;
    for (const HotBins& hist : hists) {
      if (hist.is_locked()) continue;
      const int64_t copies = kCopiesForRuns * kBinGroupsAtOnce * hist.bin_bytes();
      const Operand bytes = code.mul_i64(hist.count(code), const_i64(copies));
      plan.pays = code.both(plan.pays, code.less_i64(memory, bytes), "pays");
    }
    // Runs of different groups are of different bins.
    const Operand places = code.mul_i64(plan.groups, plan.places);
    for (const HotBins& hist : hists) {
      const Operand room = code.mul_i64(hist.count(code), const_i64(kPlacesOfBin));
      plan.pays = code.both(plan.pays, code.less_i64(room, places), "pays");
    }
  }
  write_way(gpu, code, hists, plan,
            {"gpu/run-bins", "not gpu/run-bins", count_runs, kRangeGroupsAtOnce}, otherwise);
}

WhyNot why_no_hot_bins(GpuKernel& gpu) {
  if (WhyNot why = why_no_group_bins(gpu)) return why;
  const std::vector<SinkInfo> hists = gpu.kernel.facts.sinks_of(Sink::kHist);
  if (std::ranges::all_of(hists, [](const SinkInfo& info) {
        return bin_update(info.sink->op[0]) == BinUpdate::kInstruction;
      }))
    return "updates are instructions";
  return std::nullopt;
}

void write_hot_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  std::vector<HotBins> hists = hot_bins_of(gpu);
  std::vector<const core::Operator*> ops;
  for (const SinkInfo& info : gpu.kernel.facts.sinks_of(Sink::kHist))
    ops.push_back(&info.sink->op[0]);
  const bool wanted = gpu.kernel.fn.options.hist.way == HistWay::kPoints;
  HotBinsPlan plan = plan_hot_bins(code, hists, gpu.total, wanted);
  // Memory that adds floats by itself keeps nobody waiting.
  if (are_float_sums(ops)) {
    const Operand waits = code.less_i64(device_limits(code).float_sums, const_i64(1));
    plan.pays = code.both(plan.pays, waits, "pays");
  }
  write_way(gpu, code, hists, plan,
            {"gpu/hot-bins", "not gpu/hot-bins", count_points, kBinGroupsAtOnce}, otherwise);
}

}  // namespace skald::imp
