// SPDX-License-Identifier: Apache-2.0
// Operators that choose, as the larger of two pairs: bins are words in the device's memory, and a
// point looks at its bin first, through the caches.  Mostly the bin stays what it is, and nothing
// else happens; otherwise the word is compared and swapped.
//
// What a thread sees may be old by then.  That does no harm: what changes nothing in an old value
// changes nothing in any later one, since the operator is associative and commutative.
#include <algorithm>
#include <optional>

#include "imp/lower/gpu/hist/bin_table.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Sink;

namespace {

class LookedBins {
 public:
  LookedBins(GpuKernel& gpu, Code& host);
  const LookedBinsPlan& plan() const { return plan_; }
  // What decided.
  std::vector<HistNumber> numbers() const {
    return {{"points", gpu_.total},
            {"bins", all_},
            {"bytes of all bins", plan_.bytes},
            {"groups", plan_.groups}};
  }
  void write(Code& host);

 private:
  struct Hist {
    OwnBins bins;
    Operand count;
    std::optional<BinTable> table = {};
  };

  GpuKernel& gpu_;
  std::vector<Hist> hists_;
  Operand all_ = const_i64(0);
  LookedBinsPlan plan_;
};

LookedBins::LookedBins(GpuKernel& gpu, Code& host) : gpu_(gpu) {
  HistsOfKernel hists{
      gpu.kernel.fn.options.hist, {}, update_count(gpu, host), {}, see_keys(gpu, host)};
  Operand bytes = const_i64(0);
  for (size_t k = 0; k < gpu.kernel.facts.sinks.size(); ++k) {
    if (gpu.kernel.facts.sinks[k].sink->kind != Sink::kHist) continue;
    Hist hist{OwnBins(gpu.kernel, k), {}};
    hist.count = hist.bins.count(host);
    all_ = host.add_i64(all_, hist.count);
    bytes = host.add_i64(bytes, host.mul_i64(hist.count, const_i64(hist.bins.bytes())));
    hists.updates.push_back(update_class(hist.bins));
    hists_.push_back(std::move(hist));
  }
  hists.bins = all_;
  hists.look_bytes = look_bytes(gpu.kernel);
  hists.input_bytes = input_bytes(gpu.kernel);
  plan_ = plan_looked_bins(host, device_limits(host), hists, bytes);
}

void LookedBins::write(Code& host) {
  for (Hist& hist : hists_) {
    hist.table.emplace(gpu_, hist.bins, hist.count);
    hist.table->make(host, const_i64(1));
    hist.table->clear(host);
    hist.bins.lie_in(hist.table->blocks());
  }
  Launch launch{host.fresh("group"),    host.fresh("thread"), plan_.groups,
                const_i64(kBinThreads), const_i64(0),         {}};
  launch.at_once = kBinGroupsAtOnce;
  {
    const InKernel inside(gpu_.kernel.fn);
    Code inner(host.program());
    gpu_.own_bins.assign(gpu_.kernel.facts.sinks.size(), nullptr);
    for (const Hist& hist : hists_) gpu_.own_bins[hist.bins.sink()] = &hist.bins;
    each_point_of_tiles(gpu_, inner, launch, launch.group, plan_.groups);
    gpu_.own_bins.clear();
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
  for (Hist& hist : hists_)
    hist.table->join_ranges(host, hist.count, [](Code&, const Operand&) {
      return BinTable::Copies{const_i64(0), const_i64(1)};
    });
}

}  // namespace

int64_t look_bytes(const KernelWriter& kernel) {
  int64_t bytes = 0;
  for (const SinkInfo& info : kernel.facts.sinks_of(Sink::kHist)) {
    if (!changes_seldom(info.sink->op[0])) return 0;
    bytes = std::max(bytes, BinColumns(info.sink->op[0]).bytes());
  }
  return bytes;
}

WhyNot why_no_looked_bins(GpuKernel& gpu) {
  if (WhyNot why = why_no_group_bins(gpu)) return why;
  if (look_bytes(gpu.kernel) == 0) return "most points change their bin";
  return std::nullopt;
}

void write_looked_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  LookedBins bins(gpu, code);
  const auto take = [&](Code& host) {
    report_taken(gpu.kernel, host, "gpu/looked-bins", bins.numbers(),
                 [&] { return bins.plan().bytes; });
    bins.write(host);
  };
  code.branch(bins.plan().pays, take, [&](Code& host) {
    report_hist(gpu.kernel, host, "not gpu/looked-bins", bins.numbers());
    otherwise(host);
  });
}

}  // namespace skald::imp
