// SPDX-License-Identifier: Apache-2.0
// The C ABI that compiled code calls and is called through.  It is the only runtime header that
// codegen/ may include.  Every function may be called from any thread and never throws.
//
// Memory     A SkaldBlock is a reference-counted block; arrays live in blocks.  Compiled code may
//            read `data` (and keep it) as long as it holds a reference.  `data` of an allocated
//            block is aligned to SKALD_RT_ALIGNMENT and readable up to the next multiple of it;
//            foreign memory (values adopted from a host program) is only aligned to its elements.
// Failures   skald_rt_fail records what went wrong; the code then returns as soon as it can.  If
//            several iterations of a parallel loop fail, the lowest one wins, whatever the timing.
// Stopping   A context begins with a word that is 0 until the run must end, because its time is
// over.
//            Code that was compiled for a limit of time looks at it in its loops, and calls
//            skald_rt_stop once it is not 0.
// Loops      parallel_for picks its own pieces; parallel_chunks uses fixed ones, for reductions
//            and scans, whose result must not depend on the number of threads.
//
// Read next: context.h (the C++ side of a run), cpu/parallel.cpp (loops), entry_call.h (slots).
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SKALD_RT_ALIGNMENT = 64, SKALD_RT_MAX_FAIL_VALUES = 16, SKALD_RT_MAX_CHUNKS = 256 };

// One run of one entry point.  Compiled code passes it on and knows of it only the word that it
// begins with, an int32_t.
typedef struct SkaldContext SkaldContext;

typedef struct SkaldBlock {
  void* data;
  int64_t bytes;
  int64_t refs;                         // changed atomically, by the functions below only
  void (*destroy)(struct SkaldBlock*);  // called when the last reference goes
  void* owner;                          // for `destroy`
} SkaldBlock;

// A compiled entry point.  Returns 0, or 1 after a failure (`out` is then undefined and owns
// nothing).  Arguments and results are slots of 8 bytes, in order: a scalar is one slot (its bits,
// zero-extended; a bool is 0 or 1); an array is a SkaldBlock*, then its dimensions, and its data
// is dense and row-major from `data` on.  The entry borrows the blocks in `in`; the caller owns
// one reference to each block in `out` (the same block may appear twice, with two references).
typedef int32_t (*SkaldEntry)(SkaldContext* ctx, const int64_t* in, int64_t* out);

// --- Memory ----------------------------------------------------------------------------------
// A block with one reference and undefined contents.  After a failure (out of memory, a negative
// size), which is recorded in `ctx`, the result is null.
SkaldBlock* skald_rt_alloc(SkaldContext* ctx, int64_t bytes);
void skald_rt_retain(SkaldBlock* block);   // null is allowed
void skald_rt_release(SkaldBlock* block);  // null is allowed
void skald_rt_release_all(SkaldBlock** blocks, int64_t n);

// Small blocks that a thread has released, for its next ones (small_blocks.h).  Compiled code may
// do for blocks of fewer than SKALD_RT_EVEN_CLASSES units of SKALD_RT_ALIGNMENT bytes what the
// functions above do with them.
enum { SKALD_RT_EVEN_CLASSES = 16, SKALD_RT_SIZE_CLASSES = 64 };
typedef struct SkaldSmallBlocks {
  // Lists by `owner`.  kept[k], for k below SKALD_RT_EVEN_CLASSES, has blocks of k units; with its
  // header each takes one more.
  SkaldBlock* kept[SKALD_RT_SIZE_CLASSES];
  int64_t room;                         // bytes that may still be kept
  void (*destroy)(struct SkaldBlock*);  // of the blocks that may be kept
} SkaldSmallBlocks;
// Those of the calling thread; if blocks of this run may not be kept, some that are empty and have
// no room.
SkaldSmallBlocks* skald_rt_small_blocks(SkaldContext* ctx);

// --- Failures --------------------------------------------------------------------------------
// Failures with an id >= 0 are rows of the compiled program's own table of messages.
// NOLINTBEGIN(readability-identifier-naming): names of a C interface.
enum {
  SKALD_RT_OUT_OF_MEMORY = -1,  // values[0]: bytes asked for
  SKALD_RT_STACK_OVERFLOW = -2,
  // Limits that the user has set.
  SKALD_RT_MEMORY_LIMIT = -3,  // values: bytes asked for, bytes allowed
  SKALD_RT_TIME_LIMIT = -4,    // values[0]: microseconds allowed
  SKALD_RT_STACK_LIMIT = -5,   // values[0]: bytes allowed
};
// NOLINTEND(readability-identifier-naming)
// Records failure `error_id` with up to SKALD_RT_MAX_FAIL_VALUES values for its message.
void skald_rt_fail(SkaldContext* ctx, int64_t error_id, const int64_t* values, int32_t n);
// 1 if this run, or an iteration before the current one of the enclosing parallel loop, failed.
int32_t skald_rt_failed(SkaldContext* ctx);

// Says that the function that just failed was called at place `loc` of the program's table; called
// once for each function on the way out, innermost first.
void skald_rt_add_frame(SkaldContext* ctx, int32_t loc);
// 0, or 1 after recording that a recursion must end: because little is left of this thread's stack
// or of what the user allows, or because the run must stop.
int32_t skald_rt_stack_low(SkaldContext* ctx);
// While the stack of this thread lies above this address, skald_rt_stack_low has nothing to say
// about it.
int64_t skald_rt_stack_end(SkaldContext* ctx);
// Records why the run must stop.
void skald_rt_stop(SkaldContext* ctx);

// --- Tuning and traces -----------------------------------------------------------------------
// What this run chose for parameter `param` (a row of the compiled program's table), or
// `fallback`.
int64_t skald_rt_tunable(SkaldContext* ctx, int32_t param, int64_t fallback);
// Prints the dense array of `rank` dimensions at `data`; `type` is a skald::Prim.
void skald_rt_trace(SkaldContext* ctx, const char* tag, int32_t type, const void* data,
                    int32_t rank, const int64_t* shape);

// --- Values that are computed once in a run (once.cpp) -----------------------------------------
// The slots put into cell `cell`, or null if there are none yet.  Valid until the run ends.
const int64_t* skald_rt_once_get(SkaldContext* ctx, int32_t cell);
// Keeps `n` slots.  Where bit k of `blocks` is set, slot k is a SkaldBlock*, and another reference
// to it is taken.  Of several threads that do this at the same time some one wins.
void skald_rt_once_put(SkaldContext* ctx, int32_t cell, const int64_t* slots, int32_t n,
                       uint64_t blocks);

// --- Scratch memory (scratch.cpp) ------------------------------------------------------------
// A stack of memory for each thread.  `reset` gives back everything allocated since `mark`.
int64_t skald_rt_scratch_mark(void);
// Aligned to SKALD_RT_ALIGNMENT; null after a failure, which is recorded in `ctx`.
void* skald_rt_scratch_alloc(SkaldContext* ctx, int64_t bytes);
void skald_rt_scratch_reset(int64_t mark);

// --- Loops (cpu/parallel.cpp) ----------------------------------------------------------------
// Executes the iterations begin..end-1.  `worker` is below skald_rt_workers(); two bodies that run
// at the same time and belong to the same loop never have the same `worker`.
typedef void (*SkaldLoopBody)(void* env, int64_t begin, int64_t end, int32_t worker);

// The number of different values of `worker`; fixed for one run.
int32_t skald_rt_workers(SkaldContext* ctx);

// Executes iterations 0..n-1, in pieces of any size, on any thread.  `grain_hint` is the smallest
// number of iterations worth a task; 0 lets the runtime measure, and -q lets it measure and make
// all pieces but the last multiples of q.  Returns 0, or 1 if any failed.  May be nested.
int32_t skald_rt_parallel_for(SkaldContext* ctx, int64_t n, int64_t grain_hint, SkaldLoopBody body,
                              void* env);

// The size of the fixed chunks of a loop of `n` iterations: at least `min_size` and such that there
// are at most SKALD_RT_MAX_CHUNKS chunks.  Depends on nothing else.  Chunk k is the iterations from
// k*size to min(n, (k+1)*size).
int64_t skald_rt_chunk_size(int64_t n, int64_t min_size);

// Like parallel_for, but calls `body` exactly once for each chunk of size `chunk_size`, so that
// begin / chunk_size is the number of the chunk.
int32_t skald_rt_parallel_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                 SkaldLoopBody body, void* env);

// The same for chunks that have something to do in order, such as handing on where the next one
// begins.  A chunk has three phases, on any threads:
//
//   FIRST   at any time.
//   STEP    after its FIRST and the STEP of all chunks before it.  Short: the others come after it.
//   THEN    after its STEP.
//
// So no thread ever waits in a phase.  What FIRST has found out it leaves in `kept`, which is
// memory of this chunk for the later phases; so is all scratch memory that it does not give back.
// FIRST_ALONE is a FIRST after which nobody steps until THEN has ended: STEP may leave it to THEN
// to hand on.  A phase returns 1 if it failed; then the later ones are skipped.
enum {
  SKALD_RT_FIRST = 0,
  SKALD_RT_FIRST_ALONE = 1,
  SKALD_RT_STEP = 2,
  SKALD_RT_THEN = 3,
};
typedef int32_t (*SkaldOrderedBody)(void* env, int64_t begin, int64_t end, void* kept,
                                    int32_t phase);
int32_t skald_rt_ordered_chunks(SkaldContext* ctx, int64_t n, int64_t chunk_size,
                                int64_t kept_bytes, SkaldOrderedBody body, void* env);

// Waits until a lock, which another thread has taken by writing 1, looks free: reading does not
// disturb the holder's cache line, and if that has lost its core, this thread sleeps.
void skald_rt_wait_for_lock(const int32_t* lock);

// Executes 0..n-1, a few long pieces of work such as recursive calls, each by a call of `body` with
// end = begin + 1.  May be nested deeply: where there are enough of them for all threads, the rest
// runs on this thread.  Returns 0, or 1 if any failed.
int32_t skald_rt_fork(SkaldContext* ctx, int64_t n, SkaldLoopBody body, void* env);

#ifdef __cplusplus
}
#endif
