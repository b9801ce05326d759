// SPDX-License-Identifier: Apache-2.0
// Branches, loops, calls and checks; what threads do together.
#pragma once

#include <memory>
#include <string>

#include "imp/ir/lanes.h"
#include "imp/ir/type.h"

namespace skald::imp {

// ---- control

// What a loop is in the source, and whether each round looks if the run must stop, because its time
// is over; printed behind the head of the loop, as `poll @7` or `@7`.  Places are there only if
// lowering was asked for them.
struct LoopMark {
  Loc loc = {};
  bool polls = false;
};

// if (c_1) { … } else { … }
//
// maybe if (c_1) { … }
// The same; no processor will foresee whether it runs, so that a few stores that it guards are
// better done without a branch.
//
// mask if (c_1) any { … } else { … }
// In lanes: `mask`, `taken` or `choose` say what becomes of it (lanes.h).  A side with `any` is
// skipped if no lane takes it; the others are so cheap that asking would cost more.
struct If {
  Operand cond;
  Body then_body, else_body;
  bool maybe = false;
  Branch branch = Branch::kBranch;
  bool skips_then = false, skips_else = false;
  static auto fields(auto& self) {
    return std::tie(self.cond, self.then_body, self.else_body, self.maybe, self.branch,
                    self.skips_then, self.skips_else);
  }
};
// for (i64 i_1 = 0i64; i_1 < n_2; i_1 += 1i64) { … }
// Any integer type.  `step` is positive, and the last value plus `step` does not overflow.
//
// simd for (i64 k_1 = 0i64; k_1 < 16i64; k_1 += 1i64) { … }
// The same, and the iterations touch different memory, so they may run in lock-step on vector
// lanes.  With a constant number of iterations over accumulators in scratch memory this is the form
// of reductions: the association is fixed, and the accumulators become vector registers.
//
// short for (…) { … }
// The same; so few iterations that neither vectors nor unrolling pay.
//
// unroll for (…) { … }
// The same, a constant number of times in a launch: written out, so that arrays in registers can
// be indexed.
//
// What `vectorise` adds (lanes.h), behind the head apart from `mask`:
//   mask for (…)  in a loop in lanes: lanes leave this one at different times
//   vector        and each of them counts on its own
//   alone 4, 2    and the last ones go on alone (Stragglers)
//   until ok_1    nothing more happens in this loop once the variable is false
//   lanes (…)     the iterations run in lanes (LanePlan)
//   beside 8      so many iterations run side by side as scalar code, statement by statement, so
//                 that a check is one branch for all of them
//   ahead 4       the same for the checks and what they need, ahead of the rest
enum class LoopHint : uint8_t { kNone, kSimd, kShort, kUnroll };
struct For {
  Name var;
  Prim type;
  Operand begin, end, step;
  Body body;
  LoopHint hint = LoopHint::kNone;
  std::unique_ptr<LanePlan> lanes = {};
  int beside = 0, ahead = 0;
  Name until = {};
  Shape counter = Shape::kUniform;  // or kVarying
  bool masked = false;
  Stragglers alone = {};
  LoopMark mark = {};
  static auto fields(auto& self) {
    return std::tie(self.var, self.type, self.begin, self.end, self.step, self.body, self.hint,
                    self.lanes, self.beside, self.ahead, self.until, self.counter, self.masked,
                    self.alone, self.mark);
  }
};
// The lanes of a reduction along contiguous memory.
inline constexpr int64_t kLanes = 16;
// while (c_1) { … }  `cond` is usually a `var`.
// mask while (c_1) alone 4, 2 { … }  In lanes: as for loops.
struct While {
  Operand cond;
  Body body;
  bool masked = false;
  Stragglers alone = {};
  LoopMark mark = {};
  static auto fields(auto& self) {
    return std::tie(self.cond, self.body, self.masked, self.alone, self.mark);
  }
};
// call (i64 n_1, heap b_2) = "f"(x_3, c_4) @7;  Fails if the callee fails; `loc` is for back
// traces.
//
// call beside c_5 (…) = "f"(…);
// Another call follows in the same body, and neither needs what the other does.  If `beside` holds,
// it is worth running the two at the same time.  Several such calls in a row have the same
// `beside`. Between them there are only checks and what makes blocks for the later ones, which
// nothing but these calls (and `free`) uses.
struct Call {
  std::vector<Decl> results;
  std::string fn;
  std::vector<Operand> args;  // blocks are names
  Loc loc = {};
  Operand beside = core::const_bool(false);
  bool may_fork() const { return core::as_name(beside) != nullptr; }
  static auto fields(auto& self) {
    return std::tie(self.results, self.fn, self.args, self.loc, self.beside);
  }
};
// check(c_1, "Index [", i_2, "] out of bounds") @7;  Fails with the message unless `cond` holds.
struct Check {
  Operand cond;
  std::vector<MessagePart> message;
  Loc loc = {};
  static auto fields(auto& self) { return std::tie(self.cond, self.message, self.loc); }
};

// ---- parallel loops

// parallel for (i_1 < n_2; grain 0i64) { … }
// `grain` is the smallest number of iterations worth a task; 0: unknown, measure.
struct ParallelFor {
  Name var;
  Operand count, grain;
  Body body;
  LoopMark mark = {};
  static auto fields(auto& self) {
    return std::tie(self.var, self.count, self.grain, self.body, self.mark);
  }
};
// parallel range (b_1, e_2 < n_3; grain 0i64) { … }
// The body runs for pieces b … e-1, in order inside a piece, that cover 0 … n-1 in any way.
struct ParallelRange {
  Name begin, end;
  Operand count, grain;
  Body body;
  static auto fields(auto& self) {
    return std::tie(self.begin, self.end, self.count, self.grain, self.body);
  }
};
// parallel chunks (b_1, e_2, k_3 < n_4; size s_5) { … }
// Like ParallelRange, with fixed pieces: piece k is k*size … min(n, (k+1)*size)-1.  What is
// computed piece by piece does not depend on the number of threads.
struct ParallelChunks {
  Name begin, end, chunk;
  Operand count, size;
  Body body;
  static auto fields(auto& self) {
    return std::tie(self.begin, self.end, self.chunk, self.count, self.size, self.body);
  }
};
// ordered { … }
// In the body of parallel chunks: a chunk runs it once, after those before it ran theirs, and sees
// what they wrote.  Its loop starts them in order.  What comes before it, it, and what comes after
// it may run on different threads, so a chunk owns no block across it.  There may be two of them:
// one if `my_turn` did not hold, and after it one if it did.
struct Ordered {
  Body body;
  static auto fields(auto& self) { return std::tie(self.body); }
};
// bool t_1 = my_turn();
// Directly in the body of parallel chunks, before `ordered`: have all chunks before this one run
// theirs already, and will those after it not do so before this chunk has ended?  Results must not
// depend on it.
struct MyTurn {
  Name name;
  static auto fields(auto& self) { return std::tie(self.name); }
};
// i64 s_2 = chunk_size(n_1, 1024i64);
// A good size for the chunks of a loop of n iterations, at least `least`, such that there are at
// most kMaxChunks.  A function of its operands only, on every machine.
struct ChunkSize {
  Name name;
  Operand count, least;
  static auto fields(auto& self) { return std::tie(self.name, self.count, self.least); }
};
inline constexpr int64_t kMaxChunks = 256;
// i64 t_1 = workers();
// How many threads execute parallel loops in this run.  Results must not depend on it.
struct Workers {
  Name name;
  static auto fields(auto& self) { return std::tie(self.name); }
};

// ---- atomics

// atomic add_i32(b_1[i_2], x_3);  b[i] = op(b[i], x), indivisibly.
// atomic add_f32(b_1[i_2], x_3, y_4, z_5);  The elements that follow, too, each of them
// indivisibly; only in launches.
struct Atomic {
  BinOpKind op;
  Prim type;
  Name block;
  Operand index;
  Operand value;
  std::vector<Operand> further = {};
  static auto fields(auto& self) {
    return std::tie(self.op, self.type, self.block, self.index, self.value, self.further);
  }
};
// atomic (f32 b_1[i_2] as old_3) { … } yield new_4;
// Replaces the element by what the body makes of it, indivisibly; the body may run several times,
// so it must be pure.
//
// atomic (f32 b_1[i_2] as old_3 with x_5 = v_6) { … } yield new_4;
// The same, where x is v in the body.  The body is an associative and commutative operator on old
// and x, so that threads that meet may combine their values first.
//
// atomic (f32 b_1[i_2] as old_3 with x_5 = v_6 or e_7) { … } yield new_4;
// And e is its neutral element; nobody looks at the element otherwise before the next barrier.  So
// a thread may take it, and leave e there meanwhile.
struct AtomicUpdate {
  Prim type;
  Name block;
  Operand index;
  Name old;
  Body body;
  Operand result;
  Name given = {};  // of the second and third form
  Operand value = const_i64(0);
  std::vector<Operand> neutral = {};  // of the third form: one
  static auto fields(auto& self) {
    return std::tie(self.type, self.block, self.index, self.old, self.body, self.result, self.given,
                    self.value, self.neutral);
  }
};
// i32 old_3 = fetch_add(b_1[i_2], x_4);  Adds indivisibly, in a launch; gives what was there
// before.
struct FetchAdd {
  Name name;
  Prim type;  // i32 or i64
  Name block;
  Operand index;
  Operand value;
  static auto fields(auto& self) {
    return std::tie(self.name, self.type, self.block, self.index, self.value);
  }
};
// lock (b_1[i_2]) { … }  Runs the body while holding the lock in the i32 b[i], which is 0 when
// free. The body takes no other lock and holds no check.
//
// lock (b_1[i_2]) { … } meet (i32 x_3 with y_4, …) { x_3 = …; }
// The same, where the body adds the variables x to something by an associative and commutative
// operator.  Threads that wait for the same lock may add theirs to each other's first: then the
// second body puts together what one has in x and another one in y, and only the first goes on.
struct Meeting {
  Prim type;
  Name own, other;
  static auto fields(auto& self) { return std::tie(self.type, self.own, self.other); }
};
struct Locked {
  Name block;
  Operand index;
  Body body;
  std::vector<Meeting> meetings = {};
  Body meet_body = {};
  static auto fields(auto& self) {
    return std::tie(self.block, self.index, self.body, self.meetings, self.meet_body);
  }
};

// ---- devices

// launch (g_1 < n_2; t_3 < 256i64; scratch s_4; shared b_5) { … }
// Runs the body on the device for n groups (none if n <= 0) of so many threads, 1 … kMostThreads.
// Every device has groups of 256; host code asks before it launches larger ones.
// `scratch` is how many bytes of scratch memory a thread is likely to need; if that is too little,
// the launch is repeated with more.  `shared` is how many bytes the kShared allocations whose size
// is no constant need together, with kSharedAlignment; it must be enough.  `at_once` is how many
// groups a processor of the device should have room for at once, 0 if that does not matter: their
// threads get fewer registers.
struct Launch {
  Name group, thread;
  Operand groups, threads, scratch;
  Body body;
  Operand shared = const_i64(0);
  int64_t at_once = 0;
  Loc loc = {};  // as that of a loop
  static auto fields(auto& self) {
    return std::tie(self.group, self.thread, self.groups, self.threads, self.scratch, self.body,
                    self.shared, self.at_once);
  }
};
inline constexpr int64_t kMostThreads = 1024;
inline constexpr int64_t kSharedAlignment = 16;
// barrier;  Every thread of the group arrives here before any goes on, and sees what the others
// wrote before.
struct Barrier {
  static auto fields(auto&) { return std::tie(); }
};
// warp_meet;  Threads of a warp that have gone different ways go on together from here.  Nobody
// has to wait here for a result to be right.  All threads of the group come here, as to a barrier,
// but memory is as it was; the group has whole warps.
struct WarpMeet {
  static auto fields(auto&) { return std::tie(); }
};
// f32 other_3 = shuffle_up(x_1, 1i64);
// What another thread of the same warp has; a warp is 32 neighbouring threads.  The lane is that of
// the other thread (index), or how far it is before this one (up), after it (down), or which bits
// of its number differ (xor).  Where up and down leave the warp a thread gets its own value.  All
// threads of the group come here together, as to a barrier, but memory is as it was; the group has
// whole warps.
enum class ShuffleKind : uint8_t { kUp, kDown, kXor, kIndex };
struct Shuffle {
  Name name;
  Prim type;
  ShuffleKind kind;
  Operand value, lane;
  static auto fields(auto& self) {
    return std::tie(self.name, self.type, self.kind, self.value, self.lane);
  }
};
inline constexpr int64_t kWarpThreads = 32;
// u32 mask_2 = ballot(c_1);  For which lanes of the warp it holds: a bit for each.  All threads of
// the group come here together, as to a shuffle.
struct Ballot {
  Name name;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.name, self.value); }
};
std::string_view shuffle_name(ShuffleKind kind);
// The lane, of 0 … 31, that a thread gets its value from.
int64_t shuffle_source(ShuffleKind kind, int64_t own, int64_t lane);
// fence;  Whoever sees what this thread writes after it sees what it wrote before it, too; and what
// this thread reads after it is no older than what it read before.
struct Fence {
  static auto fields(auto&) { return std::tie(); }
};
// matrix(c_1, a_2, b_3);  c += a * b
// In a launch for CUDA: 32 neighbouring threads, the first of which has a number that 32 divides,
// multiply matrices of f64, 16 x 8 and 8 x 8, and add the product to a third one.  The matrices are
// spread over kPrivate blocks.  Thread 4g+t of the 32 has, row and column from 0 on,
//   of a   (g, t), (g+8, t), (g, t+4), (g+8, t+4)
//   of b   (t, g), (t+4, g)
//   of c   (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
// The order of the sums is the machine's.
struct MatrixSum {
  Name c, a, b;
  static auto fields(auto& self) { return std::tie(self.c, self.a, self.b); }
};
inline constexpr int64_t kMatrixThreads = 32;
// attempt (i_1) { … }
// In a launch: a check that fails inside ends the body, and the thread goes on after it.  Of all
// failures of a launch the one with the lowest `position` wins; it is asked when the check fails.
// Outside an attempt a failing check ends the thread, so there must be no barrier after it.  An
// attempt may hold barriers if all threads of the group leave it together; one inside another may
// not.
struct Attempt {
  Operand position;
  Body body;
  static auto fields(auto& self) { return std::tie(self.position, self.body); }
};
// stop;  Ends the innermost attempt, without a failure of its own.
struct Stop {
  static auto fields(auto&) { return std::tie(); }
};

}  // namespace skald::imp
