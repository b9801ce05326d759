// SPDX-License-Identifier: Apache-2.0
// What comes before each chunk, and the totals of segments.  A group for each segment: every thread
// combines some neighbouring chunks, one thread combines what the threads found, and if something
// comes after, the threads go over their chunks again.
#include "imp/lower/gpu/fold/chunks.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

namespace {

// What every device has for a group.
constexpr int64_t kSharedTotals = 31 << 10;

void attempt(Code& code, Name segment, const std::function<void(Code&)>& body) {
  Code tried(code.program());
  body(tried);
  code.add(Attempt{segment, tried.finish()});
}

}  // namespace

void GpuChunks::combine_chunks(Code& code, bool late) {
  Code inner(code.program());
  const Name segment = code.fresh("segment"), thread = code.fresh("thread");
  // Fewer threads where many totals would not fit the memory of a group.
  int64_t bytes = 0, threads = kGroupThreads;
  for (const Monoid& monoid : monoids_.all())
    if (monoid.is_late() == late)
      for (const Prim type : monoid.types) bytes += prim_size(type);
  while (threads > 1 && bytes * threads > kSharedTotals) threads /= 2;
  {
    const InKernel inside(kernel_.fn);
    combine_segment(inner, late, segment, thread, threads);
  }
  const Operand groups =
      code.let(Prim::kI64, core::Select{many_, segments_, const_i64(0)}, "groups");
  add_launch(code, {segment, thread, groups, const_i64(threads), const_i64(0), inner.finish()});
}

void GpuChunks::combine_segment(Code& code, bool late, Name segment, Name thread, int64_t threads) {
  const Operand each = pieces(code, chunks_, const_i64(threads));
  const Operand base = code.mul_i64(segment, chunks_);
  const Operand first = code.min_i64(chunks_, code.mul_i64(thread, each));
  const Operand last = code.min_i64(chunks_, code.add_i64(first, each));
  // The monoids, and what threads find of them.
  std::vector<std::pair<const Monoid*, Monoid>> found;
  for (const Monoid& monoid : monoids_.all())
    if (monoid.is_late() == late)
      found.emplace_back(&monoid, in_shared_memory(code, monoid, threads));
  for (const auto& [monoid, shared] : found) {
    const Accumulators acc = monoids_.start(code, *monoid);
    attempt(code, segment, [&](Code& at) {
      at.loop(first, last, [&](Code& inner, const Operand& c) {
        monoids_.combine(inner, *monoid, acc,
                         monoids_.load_values(inner, *monoid, inner.add_i64(base, c)));
      });
    });
    monoids_.store_values(code, shared, thread, acc);
  }
  code.add(Barrier{});
  const Operand is_first =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread, const_i64(0)}, "one");
  code.branch(is_first, [&](Code& one) {
    for (const auto& [monoid, shared] : found) {
      const Accumulators acc = monoids_.start(one, *monoid);
      attempt(one, segment, [&](Code& at) {
        // Only the threads that had chunks found something.
        at.loop(const_i64(0), pieces(at, chunks_, each),
                [&](Code& inner, const Operand& t) { before_and_after(inner, shared, acc, t); });
      });
      monoids_.store_total(one, *monoid, segment, acc);
    }
  });
  if (rewalk_) {
    code.add(Barrier{});
    for (const auto& [monoid, shared] : found) {
      const std::vector<Operand> before = monoids_.load_values(code, shared, thread);
      Accumulators acc;
      for (size_t v = 0; v < before.size(); ++v)
        acc.push_back(code.var(monoid->types[v], before[v], "acc"));
      attempt(code, segment, [&](Code& at) {
        at.loop(first, last, [&](Code& inner, const Operand& c) {
          before_and_after(inner, *monoid, acc, inner.add_i64(base, c));
        });
      });
    }
  }
  // Threads come out of the walks above by several ways.  PoCL takes code after the last barrier
  // that ends in several places for code that all threads run alike, and lets those without chunks
  // run it too; before a barrier it does not.
  code.add(Barrier{});
}

void GpuChunks::before_and_after(Code& code, const Monoid& monoid, const Accumulators& acc,
                                 const Operand& place) {
  const std::vector<Operand> own = monoids_.load_values(code, monoid, place);
  monoids_.store_values(code, monoid, place, acc);
  monoids_.combine(code, monoid, acc, own);
}

}  // namespace skald::imp
