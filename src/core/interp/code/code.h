// SPDX-License-Identifier: Apache-2.0
// The form in which functions are interpreted: the same tree as core/ir/exp.h, but with every name
// replaced by a slot of a frame.
//
// A frame has two lists of slots.  Scalars are 64 bits as in `Const::bits`; constants have slots of
// their own, filled when the frame is made and never written.  Arrays and memory blocks are in the
// other list.  All bodies and lambdas of a function share its frame: names are unique, and a lambda
// never runs inside itself, because calls make new frames.  Accumulators are scalars: pointers to
// the machine's AccState.  Tokens have no slot, because statements run in order.
//
// An array's slot is emptied after its last use, and the use that is the last may move it out
// (`Use::move`).  That keeps reference counts at one where an array is consumed, so that updates
// work in place; see liveness.h.
//
// Read next: compile.h (core → this), machine.h (runs it).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/interp/code/array.h"
#include "core/ir/program.h"
#include "core/scalar/scalar.h"

namespace skald::core::interp {

using Slot = uint32_t;

enum class Kind : uint8_t { kNone, kScalar, kArray, kAcc, kMem };
inline bool is_scalar_slot(Kind kind) {
  return kind == Kind::kScalar || kind == Kind::kAcc;
}
inline bool is_array_slot(Kind kind) {
  return kind == Kind::kArray || kind == Kind::kMem;
}

// An operand.
struct Use {
  Kind kind = Kind::kNone;
  Slot slot = 0;
  bool move = false;
};

// MemLoc in slots.
struct PlaceCode {
  Slot block = 0;
  Slot offset = 0;
  std::vector<Slot> strides;  // none: dense
};

// A Param or Ret in slots.
struct Binding {
  Kind kind = Kind::kNone;
  Slot slot = 0;
  Prim elem = Prim::kI32;
  std::vector<Slot> dims = {};
  std::optional<PlaceCode> place = {};
};

enum class Op : uint8_t {
  kMove,       // dst = a
  kUn,         // dst = un(a)
  kBin,        // dst = bin(a, b)
  kTern,       // dst = tern(a, b, c)
  kSelect,     // dst = a ? b : c
  kMoveArray,  // array dst = array a, moved if b is 1
  kRelease,    // array a is not needed any more
  kBound,      // checks the shape of a new array against its type; puts it where its place says
  kIndex1,     // scalar dst = array a [b], one dimension
  kIndexAll,   // the other nodes: see the structs below
  kSlice,
  kUpdate,
  kFlatIndex,
  kFlatUpdate,
  kArrayLit,
  kConcat,
  kIota,
  kReplicate,
  kScratch,
  kReshape,
  kRearrange,
  kCopy,
  kTrace,
  kAssert,
  kIf,
  kLoop,
  kCall,
  kSoac,
  kHist,
  kScatter,
  kPartition,
  kFlatMap,
  kWithAcc,
  kUpdateAcc,
  kKernel,
  kAlloc,
  kFree
};

struct Instr {
  Op op;
  Slot dst = 0;
  Slot a = 0, b = 0, c = 0;
  // What `op` says: a scalar function, or the struct of that node.
  union {
    UnFn un;
    BinFn bin;
    TernFn tern;
    const void* node = nullptr;
  };
};

struct Code {
  std::vector<Instr> instrs;
  std::vector<Loc> locs;  // of the instructions
  std::vector<Use> results;
};

struct LambdaCode {
  std::vector<Binding> params;
  std::vector<Binding> results;  // types only
  Code code;
  // If the body is one operator applied to the two parameters, it.
  BinFn direct = nullptr;
};

// Results that become the parameters of the next round.  `clash`: a result is another parameter, so
// all must be read before any is written.
struct Carry {
  std::vector<Use> from;
  std::vector<Binding> to;
  bool clash = false;
};

// ---- arrays

struct DimCode {
  bool is_index = true;
  Slot start = 0, count = 0, stride = 0;
};
struct SliceCode {  // kIndexAll (array, indices), kSlice, kUpdate
  Use array;
  std::vector<DimCode> dims;
  Use value;  // kUpdate
  Binding dst;
};
struct FlatCode {  // kFlatIndex, kFlatUpdate
  Use array;
  Slot offset = 0;
  std::vector<DimCode> dims;  // count and stride
  Use value;
  Binding dst;
};
struct ArrayLitCode {
  std::vector<Use> elems;
  std::vector<Slot> row_dims;
  Binding dst;
};
struct ConcatCode {
  int dim = 0;
  Slot size = 0;
  std::vector<Use> arrays;
  Binding dst;
};
struct IotaCode {
  Slot count = 0, start = 0, step = 0;
  BinFn add = nullptr;
  Binding dst;
};
struct ShapeCode {  // kReplicate, kScratch, kReshape: a shape and perhaps a value
  std::vector<Slot> shape;
  Use value;
  Binding dst;
};
struct RearrangeCode {
  Use array;
  std::vector<int> perm;
  Binding dst;
};
struct CopyCode {
  Use array;
  Binding dst;
};
struct TraceCode {
  Use value;
  Prim type = Prim::kI32;
  std::string tag;
};

// ---- control

struct AssertCode {
  struct Part {
    std::string text;
    std::optional<Slot> value = {};
    Prim type = Prim::kI32;
  };
  std::vector<Part> message;
};
struct IfCode {
  Code then_code, else_code;
  std::vector<Binding> pat;
};
struct LoopCode {
  bool is_while = false;
  Slot var = 0, bound = 0, cond = 0;
  bool bound_is_signed = true;
  int bound_bits = 64;
  std::vector<Use> init;
  Code body;
  Carry carry;
  std::vector<Binding> pat;
};
struct LoadedFunction;
struct CallCode {
  std::string fn;
  mutable LoadedFunction* callee = nullptr;  // found at the first call
  std::vector<Use> args;
  std::vector<Binding> pat;
  Loc loc;
};

// ---- SOACs and kernels

struct OperatorCode {
  LambdaCode fn;
  std::vector<Use> neutral;
  Carry carry;  // results → left parameters
  int size() const { return static_cast<int>(neutral.size()); }
};
struct SoacCode {
  Slot width = 0;
  std::vector<Use> inputs;
  LambdaCode fn;
  std::vector<OperatorCode> scans, reduces;
  std::optional<LambdaCode> post;
  std::vector<Binding> pat;
};
// A destination of several arrays with the same indices: Hist, Scatter, accumulators and the sinks
// like them.  Without an operator a write overwrites.
struct TargetCode {
  std::vector<Slot> shape;
  std::vector<Use> arrays;
  std::optional<OperatorCode> op;
};
struct WriteCode {  // kHist, kScatter
  Slot width = 0;
  std::vector<Use> inputs;
  std::vector<TargetCode> targets;
  LambdaCode fn;
  std::vector<Binding> pat;
};
struct PartitionCode {
  Slot width = 0;
  int classes = 0;
  std::vector<Use> inputs;
  LambdaCode fn;
  std::vector<Binding> pat;
};
struct FlatMapCode {
  Slot width = 0;
  int data = 0;
  std::vector<Use> inputs;
  LambdaCode fn;
  std::vector<Binding> pat;
};
struct WithAccCode {
  std::vector<TargetCode> inputs;
  LambdaCode fn;
  std::vector<Binding> pat;
};
struct UpdateAccCode {
  Slot acc = 0;
  std::vector<Slot> indices;
  std::vector<Use> values;
  Slot dst = 0;
};
struct SinkCode {
  Sink::Kind kind = Sink::kOut;
  int count = 1;
  int classes = 0;
  TargetCode target;               // kScatter, kHist
  std::optional<OperatorCode> op;  // kReduce, kScan
  bool late = false;               // takes its values from the post-body
};
struct KernelCode {
  Domain::Kind domain = Domain::kFlat;
  std::vector<Slot> dims;
  Slot offsets = 0;  // kSeg
  bool guarded = false;
  LambdaCode pull;
  std::vector<SinkCode> sinks;
  std::optional<LambdaCode> post;
  std::vector<Binding> pat;
};

// ---- memory

struct AllocCode {
  Slot bytes = 0;
  Slot dst = 0;
};

// ---- functions

struct FunctionCode {
  const Function* fn = nullptr;
  std::vector<Binding> params;
  std::vector<Binding> results;  // types only
  Code code;
  Slot scalars = 0, arrays = 0;                           // slots of a frame
  std::vector<std::pair<Slot, uint64_t>> constants = {};  // slots that hold constants
  std::vector<std::shared_ptr<void>> nodes = {};          // what Instr::node points to

  template <class T>
  T* make() {
    auto node = std::make_shared<T>();
    nodes.push_back(node);
    return node.get();
  }
};

// The values of one activation of a function.
struct Frame {
  std::vector<uint64_t> scalars;
  std::vector<Array> arrays;
};

}  // namespace skald::core::interp
