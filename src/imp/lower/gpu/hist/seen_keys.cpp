// SPDX-License-Identifier: Apache-2.0
// What keys are like, where ways differ by it.
//
// Runs of 32 neighbouring points from all over the input, two for each warp.  A table in the memory
// of the group knows of some bins how often they came in the first half of the runs and in the
// second one.
//
// Times of the model say whether it is worth it: looking takes a launch and a read.
#include <algorithm>
#include <array>

#include "imp/lower/gpu/hist/group_sum.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/hist/runs.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_arithmetic.h"

namespace skald::imp {

using core::Sink;
using machine::DeviceUpdate;
using machine::HistCost;

namespace {

constexpr int64_t kWhole = machine::DeviceHist<HistArithmetic>::kWhole;
constexpr int64_t kHalves = 2, kRunPoints = 32, kRuns = kHalves * kBinThreads / kRunPoints;
constexpr int64_t kSeen = kRuns * kRunPoints;
static_assert(kSeen % kWhole == 0);
// A bin is frequent that came so often.
constexpr int64_t kOftenSeen = 10;
// A word of the table: how often in each half, and what the place does not say of the bin.
constexpr int64_t kPlaceBits = 13, kTimesBits = 6, kMostTimes = (1 << kTimesBits) - 1;
constexpr int64_t kBinSpread =
    -1640531535;  // odd, so that no two bins are spread to the same number
// Counts of all points, side by side.
constexpr int64_t kCountBits = 12;
static_assert(kSeen < 1 << kCountBits);
// Looking is a small part of what is to be done.
constexpr int64_t kLittle = 8;

Operand equals(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, a, b}, "equal");
}

Operand one_if(Code& code, const Operand& holds) {
  return code.let(Prim::kI32, core::Select{holds, const_i32(1), const_i32(0)}, "one");
}

// The launch.
class KeySight {
 public:
  KeySight(GpuKernel& gpu, const SinkInfo& info) : gpu_(gpu), info_(info) {}
  // Gives the word with all counts.
  Name look(Code& host);

 private:
  struct Place {
    Operand at, rest;
  };
  static Place place_of(Code& code, const Operand& bin);
  void each_half(Code& code, const std::function<void(Code&, const Operand& half)>& body) const;
  void load(Code& code, const Operand& half, const Operand& step) const;
  void compare(Code& code, const Operand& half) const;
  void note(Code& code, const Operand& half, const Operand& bin) const;
  void find(Code& code, const Operand& half) const;
  Operand own(Code& code, const Operand& half) const {
    return code.add_i64(code.mul_i64(half, const_i64(kBinThreads)), thread_);
  }

  GpuKernel& gpu_;
  const SinkInfo& info_;
  Name thread_ = {}, keys_ = {}, table_ = {};
  Name counts_ = {}, known_ = {};  // of this thread: same and frequent; known
};

void KeySight::each_half(Code& code,
                         const std::function<void(Code&, const Operand& half)>& body) const {
  code.loop(const_i64(0), const_i64(kHalves), body, 1, LoopHint::kUnroll);
}

void KeySight::load(Code& code, const Operand& half, const Operand& step) const {
  const Operand number = own(code, half);
  const Operand run = code.binop(BinOpKind::kQuot, number, const_i64(kRunPoints), "run");
  const Operand lane = code.binop(BinOpKind::kAnd, number, const_i64(kRunPoints - 1), "lane");
  const Operand i = code.add_i64(code.mul_i64(run, step), lane);
  KernelWriter& kernel = gpu_.kernel;
  kernel.point(code, gpu_.point_at(code, i).indices,
               [&](Code& at, const std::vector<Operand>&, const std::vector<Operand>& values) {
                 std::vector<Operand> place = kernel.sink_values(info_, values);
                 const std::vector<Operand>& shape = info_.sink->shape;
                 place.resize(shape.size());
                 Operand bin = place[0];
                 for (size_t k = 1; k < place.size(); ++k)
                   bin = at.add_i64(at.mul_i64(bin, kernel.fn.value(shape[k])), place[k]);
                 const Operand key = bin_or_none(at, kernel.in_bounds(at, place, info_), bin);
                 at.add(Store{Prim::kI32, keys_, number, key});
               });
}

KeySight::Place KeySight::place_of(Code& code, const Operand& bin) {
  const Operand spread = small(code, BinOpKind::kMul, bin, const_i32(kBinSpread));
  const Operand at = small(code, BinOpKind::kLshr, spread, const_i32(32 - kPlaceBits));
  const Operand rest = small(code, BinOpKind::kShl, spread, const_i32(kPlaceBits));
  return {as_wide(code, at), small(code, BinOpKind::kLshr, rest, const_i32(kPlaceBits))};
}

// A place belongs to the bin that came first.
void KeySight::note(Code& code, const Operand& half, const Operand& bin) const {
  const Place place = place_of(code, bin);
  const Operand begin = small(code, BinOpKind::kShl, place.rest, const_i32(2 * kTimesBits));
  Code update(code.program());
  const Name old = code.fresh("old");
  const Operand is_free = small_equals(update, old, 0);
  const Operand word = update.let(Prim::kI32, core::Select{is_free, begin, old}, "word");
  const Operand held = small(update, BinOpKind::kLshr, word, const_i32(2 * kTimesBits));
  const Operand shift =
      small(update, BinOpKind::kMul, as_small(update, half), const_i32(kTimesBits));
  const Operand times = small(update, BinOpKind::kAnd, small(update, BinOpKind::kLshr, word, shift),
                              const_i32(kMostTimes));
  const Operand own = equals(update, held, place.rest);
  const Operand counts =
      update.both(own, small_less(update, times, const_i32(kMostTimes)), "counts");
  const Operand one = small(update, BinOpKind::kShl, const_i32(1), shift);
  const Operand more = small_sum(update, word, one);
  const Operand next = update.let(Prim::kI32, core::Select{counts, more, old}, "next");
  code.add(AtomicUpdate{Prim::kI32, table_, place.at, old, update.finish(), next});
}

void KeySight::compare(Code& code, const Operand& half) const {
  const Operand number = own(code, half);
  const Operand lane = code.binop(BinOpKind::kAnd, number, const_i64(kRunPoints - 1), "lane");
  const Operand key = code.load(Prim::kI32, keys_, number, "key");
  // The first one of a run has nobody before it.
  const Operand before = code.load(
      Prim::kI32, keys_, code.max_i64(code.sub_i64(number, const_i64(1)), const_i64(0)), "before");
  const Operand has_before = code.less_i64(const_i64(0), lane);
  const Operand again = code.both(has_before, equals(code, key, before), "again");
  const Operand same = code.either(small_less(code, key, const_i32(0)), again, "same");
  code.add(Assign{counts_, small_sum(code, counts_, one_if(code, same))});
  code.branch(same, [](Code&) {}, [&](Code& at) { note(at, half, key); });
}

void KeySight::find(Code& code, const Operand& half) const {
  const Operand key = code.load(Prim::kI32, keys_, own(code, half), "key");
  const Place place = place_of(code, key);
  const Operand word = code.load(Prim::kI32, table_, place.at, "word");
  const Operand held = small(code, BinOpKind::kLshr, word, const_i32(2 * kTimesBits));
  const Operand is_bin = small_less(code, const_i32(-1), key);
  const Operand own_place = code.both(is_bin, equals(code, held, place.rest), "own");
  const auto times = [&](int64_t which) {
    return small(code, BinOpKind::kAnd,
                 small(code, BinOpKind::kLshr, word, const_i32(which * kTimesBits)),
                 const_i32(kMostTimes));
  };
  const Operand in_first = times(0), in_second = times(1);
  const Operand often =
      small_less(code, const_i32(kOftenSeen - 1), small_sum(code, in_first, in_second));
  const Operand is_first = code.less_i64(half, const_i64(1));
  const Operand elsewhere =
      code.let(Prim::kI32, core::Select{is_first, in_second, in_first}, "elsewhere");
  const Operand known = code.both(own_place, small_less(code, const_i32(0), elsewhere), "known");
  const Operand frequent = code.both(own_place, often, "frequent");
  const Operand often_one =
      small(code, BinOpKind::kShl, one_if(code, frequent), const_i32(kCountBits));
  code.add(Assign{counts_, small_sum(code, counts_, often_one)});
  code.add(Assign{known_, small_sum(code, known_, one_if(code, known))});
}

Name KeySight::look(Code& host) {
  const Name counts = host.alloc(Space::kDevice, const_i64(8), "seen");
  const Operand step = host.binop(BinOpKind::kQuot, gpu_.total, const_i64(kRuns), "step");
  Launch launch{host.fresh("group"),    host.fresh("thread"), const_i64(1),
                const_i64(kBinThreads), const_i64(0),         {}};
  {
    const InKernel inside(gpu_.kernel.fn);
    Code code(host.program());
    thread_ = launch.thread;
    keys_ = code.alloc(Space::kShared, const_i64(4 * kSeen), "keys");
    table_ = code.alloc(Space::kShared, const_i64(4 << kPlaceBits), "table");
    code.loop(
        thread_, const_i64(1 << kPlaceBits),
        [&](Code& at, const Operand& k) { at.add(Store{Prim::kI32, table_, k, const_i32(0)}); },
        kBinThreads);
    each_half(code, [&](Code& at, const Operand& half) { load(at, half, step); });
    code.add(Barrier{});
    counts_ = code.var(Prim::kI32, const_i32(0), "counts");
    known_ = code.var(Prim::kI32, const_i32(0), "known");
    each_half(code, [&](Code& at, const Operand& half) { compare(at, half); });
    code.add(Barrier{});
    each_half(code, [&](Code& at, const Operand& half) { find(at, half); });
    const Operand lower = as_wide(code, sum_in_group(code, thread_, kBinThreads, counts_).all);
    const Operand upper = as_wide(code, sum_in_group(code, thread_, kBinThreads, known_).all);
    const Operand word =
        code.add_i64(lower, code.mul_i64(upper, const_i64(int64_t{1} << 2 * kCountBits)));
    code.branch(code.less_i64(thread_, const_i64(1)),
                [&](Code& at) { at.add(Store{Prim::kI64, counts, const_i64(0), word}); });
    launch.body = code.finish();
  }
  add_launch(host, std::move(launch));
  const Name word = host.fresh("word");
  host.add(Load{word, Prim::kI64, counts, const_i64(0)});
  host.add(Free{counts});
  return word;
}

std::vector<OwnBins> bins_of(GpuKernel& gpu) {
  std::vector<OwnBins> bins;
  for (size_t k = 0; k < gpu.kernel.facts.sinks.size(); ++k)
    if (gpu.kernel.facts.sinks[k].sink->kind == Sink::kHist) bins.emplace_back(gpu.kernel, k);
  return bins;
}

// So many points take some times as long as looking at keys.
int64_t points_worth_looking(const machine::HistCosts& costs,
                             const std::vector<UpdateClass>& updates, bool in_groups) {
  int64_t each = 0;
  for (const UpdateClass& update : updates)
    each += costs[in_groups ? own_cost(update.own) : count_cost(update.own)];
  return std::max(kSeen, kLittle * costs[HistCost::kSee] / std::max<int64_t>(each, 1));
}

// So many points are worth looking at some of them.
Operand worth_looking(GpuKernel& gpu, Code& host, const DeviceLimits& limits,
                      const std::vector<OwnBins>& hists, const Operand& bins) {
  const machine::HistCosts& costs = gpu.kernel.fn.options.hist.costs;
  std::vector<UpdateClass> updates;
  int64_t bytes = 0;
  for (const OwnBins& hist : hists) {
    updates.push_back(update_class(hist));
    bytes += hist.bytes();
  }
  const Operand fits = host.less_i64(host.mul_i64(bins, const_i64(bytes)), limits.memory);
  const Operand usual =
      host.let(Prim::kI64,
               core::Select{fits, const_i64(points_worth_looking(costs, updates, true)),
                            const_i64(points_worth_looking(costs, updates, false))},
               "worth");
  const Name worth = host.fresh("worth");
  host.add(Tunable{worth, "hist_seen_points", "hist_seen_points", usual});
  return host.max_i64(worth, const_i64(kSeen));
}

}  // namespace

bool can_see_keys(GpuKernel& gpu) {
  if (!has_cheap_points(gpu.kernel) || !have_same_bins(gpu.kernel)) return false;
  // Operators that choose look at their bins, which takes as long with any keys.
  if (look_bytes(gpu.kernel) > 0) return false;
  return std::ranges::any_of(bins_of(gpu), [](const OwnBins& bins) {
    const DeviceUpdate own = update_class(bins).own;
    return own != DeviceUpdate::kInstruction && own != DeviceUpdate::kShort;
  });
}

const SeenKeys& see_keys(GpuKernel& gpu, Code& host) {
  if (gpu.seen_keys) return *gpu.seen_keys;
  KernelWriter& kernel = gpu.kernel;
  const std::vector<OwnBins> hists = bins_of(gpu);
  Operand bins = const_i64(1);
  for (const OwnBins& hist : hists) bins = host.max_i64(bins, hist.count(host));
  const Operand as_even = host.min_i64(
      host.binop(BinOpKind::kQuot, const_i64(kWhole * kSeen / kHalves), bins, "as_even"),
      const_i64(kWhole));
  const SeenKeys even{core::const_bool(false), const_i64(0), const_i64(0), as_even};
  if (kernel.fn.options.hist.way >= machine::HistWay::kGroupBins || !can_see_keys(gpu))
    return gpu.seen_keys.emplace(even);
  const SinkInfo& info = kernel.facts.sinks[hists[0].sink()];
  const DeviceLimits limits = device_limits(host);
  const Operand many = host.less_i64(worth_looking(gpu, host, limits, hists, bins), gpu.total);
  const Operand wide = host.less_i64(const_i64(kBinThreads - 1), limits.threads);
  const Operand small_bins = host.less_i64(bins, const_i64(INT32_MAX));
  const std::array<Operand, 3> usuals = {even.same, even.frequent, even.known};
  std::array<Name, 3> shares;
  for (size_t k = 0; k < shares.size(); ++k) shares[k] = host.var(Prim::kI64, usuals[k], "share");
  const Operand looks = host.both(host.both(many, wide, "looks"), small_bins, "looks");
  host.branch(looks, [&](Code& at) {
    const Name word = KeySight(gpu, info).look(at);
    for (size_t k = 0; k < shares.size(); ++k) {
      const Operand shifted = at.binop(BinOpKind::kLshr, word,
                                       const_i64(static_cast<int64_t>(k) * kCountBits), "shifted");
      const Operand count =
          at.binop(BinOpKind::kAnd, shifted, const_i64((1 << kCountBits) - 1), "count");
      at.add(
          Assign{shares[k], at.binop(BinOpKind::kQuot, count, const_i64(kSeen / kWhole), "share")});
    }
    report_hist(kernel, at, "keys, of 1024 points",
                {{"bin of a neighbour", shares[0]},
                 {"frequent", shares[1]},
                 {"known from afar", shares[2]}});
  });
  return gpu.seen_keys.emplace(SeenKeys{looks, shares[0], shares[1], shares[2]});
}

}  // namespace skald::imp
