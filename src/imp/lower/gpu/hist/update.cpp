// SPDX-License-Identifier: Apache-2.0
// What one point does to the bins of a histogram: an operator that is one hardware instruction is
// one; any other on a single scalar is compare-and-swap; operators on several arrays hold a lock
// that the bin shares with others.
#include "imp/lower/gpu/group.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/hot_bins.h"
#include "imp/lower/gpu/hist/own_bins.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

constexpr int64_t kLocks = 1 << 16;
// The smallest group has room for so many in a slot.
constexpr int64_t kGroupLocks = 64;

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

int64_t GpuKernel::lock_bytes() const {
  int64_t bytes = 0;
  for (const SinkInfo& info : kernel.facts.sinks_of(Sink::kHist))
    if (needs_lock(info.sink->op[0])) bytes += kLocks * int64_t{prim_size(Prim::kI32)};
  return bytes;
}

void GpuKernel::free_locks(Code& code) {
  if (device.group != nullptr) return;
  for (const Name locks : locks_)
    if (locks) code.add(Free{locks});
  locks_.clear();
}

void GpuKernel::update_hist(Code& code, size_t sink, const std::vector<Operand>& values) {
  for (const SinkInfo& write : writes_of(kernel.facts.sinks[sink]))
    update_hist(code, sink, write, values);
}

void GpuKernel::update_hist(Code& code, size_t sink, const SinkInfo& info,
                            const std::vector<Operand>& values) {
  const size_t rank = info.sink->shape.size();
  const std::vector<Operand> all = kernel.sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.begin() + static_cast<ptrdiff_t>(rank));
  const std::vector<Operand> given(all.begin() + static_cast<ptrdiff_t>(rank), all.end());
  const Operand in_bounds = kernel.in_bounds(code, at, info);
  if (!own_bins.empty() && own_bins[sink] != nullptr) {
    const OwnBins& bins = *own_bins[sink];
    const OwnBins::Own own = bins.find(code, at, in_bounds);
    return code.branch(
        own.inside, [&](Code& inner) { bins.update(inner, bins.place(inner, own.number), given); });
  }
  code.branch(in_bounds, [&](Code& inner) {
    const auto in_memory = [&](Code& memory) { update_memory(memory, sink, at, given); };
    if (hot_bins.empty() || hot_bins[sink] == nullptr) return in_memory(inner);
    hot_bins[sink]->update(inner, at, given, in_memory);
  });
}

void GpuKernel::update_memory(Code& code, size_t sink, const std::vector<Operand>& at,
                              const std::vector<Operand>& given) {
  const SinkInfo& info = kernel.facts.sinks[sink];
  if (locks_[sink]) return update_locked(code, sink, info, at, given);
  const ArrayPlace dest = kernel.result_place(info.results);
  const Operand bin = address(code, dest, at);
  update_word(kernel, code, info.sink->op[0], dest.loc.block, bin, given);
}

void GpuKernel::update_locked(Code& code, size_t sink, const SinkInfo& info,
                              const std::vector<Operand>& at, const std::vector<Operand>& given) {
  const Operand bin = address(code, kernel.result_place(info.results), at);
  const Operand lock = code.binop(BinOpKind::kAnd, bin, const_i64(lock_count_ - 1), "lock");
  Code locked(code.program());
  std::vector<Operand> args;
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    args.push_back(load(locked, kernel.result_place(info.results + k), at, "old"));
  args.insert(args.end(), given.begin(), given.end());
  const std::vector<Operand> next = kernel.fn.apply(locked, info.sink->op[0].fn, args);
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    kernel.fn.store(locked, kernel.result_place(info.results + k), at, next[k]);
  code.add(Locked{locks_[sink], lock, locked.finish()});
}

void update_word(KernelWriter& kernel, Code& code, const core::Operator& op, Name block,
                 const Operand& at, const std::vector<Operand>& given, bool near) {
  const BinWord word(op);
  const Name old = code.fresh("old"), other = code.fresh("given");
  Code update(code.program());
  std::vector<Operand> args = word.unpack(update, old);
  for (const Operand& component : word.unpack(update, other)) args.push_back(component);
  const Operand next = word.pack(update, kernel.fn.apply(update, op.fn, args));
  const Operand value = word.pack(code, given);
  AtomicUpdate all{word.type(), block, at, old, update.finish(), next, other, value};
  if (near) {
    std::vector<Operand> neutral;
    for (const Operand& component : op.neutral) neutral.push_back(kernel.fn.value(component));
    all.neutral.push_back(word.pack(code, neutral));
  }
  code.add(std::move(all));
}

void update_own_word(KernelWriter& kernel, Code& code, const core::Operator& op, Name block,
                     const Operand& at, const Operand& given) {
  const Prim type = BinWord(op).type();
  if (is_float_sum(op)) return code.add(Atomic{BinOpKind::kAdd, type, block, at, given});
  if (const std::optional<BinOpKind> direct = atomic_operator(op))
    return code.add(Atomic{*direct, type, block, at, given});
  update_word(kernel, code, op, block, at, {given});
}

void join_destination(KernelWriter& kernel, Code& code, const OwnBins& bins, const Operand& bin,
                      const Operand& found) {
  const Prim type = bins.op().fn.params[0].type.elem;
  const Operand untouched = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, type, found, bins.neutral()[0]}, "untouched");
  code.branch(
      untouched, [](Code&) {},
      [&](Code& in) {
        const ArrayPlace dest = kernel.result_place(kernel.facts.sinks[bins.sink()].results);
        const Operand to = address(in, dest, bins.indices(in, bin));
        update_own_word(kernel, in, bins.op(), dest.loc.block, to, found);
      });
}

}  // namespace skald::imp
