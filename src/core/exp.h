// SPDX-License-Identifier: Apache-2.0
// The expressions of the core IR.
//
// The core IR is in A-normal form: an operand is a name or a constant, never a nested expression.
// Every name is bound exactly once in a whole Program, so no pass needs to think about shadowing.
// Nodes are plain structs in a variant; `fields` lists what a node holds, in the order the printer
// shows it, and is the only place that has to change when a node gains a field.
//
// How many values an expression gives, and their types, is read off the pattern of its statement. A
// later pattern element's type may mention an earlier one of the same pattern:
//
//   let {m_3 : i64, ys_4 : [m_3]i32} = partition(…)
//
// Read next: visit.h (walking), verify.h (what is legal at which stage), interp/interp.h (the
// reference semantics), docs/ir.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/ops.h"
#include "core/type.h"

namespace skald::core {

struct Stmt;

// Straight-line code and the values it returns.  Move-only: two copies of a body would bind the
// same names twice.  Use `copy_with_fresh_names` (rename.h) to duplicate one.
struct Body {
  std::vector<Stmt> stmts;
  std::vector<Operand> result;

  Body();
  Body(std::vector<Stmt> s, std::vector<Operand> r);
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  ~Body();
  static auto fields(auto& self) { return std::tie(self.stmts, self.result); }
};

struct Lambda {
  std::vector<Param> params;
  std::vector<Ret> results;
  Body body;
  static auto fields(auto& self) { return std::tie(self.params, self.results, self.body); }
};

// ---- scalars
// -------------------------------------------------------------------------------------

// The operand itself: let {x} = y.  An array is not copied.
struct Value {
  static constexpr std::string_view kName = "value";
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.arg); }
};
// The operand itself, but nothing may be concluded about it (#[opaque]); with the statement
// attribute trace or trace(tag) the program prints it when it runs.
struct Opaque {
  static constexpr std::string_view kName = "opaque";
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.arg); }
};
// A number (i64) that can be chosen when the program is run: what the run's tuning says about
// `param`, or else `fallback`.  The same in the whole run.  `param_class` says what kind of choice
// it is: "user" for #[param(NAME)], "threshold(…)" where two versions of the code exist.
struct Tunable {
  static constexpr std::string_view kName = "tunable";
  std::string param;
  std::string param_class;
  Operand fallback;
  static auto fields(auto& self) { return std::tie(self.param, self.param_class, self.fallback); }
};
struct UnOp {
  static constexpr std::string_view kName = "unop";
  UnOpKind op;
  Prim type;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.arg); }
};
struct BinOp {
  static constexpr std::string_view kName = "binop";
  BinOpKind op;
  Prim type;
  Operand lhs, rhs;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.lhs, self.rhs); }
};
struct CmpOp {
  static constexpr std::string_view kName = "cmpop";
  CmpOpKind op;
  Prim type;
  Operand lhs, rhs;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.lhs, self.rhs); }
};
struct TernOp {
  static constexpr std::string_view kName = "ternop";
  TernOpKind op;
  Prim type;
  Operand a, b, c;
  static auto fields(auto& self) { return std::tie(self.op, self.type, self.a, self.b, self.c); }
};
// Numeric conversion.  Integers narrow by truncation and widen by the sign of `from`; float → int
// truncates toward zero, NaN and infinities give 0, other values out of range saturate, except that
// a negative value becomes an i64 and wraps if `to` is unsigned; number → bool is "not zero"; bool
// → number is 0 or 1.
struct Convert {
  static constexpr std::string_view kName = "convert";
  Prim from, to;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.from, self.to, self.arg); }
};
// The same bits read as another type of the same width.
struct Bitcast {
  static constexpr std::string_view kName = "bitcast";
  Prim from, to;
  Operand arg;
  static auto fields(auto& self) { return std::tie(self.from, self.to, self.arg); }
};
// `cond ? then : otherwise` on scalars; both are already computed.
struct Select {
  static constexpr std::string_view kName = "select";
  Operand cond, then, otherwise;
  static auto fields(auto& self) { return std::tie(self.cond, self.then, self.otherwise); }
};

// ---- arrays
// --------------------------------------------------------------------------------------

// One dimension of a slice: either a single index (the dimension disappears), or `count` elements
// from `start` with distance `stride` (which may be negative or zero).
struct DimSlice {
  bool is_index = true;
  Operand start = const_i64(0);  // the index, if is_index
  Operand count = const_i64(0);
  Operand stride = const_i64(1);
  friend bool operator==(const DimSlice&, const DimSlice&) = default;
  static auto fields(auto& self) {
    return std::tie(self.is_index, self.start, self.count, self.stride);
  }
};

// An array of the given rows; `row` is their type.  May be empty.
struct ArrayLit {
  static constexpr std::string_view kName = "array";
  Type row;
  std::vector<Operand> elems;
  static auto fields(auto& self) { return std::tie(self.row, self.elems); }
};
// array[slice].  `slice` may be shorter than the rank: the remaining dimensions are taken whole.
// All indices must be in bounds: a check comes before, unless the program is unsafe.  A result that
// is an array shares the memory of `array`.
struct Index {
  static constexpr std::string_view kName = "index";
  Name array;
  std::vector<DimSlice> slice;
  static auto fields(auto& self) { return std::tie(self.array, self.slice); }
};
// `array` with `value` at `slice`.  Consumes `array`.
struct Update {
  static constexpr std::string_view kName = "update";
  Name array;
  std::vector<DimSlice> slice;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.array, self.slice, self.value); }
};
// A dimension of a flat slice: `count` positions, `stride` apart.
struct FlatDim {
  Operand count, stride;
  friend bool operator==(const FlatDim&, const FlatDim&) = default;
  static auto fields(auto& self) { return std::tie(self.count, self.stride); }
};
// The elements of a one-dimensional array at offset + Σ i_k * stride_k, as an array of rank
// dims.size().
struct FlatIndex {
  static constexpr std::string_view kName = "flat_index";
  Name array;
  Operand offset;
  std::vector<FlatDim> dims;
  static auto fields(auto& self) { return std::tie(self.array, self.offset, self.dims); }
};
// The reverse: writes `value` there.  Consumes `array`.
struct FlatUpdate {
  static constexpr std::string_view kName = "flat_update";
  Name array;
  Operand offset;
  std::vector<FlatDim> dims;
  Name value;
  static auto fields(auto& self) {
    return std::tie(self.array, self.offset, self.dims, self.value);
  }
};
// The arrays one after another along dimension `dim`; `size` is the sum of their lengths there.
struct Concat {
  static constexpr std::string_view kName = "concat";
  int dim;
  Operand size;
  std::vector<Name> arrays;
  static auto fields(auto& self) { return std::tie(self.dim, self.size, self.arrays); }
};
// start, start + step, … : `count` elements of an integer type.
struct Iota {
  static constexpr std::string_view kName = "iota";
  Prim type;
  Operand count, start, step;
  static auto fields(auto& self) { return std::tie(self.type, self.count, self.start, self.step); }
};
// `value` (a scalar or array) repeated over new outer dimensions.
struct Replicate {
  static constexpr std::string_view kName = "replicate";
  std::vector<Operand> shape;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.shape, self.value); }
};
// An array with unspecified contents (the interpreter fills it with zeros).
struct Scratch {
  static constexpr std::string_view kName = "scratch";
  Prim elem;
  std::vector<Operand> shape;
  static auto fields(auto& self) { return std::tie(self.elem, self.shape); }
};
// The same elements in row-major order under another shape of the same size.  A reshape to the same
// rank is a coercion: the dimensions are the same numbers under other names (there was a check).
struct Reshape {
  static constexpr std::string_view kName = "reshape";
  Name array;
  std::vector<Operand> shape;
  static auto fields(auto& self) { return std::tie(self.array, self.shape); }
};
// Dimension k of the result is dimension perm[k] of `array`.
struct Rearrange {
  static constexpr std::string_view kName = "rearrange";
  Name array;
  std::vector<int> perm;
  static auto fields(auto& self) { return std::tie(self.array, self.perm); }
};
// A fresh copy that aliases nothing.
struct Copy {
  static constexpr std::string_view kName = "copy";
  Name array;
  static auto fields(auto& self) { return std::tie(self.array); }
};

// ---- control
// -------------------------------------------------------------------------------------

// Part of an error message: text, or the value of an operand.
using MessagePart = std::variant<std::string, Operand>;

// Gives a token if `cond` holds; otherwise stops the program with the message and the statement's
// source position.
struct Assert {
  static constexpr std::string_view kName = "assert";
  Operand cond;
  std::vector<MessagePart> message;
  static auto fields(auto& self) { return std::tie(self.cond, self.message); }
};
struct If {
  static constexpr std::string_view kName = "if";
  Operand cond;
  Body then_body, else_body;
  static auto fields(auto& self) { return std::tie(self.cond, self.then_body, self.else_body); }
};
// A loop parameter and its initial value.
struct LoopParam {
  Param param;
  Operand init;
  static auto fields(auto& self) { return std::tie(self.param, self.init); }
};
// Runs `body` with the parameters, whose results are the parameters of the next round; gives the
// last ones.  kFor: `var` counts 0 … bound-1 in `var_type`.  kWhile: runs while `cond` — a boolean
// loop parameter — holds.  The types of parameters may mention other (i64) parameters: sizes that
// change.
struct Loop {
  static constexpr std::string_view kName = "loop";
  enum Form : uint8_t { kFor, kWhile };
  Form form = kFor;
  std::vector<LoopParam> params;
  Param var = {};                // kFor
  Operand bound = const_i64(0);  // kFor
  Name cond = {};                // kWhile
  Body body;
  static auto fields(auto& self) {
    return std::tie(self.form, self.params, self.var, self.bound, self.cond, self.body);
  }
};
// Calls a function of the program, perhaps the one we are in.
struct Call {
  static constexpr std::string_view kName = "call";
  std::string fn;
  std::vector<Operand> args;
  static auto fields(auto& self) { return std::tie(self.fn, self.args); }
};

// ---- second-order array combinators
// ---------------------------------------------------------------
//
// All have a `width` (the number of iterations) and `inputs` of `width` rows; `fn` gets one row of
// each. The iterations may run in any order or all at once.  An input may also be an accumulator,
// which is passed to every iteration and must be returned as the corresponding result.

// An associative operator with its neutral elements.  `fn` takes two groups of values (left,
// right).
struct Operator {
  Lambda fn;
  std::vector<Operand> neutral;
  bool commutative = false;
  static auto fields(auto& self) { return std::tie(self.fn, self.neutral, self.commutative); }
};

// map, reduce and scan in one.  `fn` gives, for each row: the inputs of all scans, the inputs of
// all reductions, and further values.  Scans are inclusive.  Then `post` (if there is one) gets the
// scanned values and the further values of a row; without it they are themselves the outputs.  The
// results of the statement are the values of the reductions, then one array per output of `post`.
struct Soac {
  static constexpr std::string_view kName = "soac";
  Operand width;
  std::vector<Name> inputs;
  Lambda fn;
  std::vector<Operator> scans = {};
  std::vector<Operator> reduces = {};
  std::vector<Lambda> post = {};  // none or one
  bool is_map() const { return scans.empty() && reduces.empty() && post.empty(); }
  static auto fields(auto& self) {
    return std::tie(self.width, self.inputs, self.fn, self.scans, self.reduces, self.post);
  }
};

// One histogram: `dests` are arrays with the outer dimensions `shape` and share one bin index.
struct HistOp {
  std::vector<Operand> shape;
  std::vector<Name> dests;
  Operator op;
  static auto fields(auto& self) { return std::tie(self.shape, self.dests, self.op); }
};
// Generalised histograms.  `fn` gives the bin indices of all histograms (shape.size() of i64 each),
// then their values.  Values with an index out of bounds are ignored.  The others are combined into
// the destinations with the operator, which is associative and commutative, in any order.  Consumes
// the destinations.
struct Hist {
  static constexpr std::string_view kName = "hist";
  Operand width;
  std::vector<Name> inputs;
  std::vector<HistOp> ops;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.inputs, self.ops, self.fn); }
};

// One destination: the outer dimensions `shape` of `dest` are indexed.
struct ScatterDest {
  std::vector<Operand> shape;
  Name dest;
  static auto fields(auto& self) { return std::tie(self.shape, self.dest); }
};
// Writes rows to computed places.  `fn` gives the indices for all destinations (shape.size() of i64
// each), then one value for each destination.  An index out of bounds is ignored; of several writes
// to one place some one survives.  Consumes the destinations.
struct Scatter {
  static constexpr std::string_view kName = "scatter";
  Operand width;
  std::vector<Name> inputs;
  std::vector<ScatterDest> dests;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.inputs, self.dests, self.fn); }
};

// Sorts rows into classes, keeping their order.  `fn` gives an i64 class and values; rows with a
// class outside 0 … classes-1 are dropped (filter is a partition with one class).  Results: the
// sizes of the classes, then for class 0 an array for each value, for class 1 …
struct Partition {
  static constexpr std::string_view kName = "partition";
  Operand width;
  int classes;
  std::vector<Name> inputs;
  Lambda fn;
  static auto fields(auto& self) {
    return std::tie(self.width, self.classes, self.inputs, self.fn);
  }
};

// A map whose rows have different lengths.  `fn` gives a length k, then `data` arrays with outer
// dimension k, then further values of regular type.  Results: the total length m; the lengths
// [n]i64; flags [m]bool (true where a segment starts); offsets [n]i64; the data arrays,
// concatenated, of outer dimension m; the further values as arrays.
struct FlatMap {
  static constexpr std::string_view kName = "flatmap";
  Operand width;
  int data;
  std::vector<Name> inputs;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.width, self.data, self.inputs, self.fn); }
};

// An accumulator: arrays with outer dimensions `shape`, turned write-only.  With an operator a
// write combines (the lambda takes old values, then new ones); without, it overwrites.
struct AccInput {
  std::vector<Operand> shape;
  std::vector<Name> arrays;
  std::vector<Operator> op;  // none or one
  static auto fields(auto& self) { return std::tie(self.shape, self.arrays, self.op); }
};
// Gives `fn` one accumulator for each input; it returns them (first) and further values.  Results:
// the arrays of all inputs after all writes, then the further values.  Consumes the arrays.
struct WithAcc {
  static constexpr std::string_view kName = "with_acc";
  std::vector<AccInput> inputs;
  Lambda fn;
  static auto fields(auto& self) { return std::tie(self.inputs, self.fn); }
};
// Writes values at an index of an accumulator; out of bounds is ignored.  Gives the accumulator.
struct UpdateAcc {
  static constexpr std::string_view kName = "update_acc";
  Name acc;
  std::vector<Operand> indices;
  std::vector<Operand> values;
  static auto fields(auto& self) { return std::tie(self.acc, self.indices, self.values); }
};

// ---- stage KERNELS
// ---------------------------------------------------------------------------------

// The index space of a kernel.
//   kFlat   one dimension.
//   kGrid   dims.size() dimensions; the last one is the one that reductions and scans run along.
//   kSeg    irregular segments: dims = {number of segments, total length}, `offsets` has one more
//   element
//           than there are segments.  The thunk gets (segment, position in it, flat position).
struct Domain {
  enum Kind : uint8_t { kFlat, kGrid, kSeg };
  Kind kind = kFlat;
  std::vector<Operand> dims;
  std::vector<Name> offsets = {};  // none or one
  static auto fields(auto& self) { return std::tie(self.kind, self.dims, self.offsets); }
};

// What becomes of `count` values that the pull thunk gives for each point of the domain.
//   kOut        arrays over the whole domain.
//   kReduce     combined by `op` along the last dimension.
//   kScan       inclusive scan by `op` along the last dimension; arrays over the whole domain.
//   kPartition  as the node Partition with `classes` classes (Flat only).
//   kScatter    as Scatter with one destination: indices (shape.size()), then one value.
//   kHist       as Hist with one histogram: indices (shape.size()), then the values.
struct Sink {
  enum Kind : uint8_t { kOut, kReduce, kScan, kPartition, kScatter, kHist };
  Kind kind = kOut;
  int count = 1;
  std::vector<Operator> op = {};    // kReduce, kScan, kHist
  int classes = 0;                  // kPartition
  std::vector<Operand> shape = {};  // kScatter, kHist: the indexed dimensions of the destinations
  std::vector<Name> dests = {};     // kScatter, kHist
  // Takes its values from the post-function, not from the thunk; neither kOut nor kScan.
  bool late = false;
  static auto fields(auto& self) {
    return std::tie(self.kind, self.count, self.op, self.classes, self.shape, self.dests,
                    self.late);
  }
};

// One parallel operation in normal form: for every point of the domain, `pull` (a function of the
// indices, reading arrays by subscripting) gives values for the sinks, in order.  With `guarded`
// the first value is a bool, and a point where it is false feeds no sink.  With scans, `post` turns
// scanned values and the values for kOut sinks into values for the late sinks, in order, and then
// into what is stored, as in Soac.  The results of the statement are those of the sinks, in order;
// with `post`, first those of all sinks but kScan and kOut, then the stored arrays.
struct Kernel {
  static constexpr std::string_view kName = "kernel";
  Domain domain;
  bool guarded = false;
  Lambda pull;
  std::vector<Sink> sinks;
  std::vector<Lambda> post = {};  // none or one
  static auto fields(auto& self) {
    return std::tie(self.domain, self.guarded, self.pull, self.sinks, self.post);
  }
};

// ---- stage MEMORY
// ----------------------------------------------------------------------------------

// Every array-typed Param (in patterns, lambdas, loops, functions) has its place in Param::mem.
// Whatever makes a new array is preceded by the Alloc of its block; views (index, rearrange,
// reshape, value) share their source's block; update, flat_update and the destinations of kernels
// are done in place.  Where the place of an array depends on the run — results of branches, loops
// and calls, parameters of functions and loops — its block is a value of type kMem that comes
// immediately before the array in the pattern, result or parameter list, and the array is dense at
// offset 0 of it:   let {m_3 : mem, xs_4 : [n_0]i32 @ m_3} = if c_1 then {…, …} else {…, …}
// Branches and loops whose array results stay in one known place (updates) need no such block.

// A new memory block of `bytes` bytes.
struct Alloc {
  static constexpr std::string_view kName = "alloc";
  Operand bytes;
  static auto fields(auto& self) { return std::tie(self.bytes); }
};
// Gives a block back.  No array in it is used afterwards.
struct Free {
  static constexpr std::string_view kName = "free";
  Name block;
  static auto fields(auto& self) { return std::tie(self.block); }
};

// The list of all nodes; visit.h and the printer, parser and verifier follow it.
// clang-format off
#define SKALD_CORE_NODES(X) \
  X(Value) X(Opaque) X(Tunable) X(UnOp) X(BinOp) X(CmpOp) X(TernOp) X(Convert) X(Bitcast) X(Select) \
  X(ArrayLit) X(Index) X(Update) X(FlatIndex) X(FlatUpdate) X(Concat) X(Iota) X(Replicate) \
  X(Scratch) X(Reshape) X(Rearrange) X(Copy) X(Assert) X(If) X(Loop) X(Call) X(Soac) X(Hist) \
  X(Scatter) X(Partition) X(FlatMap) X(WithAcc) X(UpdateAcc) X(Kernel) X(Alloc) X(Free)
// clang-format on

using Exp =
    std::variant<Value, Opaque, Tunable, UnOp, BinOp, CmpOp, TernOp, Convert, Bitcast, Select,
                 ArrayLit, Index, Update, FlatIndex, FlatUpdate, Concat, Iota, Replicate, Scratch,
                 Reshape, Rearrange, Copy, Assert, If, Loop, Call, Soac, Hist, Scatter, Partition,
                 FlatMap, WithAcc, UpdateAcc, Kernel, Alloc, Free>;

// Where in the source: an index into the Program's table of places; 0 is "nowhere".
struct Loc {
  uint32_t index = 0;
  friend bool operator==(Loc, Loc) = default;
};

// let {pat} = exp, after the checks that gave `tokens`.  `attrs` are Futhark's attributes as
// written
// ("sequential", "flattening(no_outer)").
struct Stmt {
  std::vector<Param> pat;
  Exp exp;
  std::vector<Name> tokens = {};
  std::vector<std::string> attrs = {};
  Loc loc = {};
  static auto fields(auto& self) {
    return std::tie(self.pat, self.exp, self.tokens, self.attrs, self.loc);
  }
};

}  // namespace skald::core
