// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/hist/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "imp/lower/kernel/hist_arithmetic.h"
#include "machine/cache_shares.h"
#include "machine/hist_model.h"

namespace skald::imp {

using machine::HistCost;
using machine::HistWay;

namespace {

using Model = machine::CpuHist<HistArithmetic>;

// ---- Rules for operators that round, with fixed numbers.

// A task has at least this many cheap points, whoever asks.
constexpr int64_t kLeastPoints = 1 << 13;
// So many points, and bins are sorted into ranges.
constexpr int64_t kWorthSorting = 1 << 14;
// So many points for each bin, and a chunk has several copies.
constexpr int64_t kPointsForTurns = 64;
// So many equal pairs of kSampledPairs are many.
constexpr int64_t kOften = 4;

Operand is_at_most(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLe, Prim::kI64, a, b}, "at_most");
}

Operand choose_i64(Code& code, const Operand& cond, const Operand& yes, const Operand& no) {
  return code.let(Prim::kI64, core::Select{cond, yes, no}, "chosen");
}

Operand points_of_bin(const SharedBins& shared, Code& code) {
  return code.binop(BinOpKind::kQuot, shared.total,
                    code.max_i64(largest_of(code, shared.bins), const_i64(1)), "per_bin");
}

Operand copies_by_rule(const SharedBins& shared, Code& code) {
  const Operand per_bin = points_of_bin(shared, code);
  Operand copies = const_i64(1);
  for (const auto& [points, count] : {std::pair{2, 2}, {16, 4}, {64, 8}, {128, 16}, {256, 32}})
    copies = choose_i64(code, code.less_i64(per_bin, const_i64(points)), copies, const_i64(count));
  return copies;
}

// ---- The model

// CpuTimes of points and bins beyond these are so long that their proportions decide.
constexpr int64_t kMostModelPoints = int64_t{1} << 31, kMostBins = int64_t{1} << 30;

// What decides of a kernel, with code for the times of all ways.
class CpuTimes {
 public:
  CpuTimes(const SharedBins& shared, Code& code)
      : shared_(shared),
        code_(code),
        arithmetic_(code, costs()),
        model_{arithmetic_,
               shared.kernel.fn.options.caches,
               machine::CpuUpdate::kChooses,
               0,
               0,
               machine::part_of_bins(shared.kernel.fn.options.caches),
               code.min_i64(shared.total, const_i64(kMostModelPoints)),
               code.min_i64(largest_of(code, shared.bins), const_i64(kMostBins)),
               {},
               thread_count(code)} {
    int64_t bytes = 0;
    for (size_t k = 0; k < shared.infos.size(); ++k) {
      ++model_.updates;
      if (!may_keep_bin(shared.infos[k].sink->op[0])) model_.update = machine::CpuUpdate::kCombines;
      if (writes_again(shared.infos, k)) continue;
      model_.arrays += static_cast<int64_t>(shared.infos[k].sink->dests.size());
      bytes += bin_bytes(shared.kernel, shared.infos[k]);
    }
    model_.bytes = code.mul_i64(model_.bins, const_i64(bytes));
  }

  const Model& model() const { return model_; }
  HistArithmetic& arithmetic() { return arithmetic_; }

  // A point and its update: as keys were seen, or if all bins are as likely as each other.
  Operand each() {
    if (!shared_.seen) return even();
    const Operand as_even = even();
    const Operand as_seen = with_point(model_.update_of_seen(
        shared_.seen->lines, shared_.seen->pages, shared_.seen->equal, model_.bytes));
    return choose_i64(code_, was_seen(), as_seen, as_even);
  }
  Operand even() { return with_point(model_.update_of(model_.bytes)); }
  Operand by_sorting() {
    const Operand threads = arithmetic_.most(model_.threads, const_i64(1));
    const Operand points = arithmetic_.over(arithmetic_.by(point(), model_.points), threads);
    const Operand equal =
        shared_.seen ? arithmetic_.most(shared_.seen->equal, const_i64(0)) : const_i64(0);
    return arithmetic_.plus(points, model_.by_sorting(equal));
  }
  Operand with_point(const Operand& update) { return arithmetic_.plus(point(), update); }

 private:
  const machine::HistCosts& costs() const { return shared_.kernel.fn.options.hist.costs; }
  // What points that are not cheap cost before their update: a task of the least number of them
  // takes as long as starting it.
  Operand point() const {
    if (shared_.cheap()) return const_i64(0);
    return const_i64(costs()[HistCost::kStart] / shared_.least_points());
  }
  Operand was_seen() { return code_.less_i64(const_i64(-1), shared_.seen->lines); }

  const SharedBins& shared_;
  Code& code_;
  HistArithmetic arithmetic_;
  Model model_;
};

// One for each thread if they pay, or a few where they cost little beside the points: then no
// thread has to wait for another.  Not of bins that an operator chooses for: each copy changes
// often until it seldom does.
Operand copies_by_times(const SharedBins& shared, Code& code) {
  constexpr int64_t kCopiesPerThread = 4, kLittle = 16;
  CpuTimes times(shared, code);
  HistArithmetic& a = times.arithmetic();
  const Model& model = times.model();
  const Operand one = const_i64(1);
  const Operand for_each =
      code.min_i64(model.threads, code.max_i64(points_of_bin(shared, code), one));
  const Operand each = times.each();
  const Operand copied = model.by_copies(each, for_each);
  const Operand pays = code.less_i64(copied, model.by_one_thread(each));
  const Operand paying = choose_i64(code, pays, for_each, one);
  if (model.update == machine::CpuUpdate::kChooses) return paying;
  const Operand several = code.less_i64(one, model.threads);
  const Operand few =
      choose_i64(code, several, code.mul_i64(model.threads, const_i64(kCopiesPerThread)), one);
  const Operand made = model.copying(few);
  const Operand updates = a.over(a.by(each, model.points), few);
  const Operand little = is_at_most(code, a.by(made, const_i64(kLittle)), updates);
  return choose_i64(code, little, few, paying);
}

}  // namespace

SharedBins::SharedBins(KernelWriter& writer, Code& code)
    : kernel(writer), infos(hist_writes(writer.facts)), total(writer.point_count(code)) {
  any_order = std::ranges::none_of(
      infos, [](const SinkInfo& info) { return rounds(info.sink->op[0].fn.body); });
  sortable =
      !disabled(kernel, "hist/sorted") &&
      std::ranges::all_of(infos, [&](const SinkInfo& info) { return can_sort_bins(kernel, info); });
  atomic = !disabled(kernel, "hist/atomic") && are_atomic(kernel.facts);
  for (const SinkInfo& info : infos) {
    bins.push_back(bin_count(kernel, code, info));
    if (writes_again(infos, bins.size() - 1)) continue;
    bytes = code.add_i64(bytes, code.mul_i64(bins.back(), const_i64(bin_bytes(kernel, info))));
  }
  if (wanted() == HistWay::kOneThread) return;
  look_at_keys(code);
  if (wanted() == HistWay::kCopies || wanted() == HistWay::kInTurn)
    copies = thread_count(code);
  else
    copies = any_order ? copies_by_times(*this, code) : copies_by_rule(*this, code);
  copies =
      code.min_i64(copies, code.binop(BinOpKind::kQuot, total, const_i64(least_points()), "tasks"));
}

// Where points would be sorted if all bins were used alike, keys are looked at.
void SharedBins::look_at_keys(Code& code) {
  // Looking takes about as long as so many updates, and is a small part of what is to be done.
  constexpr int64_t kLooking = 1 << 20, kLittle = 8;
  // Of kWhole pairs.
  constexpr int64_t kMostlyEqual = Model::kWhole / 4 * 3;
  // More points than are looked at.
  constexpr int64_t kLeastSeen = 1 << 17;
  const core::Const* known = core::as_const(total);
  if (wanted() != HistWay::kChosen || !any_order || !sortable || infos.size() > 1 ||
      !can_sample_keys(kernel, infos[0]) ||
      (known != nullptr && core::int_value(*known) < kLeastSeen))
    return;
  CpuTimes times(*this, code);
  const Operand looking = times.arithmetic().time(HistCost::kUpdate, const_i64(kLooking * kLittle));
  const Operand alone = times.model().by_one_thread(times.even());
  const Operand sorted = times.by_sorting();
  // Otherwise keys that are near each other are still less reason to sort.
  const Operand sorts = code.less_i64(sorted, alone);
  const Operand pays = code.both(sorts, code.less_i64(looking, sorted), "pays");
  const Operand large = code.less_i64(const_i64(kernel.fn.options.caches.l2.bytes), bytes);
  const Name lines = code.var(Prim::kI64, const_i64(-1), "lines");
  const Name pages = code.var(Prim::kI64, const_i64(0), "pages");
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Operand many = code.less_i64(const_i64(kLeastSeen), total);
  const auto note = [&](Code& at, const NearKeys& found) {
    at.add(Assign{lines, found.lines});
    at.add(Assign{pages, found.pages});
    at.add(Assign{equal, found.equal});
  };
  // Where neighbours are all equal, they would be sorted as one point: some pairs tell.
  const Operand whole = const_i64(Model::kWhole);
  const Operand runs_sorted = times.model().by_sorting(whole);
  const Operand run =
      times.with_point(times.model().update_of_seen(whole, whole, whole, times.model().bytes));
  const Operand runs_sort = code.less_i64(runs_sorted, times.model().by_one_thread(run));
  const Operand far = code.both(large, many, "far");
  code.branch(
      code.both(pays, far, "look"),
      [&](Code& at) { note(at, near_keys(kernel, at, infos[0], total)); },
      [&](Code& at) {
        if (!kernel.facts.straight) return;
        at.branch(at.both(runs_sort, far, "look"), [&](Code& in) {
          const Operand pairs = equal_pairs(kernel, in, infos, total);
          const Operand share = in.mul_i64(pairs, const_i64(Model::kWhole / kSampledPairs));
          in.branch(in.less_i64(const_i64(kMostlyEqual), share),
                    [&](Code& so) { note(so, {share, share, share}); });
        });
      });
  seen = NearKeys{lines, pages, equal};
}

int64_t SharedBins::least_points() const {
  return cheap() ? kLeastPoints : kernel.facts.least_chunk;
}

HistWay SharedBins::wanted() const {
  const HistWay way = kernel.fn.options.hist.way;
  return way <= HistWay::kSorted ? way : HistWay::kChosen;
}

void SharedBins::report(Code& code, std::string_view way, std::vector<HistNumber> more) const {
  std::vector<HistNumber> numbers = {
      {"points", total}, {"bins", largest_of(code, bins)}, {"bytes", bytes}};
  if (seen) {
    numbers.push_back({"in the cache", seen->lines});
    numbers.push_back({"on pages at hand", seen->pages});
    numbers.push_back({"as before", seen->equal});
  }
  numbers.insert(numbers.end(), more.begin(), more.end());
  report_hist(kernel, code, way, numbers);
}

Operand largest_of(Code& code, const std::vector<Operand>& counts) {
  Operand most = counts[0];
  for (size_t k = 1; k < counts.size(); ++k) most = code.max_i64(most, counts[k]);
  return most;
}

Operand thread_count(Code& code) {
  const Name threads = code.fresh("threads");
  code.add(Workers{threads});
  return threads;
}

namespace {

int64_t worth_sorting(const SharedBins& shared) {
  return shared.cheap() ? kWorthSorting : 2 * shared.kernel.facts.least_chunk;
}

}  // namespace

Operand copies_beat_sorting(const SharedBins& shared, Code& code) {
  Operand plain = core::const_bool(shared.wanted() != HistWay::kSorted);
  const core::Const* known = core::as_const(shared.total);
  if (shared.wanted() != HistWay::kChosen ||
      (known != nullptr && core::int_value(*known) < worth_sorting(shared))) {
    // Without code that finds out.
  } else if (shared.any_order) {
    CpuTimes times(shared, code);
    const Model& model = times.model();
    const Operand each = times.each();
    const Operand copied = model.by_copies(each, shared.copies);
    const Operand alone = model.by_one_thread(each);
    const Operand several = code.less_i64(const_i64(1), shared.copies);
    const Operand best = choose_i64(code, several, copied, alone);
    plain = is_at_most(code, best, times.by_sorting());
  } else {
    const int64_t most = machine::cached_bins(machine::kPlainCaches);
    const Operand cached = code.less_i64(shared.bytes, const_i64(most + 1));
    plain = code.both(cached, code.less_i64(const_i64(1), shared.copies), "plain");
    plain =
        code.either(plain, code.less_i64(shared.total, const_i64(worth_sorting(shared))), "plain");
  }
  for (const Operand& count : shared.bins)
    plain = code.either(plain, code.less_i64(const_i64(INT32_MAX), count), "plain");
  return plain;
}

std::string why_copies_beat_sorting(const SharedBins& shared) {
  if (shared.any_order) return "hist/copies if that takes less time than sorting";
  return fmt::format(
      "hist/copies if all bins take at most {} bytes and several copies are good, or if there are "
      "fewer than {} points",
      machine::cached_bins(machine::kPlainCaches), worth_sorting(shared));
}

// ---- in turn

namespace {

Operand turns_by_rule(const SharedBins& shared, Code& code, int64_t most_bytes) {
  const Operand enough =
      code.max_i64(const_i64(kLeastPoints),
                   code.mul_i64(largest_of(code, shared.bins), const_i64(kPointsForTurns)));
  const Operand fit = code.less_i64(shared.bytes, const_i64(most_bytes + 1));
  const Operand many = code.less_i64(enough, shared.total);
  return code.both(fit, many, "turns");
}

// If so many of kSampledPairs updates would wait for the one before.
Operand turns_by_times(const SharedBins& shared, Code& code, const Operand& chunks,
                       const Operand& equal) {
  CpuTimes times(shared, code);
  HistArithmetic& a = times.arithmetic();
  const Model& model = times.model();
  const Operand share = code.binop(BinOpKind::kQuot, a.mul(equal, const_i64(Model::kWhole)),
                                   const_i64(kSampledPairs), "share");
  const Operand all_copies = a.mul(model.bytes, const_i64(kTurns));
  const Operand wide = model.update_of_runs(share, all_copies);
  const Operand in_turn = model.by_copies(times.with_point(wide), chunks, kTurns);
  const Operand update = model.update_of_runs(share, model.bytes);
  const Operand plain = times.with_point(a.plus(update, model.waiting(share)));
  const Operand by_chunk = model.by_copies(plain, chunks);
  const int64_t least = std::max(shared.least_points(), 2 * kSampledPairs);
  const Operand pays = code.less_i64(in_turn, by_chunk);
  const Operand many = is_at_most(code, const_i64(least), shared.total);
  // Larger ones lie in memory that nobody has touched yet, which takes longer to make.
  const Operand fit = is_at_most(code, all_copies, const_i64(machine::kPagesAtHand));
  return code.both(code.both(pays, many, "turns"), fit, "turns");
}

}  // namespace

Operand turns_may_pay(const SharedBins& shared, Code& code, const Operand& chunks) {
  if (shared.wanted() == HistWay::kInTurn) return core::const_bool(true);
  if (!shared.any_order)
    return turns_by_rule(shared, code, machine::surely_copied_bins(machine::kPlainCaches));
  return turns_by_times(shared, code, chunks, const_i64(kSampledPairs));
}

Operand turns_pay(const SharedBins& shared, Code& code, const Operand& chunks,
                  const Operand& equal) {
  if (shared.wanted() == HistWay::kInTurn) return core::const_bool(true);
  if (!shared.any_order) return code.less_i64(const_i64(kOften - 1), equal);
  return turns_by_times(shared, code, chunks, equal);
}

Operand turns_pay_unseen(const SharedBins& shared, Code& code, const Operand& chunks) {
  if (shared.wanted() == HistWay::kInTurn) return core::const_bool(true);
  if (!shared.any_order)
    return turns_by_rule(shared, code, machine::copied_bins(machine::kPlainCaches));
  return turns_by_times(shared, code, chunks, const_i64(kOften));
}

}  // namespace skald::imp
