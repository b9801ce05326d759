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
//                       memory.  Gone at the end of the scope, like kScratch.
//             kGroup    like kHeap, and shared by the threads of a work group (GPU only); all of
//                       them run each statement about its names.  Lies in the device's memory.
//             kPrivate  a few elements of one type that a thread of a launch has for itself, in
//                       registers if indices are known when the kernel is compiled.  The size is
//                       a constant.
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
// Vectors   The iterations of `simd for` may run in the lanes of vector registers.  The pass
//           `vectorise` writes down how (lanes.h): marks on loops and statements that change
//           nothing of what they mean.
//
// Read next: type.h, memory_nodes.h, control_nodes.h (the nodes), visit.h (walking), print.h,
// parse.h, verify.h, lower/lower.h (core → imp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "imp/ir/control_nodes.h"
#include "imp/ir/memory_nodes.h"
#include "imp/ir/type.h"

namespace skald::imp {

// clang-format off
#define SKALD_IMP_NODES(X) \
  X(Let) X(Var) X(Assign) X(QuickQuotient) X(Tunable) X(Load) X(Store) X(Alloc) X(BlockVar) X(BlockAssign) X(Free) \
  X(CopyBytes) X(Misaligned) X(Fill) X(TransposeBlock) X(ScanBlock) X(ScanRows) X(Earlier) X(Collect) X(Trace) X(If) X(For) X(While) X(Call) \
  X(Check) X(ParallelFor) X(ParallelRange) X(ParallelChunks) X(Ordered) X(MyTurn) X(ChunkSize) X(Workers) X(Atomic) X(AtomicUpdate) \
  X(FetchAdd) X(Locked) X(Launch) X(Barrier) X(WarpMeet) X(Shuffle) X(Ballot) X(Fence) X(MatrixSum) X(Attempt) X(Stop)
// clang-format on

using Node = std::variant<Let, Var, Assign, QuickQuotient, Tunable, Load, Store, Alloc, BlockVar,
                          BlockAssign, Free, CopyBytes, Misaligned, Fill, TransposeBlock, ScanBlock,
                          ScanRows, Earlier, Collect, Trace, If, For, While, Call, Check,
                          ParallelFor, ParallelRange, ParallelChunks, Ordered, MyTurn, ChunkSize,
                          Workers, Atomic, AtomicUpdate, FetchAdd, Locked, Launch, Barrier,
                          WarpMeet, Shuffle, Ballot, Fence, MatrixSum, Attempt, Stop>;

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
  // fn "f"(i64 n_1, heap b_2) -> (heap) arrays ([n_1, 4i64]) { … }: of a function that calls itself
  // and changes none of its arguments, the shapes of the arrays among them, in its parameters.  The
  // pass `forks` guesses from them what a call costs, and removes them.
  std::vector<std::vector<Operand>> arrays = {};
  static auto fields(auto& self) {
    return std::tie(self.params, self.results, self.body, self.ret);
  }
};

// What the code is for: the cores of this machine, or a device.  For a device, host code keeps
// arrays in device memory and launches kernels.
enum class Target : uint8_t { kCpu, kDevice };
std::string_view target_name(Target target);

struct Program {
  core::NameTable names;
  core::LocTable locs;
  std::vector<Function> functions;
  Target target = Target::kCpu;

  const Function* find(std::string_view name) const;
};

}  // namespace skald::imp
