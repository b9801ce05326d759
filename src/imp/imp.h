// SPDX-License-Identifier: Apache-2.0
// imp: the imperative IR below core.  Structured loops over scalars and memory, printed as
// pseudo-C; the CPU and GPU back ends start here.
//
// The technique is core's: plain structs in a variant, `fields` lists what a node holds, every name
// is bound once in a whole Program, an operand is a name or a constant.  The scalar expressions
// *are* core's nodes.
//
// Scalars   `let` binds a value once.  `var` declares a variable that `assign` changes; used as an
//           operand it gives its value at that moment.
// Memory    A block is a piece of untyped memory; loads and stores say their element type, and
//           their index counts elements of it.  The name of a block belongs to a Space:
//             kHeap     owns a reference to a block of the runtime.  The reference is given back
//                       when the scope of the name ends, by every way out, failures included.  So
//                       nothing leaks, and `free` only makes it happen earlier.
//             kScratch  memory of the iteration (or function call) that asked for it, gone at the
//                       end of the scope.  Cheap; the form for allocations inside parallel loops.
//             kView     a borrowed pointer to a block of any space, which must live long enough.
//             kShared   shared by the threads of a work group (GPU only), in the group's own
//             memory.
//                       Gone at the end of the scope, like kScratch.
//             kGroup    like kHeap, and shared by the threads of a work group (GPU only); all of
//                       them run each statement about its names.  Lies in the device's memory.
//             kDevice   like kHeap, but the block lies in the memory of a device.  Host code may
//                       load and store single elements of it, copy and fill it; each of these is
//                       a transfer or a command to the device.  Inside a launch it is memory like
//                       any other, and a kHeap name may be assigned from it.
//           Parameters of functions borrow; results give the caller a reference (kHeap).
//           Different names of blocks never lead to the same *written* memory, except where one is
//           assigned or returned from the other (BlockVar, BlockAssign, Call): compilers rely on
//           it.
// Parallel  The iterations of a parallel loop may run in any order and at the same time.  Inside,
//           variables of the code around it can be read but not assigned, and kHeap names cannot
//           be freed.
// Failures  A failing check stops the function, and so its callers.  In a parallel loop the
//           failure of the lowest iteration wins, and the loop's function stops after it.
//
// Devices   `launch` runs its body on a device, for all threads of all groups at once; it is a
//           parallel loop, and what it uses of the code around it travels as arguments.  Inside,
//           kHeap and kScratch allocations come out of the thread's own piece of scratch memory.
//           Functions called from inside are of kind kDevice.
//
// Vectors   are not written down: the cpu back end runs the iterations of `simd for` in lanes, and
//           imp/simd says which values then differ from lane to lane.
//
// Read next: visit.h (walking), print.h, parse.h, verify.h, lower/lower.h (core → imp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/exp.h"
#include "core/program.h"

namespace skald::imp {

using core::BinOpKind;
using core::CmpOpKind;
using core::Const;
using core::const_i64;
using core::Loc;
using core::MessagePart;
using core::Name;
using core::Operand;
using core::Prim;
using core::TernOpKind;
using core::UnOpKind;

enum class Space : uint8_t { kHeap, kScratch, kView, kShared, kDevice, kGroup };
// Names in these spaces own a reference to their block.
inline bool is_owning(Space space) {
  return space == Space::kHeap || space == Space::kDevice || space == Space::kGroup;
}

// A scalar, or a block of memory.
struct Type {
  enum Kind : uint8_t { kScalar, kBlock };
  Kind kind = kScalar;
  Prim prim = Prim::kI64;      // kScalar
  Space space = Space::kHeap;  // kBlock
  bool is_block() const { return kind == kBlock; }
  friend bool operator==(const Type&, const Type&) = default;
  static auto fields(auto& self) { return std::tie(self.kind, self.prim, self.space); }
};
inline Type scalar(Prim prim) {
  return {Type::kScalar, prim, Space::kHeap};
}
inline Type block(Space space = Space::kHeap) {
  return {Type::kBlock, Prim::kI64, space};
}

// A bound name.
struct Decl {
  Name name = {};
  Type type = {};
  friend bool operator==(const Decl&, const Decl&) = default;
  static auto fields(auto& self) { return std::tie(self.name, self.type); }
};

struct Stmt;

// Statements; names bound in it are visible up to its end.  Move-only, see core::Body.
struct Body {
  std::vector<Stmt> stmts;

  Body();
  explicit Body(std::vector<Stmt> s);
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  ~Body();
  static auto fields(auto& self) { return std::tie(self.stmts); }
};

// ---- scalars

// The pure scalar expressions, with the meaning they have in core (ops.h, scalar.h).
using Exp = std::variant<core::Value, core::UnOp, core::BinOp, core::CmpOp, core::TernOp,
                         core::Convert, core::Bitcast, core::Select>;

// f32 x_3 = add_f32(y_1, z_2);
struct Let {
  Name name;
  Prim type;
  Exp exp;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.exp); }
};
// var f32 acc_4 = 0f32;
struct Var {
  Name name;
  Prim type;
  Operand init;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.init); }
};
// acc_4 = x_3;
struct Assign {
  Name var;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.var, self.value); }
};

// i64 x_3 = tunable("name", "user", d_1);  See core::Tunable.
struct Tunable {
  Name name;
  std::string param, param_class;
  Operand fallback;
  static auto fields(auto& self) {
    return std::tie(self.name, self.param, self.param_class, self.fallback);
  }
};

// ---- memory

// f32 x_3 = b_1[i_2];
struct Load {
  Name name;
  Prim type;
  Name block;
  Operand index;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.block, self.index); }
};
// f32 b_1[i_2] = x_3;
struct Store {
  Prim type;
  Name block;
  Operand index;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.type, self.block, self.index, self.value); }
};
// heap b_1 = alloc(n_2) @7;  scratch b_1 = alloc(n_2);
// Undefined contents.  Fails if there is no memory or `bytes` is negative; `loc` is for the back
// trace then.
struct Alloc {
  Name name;
  Space space;  // not kView
  Operand bytes;
  Loc loc = {};
  static auto fields(auto& self) { return std::tie(self.name, self.space, self.bytes, self.loc); }
};
// heap b_3 = b_1;  view b_3 = b_1;  heap b_3 = null;
// A name of a block that may be assigned.  kHeap (then `init` is a kHeap name, and another
// reference is taken) or kView.
struct BlockVar {
  Name name;
  Space space;
  Name init;  // no name: nothing yet
  static auto fields(auto& self) { return std::tie(self.name, self.space, self.init); }
};
// block b_3 = b_1;
struct BlockAssign {
  Name var;
  Name value;
  static auto fields(auto& self) { return std::tie(self.var, self.value); }
};
// free(b_1);  The name (kHeap) holds no block afterwards.  It may hold none before.
struct Free {
  Name block;
  static auto fields(auto& self) { return std::tie(self.block); }
};
// copy(b_1 + 0i64, c_2 + o_3, n_4);  Bytes; the two places do not overlap.
// move(b_1 + 0i64, b_1 + o_3, n_4);  Bytes; the two places may overlap.
struct CopyBytes {
  Name dest;
  Operand dest_offset;
  Name src;
  Operand src_offset;
  Operand bytes;
  bool overlap = false;
  static auto fields(auto& self) {
    return std::tie(self.dest, self.dest_offset, self.src, self.src_offset, self.bytes,
                    self.overlap);
  }
};
// fill(f32 b_1[o_2], n_3, x_4);  Elements o … o+n-1 become x.
struct Fill {
  Prim type;
  Name block;
  Operand start;
  Operand count;
  Operand value;
  static auto fields(auto& self) {
    return std::tie(self.type, self.block, self.start, self.count, self.value);
  }
};

// transpose(f32 b_1[o_2], s_3, c_4[p_5], t_6, n_7, m_8);
// b[o + j*s + i] = c[p + i*t + j] for all i < n, j < m: rows of c become columns of b.  The two
// places do not overlap.
struct TransposeBlock {
  Prim type;
  Name dest;
  Operand dest_start, dest_stride;
  Name src;
  Operand src_start, src_stride;
  Operand rows, columns;
  static auto fields(auto& self) {
    return std::tie(self.type, self.dest, self.dest_start, self.dest_stride, self.src,
                    self.src_start, self.src_stride, self.rows, self.columns);
  }
};

// scan add_f32(b_1[o_2], n_3, c_4);
// Elements o … o+n-1 become their inclusive scan, which begins with the element c[0]; that becomes
// the last of them.  The operator is associative: add, mul, min, max, and, or, xor on integers, add
// and mul on floats.  Groups of 16 bytes are scanned by doubling steps (x[i] = x[i-1] op x[i], then
// x[i-2] op x[i] …) before what comes before them is combined with each element; the last n mod (64
// bytes) elements one by one.
struct ScanBlock {
  BinOpKind op;
  Prim type;
  Name block;
  Operand start, count;
  Name carry;
  static auto fields(auto& self) {
    return std::tie(self.op, self.type, self.block, self.start, self.count, self.carry);
  }
};

bool can_scan_block(BinOpKind op, Prim type);

// trace("a.fut:1:2", f32 b_1[o_2], n_3, m_4);
// Shows the user an array (or scalar, if there are no dimensions) that lies densely at that place.
struct Trace {
  std::string tag;
  Prim type;
  Name block;
  Operand index;
  std::vector<Operand> shape;
  static auto fields(auto& self) {
    return std::tie(self.tag, self.type, self.block, self.index, self.shape);
  }
};

// ---- control

// if (c_1) { … } else { … }
struct If {
  Operand cond;
  Body then_body, else_body;
  static auto fields(auto& self) { return std::tie(self.cond, self.then_body, self.else_body); }
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
enum class LoopHint : uint8_t { kNone, kSimd, kShort };
struct For {
  Name var;
  Prim type;
  Operand begin, end, step;
  Body body;
  LoopHint hint = LoopHint::kNone;
  static auto fields(auto& self) {
    return std::tie(self.var, self.type, self.begin, self.end, self.step, self.body, self.hint);
  }
};
// The lanes of a reduction along contiguous memory.
inline constexpr int64_t kLanes = 16;
// while (c_1) { … }  `cond` is usually a `var`.
struct While {
  Operand cond;
  Body body;
  static auto fields(auto& self) { return std::tie(self.cond, self.body); }
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
  static auto fields(auto& self) { return std::tie(self.var, self.count, self.grain, self.body); }
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
// Directly in the body of parallel chunks, at most once: a chunk runs it after the chunks before it
// have run theirs, and sees what they wrote there.  A loop with it starts its chunks in order.
struct Ordered {
  Body body;
  static auto fields(auto& self) { return std::tie(self.body); }
};
// bool t_1 = my_turn();
// Directly in the body of parallel chunks, before `ordered`: have all chunks before this one run
// theirs already, and are threads so few that those after it may wait a while?  Results must not
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
struct Atomic {
  BinOpKind op;
  Prim type;
  Name block;
  Operand index;
  Operand value;
  static auto fields(auto& self) {
    return std::tie(self.op, self.type, self.block, self.index, self.value);
  }
};
// atomic (f32 b_1[i_2] as old_3) { … } yield new_4;
// Replaces the element by what the body makes of it, indivisibly; the body may run several times,
// so it must be pure.
struct AtomicUpdate {
  Prim type;
  Name block;
  Operand index;
  Name old;
  Body body;
  Operand result;
  static auto fields(auto& self) {
    return std::tie(self.type, self.block, self.index, self.old, self.body, self.result);
  }
};
// lock (b_1[i_2]) { … }  Runs the body while holding the lock in the i32 b[i], which is 0 when
// free. The body takes no other lock and holds no check.
struct Locked {
  Name block;
  Operand index;
  Body body;
  static auto fields(auto& self) { return std::tie(self.block, self.index, self.body); }
};

// ---- devices

// launch (g_1 < n_2; t_3 < 256i64; scratch s_4; shared b_5) { … }
// Runs the body on the device for n groups (none if n <= 0) of so many threads, 1 … kMostThreads.
// `scratch` is how many bytes of scratch memory a thread is likely to need; if that is too little,
// the launch is repeated with more.  `shared` is how many bytes the kShared allocations whose size
// is no constant need together, with kSharedAlignment; it must be enough.
struct Launch {
  Name group, thread;
  Operand groups, threads, scratch;
  Body body;
  Operand shared = const_i64(0);
  static auto fields(auto& self) {
    return std::tie(self.group, self.thread, self.groups, self.threads, self.scratch, self.body,
                    self.shared);
  }
};
inline constexpr int64_t kMostThreads = 256;
inline constexpr int64_t kSharedAlignment = 16;
// barrier;  Every thread of the group arrives here before any goes on, and sees what the others
// wrote before.
struct Barrier {
  static auto fields(auto&) { return std::tie(); }
};
// attempt (i_1) { … }
// In a launch: a check that fails inside ends the body, and the thread goes on after it.  Of all
// failures of a launch the one with the lowest `position` wins.  Outside an attempt a failing check
// ends the thread, so there must be no barrier after it.  An attempt may hold barriers if all
// threads of the group leave it together; one inside another may not.
struct Attempt {
  Operand position;
  Body body;
  static auto fields(auto& self) { return std::tie(self.position, self.body); }
};
// stop;  Ends the innermost attempt, without a failure of its own.
struct Stop {
  static auto fields(auto&) { return std::tie(); }
};

// clang-format off
#define SKALD_IMP_NODES(X) \
  X(Let) X(Var) X(Assign) X(Tunable) X(Load) X(Store) X(Alloc) X(BlockVar) X(BlockAssign) X(Free) \
  X(CopyBytes) X(Fill) X(TransposeBlock) X(ScanBlock) X(Trace) X(If) X(For) X(While) X(Call) X(Check) \
  X(ParallelFor) X(ParallelRange) X(ParallelChunks) X(Ordered) X(MyTurn) X(ChunkSize) X(Workers) X(Atomic) X(AtomicUpdate) \
  X(Locked) X(Launch) X(Barrier) X(Attempt) X(Stop)
// clang-format on

using Node =
    std::variant<Let, Var, Assign, Tunable, Load, Store, Alloc, BlockVar, BlockAssign, Free,
                 CopyBytes, Fill, TransposeBlock, ScanBlock, Trace, If, For, While, Call, Check,
                 ParallelFor, ParallelRange, ParallelChunks, Ordered, MyTurn, ChunkSize, Workers,
                 Atomic, AtomicUpdate, Locked, Launch, Barrier, Attempt, Stop>;

struct Stmt {
  Node node;
  static auto fields(auto& self) { return std::tie(self.node); }
};

// Host code, or code called from inside a launch (printed as `device fn`).
enum class FunctionKind : uint8_t { kHost, kDevice };

// fn "f"(i64 n_1, heap b_2) -> (i64, heap) { … return (x_3, c_4); }
//
// An entry point has one parameter for each slot of runtime/abi.h's SkaldEntry (an array is a kHeap
// block and an i64 per dimension; its elements are dense, row-major, from the block's beginning on)
// and one result for each slot of its results, in the same form.
struct Function {
  std::string name;
  std::vector<Decl> params;
  std::vector<Type> results;
  Body body;
  std::vector<Operand> ret;               // blocks are names of kHeap blocks
  std::optional<std::string> entry = {};  // the name of the entry point
  // once fn "table"() -> (heap) { … }: no parameters; computed at most once in a run if it can be.
  bool once = false;
  FunctionKind kind = FunctionKind::kHost;
  static auto fields(auto& self) {
    return std::tie(self.params, self.results, self.body, self.ret);
  }
};

struct Program {
  core::NameTable names;
  core::LocTable locs;
  std::vector<Function> functions;

  const Function* find(std::string_view name) const;
};

}  // namespace skald::imp
