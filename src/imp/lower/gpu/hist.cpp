// SPDX-License-Identifier: Apache-2.0
// Histograms on devices: every point updates its bin indivisibly.  An operator that is one hardware
// instruction is one; any other on a single scalar is compare-and-swap; operators on several values
// hold a lock that the bin shares with others.
//
// Histograms of few bins that many points go to, without locks: every group of threads has bins of
// its own in its memory, and adds them to the destinations at the end.
#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "imp/lower/gpu/gpu.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

constexpr int64_t kLocks = 4096;
// Groups with bins of their own: that many at most, with so many points each at least, and so many
// points for each bin.  Below the smallest number of groups the device would be idle.
constexpr int64_t kMostGroups = 1024;
constexpr int64_t kLeastGroups = 64;
constexpr int64_t kPointsForGroup = 4096;
constexpr int64_t kPointsForBin = 2;
constexpr int64_t kReservedMemory = 1 << 10;
// The smallest group has room for so many in a slot.
constexpr int64_t kGroupLocks = 64;

// \a b -> a op b, where the device has an instruction for it.
std::optional<BinOpKind> atomic_operator(const Operator& op) {
  if (op.neutral.size() != 1 || op.fn.body.stmts.size() != 1) return std::nullopt;
  const core::Stmt& stmt = op.fn.body.stmts[0];
  const core::BinOp* node = core::as<core::BinOp>(stmt.exp);
  if (node == nullptr || !(op.fn.body.result[0] == Operand{stmt.pat[0].name})) return std::nullopt;
  const Operand a = op.fn.params[0].name, b = op.fn.params[1].name;
  if (!((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a)))
    return std::nullopt;
  using enum BinOpKind;
  const bool known = node->op == kAdd || node->op == kMin || node->op == kMax || node->op == kAnd ||
                     node->op == kOr || node->op == kXor;
  return known && is_int(node->type) && prim_size(node->type) >= 4 ? std::optional(node->op)
                                                                   : std::nullopt;
}

// Code that may run several times and cannot fail.
bool is_pure(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool pure = core::as<core::Assert>(stmt.exp) == nullptr &&
                core::as<core::Call>(stmt.exp) == nullptr &&
                core::as<core::Alloc>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { pure = pure && is_pure(inner); });
    if (!pure) return false;
  }
  return true;
}

bool needs_lock(const Operator& op) {
  return op.neutral.size() != 1 || (!atomic_operator(op) && !is_pure(op.fn.body));
}

}  // namespace

void GpuKernelLowering::make_locks(Code& code) {
  for (const SinkInfo& info : sinks_) {
    locks_.emplace_back();
    if (info.sink->kind != Sink::kHist || !needs_lock(info.sink->op[0])) continue;
    if (fn_.group_ != nullptr) {
      lock_count_ = kGroupLocks;
      locks_.back() = fn_.group_slot(code, slots_++);
      fn_.in_group(code, const_i64(kGroupLocks), [&](Code& at, const Operand& i) {
        at.add(Store{Prim::kI32, locks_.back(), i, core::const_int(Prim::kI32, 0)});
      });
      continue;
    }
    lock_count_ = kLocks;
    locks_.back() = code.alloc(Space::kDevice, const_i64(kLocks * 4), "locks");
    code.add(Fill{Prim::kI32, locks_.back(), const_i64(0), const_i64(kLocks),
                  core::const_int(Prim::kI32, 0)});
  }
}

void GpuKernelLowering::free_locks(Code& code) {
  if (fn_.group_ != nullptr) return;
  for (const Name locks : locks_)
    if (locks) code.add(Free{locks});
}

// dest[bin] = op(dest[bin], given), indivisibly and without a lock.
void GpuKernelLowering::combine_into_bin(Code& code, size_t sink, const ArrayPlace& dest,
                                         const Operand& bin, const Operand& given) {
  const Operator& op = sinks_[sink].sink->op[0];
  const Prim type = dest.type.elem;
  if (const std::optional<BinOpKind> direct = atomic_operator(op))
    return code.add(Atomic{*direct, type, dest.loc.block, bin, given});
  const Name old = code.fresh("old");
  Code update(code.program());
  const std::vector<Operand> next = fn_.apply(update, op.fn, {old, given});
  code.add(AtomicUpdate{type, dest.loc.block, bin, old, update.finish(), next[0]});
}

// Histograms without locks, beside whatever is stored point by point.
bool GpuKernelLowering::can_hist_in_groups() const {
  bool any = false;
  for (size_t k = 0; k < sinks_.size(); ++k) {
    const Sink& sink = *sinks_[k].sink;
    if (sink.late || locks_[k]) return false;
    if (sink.kind != Sink::kHist && sink.kind != Sink::kOut && sink.kind != Sink::kScatter)
      return false;
    any = any || sink.kind == Sink::kHist;
  }
  return any && !is_seg();
}

void GpuKernelLowering::hist_in_groups(Code& code) {
  // By sink: the bins of a group, and where its memory has them.
  struct Bins {
    size_t sink;
    ArrayPlace own;
    Operand count, bytes;
  };
  const auto align = [&](const Operand& bytes) {
    // Even no bins at all are some memory.
    return code.max_i64(
        code.binop(BinOpKind::kAnd, code.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                   const_i64(-kSharedAlignment), "shared"),
        const_i64(kSharedAlignment));
  };
  std::vector<Bins> hists;
  Operand bins = const_i64(0), bytes = const_i64(0);
  for (size_t k = 0; k < sinks_.size(); ++k) {
    if (sinks_[k].sink->kind != Sink::kHist) continue;
    const Prim type = result_place(sinks_[k].results).type.elem;
    Bins hist{k, {{core::Type::kArray, type}, {}}, const_i64(1), const_i64(0)};
    for (const Operand& dim : sinks_[k].sink->shape) {
      hist.own.type.shape.push_back(fn_.value(dim));
      hist.count = code.mul_i64(hist.count, hist.own.type.shape.back());
    }
    hist.bytes = align(code.mul_i64(hist.count, const_i64(prim_size(type))));
    bins = hists.empty() ? hist.count : code.add_i64(bins, hist.count);
    bytes = hists.empty() ? hist.bytes : code.add_i64(bytes, hist.bytes);
    hists.push_back(std::move(hist));
  }
  const auto quotient = [&](const Operand& a, const Operand& b) {
    return code.binop(BinOpKind::kQuot, a, b, "groups");
  };
  const Operand groups =
      code.min_i64(const_i64(kMostGroups),
                   code.min_i64(quotient(total_, const_i64(kPointsForGroup)),
                                quotient(total_, code.mul_i64(code.max_i64(bins, const_i64(1)),
                                                              const_i64(kPointsForBin)))));
  const Name limit = code.fresh("local_memory");
  code.add(Tunable{limit, std::string(core::kLocalMemoryParam),
                   std::string(core::kLocalMemoryClass), const_i64(core::kLocalMemory)});
  const Operand fits = code.less_i64(code.add_i64(bytes, const_i64(kReservedMemory)), limit);
  const Operand enough = code.less_i64(const_i64(kLeastGroups - 1), groups);
  const Operand pays = code.both(fits, enough, "pays");
  const auto in_groups = [&](Code& host) {
    Launch launch{host.fresh("group"),      host.fresh("thread"), groups,
                  const_i64(kGroupThreads), const_i64(0),         {}};
    launch.shared = bytes;
    ++fn_.parallel_depth_;
    Code inner(host.program());
    for (Bins& hist : hists) {
      // The size is no constant even if it is known: it may be larger than what compilers allow.
      const Operand room = inner.let(Prim::kI64, core::Value{hist.bytes}, "room");
      hist.own.loc.block = inner.alloc(Space::kShared, room, "bins");
      hist.own.loc.offset = const_i64(0);
    }
    const auto each_bin = [&](const Bins& hist, const Code::LoopBody& body) {
      Code loop(host.program());
      const Name b = host.fresh("bin");
      body(loop, b);
      inner.add(
          For{b, Prim::kI64, launch.thread, hist.count, const_i64(kGroupThreads), loop.finish()});
    };
    const auto empty = [&](const Bins& hist) {
      return fn_.value(sinks_[hist.sink].sink->op[0].neutral[0]);
    };
    for (const Bins& hist : hists)
      each_bin(hist, [&](Code& at, const Operand& b) {
        at.add(Store{hist.own.type.elem, hist.own.loc.block, b, empty(hist)});
      });
    inner.add(Barrier{});
    const Operand first =
        inner.add_i64(inner.mul_i64(launch.group, const_i64(kGroupThreads)), launch.thread);
    const Operand step = inner.mul_i64(groups, const_i64(kGroupThreads));
    Code loop(host.program()), tried(host.program());
    const Name i = host.fresh("i");
    const Point at = point_at(tried, i);
    own_bins_.assign(sinks_.size(), nullptr);
    for (const Bins& hist : hists) own_bins_[hist.sink] = &hist.own;
    point(tried, at.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            direct(here, at, values);
          });
    own_bins_.clear();
    loop.add(Attempt{i, tried.finish()});
    inner.add(For{i, Prim::kI64, first, total_, step, loop.finish()});
    inner.add(Barrier{});
    for (const Bins& hist : hists)
      each_bin(hist, [&](Code& bin, const Operand& b) {
        const Prim type = hist.own.type.elem;
        const Operand found = bin.load(type, hist.own.loc.block, b, "found");
        const Operand untouched = bin.let(
            Prim::kBool, core::CmpOp{CmpOpKind::kEq, type, found, empty(hist)}, "untouched");
        bin.branch(
            untouched, [](Code&) {},
            [&](Code& used) {
              const ArrayPlace dest = result_place(sinks_[hist.sink].results);
              const std::vector<Operand> place = unflatten(used, b, hist.own.type.shape);
              combine_into_bin(used, hist.sink, dest, fn_.address(used, dest, place), found);
            });
      });
    --fn_.parallel_depth_;
    launch.body = inner.finish();
    fn_.add_launch(host, std::move(launch));
  };
  code.branch(pays, in_groups, [&](Code& host) { map_points(host); });
}

void GpuKernelLowering::update_hist(Code& code, size_t sink, const std::vector<Operand>& values) {
  for (const SinkInfo& write : writes_of(sinks_[sink])) update_hist(code, sink, write, values);
}

void GpuKernelLowering::update_hist(Code& code, size_t sink, const SinkInfo& info,
                                    const std::vector<Operand>& values) {
  const Operator& op = info.sink->op[0];
  const size_t rank = info.sink->shape.size();
  const std::vector<Operand> all = sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.begin() + static_cast<ptrdiff_t>(rank));
  const std::vector<Operand> given(all.begin() + static_cast<ptrdiff_t>(rank), all.end());
  code.branch(in_bounds(code, at, info), [&](Code& inner) {
    const ArrayPlace* own = own_bins_.empty() ? nullptr : own_bins_[sink];
    const ArrayPlace dest = own != nullptr ? *own : result_place(info.results);
    const Operand bin = fn_.address(inner, dest, at);
    if (!locks_[sink]) return combine_into_bin(inner, sink, dest, bin, given[0]);
    const Operand lock = inner.binop(BinOpKind::kAnd, bin, const_i64(lock_count_ - 1), "lock");
    Code locked(inner.program());
    std::vector<Operand> args;
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      args.push_back(fn_.load(locked, result_place(info.results + k), at, "old"));
    args.insert(args.end(), given.begin(), given.end());
    const std::vector<Operand> next = fn_.apply(locked, op.fn, args);
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      fn_.store(locked, result_place(info.results + k), at, next[k]);
    inner.add(Locked{locks_[sink], lock, locked.finish()});
  });
}

}  // namespace skald::imp
