// SPDX-License-Identifier: Apache-2.0
// Bins in the memory of groups.  Threads of a warp have different copies, so that equal keys of
// neighbours do not meet.  Copies of a bin lie side by side, so that threads meet in no bank.
//
// What a group has counted joins the destination by atomic updates, where these are instructions.
// Otherwise every group leaves its bins in a table, whose copies are combined afterwards.
//
// A map of histograms is one histogram over all its rows, where the first index of a bin is that of
// the row.  There a group has the bins of one row, and a share of its points:
//
//   kernel(grid(f, n), \{r, i} -> … {r, bin, value}, hist 3 to [f][bins] …)
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

// Of a thread, to find bins that come often.
constexpr int64_t kGroupSample = 4;
// Columns of places without any take some memory, too.
constexpr int64_t kPlacesAligned = 256;

class GroupBins {
 public:
  GroupBins(GpuKernel& gpu, Code& code, bool by_row);
  const GroupBinsPlan& plan() const { return plan_; }
  // What decided.
  const std::vector<HistNumber>& numbers() const { return numbers_; }
  Operand extra_bytes(Code& host) const;
  void write(Code& host);

 private:
  // One histogram.
  struct Hist {
    OwnBins bins;
    Operand count;  // bins, of a row
    std::optional<BinTable> table = {};
  };

  static void each_bin(Code& code, const Launch& launch, const Operand& count,
                       const Code::LoopBody& body);
  void start(Code& code, const Launch& launch);
  void look_for_frequent(Code& code, const Launch& launch);
  void count_points(Code& code, const Launch& launch);
  void add_up(Code& code, const Launch& launch, Hist& hist);
  void write_launch(Code& host, bool even);
  Operand all_groups(Code& host) const {
    return rows_ ? host.mul_i64(*rows_, plan_.groups) : plan_.groups;
  }
  void find_share(Code& code, const Launch& launch);
  // Combines the bins at first, first + step … of `count` that `found` gives.
  std::vector<Name> combine(
      Code& code, const Hist& hist, const std::vector<Operand>& start, const Operand& count,
      const std::function<std::vector<Operand>(Code&, const Operand&)>& found);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  std::vector<Hist> hists_;
  GroupBinsPlan plan_;
  std::vector<HistNumber> numbers_;
  Operand bytes_ = const_i64(0), places_ = const_i64(0);
  int64_t most_places_ = 0;  // for bins that come often
  // Rows that have bins of their own, and where the group is: its row, and its share of that.
  std::optional<Operand> rows_;
  Operand row_ = const_i64(0), share_ = const_i64(0);
  std::optional<PointRange> own_points_;
  std::optional<FrequentBins> frequent_;
};

GroupBins::GroupBins(GpuKernel& gpu, Code& code, bool by_row) : gpu_(gpu), kernel_(gpu.kernel) {
  if (by_row) rows_ = kernel_.facts.dims[0];
  const Operand some_rows = rows_ ? code.max_i64(*rows_, const_i64(1)) : const_i64(1);
  Operand bins = const_i64(0), bytes = const_i64(0);
  for (size_t k = 0; k < kernel_.facts.sinks.size(); ++k) {
    if (kernel_.facts.sinks[k].sink->kind != Sink::kHist) continue;
    Hist hist{OwnBins(kernel_, k), {}, {}};
    hist.count = hist.bins.count(code);
    if (rows_) hist.count = code.binop(BinOpKind::kQuot, hist.count, some_rows, "of_row");
    bins = code.add_i64(bins, hist.count);
    bytes = code.add_i64(bytes, code.mul_i64(hist.count, const_i64(hist.bins.bytes())));
    hists_.push_back(std::move(hist));
  }
  const DeviceLimits limits = device_limits(code);
  HistsOfKernel all{
      kernel_.fn.options.hist, {}, update_count(gpu, code), bins, see_keys(gpu, code)};
  for (const Hist& hist : hists_) all.updates.push_back(update_class(hist.bins));
  all.look_bytes = look_bytes(kernel_);
  all.rows = some_rows;
  all.in_rows = adds_rows(code, gpu);
  if (hists_.size() == 1 && has_cheap_points(kernel_))
    most_places_ = FrequentBins::most_places(hists_[0].bins);
  all.frequent_bytes = FrequentBins::bytes(hists_[0].bins, most_places_);
  plan_ = plan_group_bins(code, limits, all, bytes);
  if (std::ranges::any_of(hists_, [](const Hist& hist) { return hist.bins.are_narrow(); }))
    plan_.pays =
        code.both(plan_.pays, fit_counters(code, update_count(gpu, code), plan_.groups), "pays");
  if (rows_) {
    // Else a group has room for the bins of all rows.
    const Operand all_bytes = code.mul_i64(bytes, some_rows);
    const Operand half = code.binop(BinOpKind::kQuot, limits.memory, const_i64(2), "half");
    const bool wanted = kernel_.fn.options.hist.way == machine::HistWay::kGroupBins;
    if (!wanted) plan_.pays = code.both(plan_.pays, code.less_i64(half, all_bytes), "pays");
  }
  numbers_ = {{"points", gpu.total},           {"bins", bins},
              {"bytes of a copy", bytes},      {"bytes of a group", limits.memory},
              {"compute units", limits.units}, {"groups", plan_.groups},
              {"copies", plan_.copies}};
  if (rows_) numbers_.push_back({"rows", *rows_});
}

void GroupBins::each_bin(Code& code, const Launch& launch, const Operand& count,
                         const Code::LoopBody& body) {
  Code loop(code.program());
  const Name b = code.fresh("bin");
  body(loop, b);
  code.add(For{b, Prim::kI64, launch.thread, count, launch.threads, loop.finish()});
}

void GroupBins::find_share(Code& code, const Launch& launch) {
  share_ = launch.group;
  if (!rows_) return;
  row_ = code.binop(BinOpKind::kQuot, launch.group, plan_.groups, "row");
  share_ = code.sub_i64(launch.group, code.mul_i64(row_, plan_.groups));
  const Operand length = code.binop(BinOpKind::kQuot, gpu_.total, *rows_, "length");
  const Operand first = code.mul_i64(row_, length);
  own_points_ = {first, code.add_i64(first, length)};
}

void GroupBins::start(Code& code, const Launch& launch) {
  const Operand last = code.sub_i64(plan_.copies, const_i64(1));
  const Operand copy = code.binop(BinOpKind::kAnd, launch.thread, last, "copy");
  for (Hist& hist : hists_) {
    const Operand all = code.mul_i64(hist.count, plan_.copies);
    hist.bins.make_room(code, all);
    hist.bins.first = copy;
    hist.bins.step = plan_.copies;
    if (rows_) hist.bins.range = {code.mul_i64(row_, hist.count), hist.count};
  }
  if (frequent_) look_for_frequent(code, launch);
  for (const Hist& hist : hists_)
    each_bin(code, launch, code.mul_i64(hist.count, plan_.copies),
             [&](Code& at, const Operand& b) { hist.bins.clear(at, b); });
  code.add(Barrier{});
}

std::vector<Name> GroupBins::combine(
    Code& code, const Hist& hist, const std::vector<Operand>& start, const Operand& count,
    const std::function<std::vector<Operand>(Code&, const Operand&)>& found) {
  const core::Operator& op = hist.bins.op();
  Accumulators sums;
  for (size_t k = 0; k < start.size(); ++k)
    sums.push_back(code.var(op.fn.params[k].type.elem, start[k], "sum"));
  code.loop(const_i64(0), count,
            [&](Code& at, const Operand& k) { kernel_.combine(at, op, sums, found(at, k)); });
  return sums;
}

void GroupBins::look_for_frequent(Code& code, const Launch& launch) {
  const Hist& hist = hists_[0];
  frequent_->make_room(code, places_);
  frequent_->find(code, launch.thread, code.mul_i64(hist.count, plan_.copies),
                  kGroupSample * kBinThreads, [&](Code& at, const FrequentBins::Show& show) {
                    const Operand first = own_points_ ? own_points_->first : const_i64(0);
                    sample_points(gpu_, at, launch, share_, kGroupSample, show, first);
                  });
  frequent_->clear(code, launch.thread);
}

void GroupBins::count_points(Code& code, const Launch& launch) {
  const auto count = [&](Code& at) {
    each_point_of_tiles(gpu_, at, launch, share_, plan_.groups, own_points_);
  };
  if (!frequent_) return count(code);
  code.branch(
      frequent_->any(),
      [&](Code& at) {
        hists_[0].bins.frequent = &*frequent_;
        count(at);
        hists_[0].bins.frequent = nullptr;
      },
      count);
}

void GroupBins::add_up(Code& code, const Launch& launch, Hist& hist) {
  const Operand last = code.sub_i64(plan_.copies, const_i64(1));
  each_bin(code, launch, hist.count, [&](Code& at, const Operand& b) {
    const std::vector<Name> sums =
        combine(at, hist, hist.bins.neutral(), plan_.copies, [&](Code& in, const Operand& k) {
          // Neighbours begin with different copies, which lie in different banks.
          const Operand turned = in.binop(BinOpKind::kAnd, in.add_i64(k, b), last, "copy");
          return hist.bins.load(in, in.add_i64(in.mul_i64(b, plan_.copies), turned));
        });
    if (hist.table) return hist.table->store(at, launch.group, b, {sums.begin(), sums.end()});
    const Operand before = at.mul_i64(row_, hist.count);
    join_destination(kernel_, at, hist.bins, rows_ ? at.add_i64(before, b) : b, sums[0]);
  });
}

// Tables of those that instructions do not add to the destination.
Operand GroupBins::extra_bytes(Code& host) const {
  Operand bytes = const_i64(0);
  for (const Hist& hist : hists_) {
    if (bin_update(hist.bins.op()) == BinUpdate::kInstruction) continue;
    const Operand bins = host.mul_i64(all_groups(host), hist.count);
    const Operand all = host.mul_i64(bins, const_i64(BinColumns(hist.bins.op()).bytes()));
    bytes = host.add_i64(bytes, all);
  }
  return bytes;
}

// Without looking for bins that come often, where it is known that there are none.
void GroupBins::write_launch(Code& host, bool even) {
  Launch launch{host.fresh("group"),    host.fresh("thread"), all_groups(host),
                const_i64(kBinThreads), const_i64(0),         {}};
  launch.shared = bytes_;
  frequent_.reset();
  if (most_places_ > 0 && !even) {
    OwnBins& bins = hists_[0].bins;
    const Operand of_place = const_i64(FrequentBins::bytes(bins, 1));
    const Operand some = host.binop(BinOpKind::kQuot, plan_.left, of_place, "some");
    places_ = host.max_i64(host.min_i64(some, const_i64(most_places_)), const_i64(0));
    const Operand bytes = host.mul_i64(places_, of_place);
    launch.shared = host.add_i64(launch.shared, host.add_i64(bytes, const_i64(kPlacesAligned)));
    frequent_.emplace(kernel_, bins);
  }
  launch.at_once = kBinGroupsAtOnce;
  {
    const InKernel inside(kernel_.fn);
    Code inner(host.program());
    gpu_.own_bins.assign(kernel_.facts.sinks.size(), nullptr);
    for (const Hist& hist : hists_) gpu_.own_bins[hist.bins.sink()] = &hist.bins;
    find_share(inner, launch);
    start(inner, launch);
    count_points(inner, launch);
    gpu_.own_bins.clear();
    inner.add(Barrier{});
    if (frequent_) frequent_->join(inner, launch.thread);
    for (Hist& hist : hists_) add_up(inner, launch, hist);
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
}

void GroupBins::write(Code& host) {
  for (Hist& hist : hists_) {
    if (bin_update(hist.bins.op()) != BinUpdate::kInstruction) {
      hist.table.emplace(gpu_, hist.bins, hist.count);
      hist.table->make(host, all_groups(host));
    }
    bytes_ = host.add_i64(bytes_, hist.bins.bytes_of(host, host.mul_i64(hist.count, plan_.copies)));
  }
  const Operand even = most_places_ > 0 ? plan_.even : core::const_bool(false);
  host.branch(
      even, [&](Code& at) { write_launch(at, true); }, [&](Code& at) { write_launch(at, false); });
  for (Hist& hist : hists_) {
    if (!hist.table) continue;
    if (!rows_) {
      hist.table->join(host);
      continue;
    }
    const Operand bins = host.mul_i64(*rows_, hist.count);
    hist.table->join_ranges(host, bins, [&](Code& code, const Operand& row) {
      const Operand first = code.mul_i64(row, plan_.groups);
      return BinTable::Copies{first, code.add_i64(first, plan_.groups)};
    });
  }
}

}  // namespace

WhyNot why_no_group_bins(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kHist)) return "it is no histogram";
  if (facts.is_seg) return "it runs over segments";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->late) return "what it counts is computed from what it scans";
    if (info.sink->kind == Sink::kHist && !may_lie_apart(info.sink->op[0]))
      return "the operator works on arrays, or may fail";
    if (info.sink->kind != Sink::kHist && info.sink->kind != Sink::kOut &&
        info.sink->kind != Sink::kScatter)
      return "it does more than count and store";
  }
  return std::nullopt;
}

WhyNot why_no_row_bins(GpuKernel& gpu) {
  if (WhyNot why = why_no_group_bins(gpu)) return why;
  const KernelFacts& facts = gpu.kernel.facts;
  if (facts.dims.size() < 2) return "points do not lie in rows";
  const core::Lambda& pull = gpu.kernel.node.pull;
  const Operand row{pull.params[0].name};
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind != Sink::kHist) continue;
    const bool own = std::ranges::all_of(writes_of(info), [&](const SinkInfo& write) {
      return pull.body.result[write.values] == row;
    });
    if (!own || !(info.sink->shape[0] == gpu.kernel.node.domain.dims[0]))
      return "rows have no bins of their own";
  }
  return std::nullopt;
}

namespace {

void write_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise, bool by_row) {
  gpu.count_points(code);
  GroupBins bins(gpu, code, by_row);
  const std::string_view name = by_row ? "gpu/row-bins" : "gpu/group-bins";
  const auto take = [&](Code& host) {
    report_taken(gpu.kernel, host, name, bins.numbers(), [&] { return bins.extra_bytes(host); });
    bins.write(host);
  };
  code.branch(bins.plan().pays, take, [&](Code& host) {
    report_hist(gpu.kernel, host, fmt::format("not {}", name), bins.numbers());
    otherwise(host);
  });
}

}  // namespace

void write_group_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  write_bins(gpu, code, otherwise, false);
}
void write_row_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  write_bins(gpu, code, otherwise, true);
}

}  // namespace skald::imp
