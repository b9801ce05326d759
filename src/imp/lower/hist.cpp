// SPDX-License-Identifier: Apache-2.0
// Histograms: which way is taken, and what one point does to its bin.
//
//   the bins fit the caches, points are many   chunks of points fill copies of their own, which are
//                                              combined bin by bin in order (hist_copies.cpp)
//   otherwise                                  points are sorted by ranges of bins that fit, and
//                                              each range is done in order (hist_partition.cpp)
//   few points                                 all in order
//   what cannot be sorted                      atomic updates from all threads, if the operator is
//                                              exact; else in order
//
// All give the same result in every run, with any number of threads: docs/histograms.md.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
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
// Bins that are filled in the time of one point.
constexpr int64_t kFilledPerPoint = 16;

}  // namespace

void KernelLowering::hist_in_order(Code& code, const Operand& begin, const Operand& end) {
  const bool in_lanes =
      std::ranges::all_of(sinks_, [&](const SinkInfo& info) { return has_rows_of_bins(info); });
  const PointBody update = [&](Code& inner, const std::vector<Operand>&,
                               const std::vector<Operand>& values) {
    for (const SinkInfo& info : sinks_) {
      std::vector<ArrayPlace> dests;
      for (size_t k = 0; k < info.sink->dests.size(); ++k)
        dests.push_back(result_place(info.results + k));
      hist_update(inner, info, dests, values);
    }
  };
  if (in_lanes)
    points(code, begin, end, update, LoopHint::kSimd);
  else
    hist_points(code, begin, end, 1, [&](int64_t) { return update; });
}

// ---- atomics

// The operator that an atomic instruction can do, exactly and in any order.
std::optional<BinOpKind> KernelLowering::exact_operator(const Sink& sink) const {
  const core::Lambda& fn = sink.op[0].fn;
  if (sink.dests.size() != 1 || fn.params.size() != 2 || fn.body.stmts.size() != 1)
    return std::nullopt;
  const core::Stmt& only = fn.body.stmts[0];
  const core::BinOp* node = core::as<core::BinOp>(only.exp);
  if (node == nullptr || !is_int(node->type) || !(fn.body.result[0] == Operand{only.pat[0].name}))
    return std::nullopt;
  const Operand left = fn.params[0].name, right = fn.params[1].name;
  if (!(node->lhs == left && node->rhs == right) && !(node->lhs == right && node->rhs == left))
    return std::nullopt;
  switch (node->op) {
    case BinOpKind::kAdd:
    case BinOpKind::kMul:
    case BinOpKind::kMin:
    case BinOpKind::kMax:
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor: return node->op;
    default: return std::nullopt;
  }
}

bool KernelLowering::can_be_atomic() const {
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kHist && !exact_operator(*info.sink)) return false;
  return true;
}

void KernelLowering::hist_atomic_update(Code& code, const SinkInfo& info,
                                        const std::vector<Operand>& values) {
  const std::vector<Operand> all = sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.end() - 1);
  code.branch(in_bounds(code, at, info), [&](Code& inside) {
    const ArrayPlace& dest = result_place(info.results);
    inside.add(Atomic{*exact_operator(*info.sink), dest.type.elem, dest.loc.block,
                      fn_.address(inside, dest, at), all.back()});
  });
}

void KernelLowering::hist_atomically(Code& code) {
  code.parallel_range(
      point_count(code), const_i64(grain()),
      [&](Code& piece, const Operand& begin, const Operand& end) {
        points(piece, begin, end,
               [&](Code& inner, const std::vector<Operand>&, const std::vector<Operand>& values) {
                 hist_atomic_update(inner, sinks_[0], values);
               });
      });
}

// ---- the choice

Operand KernelLowering::point_count(Code& code) {
  if (kernel_.domain.kind == core::Domain::kSeg) return dims_[1];
  Operand total = const_i64(1);
  for (const Operand& dim : dims_) total = code.mul_i64(total, dim);
  return total;
}

Operand KernelLowering::bin_count(Code& code, const SinkInfo& info) {
  Operand bins = const_i64(1);
  for (const Operand& dim : info.sink->shape) bins = code.mul_i64(bins, fn_.value(dim));
  return bins;
}

int64_t KernelLowering::bin_bytes(const SinkInfo& info) const {
  int64_t bytes = 0;
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    bytes += prim_size(result_place(info.results + k).type.elem);
  return bytes;
}

bool KernelLowering::has_dense_bins(const SinkInfo& info) const {
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    if (!result_place(info.results + k).loc.strides.empty()) return false;
  return true;
}

// Does every outer index have bins of its own?
bool KernelLowering::has_own_bins() const {
  if (dims_.size() < 2 || kernel_.domain.kind == core::Domain::kSeg) return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kHist) continue;
    for (size_t k = 0; k + 1 < dims_.size(); ++k)
      if (k >= info.sink->shape.size() ||
          !(kernel_.pull.body.result[info.values + k] == Operand{kernel_.pull.params[k].name}))
        return false;
  }
  return true;
}

bool KernelLowering::has_own_rows(Name dest) const {
  if (kernel_.domain.kind == core::Domain::kSeg || sinks_.size() != 1 || is_mixed() ||
      !has(Sink::kHist) || !has_own_bins())
    return false;
  const Sink& sink = *sinks_[0].sink;
  for (size_t k = 0; k + 1 < dims_.size(); ++k)
    if (!(fn_.value(sink.shape[k]) == dims_[k])) return false;
  return std::ranges::find(sink.dests, dest) != sink.dests.end();
}

bool FunctionLowering::can_fill_later(const core::Stmt& fill, const core::Stmt& hist) {
  const auto* made = core::as<core::Replicate>(fill.exp);
  const auto* kernel = core::as<core::Kernel>(hist.exp);
  if (made == nullptr || kernel == nullptr || target_ != Target::kCpu || parallel_depth_ > 0 ||
      fill.pat[0].type.shape.size() != made->shape.size() || !fill.pat[0].mem[0].strides.empty())
    return false;
  return KernelLowering(*this, hist, *kernel).has_own_rows(fill.pat[0].name);
}

void KernelLowering::fill_bins(Code& code, const core::Stmt* fill) {
  if (fill == nullptr) return;
  --fn_.parallel_depth_;
  fn_.array_stmt(code, *fill);
  ++fn_.parallel_depth_;
}

void KernelLowering::fill_row(Code& code, const core::Stmt& fill, const Operand& row,
                              const Operand& bins) {
  const ArrayPlace& dest = fn_.place(fill.pat[0].name);
  code.add(Fill{dest.type.elem, dest.loc.block,
                code.add_i64(dest.loc.offset, code.mul_i64(row, bins)), bins,
                fn_.value(core::as<core::Replicate>(fill.exp)->value)});
}

void KernelLowering::hist(Code& code) {
  if (!has_own_bins()) return hist_by_model(code);
  const core::Stmt* fill = std::exchange(fn_.late_fill_, nullptr);
  // Enough rows: each in order, without copies.
  const Operand rows = segment_count(code);
  const auto few_rows = [&](Code& few) {
    fill_bins(few, fill);
    hist_by_model(few);
  };
  code.branch(code.less_i64(rows, const_i64(kFewSegments)), few_rows, [&](Code& many) {
    // What one row costs, in points.
    Operand bins = const_i64(1), work = dims_.back();
    if (fill != nullptr) {
      const std::vector<Operand>& shape = fn_.place(fill->pat[0].name).type.shape;
      for (size_t k = dims_.size() - 1; k < shape.size(); ++k)
        bins = many.mul_i64(bins, fn_.value(shape[k]));
      work = many.add_i64(work,
                          many.binop(BinOpKind::kQuot, bins, const_i64(kFilledPerPoint), "filled"));
    }
    many.parallel_for(rows, segment_grain(many, work), [&](Code& at, const Operand& row) {
      if (fill != nullptr) fill_row(at, *fill, row, bins);
      const Operand begin = at.mul_i64(row, dims_.back());
      hist_in_order(at, begin, at.add_i64(begin, dims_.back()));
    });
  });
}

namespace {

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

bool KernelLowering::any_order(const SinkInfo& info) const {
  return !computes_floats(info.sink->op[0].fn.body);
}

Operand KernelLowering::copy_count(Code& code, const SinkInfo& info, const Operand& total,
                                   const Operand& bins) {
  const bool cheap = grain() > 0;
  const int64_t least = cheap ? kLeastPoints : least_chunk();
  const Operand per_bin =
      code.binop(BinOpKind::kQuot, total, code.max_i64(bins, const_i64(1)), "per_bin");
  const auto select = [&](const Operand& cond, const Operand& yes, const Operand& no) {
    return code.let(Prim::kI64, core::Select{cond, yes, no}, "copies");
  };
  // Making and combining copies must cost little beside the points.
  Operand copies;
  if (any_order(info)) {
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
Operand KernelLowering::often_equal(Code& code, const SinkInfo& info, const Operand& total) {
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kSampled), "step");
  code.short_loop(const_i64(0), const_i64(kSampled), [&](Code& at, const Operand& k) {
    const Operand i = at.mul_i64(k, step);
    const std::vector<Operand> one = fn_.apply(at, kernel_.pull, {i});
    const std::vector<Operand> other = fn_.apply(at, kernel_.pull, {at.add_i64(i, const_i64(1))});
    const std::vector<Operand> a = bin_of(info, one), b = bin_of(info, other);
    Operand same = core::const_bool(true);
    for (size_t d = 0; d < a.size(); ++d) {
      const Operand here =
          at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a[d], b[d]}, "same");
      same = d == 0 ? here : at.both(same, here, "same");
    }
    const Operand more = at.let(Prim::kI64, core::Select{same, const_i64(1), const_i64(0)}, "more");
    at.add(Assign{equal, at.add_i64(equal, more)});
  });
  return code.less_i64(const_i64(kOften - 1), equal);
}

void KernelLowering::hist_by_model(Code& code) {
  const SinkInfo& info = sinks_[0];
  const bool cheap = grain() > 0, sortable = can_partition_bins(info);
  const Operand total = point_count(code), bins = bin_count(code, info);
  const int64_t bytes = bin_bytes(info);
  const Operand copies = copy_count(code, info, total, bins);
  const auto logical = [](Code& at, BinOpKind op, const Operand& a, const Operand& b) {
    return at.let(Prim::kBool, core::BinOp{op, Prim::kBool, a, b}, "c");
  };
  const auto one_or_more = [&](Code& at) {
    const Operand chunks = at.max_i64(const_i64(1), copies);
    if (!can_use_hist_lanes(info)) return hist_with_copies(at, info, chunks);
    // Where the points cannot fail, it is known whether several copies help.
    const bool sampled = dims_.size() == 1 && is_straight();
    const int64_t most = sampled ? kSmallBytes : kTinyBytes;
    const Operand enough =
        at.max_i64(const_i64(kLeastPoints), at.mul_i64(bins, const_i64(kPointsForMore)));
    const Operand small_bins =
        logical(at, BinOpKind::kAnd, at.less_i64(bins, const_i64(most / bytes + 1)),
                at.less_i64(enough, total));
    const Name in_turn = at.var(Prim::kBool, small_bins, "in_turn");
    if (sampled)
      at.branch(small_bins,
                [&](Code& inner) { inner.add(Assign{in_turn, often_equal(inner, info, total)}); });
    at.branch(
        in_turn, [&](Code& inner) { hist_with_lanes(inner, info, chunks); },
        [&](Code& inner) { hist_with_copies(inner, info, chunks); });
  };
  const int64_t worth = cheap ? kWorthSorting : 2 * least_chunk();
  const Operand small = code.less_i64(total, const_i64(worth));
  if (sortable) {
    // Bins that fit a cache are worked on as they are, by as many threads as copies allow.
    const Operand cached = code.less_i64(bins, const_i64(kCachedBytes / bytes + 1));
    Operand threads = const_i64(2);
    if (any_order(info)) {
      threads = code.fresh("threads");
      code.add(Workers{std::get<Name>(threads)});
    }
    const Operand busy = code.less_i64(threads, code.mul_i64(copies, const_i64(kThreadsPerCopy)));
    Operand plain = logical(code, BinOpKind::kAnd, cached, busy);
    plain = logical(code, BinOpKind::kOr, plain, small);
    plain = logical(code, BinOpKind::kOr, plain, code.less_i64(const_i64(INT32_MAX), bins));
    return code.branch(plain, one_or_more, [&](Code& at) { hist_partitioned(at, info); });
  }
  if (!can_be_atomic()) return one_or_more(code);
  Operand plain = logical(code, BinOpKind::kOr, code.less_i64(const_i64(1), copies), small);
  if (has_rows_of_bins(info)) {
    // One thread with vectors is as fast as this many with atomic instructions.
    constexpr int64_t kThreadsPerVector = 8;
    const Name threads = code.fresh("threads");
    code.add(Workers{threads});
    plain =
        logical(code, BinOpKind::kOr, plain, code.less_i64(threads, const_i64(kThreadsPerVector)));
  }
  code.branch(plain, one_or_more, [&](Code& at) { hist_atomically(at); });
}

}  // namespace skald::imp
