// SPDX-License-Identifier: Apache-2.0
// Histograms on devices: every point updates its bin indivisibly.  An operator that is one hardware
// instruction is one; any other on a single scalar is compare-and-swap; operators on several values
// hold a lock that the bin shares with others.
#include "core/visit.h"
#include "imp/lower/gpu.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

constexpr int64_t kLocks = 4096;
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

void GpuKernelLowering::update_hist(Code& code, size_t sink, const std::vector<Operand>& values) {
  const SinkInfo& info = sinks_[sink];
  const Operator& op = info.sink->op[0];
  const size_t rank = info.sink->shape.size();
  const std::vector<Operand> all = sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.begin() + static_cast<ptrdiff_t>(rank));
  const std::vector<Operand> given(all.begin() + static_cast<ptrdiff_t>(rank), all.end());
  code.branch(in_bounds(code, at, info.sink->shape), [&](Code& inner) {
    const ArrayPlace dest = result_place(info.results);
    const Operand bin = fn_.address(inner, dest, at);
    const Prim type = dest.type.elem;
    if (const std::optional<BinOpKind> direct = atomic_operator(op))
      return inner.add(Atomic{*direct, type, dest.loc.block, bin, given[0]});
    if (!locks_[sink]) {
      const Name old = inner.fresh("old");
      Code update(inner.program());
      const std::vector<Operand> next = fn_.apply(update, op.fn, {old, given[0]});
      return inner.add(AtomicUpdate{type, dest.loc.block, bin, old, update.finish(), next[0]});
    }
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
