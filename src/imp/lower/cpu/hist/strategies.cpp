// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/hist/strategies.h"

#include <fmt/format.h>

#include <algorithm>

#include "imp/lower/cpu/hist/hist.h"
#include "imp/lower/kernel/hist_notes.h"
#include "machine/cache_shares.h"

namespace skald::imp {

using core::Sink;

namespace {

// The model.  A task has at least this many cheap points.
constexpr int64_t kLeastPoints = 1 << 13;
// So many points, and bins are sorted into ranges.
constexpr int64_t kWorthSorting = 1 << 14;
// Each copy has so many points for each of its bins; with the second number of them, every thread
// has several copies.
constexpr int64_t kPointsPerCopy = 1, kPointsForMore = 64, kCopiesPerThread = 4;
// With fewer copies than threads, sorting keeps more of them busy; it costs this much more.
constexpr int64_t kThreadsPerCopy = 2;
// Neighbours that are looked at, and how many of them are often equal.
constexpr int64_t kSampled = 64, kOften = 4;

// Bins that are filled in the time of one point.
constexpr int64_t kFilledPerPoint = 16;

// Is the result the same in any order, if the operators are associative and commutative?
bool any_order(const std::vector<SinkInfo>& infos) {
  return std::ranges::none_of(
      infos, [](const SinkInfo& info) { return rounds(info.sink->op[0].fn.body); });
}

// The caches that decide: copies and sorting add up floats in another order, so that for these it
// must be the same on all machines.
const machine::Caches& deciding_caches(const KernelWriter& kernel,
                                       const std::vector<SinkInfo>& infos) {
  return any_order(infos) ? kernel.fn.options.caches : machine::kPlainCaches;
}

Operand largest_of(Code& code, const std::vector<Operand>& counts) {
  Operand most = counts[0];
  for (size_t k = 1; k < counts.size(); ++k) most = code.max_i64(most, counts[k]);
  return most;
}

// How many chunks with copies of all bins are good; less than 2: none.
Operand copy_count(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& infos,
                   const Operand& total, const std::vector<Operand>& bins) {
  const bool cheap = kernel.facts.grain > 0;
  const int64_t least = cheap ? kLeastPoints : kernel.facts.least_chunk;
  const Operand per_bin = code.binop(BinOpKind::kQuot, total,
                                     code.max_i64(largest_of(code, bins), const_i64(1)), "per_bin");
  const auto select = [&](const Operand& cond, const Operand& yes, const Operand& no) {
    return code.let(Prim::kI64, core::Select{cond, yes, no}, "copies");
  };
  // Making and combining copies must cost little beside the points.
  Operand copies;
  if (any_order(infos)) {
    // One for each thread, or a few where they are small: then no thread has to wait for another.
    const Name threads = code.fresh("threads");
    code.add(Workers{threads});
    const Operand most = code.max_i64(
        const_i64(1), code.binop(BinOpKind::kQuot, per_bin, const_i64(kPointsPerCopy), "most"));
    copies = code.min_i64(threads, most);
    const Operand few = code.mul_i64(threads, const_i64(kCopiesPerThread));
    copies =
        select(code.less_i64(per_bin, code.mul_i64(few, const_i64(kPointsForMore))), copies, few);
  } else {
    copies = const_i64(1);
    for (const auto& [points, count] : {std::pair{2, 2}, {16, 4}, {64, 8}, {128, 16}, {256, 32}})
      copies = select(code.less_i64(per_bin, const_i64(points)), copies, const_i64(count));
  }
  return code.min_i64(copies, code.binop(BinOpKind::kQuot, total, const_i64(least), "tasks"));
}

// Looks at pairs of neighbouring points all over the input: do they often lie in the same bin?
Operand often_equal(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& infos,
                    const Operand& total) {
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kSampled), "step");
  code.short_loop(const_i64(0), const_i64(kSampled), [&](Code& at, const Operand& k) {
    const Operand i = at.mul_i64(k, step);
    const std::vector<Operand> one = kernel.fn.apply(at, kernel.node.pull, {i});
    const std::vector<Operand> other =
        kernel.fn.apply(at, kernel.node.pull, {at.add_i64(i, const_i64(1))});
    Operand any = core::const_bool(false);
    for (size_t h = 0; h < infos.size(); ++h) {
      const std::vector<Operand> a = bin_of(infos[h], one), b = bin_of(infos[h], other);
      if (h > 0 && a == bin_of(infos[h - 1], one)) continue;
      Operand same = core::const_bool(true);
      for (size_t d = 0; d < a.size(); ++d) {
        const Operand here =
            at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a[d], b[d]}, "same");
        same = d == 0 ? here : at.both(same, here, "same");
      }
      any = h == 0
                ? same
                : at.let(Prim::kBool, core::BinOp{BinOpKind::kOr, Prim::kBool, any, same}, "any");
    }
    const Operand more = at.let(Prim::kI64, core::Select{any, const_i64(1), const_i64(0)}, "more");
    at.add(Assign{equal, at.add_i64(equal, more)});
  });
  return code.less_i64(const_i64(kOften - 1), equal);
}

Operand logical(Code& code, BinOpKind op, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::BinOp{op, Prim::kBool, a, b}, "c");
}

Name thread_count(Code& code) {
  const Name threads = code.fresh("threads");
  code.add(Workers{threads});
  return threads;
}

// What all threads work on, with the sizes that decide how.
struct SharedBins {
  KernelWriter& kernel;
  std::vector<SinkInfo> infos;
  bool sortable, atomic;
  Operand total;              // points
  std::vector<Operand> bins;  // of each
  Operand bytes;              // of all
  Operand copies;             // how many are good

  bool cheap() const { return kernel.facts.grain > 0; }
  // Says that a way is taken, and what decided.
  void report(Code& code, std::string_view way, std::vector<HistNumber> more = {}) const {
    std::vector<HistNumber> numbers = {
        {"points", total}, {"bins", largest_of(code, bins)}, {"bytes", bytes}};
    numbers.insert(numbers.end(), more.begin(), more.end());
    report_hist(kernel, code, way, numbers);
  }
};

SharedBins shared_bins(KernelWriter& kernel, Code& code) {
  SharedBins found{kernel,
                   hist_writes(kernel.facts),
                   false,
                   false,
                   kernel.point_count(code),
                   {},
                   const_i64(0),
                   const_i64(1)};
  found.sortable = !disabled(kernel, "hist/sorted") &&
                   std::ranges::all_of(found.infos, [&](const SinkInfo& info) {
                     return can_sort_bins(kernel, info);
                   });
  found.atomic = !disabled(kernel, "hist/atomic") && are_atomic(kernel.facts);
  for (const SinkInfo& info : found.infos) {
    found.bins.push_back(bin_count(kernel, code, info));
    if (writes_again(found.infos, found.bins.size() - 1)) continue;
    found.bytes = code.add_i64(found.bytes,
                               code.mul_i64(found.bins.back(), const_i64(bin_bytes(kernel, info))));
  }
  found.copies = copy_count(kernel, code, found.infos, found.total, found.bins);
  return found;
}

// ---- hist/copies-in-turn, hist/copies-by-chunk

struct BinCopies {
  KernelWriter& kernel;
  const SharedBins& shared;
  Operand chunks;
};

WhyNot why_not_in_turn(BinCopies& copies) {
  if (can_use_hist_lanes(copies.kernel, copies.shared.infos)) return std::nullopt;
  return "updates of a bin do not wait for each other, or points are long";
}

void write_in_turn(BinCopies& copies, Code& code, const Otherwise& otherwise) {
  const SharedBins& shared = copies.shared;
  // Where the points cannot fail, it is known whether several copies help.
  const bool sampled = copies.kernel.facts.dims.size() == 1 && copies.kernel.facts.straight;
  // So small that a chunk may have several copies: equal neighbouring keys do not wait for each
  // other then.
  const machine::Caches& caches = deciding_caches(copies.kernel, shared.infos);
  const int64_t most = sampled ? machine::surely_copied_bins(caches) : machine::copied_bins(caches);
  const Operand enough =
      code.max_i64(const_i64(kLeastPoints),
                   code.mul_i64(largest_of(code, shared.bins), const_i64(kPointsForMore)));
  const Operand few_bytes = code.less_i64(shared.bytes, const_i64(most + 1));
  const Operand small_bins =
      logical(code, BinOpKind::kAnd, few_bytes, code.less_i64(enough, shared.total));
  const Name in_turn = code.var(Prim::kBool, small_bins, "in_turn");
  if (sampled)
    code.branch(small_bins, [&](Code& inner) {
      inner.add(Assign{in_turn, often_equal(copies.kernel, inner, shared.infos, shared.total)});
    });
  const auto take = [&](Code& inner) {
    shared.report(inner, "hist/copies-in-turn", {{"chunks", copies.chunks}});
    hist_with_lanes(copies.kernel, inner, copies.chunks);
  };
  code.branch(in_turn, take, otherwise);
}

void write_by_chunk(BinCopies& copies, Code& code, const Otherwise&) {
  copies.shared.report(code, "hist/copies-by-chunk", {{"chunks", copies.chunks}});
  hist_with_copies(copies.kernel, code, copies.chunks);
}

constexpr StrategyFor<BinCopies> kBinCopies[] = {
    {"hist/copies-in-turn", why_not_in_turn, write_in_turn},
    {"hist/copies-by-chunk", always_fits, write_by_chunk},
};

// ---- hist/copies

// Bins that fit a cache are worked on as they are, by as many threads as copies allow.
Operand beats_sorting(const SharedBins& shared, Code& code, const Operand& small) {
  const int64_t most = machine::cached_bins(deciding_caches(shared.kernel, shared.infos));
  const Operand cached = code.less_i64(shared.bytes, const_i64(most + 1));
  const Operand threads = any_order(shared.infos) ? Operand{thread_count(code)} : const_i64(2);
  const Operand busy =
      code.less_i64(threads, code.mul_i64(shared.copies, const_i64(kThreadsPerCopy)));
  Operand plain = logical(code, BinOpKind::kAnd, cached, busy);
  plain = logical(code, BinOpKind::kOr, plain, small);
  for (const Operand& count : shared.bins)
    plain = logical(code, BinOpKind::kOr, plain, code.less_i64(const_i64(INT32_MAX), count));
  return plain;
}

Operand beats_atomics(const SharedBins& shared, Code& code, const Operand& small) {
  // One thread with vectors is as fast as this many with atomic instructions.
  constexpr int64_t kThreadsPerVector = 8;
  Operand plain = logical(code, BinOpKind::kOr, code.less_i64(const_i64(1), shared.copies), small);
  if (std::ranges::all_of(shared.infos, [&](const SinkInfo& info) {
        return has_rows_of_bins(shared.kernel.facts, info);
      })) {
    const Name threads = thread_count(code);
    plain =
        logical(code, BinOpKind::kOr, plain, code.less_i64(threads, const_i64(kThreadsPerVector)));
  }
  return plain;
}

void write_copies(SharedBins& shared, Code& code, const Otherwise& otherwise) {
  const auto one_or_more = [&](Code& at) {
    BinCopies copies{shared.kernel, shared, at.max_i64(const_i64(1), shared.copies)};
    choose(std::span<const StrategyFor<BinCopies>>(kBinCopies), copies, at);
  };
  const int64_t worth = shared.cheap() ? kWorthSorting : 2 * shared.kernel.facts.least_chunk;
  const Operand small = code.less_i64(shared.total, const_i64(worth));
  // Nothing else would be better.
  if (!shared.sortable && !shared.atomic && shared.infos.size() == 1) return one_or_more(code);
  if (shared.sortable)
    explain_hist(shared.kernel,
                 fmt::format("hist/copies if all bins take at most {} bytes and more than one "
                             "thread in {} gets a copy, or if there are fewer than {} points",
                             machine::cached_bins(deciding_caches(shared.kernel, shared.infos)),
                             kThreadsPerCopy, worth));
  const Operand plain =
      shared.sortable ? beats_sorting(shared, code, small) : beats_atomics(shared, code, small);
  code.branch(plain, one_or_more, otherwise);
}

// ---- hist/in-place

// Sorting costs four times an update that finds its bin, and all threads can do it.
constexpr int64_t kMostThreadsInPlace = 2;
// So many points, and sampling costs little beside them.
constexpr int64_t kWorthSampling = 1 << 20;

WhyNot why_not_in_place(SharedBins& shared) {
  if (shared.infos.size() > 1) return "there are several histograms";
  if (!shared.sortable) return "the bins cannot be sorted into ranges";
  if (!any_order(shared.infos)) return "the operator rounds, and threads decide";
  if (!can_sample_keys(shared.kernel, shared.infos[0]))
    return "points are more than a bin by code that cannot fail";
  return std::nullopt;
}

void write_in_place(SharedBins& shared, Code& code, const Otherwise& otherwise) {
  if (const core::Const* known = core::as_const(shared.total);
      known != nullptr && core::int_value(*known) < kWorthSampling)
    return otherwise(code);
  const Name threads = thread_count(code);
  const Operand few = code.less_i64(threads, const_i64(kMostThreadsInPlace + 1));
  const Operand many = code.less_i64(const_i64(kWorthSampling - 1), shared.total);
  const Operand asked = logical(code, BinOpKind::kAnd, few, many);
  const Name near = code.var(Prim::kBool, asked, "near");
  code.branch(asked, [&](Code& at) {
    at.add(Assign{near, has_near_keys(shared.kernel, at, shared.infos[0], shared.total)});
  });
  const auto take = [&](Code& at) {
    shared.report(at, "hist/in-place", {{"threads", threads}});
    hist_with_copies(shared.kernel, at, const_i64(1));
  };
  code.branch(near, take, otherwise);
}

// ---- hist/sorted, hist/atomic, hist/one-after-another

WhyNot why_not_sorted(SharedBins& shared) {
  if (shared.infos.size() > 1) return "there are several histograms";
  if (!shared.sortable) return "the bins cannot be sorted into ranges";
  return std::nullopt;
}

void write_sorted(SharedBins& shared, Code& code, const Otherwise&) {
  shared.report(code, "hist/sorted", {{"copies that would pay", shared.copies}});
  hist_sorted(shared.kernel, code, shared.infos[0]);
}

WhyNot why_not_atomic(SharedBins& shared) {
  if (shared.infos.size() > 1) return "there are several histograms";
  if (!shared.atomic) return "no atomic instruction does what the operator does";
  return std::nullopt;
}

void write_atomic(SharedBins& shared, Code& code, const Otherwise&) {
  shared.report(code, "hist/atomic", {{"copies that would pay", shared.copies}});
  hist_atomically(shared.kernel, code);
}

void write_shared(KernelWriter& kernel, Code& code, const Otherwise& otherwise);

// Each histogram by its own choice; what is none goes with the first one.
void write_one_after_another(SharedBins& shared, Code& code, const Otherwise& otherwise) {
  KernelWriter& kernel = shared.kernel;
  if (shared.infos.size() == 1) {
    shared.report(code, "in order");
    return hist_in_order(kernel, code, const_i64(0), shared.total);
  }
  shared.report(code, "hist/one-after-another");
  std::vector<SinkInfo> some;
  for (const SinkInfo& info : kernel.facts.sinks)
    if (info.sink->kind != Sink::kHist) some.push_back(info);
  for (const SinkInfo& info : shared.infos) {
    some.push_back(info);
    KernelWriter one(kernel, kernel.facts.with_sinks(kernel.fn, std::exchange(some, {})));
    write_shared(one, code, otherwise);
  }
}

constexpr StrategyFor<SharedBins> kSharedBins[] = {
    {"hist/copies", always_fits, write_copies},
    {"hist/in-place", why_not_in_place, write_in_place},
    {"hist/sorted", why_not_sorted, write_sorted},
    {"hist/atomic", why_not_atomic, write_atomic},
    {"hist/one-after-another", always_fits, write_one_after_another},
};

// ---- hist/own-rows, hist/shared-bins

WhyNot why_no_own_rows(KernelWriter& kernel) {
  if (has_own_bins(kernel.facts)) return std::nullopt;
  return "rows do not have bins of their own";
}

// Fills the bins of one row, if that was left to the histogram.
void fill_row(KernelWriter& kernel, Code& code, const core::Stmt& fill, const Operand& row,
              const Operand& bins) {
  const ArrayPlace& dest = kernel.fn.place(fill.pat[0].name);
  code.add(Fill{dest.type.elem, dest.loc.block,
                code.add_i64(dest.loc.offset, code.mul_i64(row, bins)), bins,
                kernel.fn.value(core::as<core::Replicate>(fill.exp)->value)});
}

void rows_in_order(KernelWriter& kernel, Code& code, const Operand& rows, const core::Stmt* fill) {
  const std::vector<Operand>& dims = kernel.facts.dims;
  // What one row costs, in points.
  Operand bins = const_i64(1), work = dims.back();
  if (fill != nullptr) {
    const std::vector<Operand>& shape = kernel.fn.place(fill->pat[0].name).type.shape;
    for (size_t k = dims.size() - 1; k < shape.size(); ++k)
      bins = code.mul_i64(bins, kernel.fn.value(shape[k]));
    work = code.add_i64(work,
                        code.binop(BinOpKind::kQuot, bins, const_i64(kFilledPerPoint), "filled"));
  }
  code.parallel_for(rows, kernel.segment_grain(code, work), [&](Code& at, const Operand& row) {
    if (fill != nullptr) fill_row(kernel, at, *fill, row, bins);
    const Operand begin = at.mul_i64(row, dims.back());
    hist_in_order(kernel, at, begin, at.add_i64(begin, dims.back()));
  });
}

// Enough rows: each in order, without copies.
void write_own_rows(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const core::Stmt* fill = std::exchange(kernel.fn.late_fill, nullptr);
  const Operand rows = kernel.segment_count(code);
  const auto few_rows = [&](Code& few) {
    if (fill != nullptr) {
      const OnHost host(kernel.fn);
      kernel.fn.array_stmt(few, *fill);
    }
    otherwise(few);
  };
  code.branch(code.less_i64(rows, const_i64(kFewSegments)), few_rows, [&](Code& many) {
    report_hist(kernel, many, "hist/own-rows",
                {{"rows", rows}, {"points of a row", kernel.facts.dims.back()}});
    rows_in_order(kernel, many, rows, fill);
  });
}

void write_shared(KernelWriter& kernel, Code& code, const Otherwise&) {
  SharedBins shared = shared_bins(kernel, code);
  explain_bins(kernel, shared.infos);
  choose(std::span<const StrategyFor<SharedBins>>(kSharedBins), shared, code);
}

constexpr Strategy kHists[] = {
    {"hist/own-rows", why_no_own_rows, write_own_rows},
    {"hist/shared-bins", always_fits, write_shared},
};

}  // namespace

std::span<const Strategy> hist_strategies() {
  return kHists;
}

void add_hist_names(std::vector<StrategyName>& names) {
  add_names(std::span<const StrategyFor<SharedBins>>(kSharedBins), names);
  add_names(std::span<const StrategyFor<BinCopies>>(kBinCopies), names);
}

bool fills_own_rows(const KernelWriter& kernel, Name dest) {
  const KernelFacts& facts = kernel.facts;
  if (disabled(kernel, "hist/own-rows") || facts.is_seg || facts.sinks.size() != 1 ||
      !facts.has(Sink::kHist) || facts.sinks[0].sink->late || !kernel.node.post.empty() ||
      !has_own_bins(facts))
    return false;
  const Sink& sink = *facts.sinks[0].sink;
  for (size_t k = 0; k + 1 < facts.dims.size(); ++k)
    if (!(kernel.fn.value(sink.shape[k]) == facts.dims[k])) return false;
  return std::ranges::find(sink.dests, dest) != sink.dests.end();
}

}  // namespace skald::imp
