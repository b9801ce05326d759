// SPDX-License-Identifier: Apache-2.0
// A few times as many bins as fit the memory of a group: each group counts one range of them, and
// looks at all points of its share.  Groups of different ranges look at the same points at about
// the same time, so that memory is read once.
//
// What a group has counted joins the destination by atomic updates, where these are instructions.
// Otherwise every group leaves its bins in a table, whose copies are combined afterwards.
#include <optional>

#include "imp/lower/gpu/hist/bin_table.h"
#include "imp/lower/gpu/hist/frequent_bins.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of a thread, to find bins that come often, among those of all ranges.
constexpr int64_t kRangeSample = 8;

class RangeBins {
 public:
  RangeBins(GpuKernel& gpu, Code& host);
  const RangeBinsPlan& plan() const { return plan_; }
  // What decided.
  std::vector<HistNumber> numbers() const {
    return {{"points", gpu_.total},
            {"bins", all_},
            {"bins of a range", plan_.width},
            {"ranges", plan_.ranges},
            {"groups of a range", plan_.groups_of_range}};
  }
  Operand extra_bytes(Code& host) const {
    if (!table_) return const_i64(0);
    const Operand groups = host.mul_i64(plan_.ranges, plan_.groups_of_range);
    const Operand bins = host.mul_i64(groups, plan_.width);
    return host.mul_i64(bins, const_i64(BinColumns(bins_.op()).bytes()));
  }
  void write(Code& host);

 private:
  void clear(Code& code, const Launch& launch) const;
  void look_for_frequent(Code& code, const Launch& launch, const Operand& share);
  void count_points(Code& code, const Launch& launch, const Operand& share);
  void give(Code& code, const Launch& launch, const Operand& begin);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  OwnBins bins_;
  Operand all_;
  RangeBinsPlan plan_;
  std::optional<BinTable> table_;
  std::optional<FrequentBins> frequent_;
};

RangeBins::RangeBins(GpuKernel& gpu, Code& host)
    : gpu_(gpu),
      kernel_(gpu.kernel),
      bins_(gpu.kernel, 0),
      all_(bins_.count(host)),
      plan_(plan_range_bins(host, device_limits(host),
                            {kernel_.fn.options.hist,
                             {update_class(bins_)},
                             update_count(gpu, host),
                             all_,
                             see_keys(gpu, host),
                             FrequentBins::bytes(bins_, FrequentBins::most_places(bins_)),
                             look_bytes(gpu.kernel),
                             counts_again(gpu.kernel, {bins_}),
                             0,
                             const_i64(1),
                             adds_rows(host, gpu)},
                            bins_.bytes())) {
  if (bins_.are_narrow())
    plan_.pays = host.both(
        plan_.pays, fit_counters(host, update_count(gpu, host), plan_.groups_of_range), "pays");
  if (bin_update(bins_.op()) != BinUpdate::kInstruction) table_.emplace(gpu, bins_, plan_.width);
  if (FrequentBins::most_places(bins_) > 0) frequent_.emplace(kernel_, bins_);
}

void RangeBins::clear(Code& code, const Launch& launch) const {
  code.loop(
      launch.thread, plan_.width, [&](Code& at, const Operand& b) { bins_.clear(at, b); },
      kBinThreads);
  code.add(Barrier{});
}

void RangeBins::look_for_frequent(Code& code, const Launch& launch, const Operand& share) {
  frequent_->make_room(code, const_i64(FrequentBins::most_places(bins_)));
  frequent_->find(code, launch.thread, plan_.width, kRangeSample * kBinThreads,
                  [&](Code& at, const FrequentBins::Show& show) {
                    sample_points(gpu_, at, launch, share, kRangeSample, show);
                  });
  frequent_->clear(code, launch.thread);
}

void RangeBins::count_points(Code& code, const Launch& launch, const Operand& share) {
  const auto count = [&](Code& at) {
    each_point_of_tiles(gpu_, at, launch, share, plan_.groups_of_range);
  };
  if (!frequent_) return count(code);
  code.branch(
      frequent_->any(),
      [&](Code& at) {
        bins_.frequent = &*frequent_;
        count(at);
        bins_.frequent = nullptr;
      },
      count);
}

void RangeBins::give(Code& code, const Launch& launch, const Operand& begin) {
  const Operand count = code.min_i64(plan_.width, code.sub_i64(all_, begin));
  code.loop(
      launch.thread, count,
      [&](Code& at, const Operand& b) {
        const std::vector<Operand> found = bins_.load(at, b);
        if (table_) return table_->store(at, launch.group, b, found);
        join_destination(kernel_, at, bins_, at.add_i64(begin, b), found[0]);
      },
      kBinThreads);
}

void RangeBins::write(Code& host) {
  const Operand groups = host.mul_i64(plan_.ranges, plan_.groups_of_range);
  if (table_) table_->make(host, groups);
  Launch launch{host.fresh("group"),    host.fresh("thread"), groups,
                const_i64(kBinThreads), const_i64(0),         {}};
  launch.at_once = kRangeGroupsAtOnce;
  const int64_t frequent = FrequentBins::bytes(bins_, FrequentBins::most_places(bins_));
  launch.shared = host.add_i64(bins_.bytes_of(host, plan_.width), const_i64(frequent));
  {
    const InKernel inside(kernel_.fn);
    Code inner(host.program());
    const Operand range =
        inner.binop(BinOpKind::kQuot, launch.group, plan_.groups_of_range, "range");
    const Operand share = inner.sub_i64(launch.group, inner.mul_i64(range, plan_.groups_of_range));
    const Operand begin = inner.mul_i64(range, plan_.width);
    bins_.make_room(inner, plan_.width);
    bins_.range = {begin, plan_.width};
    gpu_.own_bins = {&bins_};
    if (frequent_) look_for_frequent(inner, launch, share);
    clear(inner, launch);
    count_points(inner, launch, share);
    gpu_.own_bins.clear();
    inner.add(Barrier{});
    if (frequent_) frequent_->join(inner, launch.thread);
    give(inner, launch, begin);
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
  if (!table_) return;
  table_->join_ranges(host, all_, [&](Code& code, const Operand& range) {
    const Operand first = code.mul_i64(range, plan_.groups_of_range);
    return BinTable::Copies{first, code.add_i64(first, plan_.groups_of_range)};
  });
}

}  // namespace

WhyNot why_no_range_bins(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kHist)) return "it is no histogram";
  if (facts.is_seg) return "it runs over segments";
  if (facts.sinks.size() != 1) return "it does more than one histogram";
  const SinkInfo& info = facts.sinks[0];
  if (info.sink->late) return "what it counts is computed from what it scans";
  if (!may_lie_apart(info.sink->op[0])) return "the operator works on arrays, or may fail";
  if (!has_cheap_points(gpu.kernel)) return "points are more than a little scalar code";
  return std::nullopt;
}

void write_range_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  RangeBins bins(gpu, code);
  const auto take = [&](Code& host) {
    report_taken(gpu.kernel, host, "gpu/range-bins", bins.numbers(),
                 [&] { return bins.extra_bytes(host); });
    bins.write(host);
  };
  code.branch(bins.plan().pays, take, [&](Code& host) {
    report_hist(gpu.kernel, host, "not gpu/range-bins", bins.numbers());
    otherwise(host);
  });
}

}  // namespace skald::imp
