// SPDX-License-Identifier: Apache-2.0
// A loop that is being run, and how it gets to the threads of its pool.  For the files of this
// folder that run loops.
//
// Errors: every loop has its own ErrorSlot that keeps the error of the lowest failing piece; pieces
// after that one are skipped, pieces before it still run.  So the error that the caller sees is
// that of the lowest failing iteration, as in a sequential loop.
//
// Nesting: a thread that waits for an inner loop only takes pieces of that loop (isolate), because
// a body may own scratch memory chosen by `worker`.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "runtime/context.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/sharing.h"
#include "runtime/cpu/team.h"

namespace skald::runtime {

struct ThreadPool::Arena {
  // oneTBB makes no more threads than there are cores unless it is told so.
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
  Team team;
  tbb::task_group helpers;  // those who were asked to help the team
  std::atomic<bool> asked{false};

  Arena(int threads, int cores) : arena(threads), team(threads, cores - 1) {
    if (threads > tbb::this_task_arena::max_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  }
  // Helpers that have not come yet are called in, so that none is left behind in the scheduler.
  ~Arena() {
    team.dismiss();
    if (asked.load(std::memory_order_relaxed)) arena.execute([&] { helpers.wait(); });
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void ask_for_help() {
    asked.store(true, std::memory_order_relaxed);
    arena.enqueue(helpers.defer(
        [this] { team.help(std::max(0, tbb::this_task_arena::current_thread_index())); }));
  }
};

struct ThreadPoolAccess {
  static ThreadPool::Arena& of(ThreadPool& pool) { return *pool.arena_; }
};

// The pool whose arena this thread is in.
inline thread_local constinit const ThreadPool* entered_pool = nullptr;

class EnteredPool {
 public:
  explicit EnteredPool(const ThreadPool* pool) : outer_(entered_pool) { entered_pool = pool; }
  ~EnteredPool() { entered_pool = outer_; }
  EnteredPool(const EnteredPool&) = delete;
  EnteredPool& operator=(const EnteredPool&) = delete;

 private:
  const ThreadPool* outer_;
};

using Clock = std::chrono::steady_clock;
static_assert(std::is_same_v<Clock::period, std::nano>);

struct Loop {
  SkaldContext* ctx;
  SkaldLoopBody body;
  void* env;
  ErrorSlot errors;
  int fork_depth = 0;  // see LoopPiece

  // May it be run by several threads?
  bool has_threads() const { return ctx->pool != nullptr && ctx->pool->threads() > 1; }
  bool failed() const { return errors.lowest() != std::numeric_limits<int64_t>::max(); }

  void piece(int64_t begin, int64_t end) {
    if (errors.lowest() < begin) return;
    const EnteredPool entered(ctx->pool);
    const LoopPiece piece(ctx, errors, begin, fork_depth);
    const int worker = ctx->pool == nullptr ? 0 : tbb::this_task_arena::current_thread_index();
    body(env, begin, end, std::max(0, worker));
  }
};

// Of all loops of this process.
inline Sharing sharing;

template <class Work>
void in_pool(ThreadPool& pool, bool nested, const Work& work) {
  if (entered_pool != &pool) {
    ThreadPoolAccess::of(pool).arena.execute(work);
  } else if (nested) {
    tbb::this_task_arena::isolate(work);
  } else {
    work();
  }
}

inline int this_thread() {
  return std::max(0, tbb::this_task_arena::current_thread_index());
}

// Calls run(thread) on this thread and on others of the pool it is in, `threads` in all at most.
template <class Run>
void by_scheduler(int threads, Run& run) {
  tbb::parallel_for(
      tbb::blocked_range<int>(0, threads),
      [&](const tbb::blocked_range<int>&) { run(this_thread()); }, tbb::simple_partitioner());
}
template <class Run>
void on_threads(SkaldContext* ctx, int threads, Run& run) {
  const auto call = [](void* env, int thread) { (*static_cast<Run*>(env))(thread); };
  // Only one loop has the team; loops inside others are for threads that have nothing else to do.
  if (LoopPiece::current(ctx) == nullptr) {
    auto& arena = ThreadPoolAccess::of(*ctx->pool);
    const auto start = [&] { arena.ask_for_help(); };
    if (arena.team.run(threads - 1, call, &run, this_thread(), start)) return;
  }
  by_scheduler(threads, run);
}

// Calls work(first, last) for all pieces of `cut`, likewise.
template <class Work>
Shares::Spent in_pieces(Loop& loop, const Cut& cut, Work work) {
  if (LoopPiece::current(loop.ctx) == nullptr) {
    auto& arena = ThreadPoolAccess::of(*loop.ctx->pool);
    const auto start = [&] { arena.ask_for_help(); };
    const auto call = [](void* env, int64_t first, int64_t last) {
      (*static_cast<Work*>(env))(first, last);
    };
    const Team::Hints hints{&loop, loop.env};
    if (const auto spent = arena.team.run_pieces(cut, call, &work, hints, this_thread(), start))
      return *spent;
  }
  constexpr uint64_t kRound = 1;
  Shares shares(loop.ctx->pool->threads());
  const auto run = [&](int thread) {
    const auto start = Clock::now();
    if (const int64_t pieces = shares.work_on(cut, kRound, thread, work))
      shares.finish(kRound, thread, pieces, (Clock::now() - start).count());
  };
  by_scheduler(cut.shares, run);
  return shares.spent(kRound);
}

// Must a thread that waits for this loop take nothing but its pieces?  It would have two pieces of
// the outer loop in hand otherwise.  The branches of forks are no pieces of a loop, so all forks
// that lie in each other wait for all of their branches.
inline bool is_nested(const LoopPiece* outer, const Loop& loop) {
  return outer != nullptr && (outer->fork_depth() == 0 || loop.fork_depth == 0);
}

// Does its caller have a number (`worker`) in the loop's pool?
inline bool is_in_pool(const Loop& loop) {
  return entered_pool == loop.ctx->pool;
}

// How many helpers would begin with it at once?
inline int watching_for(const Loop& loop) {
  return ThreadPoolAccess::of(*loop.ctx->pool).team.watching();
}

// Hands the error of a loop on that has ended.
inline int32_t end_of(const Loop& loop) {
  if (!loop.failed()) return 0;
  const std::optional<RunError> error = loop.errors.error();
  if (LoopPiece* outer = LoopPiece::current(loop.ctx))
    outer->slot().record(outer->position(), *error);
  else
    loop.ctx->errors.record(0, *error);
  return 1;
}

// Runs `loop` by `threaded` on the pool, and hands its error on.
template <class Threaded>
int32_t run_threaded(Loop& loop, const Threaded& threaded) {
  try {
    in_pool(*loop.ctx->pool, is_nested(LoopPiece::current(loop.ctx), loop), threaded);
  } catch (const std::bad_alloc&) {
    // The scheduler had no memory for its tasks.
    loop.errors.record(0, RunError{.id = SKALD_RT_OUT_OF_MEMORY, .value_count = 1});
  }
  return end_of(loop);
}

}  // namespace skald::runtime
