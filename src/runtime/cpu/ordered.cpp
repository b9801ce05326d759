// SPDX-License-Identifier: Apache-2.0
// Loops whose chunks have something to do in order: scans and filters.
#include "runtime/cpu/loop.h"

namespace skald::runtime {
namespace {

// The chunks of a loop that have something to do in order.
//
// If there are more programs than cores, a thread that waits for its turn may wait for another to
// get a core, and that one then for this, chunk by chunk.  So a thread that has waited much longer
// than it worked leaves the loop to the others; the last one has nobody to wait for.
struct OrderedLoop {
  Loop loop;
  std::atomic<int64_t> turn{0};  // the chunk that may go on
  std::atomic<int64_t> next{0};  // the chunk to start next
  std::atomic<int> present{0};   // the threads that take chunks
  std::atomic<int> came{0};      // those that were there before it was done

  void wait_for(int64_t chunk) const {
    wait_until([&] { return turn.load(std::memory_order_acquire) == chunk; });
  }
  // May this thread leave?
  bool leave() {
    if (present.fetch_sub(1, std::memory_order_relaxed) > 1) return true;
    present.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
};

// The chunk of an ordered loop that this thread executes.
struct OrderedChunk {
  OrderedLoop* ordered;
  int64_t chunk, begin;
  bool passed = false;  // is it the turn of the next one?
  bool waited = false;  // for so long that the core of another thread must be busy
  Clock::time_point start = Clock::now();
  OrderedChunk* outer;

  OrderedChunk(OrderedLoop& loop, int64_t number, int64_t first)
      : ordered(&loop), chunk(number), begin(first), outer(current) {
    current = this;
  }
  // A chunk that was skipped or failed lets the others go on.
  ~OrderedChunk() {
    current = outer;
    if (passed) return;
    ordered->wait_for(chunk);
    ordered->turn.store(chunk + 1, std::memory_order_release);
  }
  OrderedChunk(const OrderedChunk&) = delete;
  OrderedChunk& operator=(const OrderedChunk&) = delete;

  void wait() {
    const auto wait_begin = Clock::now();
    ordered->wait_for(chunk);
    constexpr auto kLong = std::chrono::microseconds(400);
    constexpr int kTimes = 8;
    waited =
        Clock::now() - wait_begin > std::max<Clock::duration>(kLong, kTimes * (wait_begin - start));
  }

  static thread_local OrderedChunk* current;
  // The innermost one of this run.
  static OrderedChunk& of(const SkaldContext* ctx) {
    OrderedChunk* found = current;
    while (found->ordered->loop.ctx != ctx) found = found->outer;
    return *found;
  }
};
thread_local OrderedChunk* OrderedChunk::current = nullptr;

}  // namespace
}  // namespace skald::runtime

using skald::runtime::OrderedChunk;

int32_t skald_rt_ordered_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                SkaldLoopBody body, void* env) {
  if (n <= 0) return 0;
  skald::runtime::OrderedLoop ordered{.loop = {ctx, body, env, {}}};
  const int64_t size = std::max<int64_t>(1, chunk_size);
  const int64_t chunks = (n - 1) / size + 1;
  const auto run_chunks = [&] {
    ordered.came.fetch_add(1, std::memory_order_relaxed);
    ordered.present.fetch_add(1, std::memory_order_relaxed);
    for (bool waited = false; !waited || !ordered.leave();) {
      const int64_t k = ordered.next.fetch_add(1, std::memory_order_relaxed);
      if (k >= chunks) return;
      const OrderedChunk chunk(ordered, k, k * size);
      ordered.loop.piece(k * size, k == chunks - 1 ? n : (k + 1) * size);
      waited = chunk.waited;
    }
  };
  // Those that wait for their turn keep a core busy, so more than there are cores only hinder the
  // one whose turn it is; a few more cost little.
  constexpr int kAlwaysAllowed = 4;
  const int most =
      !ordered.loop.has_threads()
          ? 1
          : std::min(ctx->pool->threads(), std::max(kAlwaysAllowed, ctx->pool->cores()));
  const int64_t workers = std::min<int64_t>(chunks, most);
  if (workers == 1) {
    run_chunks();
    return end_of(ordered.loop);
  }
  using skald::runtime::Clock;
  using skald::runtime::Sharing;
  Sharing& sharing = skald::runtime::sharing;
  const double effort = static_cast<double>(chunks);
  const Sharing::Key key = Sharing::key(body, effort);
  const bool alone =
      sharing.advise(key, effort, watching_for(ordered.loop) > 0).plan == Sharing::Plan::kAlone;
  const auto start = Clock::now();
  const auto took = [&] { return (Clock::now() - start).count(); };
  if (alone && is_in_pool(ordered.loop)) {
    run_chunks();
    sharing.ran_alone(key, effort, took());
    return end_of(ordered.loop);
  }
  return run_threaded(ordered.loop, [&] {
    auto run = [&](int) { run_chunks(); };
    skald::runtime::on_threads(ctx, static_cast<int>(workers), run);
    const int came = ordered.came.load(std::memory_order_relaxed);
    const auto elapsed = took();
    sharing.ran_together(key, effort, elapsed, came * elapsed, came);
  });
}

int32_t skald_rt_ordered_ready(SkaldContext* ctx) {
  // Others would have to wait until the chunk is scanned before they could hand on theirs.
  const OrderedChunk& chunk = OrderedChunk::of(ctx);
  if (chunk.ordered->present.load(std::memory_order_relaxed) > 1) return 0;
  return chunk.ordered->turn.load(std::memory_order_acquire) == chunk.chunk ? 1 : 0;
}

int32_t skald_rt_ordered_begin(SkaldContext* ctx) {
  OrderedChunk& chunk = OrderedChunk::of(ctx);
  chunk.wait();
  return chunk.ordered->loop.errors.lowest() < chunk.begin ? 1 : 0;
}

void skald_rt_ordered_end(SkaldContext* ctx) {
  OrderedChunk& chunk = OrderedChunk::of(ctx);
  chunk.passed = true;
  chunk.ordered->turn.store(chunk.chunk + 1, std::memory_order_release);
}
