// SPDX-License-Identifier: Apache-2.0
// Histograms on devices: every point updates its bin indivisibly.  An operator that is one hardware
// instruction is one; any other on a single scalar is compare-and-swap; operators on several values
// hold a lock that the bin shares with others.
//
// Histograms of few bins that many points go to, without locks: every group of threads has bins of
// its own in its memory, and adds them to the destinations at the end.
#include "core/ir/visit.h"
#include "core/tuning/tuning.h"
#include "imp/lower/gpu/group.h"
#include "imp/lower/gpu/kernel.h"
#include "imp/lower/gpu/launch.h"

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

void GpuKernel::make_locks(Code& code) {
  if (!locks_.empty()) return;
  for (const SinkInfo& info : kernel.facts.sinks) {
    locks_.emplace_back();
    if (info.sink->kind != Sink::kHist || !needs_lock(info.sink->op[0])) continue;
    if (device.group != nullptr) {
      lock_count_ = kGroupLocks;
      locks_.back() = group_slot(device, code, slots++);
      in_group(device, code, const_i64(kGroupLocks), [&](Code& at, const Operand& i) {
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

void GpuKernel::free_locks(Code& code) {
  if (device.group != nullptr) return;
  for (const Name locks : locks_)
    if (locks) code.add(Free{locks});
}

void GpuKernel::combine_into_bin(Code& code, size_t sink, const ArrayPlace& dest,
                                 const Operand& bin, const Operand& given) {
  const Operator& op = kernel.facts.sinks[sink].sink->op[0];
  const Prim type = dest.type.elem;
  if (const std::optional<BinOpKind> direct = atomic_operator(op))
    return code.add(Atomic{*direct, type, dest.loc.block, bin, given});
  const Name old = code.fresh("old");
  Code update(code.program());
  const std::vector<Operand> next = kernel.fn.apply(update, op.fn, {old, given});
  code.add(AtomicUpdate{type, dest.loc.block, bin, old, update.finish(), next[0]});
}

namespace {

// The bins of a group, and where its memory has them.
struct GroupBins {
  size_t sink;
  ArrayPlace own;
  Operand count, bytes;
};

// A launch whose groups have bins of their own.
class BinGroups {
 public:
  BinGroups(GpuKernel& kernel, Code& code) : gpu_(kernel), kernel_(kernel.kernel) {
    const std::vector<SinkInfo>& sinks = kernel_.facts.sinks;
    for (size_t k = 0; k < sinks.size(); ++k) {
      if (sinks[k].sink->kind != Sink::kHist) continue;
      const Prim type = kernel_.result_place(sinks[k].results).type.elem;
      GroupBins hist{k, {{core::Type::kArray, type}, {}}, const_i64(1), const_i64(0)};
      for (const Operand& dim : sinks[k].sink->shape) {
        hist.own.type.shape.push_back(kernel_.fn.value(dim));
        hist.count = code.mul_i64(hist.count, hist.own.type.shape.back());
      }
      hist.bytes = align(code, code.mul_i64(hist.count, const_i64(prim_size(type))));
      bins_ = hists_.empty() ? hist.count : code.add_i64(bins_, hist.count);
      bytes_ = hists_.empty() ? hist.bytes : code.add_i64(bytes_, hist.bytes);
      hists_.push_back(std::move(hist));
    }
    const auto quotient = [&](const Operand& x, const Operand& y) {
      return code.binop(BinOpKind::kQuot, x, y, "groups");
    };
    groups_ = code.min_i64(
        const_i64(kMostGroups),
        code.min_i64(quotient(gpu_.total, const_i64(kPointsForGroup)),
                     quotient(gpu_.total, code.mul_i64(code.max_i64(bins_, const_i64(1)),
                                                       const_i64(kPointsForBin)))));
  }

  // Do the bins fit, and are there enough points?
  Operand pays(Code& code) {
    const Name limit = code.fresh("local_memory");
    code.add(Tunable{limit, std::string(core::kLocalMemoryParam),
                     std::string(core::kLocalMemoryClass), const_i64(core::kLocalMemory)});
    const Operand fits = code.less_i64(code.add_i64(bytes_, const_i64(kReservedMemory)), limit);
    const Operand enough = code.less_i64(const_i64(kLeastGroups - 1), groups_);
    return code.both(fits, enough, "pays");
  }

  void write(Code& host) {
    Launch launch{host.fresh("group"),      host.fresh("thread"), groups_,
                  const_i64(kGroupThreads), const_i64(0),         {}};
    launch.shared = bytes_;
    {
      const InKernel inside(kernel_.fn);
      Code inner(host.program());
      start(inner, launch);
      all_points(inner, launch);
      add_up(inner, launch);
      launch.body = inner.finish();
    }
    add_launch(host, std::move(launch));
  }

 private:
  static Operand align(Code& code, const Operand& bytes) {
    // Even no bins at all are some memory.
    return code.max_i64(
        code.binop(BinOpKind::kAnd, code.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                   const_i64(-kSharedAlignment), "shared"),
        const_i64(kSharedAlignment));
  }
  Operand empty(const GroupBins& hist) const {
    return kernel_.fn.value(kernel_.facts.sinks[hist.sink].sink->op[0].neutral[0]);
  }
  // All bins, shared out among the threads.
  static void each_bin(Code& code, const Launch& launch, const GroupBins& hist,
                       const Code::LoopBody& body) {
    Code loop(code.program());
    const Name b = code.fresh("bin");
    body(loop, b);
    code.add(
        For{b, Prim::kI64, launch.thread, hist.count, const_i64(kGroupThreads), loop.finish()});
  }

  void start(Code& code, const Launch& launch) {
    for (GroupBins& hist : hists_) {
      // The size is no constant even if it is known: it may be larger than what compilers allow.
      const Operand room = code.let(Prim::kI64, core::Value{hist.bytes}, "room");
      hist.own.loc.block = code.alloc(Space::kShared, room, "bins");
      hist.own.loc.offset = const_i64(0);
    }
    for (const GroupBins& hist : hists_)
      each_bin(code, launch, hist, [&](Code& at, const Operand& b) {
        at.add(Store{hist.own.type.elem, hist.own.loc.block, b, empty(hist)});
      });
    code.add(Barrier{});
  }

  void all_points(Code& code, const Launch& launch) {
    const Operand first =
        code.add_i64(code.mul_i64(launch.group, const_i64(kGroupThreads)), launch.thread);
    const Operand step = code.mul_i64(groups_, const_i64(kGroupThreads));
    Code loop(code.program()), tried(code.program());
    const Name i = code.fresh("i");
    const GpuPoint at = gpu_.point_at(tried, i);
    gpu_.own_bins.assign(kernel_.facts.sinks.size(), nullptr);
    for (const GroupBins& hist : hists_) gpu_.own_bins[hist.sink] = &hist.own;
    gpu_.write_point(tried, at);
    gpu_.own_bins.clear();
    loop.add(Attempt{i, tried.finish()});
    code.add(For{i, Prim::kI64, first, gpu_.total, step, loop.finish()});
    code.add(Barrier{});
  }

  // The bins of the group join the destinations.
  void add_up(Code& code, const Launch& launch) {
    for (const GroupBins& hist : hists_)
      each_bin(code, launch, hist, [&](Code& bin, const Operand& b) {
        const Prim type = hist.own.type.elem;
        const Operand found = bin.load(type, hist.own.loc.block, b, "found");
        const Operand untouched = bin.let(
            Prim::kBool, core::CmpOp{CmpOpKind::kEq, type, found, empty(hist)}, "untouched");
        bin.branch(
            untouched, [](Code&) {},
            [&](Code& used) {
              const ArrayPlace dest = kernel_.result_place(kernel_.facts.sinks[hist.sink].results);
              const std::vector<Operand> place = unflatten(used, b, hist.own.type.shape);
              gpu_.combine_into_bin(used, hist.sink, dest, address(used, dest, place), found);
            });
      });
  }

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  std::vector<GroupBins> hists_;
  Operand bins_ = const_i64(0), bytes_ = const_i64(0), groups_ = const_i64(0);
};

}  // namespace

WhyNot why_no_group_bins(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.has(Sink::kHist)) return "it is no histogram";
  if (facts.is_seg) return "it runs over segments";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->late) return "what it counts is computed from what it scans";
    if (info.sink->kind == Sink::kHist && needs_lock(info.sink->op[0]))
      return "the operator needs locks";
    if (info.sink->kind != Sink::kHist && info.sink->kind != Sink::kOut &&
        info.sink->kind != Sink::kScatter)
      return "it does more than count and store";
  }
  return std::nullopt;
}

void write_group_bins(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  gpu.count_points(code);
  gpu.make_locks(code);
  BinGroups groups(gpu, code);
  code.branch(groups.pays(code), [&](Code& host) { groups.write(host); }, otherwise);
}

void GpuKernel::update_hist(Code& code, size_t sink, const std::vector<Operand>& values) {
  for (const SinkInfo& write : writes_of(kernel.facts.sinks[sink]))
    update_hist(code, sink, write, values);
}

void GpuKernel::update_hist(Code& code, size_t sink, const SinkInfo& info,
                            const std::vector<Operand>& values) {
  const Operator& op = info.sink->op[0];
  const size_t rank = info.sink->shape.size();
  const std::vector<Operand> all = kernel.sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.begin() + static_cast<ptrdiff_t>(rank));
  const std::vector<Operand> given(all.begin() + static_cast<ptrdiff_t>(rank), all.end());
  code.branch(kernel.in_bounds(code, at, info), [&](Code& inner) {
    const ArrayPlace* own = own_bins.empty() ? nullptr : own_bins[sink];
    const ArrayPlace dest = own != nullptr ? *own : kernel.result_place(info.results);
    const Operand bin = address(inner, dest, at);
    if (!locks_[sink]) return combine_into_bin(inner, sink, dest, bin, given[0]);
    const Operand lock = inner.binop(BinOpKind::kAnd, bin, const_i64(lock_count_ - 1), "lock");
    Code locked(inner.program());
    std::vector<Operand> args;
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      args.push_back(load(locked, kernel.result_place(info.results + k), at, "old"));
    args.insert(args.end(), given.begin(), given.end());
    const std::vector<Operand> next = kernel.fn.apply(locked, op.fn, args);
    for (size_t k = 0; k < info.sink->dests.size(); ++k)
      kernel.fn.store(locked, kernel.result_place(info.results + k), at, next[k]);
    inner.add(Locked{locks_[sink], lock, locked.finish()});
  });
}

}  // namespace skald::imp
