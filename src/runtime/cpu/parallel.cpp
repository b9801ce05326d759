// SPDX-License-Identifier: Apache-2.0
// Parallel loops on oneTBB.  Whether threads share a loop is in sharing.h, which thread gets what
// in shares.h, and how threads come, in team.h.
#include "runtime/cpu/parallel.h"

#include <bit>

#include "runtime/cpu/loop.h"
#include "support/machine.h"

namespace skald::runtime {

namespace {

// More threads than cores only take turns, and every one has a stack and copies of small results.
// Some more are allowed, so that what many threads do can be tried on a small machine.
int thread_count(int asked) {
  constexpr int kAlwaysAllowed = 64, kPerCore = 4;
  const int cores = usable_cores();
  return asked > 0 ? std::min(asked, std::max(kAlwaysAllowed, kPerCore * cores)) : cores;
}

// Executes pieces of growing size on this thread, the first of `size`, until one took `enough`
// nanoseconds.  Returns where it stopped, sets `size` to that of the last piece, and adds to
// `spent`.
template <class Work>
int64_t run_pieces(Loop& loop, int64_t units, double enough, int64_t& size, int64_t& spent,
                   const Work& work) {
  int64_t begin = 0;
  auto start = Clock::now();
  while (true) {
    const int64_t end = std::min(units, begin + size);
    work(begin, end);
    const auto now = Clock::now();
    const auto took = (now - start).count();
    spent += took;
    start = now;
    begin = end;
    if (begin >= units || static_cast<double>(took) >= enough || loop.failed()) return begin;
    size *= 2;
  }
}

// On this thread, in one piece if that is short: looking at the clock takes as long as some hundred
// operations.  Stops after a while if it is much more work than expected.
template <class Work>
int64_t run_alone(Loop& loop, int64_t units, double expected, int64_t& spent, const Work& work) {
  constexpr double kOnePiece = 2e3;
  constexpr int64_t kParts = 4;
  constexpr int kMuchMore = 4;
  int64_t size = expected < kOnePiece ? units : (units - 1) / kParts + 1;
  return run_pieces(loop, units, std::max(Sharing::kLongEnough, kMuchMore * expected), size, spent,
                    work);
}

// Runs a loop of `units`, which work(first, last) executes, on this thread or on several.  At least
// `grain` of them are worth a task; if `measure`, that is found out by the first run.  For `effort`
// see sharing.h.
template <class Work>
int32_t run_units(Loop& loop, int64_t units, int64_t grain, bool measure, double effort,
                  const Work& work) {
  if (units == 1 || !loop.has_threads()) {
    work(0, units);
    return end_of(loop);
  }
  const int watching = watching_for(loop);
  const Sharing::Key key = Sharing::key(reinterpret_cast<const void*>(loop.body), effort);
  const Sharing::Advice advice = sharing.advise(key, effort, watching > 0);
  int64_t spent = 0;  // nanoseconds of this thread
  int64_t begin = 0;
  if (advice.plan == Sharing::Plan::kAlone && is_in_pool(loop)) {
    if (!advice.measure) {
      work(0, units);
      return end_of(loop);
    }
    begin = run_alone(loop, units, advice.work, spent, work);
    // Nothing after a failure counts.
    if (begin == units || loop.failed()) {
      sharing.ran_alone(key, effort, spent);
      return end_of(loop);
    }
  }
  return run_threaded(loop, [&] {
    const auto start = Clock::now();
    const int64_t before = spent;
    int64_t smallest = grain;
    if (advice.plan == Sharing::Plan::kUnknown && measure) {
      begin = run_pieces(loop, units, Sharing::kLongEnough, smallest, spent, work);
      if (begin == units || loop.failed()) return sharing.ran_alone(key, effort, spent);
    } else if (advice.plan != Sharing::Plan::kUnknown) {
      // As many as take long enough, if they take as long as last time.
      const double enough = Sharing::kLongEnough / advice.work * static_cast<double>(units);
      smallest = std::max(grain, static_cast<int64_t>(enough));
    }
    // What is worth sharing is shared in smaller pieces, so that threads end together.
    const bool known = advice.plan == Sharing::Plan::kTogether;
    const bool is_short = known && advice.work < Sharing::kSurelyLong;
    const int64_t pieces = is_short ? 8 : 16;
    const int threads = loop.ctx->pool->threads();
    // Nobody is called for very little.
    const int most = known && advice.work < Sharing::kLongEnough ? 1 + watching : threads;
    const Cut cut(begin, units, (smallest - 1) / pieces + 1, std::min(most, threads), is_short);
    const Shares::Spent all = in_pieces(loop, cut, work);
    sharing.ran_together(key, effort, (Clock::now() - start).count() + before,
                         spent + all.nanoseconds, all.threads);
  });
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : threads_(thread_count(threads)),
      cores_(usable_cores()),
      arena_(std::make_unique<Arena>(threads_, cores_)) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(const std::function<void()>& work) {
  if (entered_pool == this) return work();
  arena_->arena.execute([&] {
    const EnteredPool entered(this);
    work();
  });
}

std::span<const AbiSymbol> abi_symbols() {
#define SKALD_SYMBOL(name) {#name, reinterpret_cast<void*>(&name)}
  static const AbiSymbol symbols[] = {
      SKALD_SYMBOL(skald_rt_alloc),          SKALD_SYMBOL(skald_rt_retain),
      SKALD_SYMBOL(skald_rt_release),        SKALD_SYMBOL(skald_rt_small_blocks),
      SKALD_SYMBOL(skald_rt_fail),           SKALD_SYMBOL(skald_rt_failed),
      SKALD_SYMBOL(skald_rt_workers),        SKALD_SYMBOL(skald_rt_parallel_for),
      SKALD_SYMBOL(skald_rt_chunk_size),     SKALD_SYMBOL(skald_rt_parallel_chunks),
      SKALD_SYMBOL(skald_rt_add_frame),      SKALD_SYMBOL(skald_rt_stack_low),
      SKALD_SYMBOL(skald_rt_stack_end),      SKALD_SYMBOL(skald_rt_scratch_mark),
      SKALD_SYMBOL(skald_rt_scratch_alloc),  SKALD_SYMBOL(skald_rt_scratch_reset),
      SKALD_SYMBOL(skald_rt_once_get),       SKALD_SYMBOL(skald_rt_once_put),
      SKALD_SYMBOL(skald_rt_ordered_chunks), SKALD_SYMBOL(skald_rt_fork),
      SKALD_SYMBOL(skald_rt_stop),
  };
#undef SKALD_SYMBOL
  return symbols;
}

}  // namespace skald::runtime

using skald::runtime::Loop;

int32_t skald_rt_workers(SkaldContext* ctx) {
  return ctx->pool == nullptr ? 1 : ctx->pool->threads();
}

int32_t skald_rt_parallel_for(SkaldContext* ctx, int64_t n, int64_t grain_hint, SkaldLoopBody body,
                              void* env) {
  if (n <= 0) return 0;
  Loop loop{ctx, body, env, {}};
  // Of many cheap iterations, pieces begin where cache lines do, even of arrays of bytes: stores of
  // whole registers to two lines take twice as long.
  constexpr int64_t kLine = SKALD_RT_ALIGNMENT, kCheap = 16 * kLine;
  const int64_t quantum = grain_hint >= kCheap ? kLine : std::max<int64_t>(1, -grain_hint);
  const auto pieces = [&loop, n, quantum](int64_t first, int64_t last) {
    loop.piece(first * quantum, last > n / quantum ? n : last * quantum);
  };
  if (grain_hint >= n) {
    loop.piece(0, n);
    return skald::runtime::end_of(loop);
  }
  // Few iterations may be long ones: measuring would execute too many of them on one thread.
  constexpr int64_t kWorthMeasuring = 64;
  // The compiler computes the grain from the statements of an iteration, which may be fewer in each
  // run.
  constexpr double kStatementsInTask = 65536;
  const double effort =
      static_cast<double>(n) *
      (grain_hint > 0 ? kStatementsInTask / static_cast<double>(grain_hint) : 1.0);
  return skald::runtime::run_units(loop, (n - 1) / quantum + 1,
                                   std::max<int64_t>(1, grain_hint / quantum),
                                   grain_hint <= 0 && n > kWorthMeasuring, effort, pieces);
}

int64_t skald_rt_chunk_size(int64_t n, int64_t min_size) {
  const int64_t even = (std::max<int64_t>(n, 1) - 1) / SKALD_RT_MAX_CHUNKS + 1;
  int64_t size = std::max({even, min_size, int64_t{1}});
  // Whole cache lines of the smallest elements, so that chunks do not share lines.
  constexpr int64_t kLine = SKALD_RT_ALIGNMENT;
  if (size > kLine && size <= std::numeric_limits<int64_t>::max() - kLine)
    size = (size + kLine - 1) / kLine * kLine;
  return size;
}

int32_t skald_rt_parallel_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                 SkaldLoopBody body, void* env) {
  if (n <= 0) return 0;
  Loop loop{ctx, body, env, {}};
  const int64_t size = std::max<int64_t>(1, chunk_size);
  const int64_t chunks = (n - 1) / size + 1;
  const auto work = [&loop, n, size, chunks](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k)
      loop.piece(k * size, k == chunks - 1 ? n : (k + 1) * size);
  };
  return skald::runtime::run_units(loop, chunks, 1, false, static_cast<double>(chunks), work);
}

int32_t skald_rt_fork(SkaldContext* ctx, int64_t n, SkaldLoopBody body, void* env) {
  const skald::runtime::LoopPiece* outer = skald::runtime::LoopPiece::current(ctx);
  const int depth = 1 + (outer == nullptr ? 0 : outer->fork_depth());
  // Some hundred branches for each thread are enough, however uneven they are.
  constexpr int kMoreLevels = 8;
  const int threads = skald_rt_workers(ctx);
  const int levels = kMoreLevels + static_cast<int>(std::bit_width(static_cast<unsigned>(threads)));
  if (threads == 1 || depth > levels) {
    for (int64_t k = 0; k < n; ++k) {
      body(env, k, k + 1, 0);
      if (skald_rt_failed(ctx) != 0) return 1;
    }
    return 0;
  }
  Loop loop{ctx, body, env, {}, depth};
  return skald::runtime::run_threaded(loop, [&] {
    using Range = tbb::blocked_range<int64_t>;
    tbb::parallel_for(
        Range(0, n, 1), [&](const Range& r) { loop.piece(r.begin(), r.end()); },
        tbb::simple_partitioner());
  });
}

void skald_rt_wait_for_lock(const int32_t* lock) {
  skald::runtime::wait_until([&] { return __atomic_load_n(lock, __ATOMIC_RELAXED) == 0; });
}
