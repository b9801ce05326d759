// SPDX-License-Identifier: Apache-2.0
// Loops whose chunks have something to do in order: scans and filters.
//
// The phases of a chunk are in runtime/abi.h: FIRST (its total, say), STEP (what comes before the
// next chunk), THEN (its results).  Chunks are begun in order.  Whoever has ended a FIRST makes all
// steps whose turn it is, of other threads' chunks too, so no thread is needed for another's step.
//
//   thread 0   FIRST 0  step 0  THEN 0   FIRST 2  step 2  THEN 2   …
//   thread 1   FIRST 1  step 1  THEN 1   FIRST 3  step 3  THEN 3   …
//
// A thread whose step cannot be made yet waits for about as long as its FIRST took, because a THEN
// that comes at once finds its chunk in the cache.  If a thread has lost its core to another
// program, that is not enough.  Then the others go on with the FIRST of the chunks after it, and
// keep what they found out until the thread comes back:
//
//   thread 0   FIRST 0  step 0  THEN 0   FIRST 2  step 2-9  THEN 9  THEN 8  …
//   thread 1   FIRST 1  step 1  THEN 1   FIRST 3  FIRST 4  … FIRST 9  THEN 3  THEN 4  …
//                                        (thread 0 has no core)
//
// So what is lost is one chunk of the thread that is away, and some reading from memory again.
#include <array>
#include <bit>

#include "runtime/cpu/loop.h"
#include "runtime/scratch.h"

namespace skald::runtime {
namespace {

// What a chunk keeps from its first phase to its last one.
struct Kept {
  ScratchStack scratch;
  void* values = nullptr;
};

// A few that are not in use: their memory is in the cache of this thread's core.
class SpareKept {
 public:
  // Null if there is no memory.
  std::unique_ptr<Kept> take() noexcept {
    if (count_ == 0) return std::unique_ptr<Kept>(new (std::nothrow) Kept);
    return std::move(list_[--count_]);
  }
  void give(std::unique_ptr<Kept> kept) noexcept {
    if (kept == nullptr || count_ == list_.size()) return;
    kept->scratch.reset(0);
    list_[count_++] = std::move(kept);
  }

 private:
  std::array<std::unique_ptr<Kept>, 2> list_;
  size_t count_ = 0;
};
thread_local SpareKept spare_kept;

// The numbers of chunks whose first phase this thread has ended, in ascending order.
class KeptChunks {
 public:
  static constexpr size_t kMost = 256;

  size_t size() const { return end_ - begin_; }
  void add(int64_t chunk) {
    if (end_ == list_.size()) {
      std::copy(list_.begin() + begin_, list_.begin() + end_, list_.begin());
      end_ -= std::exchange(begin_, 0);
    }
    list_[end_++] = chunk;
  }
  // One before `turn`: the last one if it is, for that is in the cache, else the first one.
  // Negative if there is none.
  int64_t take_before(int64_t turn) {
    if (size() == 0) return -1;
    if (list_[end_ - 1] < turn) return list_[--end_];
    return list_[begin_] < turn ? list_[begin_++] : -1;
  }

 private:
  std::array<int64_t, kMost> list_;
  size_t begin_ = 0, end_ = 0;
};

class OrderedLoop {
 public:
  OrderedLoop(SkaldContext* ctx, int64_t n, int64_t chunk_size, int64_t kept_bytes,
              SkaldOrderedBody body, void* env)
      : loop_{ctx, nullptr, env, {}},
        body_(body),
        n_(n),
        size_(std::max<int64_t>(1, chunk_size)),
        chunks_((n - 1) / size_ + 1),
        kept_bytes_(kept_bytes) {}

  Loop& loop() { return loop_; }
  int64_t chunks() const { return chunks_; }

  // All chunks on this thread, one after the other.
  void run_alone() {
    std::unique_ptr<Kept> kept = spare_kept.take();
    for (int64_t k = 0; k < chunks_ && !loop_.failed(); ++k) run_through(k, kept.get());
    spare_kept.give(std::move(kept));
  }

  // Before several threads call `work`.
  void prepare(int threads) {
    const int64_t window = std::max(kLeastWindow, kWindowOfThread * threads);
    const uint64_t count = std::bit_ceil(static_cast<uint64_t>(std::min(chunks_, window)));
    slots_ = std::make_unique<Slot[]>(count);
    mask_ = static_cast<int64_t>(count) - 1;
    for (int64_t k = 0; k <= mask_; ++k) slots_[static_cast<size_t>(k)].word = word(k, kFree);
  }

  // Takes part in the loop until there is nothing left to begin.
  void work() {
    if (all_taken()) return;
    came_.fetch_add(1, std::memory_order_relaxed);
    present_.fetch_add(1, std::memory_order_relaxed);
    KeptChunks mine;
    Patience patience;
    while (!all_taken()) {
      if (end_own(mine) || begin_next(mine) || end_other())
        patience = {};
      else
        patience.wait();
    }
    present_.fetch_sub(1, std::memory_order_relaxed);
  }

  // The threads that came before it was done.
  int came() const { return came_.load(std::memory_order_relaxed); }

 private:
  // How far a chunk is.
  enum State : int64_t { kFree, kStepNext, kThenNext, kTaken };
  struct alignas(64) Slot {
    std::atomic<int64_t> word{0};  // the number of the chunk, and its state
    bool failed = false;
    std::unique_ptr<Kept> kept;
  };
  static constexpr int kStateBits = 2;
  static int64_t word(int64_t chunk, State state) { return chunk << kStateBits | state; }
  Slot& slot(int64_t chunk) { return slots_[static_cast<size_t>(chunk & mask_)]; }

  // So many chunks may be between their first phase and the end, all together, and so many bytes of
  // a thread.  Enough for a few milliseconds, after which a thread usually has its core back.
  static constexpr int64_t kLeastWindow = 1024, kWindowOfThread = 128;
  static constexpr int64_t kMostKeptBytes = 16 << 20;

  bool all_taken() const { return taken_.load(std::memory_order_relaxed) == chunks_; }

  // Executes a phase; was it skipped, or did it fail?
  bool run_phase(int64_t chunk, Kept& kept, int32_t phase) {
    const int64_t begin = chunk * size_;
    if (loop_.errors.lowest() < begin) return true;
    const EnteredPool entered(loop_.ctx->pool);
    const LoopPiece piece(loop_.ctx, loop_.errors, begin);
    const LentScratch lent(kept.scratch);
    const int64_t end = chunk == chunks_ - 1 ? n_ : begin + size_;
    return body_(loop_.env, begin, end, kept.values, phase) != 0;
  }

  bool run_first(int64_t chunk, Kept* kept, int32_t phase) {
    if (kept != nullptr) kept->values = kept->scratch.allocate(kept_bytes_);
    if (kept != nullptr && kept->values != nullptr) return run_phase(chunk, *kept, phase);
    RunError error{.id = SKALD_RT_OUT_OF_MEMORY, .value_count = 1};
    error.values[0] = kept_bytes_;
    loop_.errors.record(chunk * size_, error);
    return true;
  }

  // All phases, while nobody else steps.
  void run_through(int64_t chunk, Kept* kept) {
    if (!run_first(chunk, kept, SKALD_RT_FIRST_ALONE) && !run_phase(chunk, *kept, SKALD_RT_STEP))
      run_phase(chunk, *kept, SKALD_RT_THEN);
    if (kept != nullptr) kept->scratch.reset(0);
  }

  // The first phase of the next chunk, if there is one and not too much is being kept.
  bool begin_next(KeptChunks& mine) {
    if (mine.size() >= most_kept_.load(std::memory_order_relaxed)) return false;
    int64_t chunk = next_.load(std::memory_order_relaxed);
    do
      if (chunk >= chunks_ ||
          slot(chunk).word.load(std::memory_order_acquire) != word(chunk, kFree))
        return false;
    while (!next_.compare_exchange_weak(chunk, chunk + 1, std::memory_order_relaxed));
    Slot& own = slot(chunk);
    own.kept = spare_kept.take();
    if (present_.load(std::memory_order_relaxed) == 1 &&
        turn_.load(std::memory_order_acquire) == chunk) {
      taken_.fetch_add(1, std::memory_order_relaxed);
      run_through(chunk, own.kept.get());
      give_back(chunk);
      turn_.store(chunk + 1, std::memory_order_seq_cst);
      make_steps();
      return true;
    }
    const auto start = Clock::now();
    own.failed = run_first(chunk, own.kept.get(), SKALD_RT_FIRST);
    // From here on it may be another thread's.
    const int64_t bytes = own.kept == nullptr ? 1 : own.kept->scratch.bytes();
    own.word.store(word(chunk, kStepNext), std::memory_order_seq_cst);
    make_steps();
    mine.add(chunk);
    if (mine.size() > 1 || turn_.load(std::memory_order_acquire) > chunk) return true;
    if (!wait_for_turn(chunk, start)) {
      const auto fitting = static_cast<size_t>(kMostKeptBytes / std::max<int64_t>(1, bytes));
      most_kept_.store(std::clamp<size_t>(fitting, 2, KeptChunks::kMost),
                       std::memory_order_relaxed);
    }
    return true;
  }

  // Waits about as long as the first phase took, which began at `start`.
  bool wait_for_turn(int64_t chunk, Clock::time_point start) const {
    constexpr auto kLeast = std::chrono::microseconds(2);
    const auto ended = Clock::now();
    const auto until = ended + std::max<Clock::duration>(kLeast, ended - start);
    do {
      if (turn_.load(std::memory_order_acquire) > chunk) return true;
      pause_briefly();
    } while (Clock::now() < until);
    return false;
  }

  // Makes all steps whose turn it is.  Only one thread does so at a time; the others leave it to
  // that one, which looks again after it has let the others do so.
  void make_steps() {
    while (true) {
      int64_t turn = turn_.load(std::memory_order_seq_cst);
      if (turn >= chunks_ || !may_step(turn)) return;
      if (stepping_.exchange(true, std::memory_order_acq_rel)) return;
      for (turn = turn_.load(std::memory_order_seq_cst); turn < chunks_ && may_step(turn); ++turn) {
        Slot& now = slot(turn);
        if (!now.failed) now.failed = run_phase(turn, *now.kept, SKALD_RT_STEP);
        now.word.store(word(turn, kThenNext), std::memory_order_release);
        turn_.store(turn + 1, std::memory_order_seq_cst);
      }
      stepping_.exchange(false, std::memory_order_acq_rel);
    }
  }
  bool may_step(int64_t chunk) {
    return slot(chunk).word.load(std::memory_order_seq_cst) == word(chunk, kStepNext);
  }

  // The last phase of a chunk of this thread, or of any.
  bool end_own(KeptChunks& mine) {
    const int64_t turn = turn_.load(std::memory_order_acquire);
    while (true) {
      const int64_t chunk = mine.take_before(turn);
      if (chunk < 0) return false;
      if (end(chunk)) return true;
    }
  }
  bool end_other() {
    const int64_t turn = turn_.load(std::memory_order_acquire);
    int64_t chunk = all_taken_before_.load(std::memory_order_relaxed);
    while (chunk < turn && !end(chunk)) ++chunk;
    // Those before it had all been taken.
    all_taken_before_.store(chunk, std::memory_order_relaxed);
    return chunk < turn;
  }
  // False if another thread has taken it.
  bool end(int64_t chunk) {
    Slot& now = slot(chunk);
    int64_t expected = word(chunk, kThenNext);
    if (!now.word.compare_exchange_strong(expected, word(chunk, kTaken), std::memory_order_acquire))
      return false;
    taken_.fetch_add(1, std::memory_order_relaxed);
    if (!now.failed) run_phase(chunk, *now.kept, SKALD_RT_THEN);
    give_back(chunk);
    return true;
  }
  // The place of a chunk that has ended is for one that comes later.
  void give_back(int64_t chunk) {
    Slot& now = slot(chunk);
    now.failed = false;
    spare_kept.give(std::move(now.kept));
    now.word.store(word(chunk + mask_ + 1, kFree), std::memory_order_release);
  }

  Loop loop_;
  const SkaldOrderedBody body_;
  const int64_t n_, size_, chunks_, kept_bytes_;
  std::unique_ptr<Slot[]> slots_;
  int64_t mask_ = 0;
  std::atomic<int> present_{0}, came_{0};
  std::atomic<size_t> most_kept_{KeptChunks::kMost};
  alignas(64) std::atomic<int64_t> next_{0};  // the chunk to begin next
  std::atomic<int64_t> taken_{0};             // the chunks whose last phase somebody has begun
  std::atomic<int64_t> all_taken_before_{0};  // a chunk
  alignas(64) std::atomic<int64_t> turn_{0};  // the chunk that may step
  std::atomic<bool> stepping_{false};         // somebody makes steps
};

}  // namespace
}  // namespace skald::runtime

int32_t skald_rt_ordered_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                int64_t kept_bytes, SkaldOrderedBody body, void* env) {
  if (n <= 0) return 0;
  using namespace skald::runtime;
  OrderedLoop ordered(ctx, n, chunk_size, kept_bytes, body, env);
  Loop& loop = ordered.loop();
  // More than there are cores only take turns; a few more cost little.
  constexpr int kAlwaysAllowed = 4;
  const int most = !loop.has_threads() ? 1
                                       : std::min(ctx->pool->threads(),
                                                  std::max(kAlwaysAllowed, ctx->pool->cores()));
  const int workers = static_cast<int>(std::min<int64_t>(ordered.chunks(), most));
  if (workers == 1) {
    ordered.run_alone();
    return end_of(loop);
  }
  const double effort = static_cast<double>(ordered.chunks());
  const Sharing::Key key = Sharing::key(reinterpret_cast<const void*>(body), effort);
  const bool alone =
      sharing.advise(key, effort, watching_for(loop) > 0).plan == Sharing::Plan::kAlone;
  const auto start = Clock::now();
  const auto took = [&] { return (Clock::now() - start).count(); };
  if (alone && is_in_pool(loop)) {
    ordered.run_alone();
    sharing.ran_alone(key, effort, took());
    return end_of(loop);
  }
  return run_threaded(loop, [&] {
    ordered.prepare(workers);
    auto run = [&](int) { ordered.work(); };
    on_threads(ctx, workers, run);
    const auto elapsed = took();
    sharing.ran_together(key, effort, elapsed, ordered.came() * elapsed, ordered.came());
  });
}
