// SPDX-License-Identifier: Apache-2.0
// Parallel loops on oneTBB.  Which thread gets what is in shares.h; how threads come, in team.h.
//
// Errors: every loop has its own ErrorSlot that keeps the error of the lowest failing piece; pieces
// after that one are skipped, pieces before it still run.  So the error that the caller sees is
// that of the lowest failing iteration, as in a sequential loop.
//
// Nesting: a thread that waits for an inner loop only takes pieces of that loop (isolate), because
// a body may own scratch memory chosen by `worker`.
#include "runtime/cpu/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <new>
#include <optional>

#include "runtime/context.h"
#include "runtime/cpu/durations.h"
#include "runtime/cpu/shares.h"
#include "runtime/cpu/team.h"

namespace skald::runtime {

struct ThreadPool::Arena {
  // oneTBB makes no more threads than there are cores unless it is told so.
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
  // Helpers may look at it when the pool is gone.
  std::shared_ptr<Team> team;
  Arena(int threads, int cores) : arena(threads), team(std::make_shared<Team>(cores - 1)) {
    if (threads > tbb::this_task_arena::max_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  }
};

struct ThreadPoolAccess {
  static tbb::task_arena& arena(ThreadPool& pool) { return pool.arena_->arena; }
  static const std::shared_ptr<Team>& team(ThreadPool& pool) { return pool.arena_->team; }
};

namespace {

// The pool whose arena this thread is in.
thread_local const ThreadPool* entered_pool = nullptr;

class EnteredPool {
 public:
  explicit EnteredPool(const ThreadPool* pool) : outer_(entered_pool) { entered_pool = pool; }
  ~EnteredPool() { entered_pool = outer_; }
  EnteredPool(const EnteredPool&) = delete;
  EnteredPool& operator=(const EnteredPool&) = delete;

 private:
  const ThreadPool* outer_;
};

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    return tbb::this_task_arena::max_concurrency();
  return std::max(1, CPU_COUNT(&cores));
}

// More threads than cores only take turns, and every one has a stack and copies of small results.
// Some more are allowed, so that what many threads do can be tried on a small machine.
int thread_count(int asked) {
  constexpr int kAlwaysAllowed = 64, kPerCore = 4;
  const int cores = available_cores();
  return asked > 0 ? std::min(asked, std::max(kAlwaysAllowed, kPerCore * cores)) : cores;
}

using Clock = std::chrono::steady_clock;
static_assert(std::is_same_v<Clock::period, std::nano>);

struct Loop {
  SkaldContext* ctx;
  SkaldLoopBody body;
  void* env;
  ErrorSlot errors;
  std::atomic<int64_t> spent{0};  // nanoseconds of all threads, where that is measured
  int fork_depth = 0;             // see LoopPiece

  void piece(int64_t begin, int64_t end) {
    if (errors.lowest() < begin) return;
    const EnteredPool entered(ctx->pool);
    const LoopPiece piece(ctx, errors, begin, fork_depth);
    const int worker = ctx->pool == nullptr ? 0 : tbb::this_task_arena::current_thread_index();
    body(env, begin, end, std::max(0, worker));
  }
};

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

constexpr auto kLongEnough = std::chrono::microseconds(8);

Durations durations;

// Executes pieces of growing size on this thread until one took so long that threads are worth
// their cost.  Returns where it stopped and sets `grain`.
int64_t measure_grain(Loop& loop, int64_t n, int64_t smallest, int64_t& grain) {
  int64_t begin = 0, size = smallest;
  auto start = Clock::now();
  while (begin < n) {
    const int64_t end = std::min(n, begin + size);
    loop.piece(begin, end);
    const auto now = Clock::now();
    const auto took = now - start;
    loop.spent.fetch_add(took.count(), std::memory_order_relaxed);
    start = now;
    begin = end;
    grain = size;
    if (took >= kLongEnough || loop.errors.lowest() != std::numeric_limits<int64_t>::max()) break;
    size *= 2;
  }
  return begin;
}

template <class Work>
void in_pool(ThreadPool& pool, bool nested, const Work& work) {
  if (entered_pool != &pool) {
    ThreadPoolAccess::arena(pool).execute(work);
  } else if (nested) {
    tbb::this_task_arena::isolate(work);
  } else {
    work();
  }
}

// Calls run(thread) on this thread and on others of the pool it is in, `threads` in all at most.
template <class Run>
void on_threads(SkaldContext* ctx, int threads, const Run& run) {
  const auto this_thread = [] { return std::max(0, tbb::this_task_arena::current_thread_index()); };
  const auto call = [](const void* env, int thread) { (*static_cast<const Run*>(env))(thread); };
  // Only one loop has the team; loops inside others are for threads that have nothing else to do.
  if (LoopPiece::current(ctx) == nullptr) {
    const std::shared_ptr<Team>& team = ThreadPoolAccess::team(*ctx->pool);
    const auto start = [&] {
      ThreadPoolAccess::arena(*ctx->pool).enqueue([team, this_thread] {
        team->help(this_thread());
      });
    };
    if (team->run(threads - 1, call, &run, this_thread(), start)) return;
  }
  tbb::parallel_for(
      tbb::blocked_range<int>(0, threads),
      [&](const tbb::blocked_range<int>&) { run(this_thread()); }, tbb::simple_partitioner());
}

// Calls work(first, last) for pieces of the iterations, on all threads of the pool this thread is
// in, most of them on the thread that had them the last time.
template <class Work>
void share_out(Loop& loop, int64_t begin, int64_t end, int64_t grain, const Work& work) {
  Shares shares(begin, end, grain, loop.ctx->pool->threads());
  on_threads(loop.ctx, shares.threads(), [&](int thread) {
    const auto start = Clock::now();
    shares.work_on(thread, work);
    loop.spent.fetch_add((Clock::now() - start).count(), std::memory_order_relaxed);
  });
}

// Must a thread that waits for this loop take nothing but its pieces?  It would have two pieces of
// the outer loop in hand otherwise.  The branches of forks are no pieces of a loop, so all forks
// that lie in each other wait for all of their branches.
bool is_nested(const LoopPiece* outer, const Loop& loop) {
  return outer != nullptr && (outer->fork_depth() == 0 || loop.fork_depth == 0);
}

// Runs `loop` by `threaded` on the pool, or by `sequential` without one, and hands its error on.
template <class Threaded, class Sequential>
int32_t run_loop(Loop& loop, const Threaded& threaded, const Sequential& sequential) {
  SkaldContext* ctx = loop.ctx;
  LoopPiece* outer = LoopPiece::current(ctx);
  try {
    if (ctx->pool == nullptr || ctx->pool->threads() == 1)
      sequential();
    else
      in_pool(*ctx->pool, is_nested(outer, loop), threaded);
  } catch (const std::bad_alloc&) {
    // The scheduler had no memory for its tasks.
    loop.errors.record(0, RunError{.id = SKALD_RT_OUT_OF_MEMORY, .value_count = 1});
  }
  const std::optional<RunError> error = loop.errors.error();
  if (!error) return 0;
  if (outer != nullptr)
    outer->slot().record(outer->position(), *error);
  else
    ctx->errors.record(0, *error);
  return 1;
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : threads_(thread_count(threads)),
      cores_(available_cores()),
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
      SKALD_SYMBOL(skald_rt_alloc),
      SKALD_SYMBOL(skald_rt_retain),
      SKALD_SYMBOL(skald_rt_release),
      SKALD_SYMBOL(skald_rt_fail),
      SKALD_SYMBOL(skald_rt_failed),
      SKALD_SYMBOL(skald_rt_workers),
      SKALD_SYMBOL(skald_rt_parallel_for),
      SKALD_SYMBOL(skald_rt_chunk_size),
      SKALD_SYMBOL(skald_rt_parallel_chunks),
      SKALD_SYMBOL(skald_rt_add_frame),
      SKALD_SYMBOL(skald_rt_stack_low),
      SKALD_SYMBOL(skald_rt_scratch_mark),
      SKALD_SYMBOL(skald_rt_scratch_alloc),
      SKALD_SYMBOL(skald_rt_scratch_reset),
      SKALD_SYMBOL(skald_rt_once_get),
      SKALD_SYMBOL(skald_rt_once_put),
      SKALD_SYMBOL(skald_rt_ordered_chunks),
      SKALD_SYMBOL(skald_rt_ordered_begin),
      SKALD_SYMBOL(skald_rt_ordered_end),
      SKALD_SYMBOL(skald_rt_ordered_ready),
      SKALD_SYMBOL(skald_rt_fork),
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
  using skald::runtime::Clock;
  using skald::runtime::durations;
  if (n <= 0) return 0;
  Loop loop{ctx, body, env, {}, {}};
  const auto sequential = [&] { loop.piece(0, n); };
  const auto threaded = [&] {
    const int64_t quantum = std::max<int64_t>(1, -grain_hint);
    int64_t begin = 0, grain = std::max(quantum, grain_hint);
    if (grain_hint > 0 && n <= grain) return loop.piece(0, n);
    // Few iterations may be long ones: measuring would execute too many of them on one thread.
    constexpr int64_t kWorthMeasuring = 64;
    const auto key = skald::runtime::Durations::key(body, n);
    if (const double known = durations.of(key); known > 0) {
      // As many as take long enough, if they take as long as last time.
      const double enough = static_cast<double>(skald::runtime::kLongEnough.count()) * 1000 / known;
      grain = std::max(grain, static_cast<int64_t>(std::min(enough, static_cast<double>(n))));
      constexpr int64_t kSteps = 16;
      const int64_t first = (n / kSteps / quantum + 1) * quantum;
      if (n <= grain) begin = skald::runtime::measure_grain(loop, n, first, grain);
    } else if (grain_hint <= 0 && n > kWorthMeasuring) {
      begin = skald::runtime::measure_grain(loop, n, quantum, grain);
    }
    if (begin >= n) return durations.add(key, n, loop.spent.load(std::memory_order_relaxed));
    if (n - begin <= grain) return loop.piece(begin, n);
    // What is worth sharing is shared in smaller pieces, so that threads end together.
    constexpr int64_t kPieces = 16;
    const auto ceiling = [&](int64_t k) { return (k - 1) / quantum + 1; };
    const auto pieces = [&](int64_t first, int64_t last) {
      loop.piece(first * quantum, std::min(n, last * quantum));
    };
    skald::runtime::share_out(loop, begin / quantum, ceiling(n), (ceiling(grain) - 1) / kPieces + 1,
                              pieces);
    durations.add(key, n, loop.spent.load(std::memory_order_relaxed));
  };
  return skald::runtime::run_loop(loop, threaded, sequential);
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
  Loop loop{ctx, body, env, {}, {}};
  const int64_t size = std::max<int64_t>(1, chunk_size);
  const int64_t chunks = (n - 1) / size + 1;
  const auto run_chunks = [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k)
      loop.piece(k * size, k == chunks - 1 ? n : (k + 1) * size);
  };
  const auto sequential = [&] { run_chunks(0, chunks); };
  const auto threaded = [&] {
    if (chunks == 1) return run_chunks(0, 1);
    skald::runtime::share_out(loop, 0, chunks, 1, run_chunks);
  };
  return skald::runtime::run_loop(loop, threaded, sequential);
}

using skald::runtime::OrderedChunk;

int32_t skald_rt_ordered_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                SkaldLoopBody body, void* env) {
  if (n <= 0) return 0;
  skald::runtime::OrderedLoop ordered{.loop = {ctx, body, env, {}, {}}};
  const int64_t size = std::max<int64_t>(1, chunk_size);
  const int64_t chunks = (n - 1) / size + 1;
  const auto run_chunks = [&] {
    ordered.present.fetch_add(1, std::memory_order_relaxed);
    for (bool waited = false; !waited || !ordered.leave();) {
      const int64_t k = ordered.next.fetch_add(1, std::memory_order_relaxed);
      if (k >= chunks) return;
      const OrderedChunk chunk(ordered, k, k * size);
      ordered.loop.piece(k * size, k == chunks - 1 ? n : (k + 1) * size);
      waited = chunk.waited;
    }
  };
  const auto threaded = [&] {
    // Those that wait for their turn keep a core busy, so more than there are cores only hinder the
    // one whose turn it is; a few more cost little.
    constexpr int kAlwaysAllowed = 4;
    const int most = std::min(ctx->pool->threads(), std::max(kAlwaysAllowed, ctx->pool->cores()));
    const int64_t workers = std::min<int64_t>(chunks, most);
    if (workers == 1) return run_chunks();
    skald::runtime::on_threads(ctx, static_cast<int>(workers), [&](int) { run_chunks(); });
  };
  return skald::runtime::run_loop(ordered.loop, threaded, run_chunks);
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
  Loop loop{ctx, body, env, {}, {}, depth};
  const auto sequential = [&] {
    for (int64_t k = 0; k < n; ++k) loop.piece(k, k + 1);
  };
  const auto threaded = [&] {
    using Range = tbb::blocked_range<int64_t>;
    tbb::parallel_for(
        Range(0, n, 1), [&](const Range& r) { loop.piece(r.begin(), r.end()); },
        tbb::simple_partitioner());
  };
  return skald::runtime::run_loop(loop, threaded, sequential);
}
