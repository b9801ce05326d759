// SPDX-License-Identifier: Apache-2.0
// Which way histograms are made:
//
//   the bins fit the caches, points are many   chunks of points fill copies of their own, which are
//                                              combined bin by bin in order (hist/copies.cpp)
//   otherwise                                  points are sorted by ranges of bins that fit, and
//                                              each range is done in order (hist/sorted.cpp)
//   few points                                 all in order
//   what cannot be sorted                      atomic updates from all threads, if the operator is
//                                              exact; else in order
//
// Several histograms of one kernel are done together as long as all their bins fit; otherwise one
// after the other, each by its own choice, and what they share is computed again.
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// The model.  A task has at least this many cheap points.
constexpr int64_t kLeastPoints = 1 << 13;
// Bins of so many bytes are still in some cache of their thread, and one update costs less than
// moving its point twice.
constexpr int64_t kCachedBytes = 8 << 20;
// So many points, and bins are sorted into ranges.
constexpr int64_t kWorthSorting = 1 << 14;
// Each copy has so many points for each of its bins; with the second number of them, every thread
// has several copies.
constexpr int64_t kPointsPerCopy = 1, kPointsForMore = 64, kCopiesPerThread = 4;
// With fewer copies than threads, sorting keeps more of them busy; it costs this much more.
constexpr int64_t kThreadsPerCopy = 2;
// At most this many bytes of bins: a chunk has several copies, so that equal neighbouring keys do
// not wait for each other.
constexpr int64_t kTinyBytes = 16 << 10;
// The same if neighbours are known to be equal often: so many of those that are looked at.
constexpr int64_t kSmallBytes = 256 << 10;
constexpr int64_t kSampled = 64, kOften = 4;

// Does it round?  Comparing floats and choosing between them does not.
bool computes_floats(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool inside = false, floats = false;
    core::for_each_body(
        stmt.exp, [&](const core::Body& inner) { inside = inside || computes_floats(inner); });
    for (const core::Param& p : stmt.pat) floats = floats || is_float(p.type.elem);
    const bool chooses = core::as<core::If>(stmt.exp) != nullptr ||
                         core::as<core::Select>(stmt.exp) != nullptr ||
                         core::as<core::Value>(stmt.exp) != nullptr;
    if (inside || (floats && !chooses)) return true;
  }
  return false;
}

}  // namespace

bool KernelLowering::any_order(const std::vector<SinkInfo>& infos) const {
  return std::ranges::none_of(
      infos, [](const SinkInfo& info) { return computes_floats(info.sink->op[0].fn.body); });
}

namespace {

Operand largest_of(Code& code, const std::vector<Operand>& counts) {
  Operand most = counts[0];
  for (size_t k = 1; k < counts.size(); ++k) most = code.max_i64(most, counts[k]);
  return most;
}

}  // namespace

Operand KernelLowering::copy_count(Code& code, const std::vector<SinkInfo>& infos,
                                   const Operand& total, const std::vector<Operand>& bins) {
  const bool cheap = grain() > 0;
  const int64_t least = cheap ? kLeastPoints : least_chunk();
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
Operand KernelLowering::often_equal(Code& code, const std::vector<SinkInfo>& infos,
                                    const Operand& total) {
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kSampled), "step");
  code.short_loop(const_i64(0), const_i64(kSampled), [&](Code& at, const Operand& k) {
    const Operand i = at.mul_i64(k, step);
    const std::vector<Operand> one = fn_.apply(at, kernel_.pull, {i});
    const std::vector<Operand> other = fn_.apply(at, kernel_.pull, {at.add_i64(i, const_i64(1))});
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

void KernelLowering::hist_by_model(Code& code) {
  const std::vector<SinkInfo> infos = hists();
  const bool cheap = grain() > 0;
  const bool sortable =
      std::ranges::all_of(infos, [&](const SinkInfo& info) { return can_partition_bins(info); });
  const Operand total = point_count(code);
  // The bins of each, and the bytes of all.
  std::vector<Operand> bins;
  Operand bytes = const_i64(0);
  for (const SinkInfo& info : infos) {
    bins.push_back(bin_count(code, info));
    if (writes_again(infos, bins.size() - 1)) continue;
    bytes = code.add_i64(bytes, code.mul_i64(bins.back(), const_i64(bin_bytes(info))));
  }
  const Operand copies = copy_count(code, infos, total, bins);
  const auto logical = [](Code& at, BinOpKind op, const Operand& a, const Operand& b) {
    return at.let(Prim::kBool, core::BinOp{op, Prim::kBool, a, b}, "c");
  };
  const auto one_or_more = [&](Code& at) {
    const Operand chunks = at.max_i64(const_i64(1), copies);
    if (!can_use_hist_lanes(infos)) return hist_with_copies(at, chunks);
    // Where the points cannot fail, it is known whether several copies help.
    const bool sampled = dims_.size() == 1 && is_straight();
    const int64_t most = sampled ? kSmallBytes : kTinyBytes;
    const Operand enough = at.max_i64(const_i64(kLeastPoints),
                                      at.mul_i64(largest_of(at, bins), const_i64(kPointsForMore)));
    const Operand small_bins = logical(at, BinOpKind::kAnd, at.less_i64(bytes, const_i64(most + 1)),
                                       at.less_i64(enough, total));
    const Name in_turn = at.var(Prim::kBool, small_bins, "in_turn");
    if (sampled)
      at.branch(small_bins,
                [&](Code& inner) { inner.add(Assign{in_turn, often_equal(inner, infos, total)}); });
    at.branch(
        in_turn, [&](Code& inner) { hist_with_lanes(inner, chunks); },
        [&](Code& inner) { hist_with_copies(inner, chunks); });
  };
  const auto otherwise = [&](Code& at) {
    if (infos.size() > 1) return hist_one_by_one(at);
    sortable ? hist_partitioned(at, infos[0]) : hist_atomically(at);
  };
  const int64_t worth = cheap ? kWorthSorting : 2 * least_chunk();
  const Operand small = code.less_i64(total, const_i64(worth));
  if (sortable) {
    // Bins that fit a cache are worked on as they are, by as many threads as copies allow.
    const Operand cached = code.less_i64(bytes, const_i64(kCachedBytes + 1));
    Operand threads = const_i64(2);
    if (any_order(infos)) {
      threads = code.fresh("threads");
      code.add(Workers{std::get<Name>(threads)});
    }
    const Operand busy = code.less_i64(threads, code.mul_i64(copies, const_i64(kThreadsPerCopy)));
    Operand plain = logical(code, BinOpKind::kAnd, cached, busy);
    plain = logical(code, BinOpKind::kOr, plain, small);
    for (const Operand& count : bins)
      plain = logical(code, BinOpKind::kOr, plain, code.less_i64(const_i64(INT32_MAX), count));
    return code.branch(plain, one_or_more, otherwise);
  }
  if (infos.size() == 1 && !can_be_atomic()) return one_or_more(code);
  Operand plain = logical(code, BinOpKind::kOr, code.less_i64(const_i64(1), copies), small);
  if (std::ranges::all_of(infos, [&](const SinkInfo& info) { return has_rows_of_bins(info); })) {
    // One thread with vectors is as fast as this many with atomic instructions.
    constexpr int64_t kThreadsPerVector = 8;
    const Name threads = code.fresh("threads");
    code.add(Workers{threads});
    plain =
        logical(code, BinOpKind::kOr, plain, code.less_i64(threads, const_i64(kThreadsPerVector)));
  }
  code.branch(plain, one_or_more, otherwise);
}

void KernelLowering::hist_one_by_one(Code& code) {
  const std::vector<SinkInfo> all = sinks_;
  // What is no histogram goes with the first one.
  std::vector<SinkInfo> beside;
  for (const SinkInfo& info : all)
    if (info.sink->kind != Sink::kHist) beside.push_back(info);
  for (const SinkInfo& info : hists()) {
    sinks_ = std::exchange(beside, {});
    sinks_.push_back(info);
    hist_by_model(code);
    sinks_ = all;
  }
}

}  // namespace skald::imp
