// SPDX-License-Identifier: Apache-2.0
// Many bins: one launch sorts points by ranges of bins that fit the memory of a group, another one
// counts range by range.  Histograms that have the same bins are counted together.
//
// What a group has counted joins the destination by atomic updates.  Bins of several components lie
// in several arrays there: every group leaves them in a table, whose copies are combined
// afterwards.
#include <algorithm>
#include <optional>

#include "imp/lower/gpu/hist/bin_table.h"
#include "imp/lower/gpu/hist/frequent_bins.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/runs.h"
#include "imp/lower/gpu/hist/sorted/sorted_teams.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;

namespace {

std::vector<OwnBins> histograms_of(KernelWriter& kernel) {
  std::vector<OwnBins> hists;
  for (size_t k = 0; k < kernel.facts.sinks.size(); ++k)
    if (kernel.facts.sinks[k].sink->kind == Sink::kHist) hists.emplace_back(kernel, k);
  return hists;
}

// Do groups leave what they have counted in a table?
bool has_table(const OwnBins& hist) {
  return hist.op().neutral.size() > 1 || bin_update(hist.op()) == BinUpdate::kLock;
}

int64_t most_places(const std::vector<OwnBins>& hists) {
  return hists.size() == 1 ? FrequentBins::most_places(hists[0]) : 0;
}

SortedHists what_to_sort(GpuKernel& gpu, Code& host, const std::vector<OwnBins>& hists,
                         const Operand& bins) {
  const KernelWriter& kernel = gpu.kernel;
  const SortedPayload payload = sorted_payload(kernel, hists);
  SortedHists all{{kernel.fn.options.hist, {}, gpu.total, bins, see_keys(gpu, host)},
                  0,
                  payload.bytes(),
                  0,
                  false};
  std::vector<const core::Operator*> ops;
  for (const OwnBins& hist : hists) {
    all.all.updates.push_back(update_class(hist));
    all.bin_bytes += hist.bytes();
    if (has_table(hist)) all.table_bytes += BinColumns(hist.op()).bytes();
    ops.push_back(&hist.op());
  }
  all.all.counts_again = counts_again(kernel, hists);
  all.all.input_bytes = input_bytes(kernel);
  all.float_sums = are_float_sums(ops);
  all.all.in_rows = adds_rows(host, gpu);
  all.all.look_bytes = look_bytes(kernel);
  all.all.frequent_bytes = FrequentBins::bytes(hists[0], most_places(hists));
  return all;
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
            {"rounds", plan_.rounds},
            {"bytes to sort", plan_.sort_memory},
            {"bytes to count", plan_.count_memory},
            {"compute units", plan_.units}};
  }
  Operand extra_bytes(Code& host) const;
  void write(Code& host);

 private:
  using Share = SortedShares::Share;
  void each_place(Code& code, const Launch& launch, const Code::LoopBody& body) const;
  void count_parts(Code& code, const Launch& launch, const Share& share);
  void count_all_parts(Code& code, const Launch& launch, const Share& share);
  using Runs = std::vector<BinRuns>;
  Runs start_runs(Code& code, KeptBin keeps);
  void sample_units(Code& code, const Launch& launch, const Share& share,
                    const FrequentBins::Show& show) const;
  // If there is one.
  void count_unit(Code& code, const SortedPoints::Unit& unit, Runs& runs,
                  const std::optional<Operand>& exists);
  void give(Code& code, const Launch& launch, const Share& share);
  void count(Code& host);
  void write_round(Code& host);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  std::vector<OwnBins> hists_;
  std::vector<std::optional<BinTable>> tables_;  // for bins of several components
  Operand all_;
  SortedBinsPlan plan_;
  SortedPoints points_;
  SortedShares shares_;
  SortedTeams teams_;
  std::optional<FrequentBins> frequent_;
  bool locked_updates_ = false;  // is an update so long that its code should be there once?
  bool long_updates_ = false;    // is it more than an instruction or two?
};

SortedBins::SortedBins(GpuKernel& gpu, Code& host)
    : gpu_(gpu),
      kernel_(gpu.kernel),
      hists_(histograms_of(kernel_)),
      all_(hists_[0].count(host)),
      plan_(plan_sorted_bins(host, device_limits(host), what_to_sort(gpu, host, hists_, all_))),
      points_(gpu, hists_, plan_),
      shares_(points_),
      teams_(points_) {
  for (const OwnBins& hist : hists_) {
    tables_.emplace_back();
    if (has_table(hist)) tables_.back().emplace(gpu, hist, plan_.width);
    locked_updates_ = locked_updates_ || bin_update(hist.op()) == BinUpdate::kLock;
    long_updates_ = long_updates_ || hist.has_long_updates();
  }
  locked_updates_ = locked_updates_ || hists_.size() > 1;
  if (most_places(hists_) > 0) frequent_.emplace(kernel_, hists_[0]);
}

void SortedBins::each_place(Code& code, const Launch& launch, const Code::LoopBody& body) const {
  // One more than there are bins, for what fills up.
  code.loop(launch.thread, code.add_i64(plan_.width, const_i64(1)), body, kBinThreads);
}

// Of a unit; where updates are long, of all units of a thread.
SortedBins::Runs SortedBins::start_runs(Code& code, KeptBin keeps) {
  Runs runs;
  for (const OwnBins& hist : hists_) runs.emplace_back(code, kernel_, hist, keeps);
  return runs;
}

// The first unit of each thread.
void SortedBins::sample_units(Code& code, const Launch& launch, const Share& share,
                              const FrequentBins::Show& show) const {
  SortedTeams::first_unit(
      code, launch, points_, share, [&](Code& at, const Operand& tile, const Operand& number) {
        const SortedPoints::Unit unit = points_.make_unit(at, tile);
        points_.load(at, unit, number);
        at.loop(
            const_i64(0), const_i64(kSortUnit),
            [&](Code& loop, const Operand& k) {
              const Operand bin = points_.point(loop, unit, k).bin;
              loop.branch(loop.less_i64(bin, plan_.width), [&](Code& one) { show(one, bin); });
            },
            1, LoopHint::kUnroll);
      });
}

// Where updates are locked, their code is there once, and the unit lies in memory.  After each
// point the threads of a warp meet, where they part.
void SortedBins::count_unit(Code& code, const SortedPoints::Unit& unit, Runs& runs,
                            const std::optional<Operand>& exists) {
  const auto count = [&](Code& at, const Operand& k) {
    const SortedPoints::Point point = points_.point(at, unit, k);
    points_.with_values(at, unit, point, [&](Code& in, const SortedPoints::Values& values) {
      for (size_t h = 0; h < hists_.size(); ++h)
        runs[h].add(in, point.counts, point.bin, values[h]);
    });
  };
  code.loop(
      const_i64(0), const_i64(kSortUnit),
      [&](Code& at, const Operand& k) {
        if (!exists) return count(at, k);
        at.branch(*exists, [&](Code& in) { count(in, k); });
        at.add(WarpMeet{});
      },
      1, locked_updates_ ? LoopHint::kShort : LoopHint::kUnroll);
}

void SortedBins::count_parts(Code& code, const Launch& launch, const Share& share) {
  const auto finish = [](Code& at, Runs& runs) {
    for (BinRuns& run : runs) run.finish(at);
  };
  if (!long_updates_)
    return teams_.each_unit(code, launch, share,
                            [&](Code& at, const Operand& tile, const Operand& number) {
                              const SortedPoints::Unit unit = points_.make_unit(at, tile);
                              points_.load(at, unit, number);
                              Runs of_unit = start_runs(at, KeptBin::kLast);
                              count_unit(at, unit, of_unit, std::nullopt);
                              finish(at, of_unit);
                            });
  Runs of_thread = start_runs(code, frequent_ ? KeptBin::kLast : KeptBin::kFrequent);
  teams_.each_round(
      code, launch, share,
      [&](Code& at, const Operand& tile, const Operand& number, const Operand& exists) {
        const SortedPoints::Unit unit = points_.make_unit(at, tile);
        at.branch(exists, [&](Code& in) { points_.load(in, unit, number); });
        count_unit(at, unit, of_thread, exists);
      });
  finish(code, of_thread);
}

void SortedBins::count_all_parts(Code& code, const Launch& launch, const Share& share) {
  const auto count = [&](Code& at) { count_parts(at, launch, share); };
  if (!frequent_) return count(code);
  code.branch(
      frequent_->any(),
      [&](Code& at) {
        hists_[0].frequent = &*frequent_;
        count(at);
        hists_[0].frequent = nullptr;
      },
      count);
}

// What the group has counted goes to the destinations, or to tables.
void SortedBins::give(Code& code, const Launch& launch, const Share& share) {
  const Operand first = code.mul_i64(share.range, plan_.width);
  const Operand count = code.min_i64(plan_.width, code.sub_i64(all_, first));
  code.loop(
      launch.thread, count,
      [&](Code& at, const Operand& b) {
        const Operand place = as_wide(at, mixed_bin(at, as_small(at, b)));
        for (size_t h = 0; h < hists_.size(); ++h) {
          const std::vector<Operand> found = hists_[h].load(at, place);
          if (tables_[h])
            tables_[h]->store(at, launch.group, b, found);
          else
            join_destination(kernel_, at, hists_[h], at.add_i64(first, b), found[0]);
        }
      },
      kBinThreads);
}

void SortedBins::count(Code& host) {
  Launch launch{host.fresh("group"),    host.fresh("thread"), shares_.groups(host),
                const_i64(kBinThreads), const_i64(0),         {}};
  const Operand places = host.add_i64(plan_.width, const_i64(1));
  launch.at_once = kRangeGroupsAtOnce;
  launch.shared = const_i64(0);
  for (const OwnBins& hist : hists_)
    launch.shared = host.add_i64(launch.shared, hist.bytes_of(host, places));
  const int64_t frequent = FrequentBins::bytes(hists_[0], most_places(hists_));
  launch.shared = host.add_i64(launch.shared, const_i64(frequent));
  {
    const InKernel inside(kernel_.fn);
    Code inner(host.program());
    for (OwnBins& hist : hists_) hist.make_room(inner, places);
    const Share share = shares_.find(inner, launch);
    if (long_updates_) teams_.measure(inner, launch, share);
    if (frequent_) {
      frequent_->make_room(inner, const_i64(most_places(hists_)));
      frequent_->find(
          inner, launch.thread, places, kBinThreads * kSortUnit,
          [&](Code& at, const FrequentBins::Show& show) { sample_units(at, launch, share, show); });
      frequent_->clear(inner, launch.thread);
    }
    each_place(inner, launch, [&](Code& in, const Operand& b) {
      for (const OwnBins& hist : hists_) hist.clear(in, b);
    });
    inner.add(Barrier{});
    // Groups that are left over have nothing to do.
    inner.branch(share.exists, [&](Code& at) { count_all_parts(at, launch, share); });
    inner.add(Barrier{});
    if (frequent_) frequent_->join(inner, launch.thread);
    inner.branch(share.exists, [&](Code& at) { give(at, launch, share); });
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
}

// Sorted points, and tables of what groups have counted.
Operand SortedBins::extra_bytes(Code& host) const {
  Operand bytes = points_.bytes(host);
  for (size_t h = 0; h < hists_.size(); ++h) {
    if (!tables_[h]) continue;
    const Operand bins = host.mul_i64(shares_.groups(host), plan_.width);
    const Operand all = host.mul_i64(bins, const_i64(BinColumns(hists_[h].op()).bytes()));
    bytes = host.add_i64(bytes, all);
  }
  return bytes;
}

void SortedBins::write(Code& host) {
  host.loop(const_i64(0), plan_.rounds, [&](Code& at, const Operand& round) {
    points_.start_round(at, round);
    write_round(at);
  });
}

void SortedBins::write_round(Code& host) {
  points_.make_room(host);
  const auto is_there = [](const std::optional<BinTable>& table) { return table.has_value(); };
  if (std::ranges::any_of(tables_, is_there)) shares_.make_room(host);
  for (std::optional<BinTable>& table : tables_)
    if (table) table->make(host, shares_.groups(host));
  points_.sort(host);
  count(host);
  points_.free(host);
  for (std::optional<BinTable>& table : tables_)
    if (table)
      table->join_ranges(host, all_, [&](Code& code, const Operand& range) {
        const Operand last = code.load(Prim::kI64, shares_.last(), range, "last");
        return BinTable::Copies{code.load(Prim::kI64, shares_.first(), range, "first"),
                                code.add_i64(last, const_i64(1))};
      });
  shares_.free(host);
}

}  // namespace

bool have_same_bins(const KernelWriter& kernel) {
  const std::vector<Operand>& results = kernel.node.pull.body.result;
  const SinkInfo* first = nullptr;
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kHist) continue;
    if (first == nullptr) first = &info;
    if (!(info.sink->shape == first->sink->shape)) return false;
    for (size_t k = 0; k < info.sink->shape.size(); ++k)
      if (!(results[info.values + k] == results[first->values + k])) return false;
  }
  return true;
}

bool counts_again(const KernelWriter& kernel, const std::vector<OwnBins>& hists) {
  return sorted_payload(kernel, hists).kind == SortedPayload::kPlace;
}

WhyNot why_no_sorted_bins(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kHist)) return "it is no histogram";
  if (facts.is_seg) return "it runs over segments";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->late) return "what it counts is computed from what it scans";
    if (info.sink->kind == Sink::kHist) {
      if (info.writes != 1) return "a point counts several times";
      if (!may_lie_apart(info.sink->op[0])) return "the operator works on arrays, or may fail";
    } else if (info.sink->kind != Sink::kOut && info.sink->kind != Sink::kScatter) {
      return "it does more than count and store";
    }
  }
  if (!have_same_bins(gpu.kernel)) return "there are several histograms with bins of their own";
  if (!has_cheap_points(gpu.kernel)) return "points are more than a little scalar code";
  return std::nullopt;
}

void write_sorted_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  SortedBins bins(gpu, code);
  const auto take = [&](Code& host) {
    report_taken(gpu.kernel, host, "gpu/sorted-bins", bins.numbers(),
                 [&] { return bins.extra_bytes(host); });
    bins.write(host);
  };
  code.branch(bins.plan().pays, take, [&](Code& host) {
    report_hist(gpu.kernel, host, "not gpu/sorted-bins", bins.numbers());
    otherwise(host);
  });
}

}  // namespace skald::imp
