// SPDX-License-Identifier: Apache-2.0
// Histograms: rows with bins of their own, points in order, atomic updates.  A kernel may have
// several, and outputs and scatters beside them: each point is computed once.  How all threads work
// on one is chosen in hist/model.cpp.
//
// All give the same result in every run, with any number of threads: docs/histograms.md.
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bins that are filled in the time of one point.
constexpr int64_t kFilledPerPoint = 16;

}  // namespace

std::vector<KernelLowering::SinkInfo> KernelLowering::writes_of(const SinkInfo& info) {
  std::vector<SinkInfo> found;
  for (size_t k = 0; k < info.writes; ++k)
    found.push_back({info.sink, info.values + k * core::values_of_write(*info.sink), info.results});
  return found;
}

std::vector<KernelLowering::SinkInfo> KernelLowering::hists() const {
  std::vector<SinkInfo> found;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kHist)
      for (const SinkInfo& write : writes_of(info)) found.push_back(write);
  return found;
}

void KernelLowering::hist_in_order(Code& code, const Operand& begin, const Operand& end) {
  std::vector<BinsOfSink> bins;
  bool in_lanes = true;
  for (const SinkInfo& info : hists()) {
    bins.push_back({info, {}});
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      bins.back().dests.push_back(result_place(info.results + k));
    in_lanes = in_lanes && has_rows_of_bins(info);
  }
  update_points(code, begin, end, bins, in_lanes ? Order::kAcross : Order::kOneByOne);
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
  code.parallel_range(point_count(code), const_i64(grain()),
                      [&](Code& piece, const Operand& begin, const Operand& end) {
                        points(piece, begin, end,
                               [&](Code& inner, const std::vector<Operand>& indices,
                                   const std::vector<Operand>& values) {
                                 direct_sinks(inner, indices, values);
                                 for (const SinkInfo& info : hists())
                                   hist_atomic_update(inner, info, values);
                               });
                      });
}

// ---- points and bins

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
  for (const SinkInfo& info : hists()) {
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

}  // namespace skald::imp
