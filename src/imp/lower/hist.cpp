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
#include "core/rename.h"
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
// At most this many bytes of bins: a chunk has several copies, so that equal neighbouring keys do
// not wait for each other.
constexpr int64_t kTinyBytes = 16 << 10;

// How the results of an operator follow from a condition: it either keeps what is in the bin, or
// puts other values there.
struct Choice {
  Operand cond;
  bool keeps = false;  // … if the condition holds
  std::vector<Operand> others;
};

// Splits such an operator, applied, into the statements before the choice and the choice itself.
// `olds` are what is in the bin.  No choice: `body` is as before.
std::optional<Choice> take_choice(core::Body& body, const std::vector<Operand>& olds) {
  if (body.stmts.empty()) return std::nullopt;
  const core::Stmt& last = body.stmts.back();
  Choice choice;
  const auto decide = [&](const Operand& cond, const std::vector<Operand>& yes,
                          const std::vector<Operand>& no) {
    choice.cond = cond;
    choice.keeps = yes == olds;
    choice.others = choice.keeps ? no : yes;
    return choice.keeps || no == olds;
  };
  if (last.pat.size() != olds.size()) return std::nullopt;
  for (size_t k = 0; k < olds.size(); ++k)
    if (!(body.result[k] == Operand{last.pat[k].name})) return std::nullopt;
  if (const core::If* node = core::as<core::If>(last.exp)) {
    if (!node->then_body.stmts.empty() || !node->else_body.stmts.empty() ||
        !decide(node->cond, node->then_body.result, node->else_body.result))
      return std::nullopt;
  } else if (const core::Select* node = core::as<core::Select>(last.exp)) {
    if (!decide(node->cond, {node->then}, {node->otherwise})) return std::nullopt;
  } else {
    return std::nullopt;
  }
  body.stmts.pop_back();
  return choice;
}

// min and max of integers choose too.
std::optional<CmpOpKind> chooses(const core::Lambda& fn) {
  if (fn.params.size() != 2 || fn.body.stmts.size() != 1) return std::nullopt;
  const core::BinOp* node = core::as<core::BinOp>(fn.body.stmts[0].exp);
  if (node == nullptr || !is_int(node->type) || prim_size(node->type) < 4) return std::nullopt;
  const Operand a = fn.params[0].name, b = fn.params[1].name;
  if (!(fn.body.result[0] == Operand{fn.body.stmts[0].pat[0].name}) ||
      !((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a)))
    return std::nullopt;
  // Is the new value compared with the old one to be put there?
  if (node->op == BinOpKind::kMin) return CmpOpKind::kLt;
  if (node->op == BinOpKind::kMax) return CmpOpKind::kLe;
  return std::nullopt;
}

}  // namespace

// ---- one point

std::vector<Operand> KernelLowering::bin_of(const SinkInfo& info,
                                            const std::vector<Operand>& values) const {
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  return {first, first + static_cast<ptrdiff_t>(info.sink->shape.size())};
}

void KernelLowering::hist_update(Code& code, const SinkInfo& info,
                                 const std::vector<ArrayPlace>& dests,
                                 const std::vector<Operand>& values) {
  const std::vector<Operand> at = bin_of(info, values);
  const std::vector<Operand> all = sink_values(info, values);
  code.branch(in_bounds(code, at, info.sink->shape), [&](Code& inner) {
    update_bin(inner, info.sink->op[0], dests, at,
               {all.begin() + static_cast<ptrdiff_t>(at.size()), all.end()});
  });
}

void KernelLowering::update_bin(Code& code, const Operator& op,
                                const std::vector<ArrayPlace>& dests,
                                const std::vector<Operand>& at,
                                const std::vector<Operand>& values) {
  std::vector<Operand> olds;
  for (const ArrayPlace& dest : dests) olds.push_back(fn_.load(code, dest, at, "old"));
  const auto store = [&](Code& inner, const std::vector<Operand>& next) {
    for (size_t k = 0; k < dests.size(); ++k) fn_.store(inner, dests[k], at, next[k]);
  };
  // A bin that stays as it is need not be written: the branch is foreseen more often than not, and
  // the next point of the bin does not wait for the store.
  if (const std::optional<CmpOpKind> cmp = chooses(op.fn)) {
    const bool less = *cmp == CmpOpKind::kLt;
    const Operand better =
        code.let(Prim::kBool,
                 core::CmpOp{CmpOpKind::kLt, op.fn.params[0].type.elem, less ? values[0] : olds[0],
                             less ? olds[0] : values[0]},
                 "better");
    return code.branch(better, [&](Code& inner) { store(inner, values); });
  }
  core::Substitution subst;
  for (size_t k = 0; k < dests.size(); ++k) {
    subst.emplace(op.fn.params[k].name, olds[k]);
    subst.emplace(op.fn.params[dests.size() + k].name, values[k]);
  }
  core::Body body = core::copy_with_fresh_names(op.fn.body, fn_.prog_.names, std::move(subst));
  fn_.flows_.add(body);
  const std::optional<Choice> choice = take_choice(body, olds);
  fn_.body(code, body);
  const auto value_all = [&](const std::vector<Operand>& list) {
    std::vector<Operand> result;
    for (const Operand& o : list) result.push_back(fn_.value(o));
    return result;
  };
  if (!choice) return store(code, value_all(body.result));
  const auto nothing = [](Code&) {};
  const auto replace = [&](Code& inner) { store(inner, value_all(choice->others)); };
  if (choice->keeps)
    code.branch(fn_.value(choice->cond), nothing, replace);
  else
    code.branch(fn_.value(choice->cond), replace);
}

void KernelLowering::hist_in_order(Code& code, const Operand& begin, const Operand& end) {
  points(code, begin, end,
         [&](Code& inner, const std::vector<Operand>&, const std::vector<Operand>& values) {
           for (const SinkInfo& info : sinks_) {
             std::vector<ArrayPlace> dests;
             for (size_t k = 0; k < info.sink->dests.size(); ++k)
               dests.push_back(result_place(info.results + k));
             hist_update(inner, info, dests, values);
           }
         });
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
  code.branch(in_bounds(code, at, info.sink->shape), [&](Code& inside) {
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
  if (dims_.size() < 2) return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kHist) continue;
    for (size_t k = 0; k + 1 < dims_.size(); ++k)
      if (k >= info.sink->shape.size() ||
          !(kernel_.pull.body.result[info.values + k] == Operand{kernel_.pull.params[k].name}))
        return false;
  }
  return true;
}

void KernelLowering::hist(Code& code) {
  if (!has_own_bins()) return hist_by_model(code);
  // Enough rows: each in order, without copies.
  const Operand rows = segment_count(code);
  const auto few_rows = [&](Code& few) { hist_by_model(few); };
  code.branch(code.less_i64(rows, const_i64(kFewSegments)), few_rows, [&](Code& many) {
    many.parallel_for(rows, segment_grain(many, dims_.back()), [&](Code& at, const Operand& row) {
      const Operand begin = at.mul_i64(row, dims_.back());
      hist_in_order(at, begin, at.add_i64(begin, dims_.back()));
    });
  });
}

void KernelLowering::hist_by_model(Code& code) {
  const SinkInfo& info = sinks_[0];
  const bool cheap = grain() > 0;
  const bool sortable = can_partition_bins(info);
  const Operand total = point_count(code), bins = bin_count(code, info);
  const int64_t bytes = bin_bytes(info);
  // More copies keep more threads busy; making and combining them must cost little beside the
  // points.
  const Operand per_bin =
      code.binop(BinOpKind::kQuot, total, code.max_i64(bins, const_i64(1)), "per_bin");
  Operand copies = const_i64(2);
  for (const auto& [points, count] : {std::pair{16, 4}, {64, 8}, {128, 16}, {256, 32}})
    copies =
        code.let(Prim::kI64,
                 core::Select{code.less_i64(per_bin, const_i64(points)), copies, const_i64(count)},
                 "copies");
  const int64_t least = cheap ? kLeastPoints : least_chunk();
  const Operand tasks = code.binop(BinOpKind::kQuot, total, const_i64(least), "tasks");
  copies = code.min_i64(copies, tasks);
  const auto both = [&](const Operand& a, const Operand& b) {
    return code.let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, a, b}, "both");
  };
  Operand copied = both(code.less_i64(const_i64(1), per_bin), code.less_i64(const_i64(1), copies));
  // What cannot be sorted is copied even if it fits no cache.
  if (sortable) copied = both(copied, code.less_i64(bins, const_i64(kCachedBytes / bytes + 1)));
  const auto one_or_more = [&](Code& at) {
    const Operand chunks = at.let(Prim::kI64, core::Select{copied, copies, const_i64(1)}, "chunks");
    if (!can_use_hist_lanes()) return hist_with_copies(at, info, chunks);
    Operand tiny = at.less_i64(bins, const_i64(kTinyBytes / bytes + 1));
    tiny = at.let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, copied, tiny}, "tiny");
    at.branch(
        tiny, [&](Code& inner) { hist_with_lanes(inner, info, copies); },
        [&](Code& inner) { hist_with_copies(inner, info, chunks); });
  };
  const int64_t worth = cheap ? kWorthSorting : 2 * least;
  if (sortable) {
    const Operand small = code.less_i64(total, const_i64(worth));
    const Operand huge = code.less_i64(const_i64(INT32_MAX), bins);
    Operand plain =
        code.let(Prim::kBool, core::BinOp{BinOpKind::kOr, Prim::kBool, small, huge}, "plain");
    plain = code.let(Prim::kBool, core::BinOp{BinOpKind::kOr, Prim::kBool, plain, copied}, "plain");
    return code.branch(plain, one_or_more, [&](Code& at) { hist_partitioned(at, info); });
  }
  if (!can_be_atomic()) return one_or_more(code);
  const Operand many = code.less_i64(const_i64(worth), total);
  code.branch(copied, one_or_more, [&](Code& at) {
    at.branch(
        many, [&](Code& inner) { hist_atomically(inner); },
        [&](Code& inner) { hist_in_order(inner, const_i64(0), total); });
  });
}

}  // namespace skald::imp
