// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/hist/strategies.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/plan.h"

namespace skald::imp {

using core::Sink;
using machine::HistWay;

namespace {

const char* const kOtherWay = "another way is asked for";

// Bins that are filled in the time of one point.
constexpr int64_t kFilledPerPoint = 16;

// ---- hist/copies-in-turn, hist/copies-by-chunk

struct BinCopies {
  KernelWriter& kernel;
  const SharedBins& shared;
  Operand chunks;
};

WhyNot why_not_in_turn(BinCopies& copies) {
  const HistWay wanted = copies.shared.wanted();
  if (wanted != HistWay::kChosen && wanted != HistWay::kInTurn) return kOtherWay;
  if (can_use_hist_lanes(copies.kernel, copies.shared.infos)) return std::nullopt;
  return "updates of a bin do not wait for each other, or points are long";
}

void write_in_turn(BinCopies& copies, Code& code, const Otherwise& otherwise) {
  const SharedBins& shared = copies.shared;
  // Where the points cannot fail, it is known whether several copies help.
  const bool sampled = shared.wanted() == HistWay::kChosen &&
                       copies.kernel.facts.dims.size() == 1 && copies.kernel.facts.straight;
  const Operand may_pay = sampled ? turns_may_pay(shared, code, copies.chunks)
                                  : turns_pay_unseen(shared, code, copies.chunks);
  const Name in_turn = code.var(Prim::kBool, may_pay, "in_turn");
  if (sampled)
    code.branch(may_pay, [&](Code& inner) {
      const Operand equal = equal_pairs(copies.kernel, inner, shared.infos, shared.total);
      inner.add(Assign{in_turn, turns_pay(shared, inner, copies.chunks, equal)});
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

Operand copies_beat_atomics(const SharedBins& shared, Code& code) {
  // One thread with vectors is as fast as this many with atomic instructions.
  constexpr int64_t kThreadsPerVector = 8;
  const Operand small = code.less_i64(shared.total, const_i64(2 * shared.least_points()));
  Operand plain = code.either(code.less_i64(const_i64(1), shared.copies), small, "plain");
  if (std::ranges::all_of(shared.infos, [&](const SinkInfo& info) {
        return has_rows_of_bins(shared.kernel.facts, info);
      })) {
    plain = code.either(plain, code.less_i64(thread_count(code), const_i64(kThreadsPerVector)),
                        "plain");
  }
  return plain;
}

void write_copies(SharedBins& shared, Code& code, const Otherwise& otherwise) {
  const auto one_or_more = [&](Code& at) {
    BinCopies copies{shared.kernel, shared, at.max_i64(const_i64(1), shared.copies)};
    choose(std::span<const StrategyFor<BinCopies>>(kBinCopies), copies, at);
  };
  // Nothing else would be better.
  if (!shared.sortable && !shared.atomic && shared.infos.size() == 1) return one_or_more(code);
  if (shared.sortable) explain_hist(shared.kernel, why_copies_beat_sorting(shared));
  const Operand plain =
      shared.sortable ? copies_beat_sorting(shared, code) : copies_beat_atomics(shared, code);
  code.branch(plain, one_or_more, otherwise);
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
  SharedBins shared(kernel, code);
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
