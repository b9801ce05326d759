// SPDX-License-Identifier: Apache-2.0
// Statements about scalars and memory.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "imp/ir/lanes.h"
#include "imp/ir/type.h"

namespace skald::imp {

// ---- scalars

// The pure scalar expressions, with the meaning they have in core (ops.h, scalar.h).
using Exp = std::variant<core::Value, core::UnOp, core::BinOp, core::CmpOp, core::TernOp,
                         core::Convert, core::Bitcast, core::Select>;

// f32 x_3 = add_f32(y_1, z_2);
// `linear`, `vector` or `border` in front of it: its shape in a loop in lanes (lanes.h).
struct Let {
  Name name;
  Prim type;
  Exp exp;
  Shape shape = Shape::kUniform;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.exp, self.shape); }
};
// var f32 acc_4 = 0f32;
struct Var {
  Name name;
  Prim type;
  Operand init;
  Shape shape = Shape::kUniform;  // or kVarying
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.init, self.shape); }
};
// acc_4 = x_3;
struct Assign {
  Name var;
  Operand value;
  static auto fields(auto& self) { return std::tie(self.var, self.value); }
};

// f64 q_3, usual_4 = quick_div(a_1, b_2);
// In a launch: a / b where `usual` is true; where it is false, which depends on the device, q may
// be anything.  It is true where nothing is zero, infinite, or among the smallest and largest
// numbers. There are no branches between several of them, as there are between quotients. f64 q_3 =
// slow_div(a_1, b_2); The quotient, for where it is hardly ever needed.
struct QuickQuotient {
  Name name, usual;  // no name: slow_div
  Operand lhs, rhs;
  static auto fields(auto& self) { return std::tie(self.name, self.usual, self.lhs, self.rhs); }
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
// vector f32 x_3 = b_1[i_2] contiguous;  In lanes: a vector, and how it is loaded (lanes.h).
// fresh f32 x_3 = b_1[i_2];  In a launch: as it is now, whoever has written it.
// near f32 x_3 = b_1[i_2];  In a launch, of memory that others change meanwhile: as the nearest
// cache has it, perhaps as it was some time ago.
struct Load {
  Name name;
  Prim type;
  Name block;
  Operand index;
  LaneAccess access = LaneAccess::kScalar;  // any other one gives a vector
  bool fresh = false;
  bool near = false;
  static auto fields(auto& self) {
    return std::tie(self.name, self.type, self.block, self.index, self.access, self.fresh,
                    self.near);
  }
};
// f32 b_1[i_2] = x_3;
// f32 b_1[i_2] = x_3 each;  In lanes: how it is stored.
// fresh f32 b_1[i_2] = x_3;  In a launch: all threads see it from now on.
struct Store {
  Prim type;
  Name block;
  Operand index;
  Operand value;
  LaneAccess access = LaneAccess::kScalar;
  bool fresh = false;
  static auto fields(auto& self) {
    return std::tie(self.type, self.block, self.index, self.value, self.access, self.fresh);
  }
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
// copy(b_1 + 0i64, c_2 + o_3, n_4);  Bytes; the two places are the same or do not overlap.
// move(b_1 + 0i64, b_1 + o_3, n_4);  Bytes; the two places may overlap.
// stream(b_1 + 0i64, c_2 + o_3, n_4);  As copy, for a large array that is not read soon: the bytes
// go to memory without passing through the caches, which would have to read their lines first.
// copy(…) by f32;  In lanes, to or from arrays of their own: these hold such elements.  In a
// launch, between a private block and another one: kWideBytes that begin at a multiple of as many
// bytes, by one access.
struct CopyBytes {
  Name dest;
  Operand dest_offset;
  Name src;
  Operand src_offset;
  Operand bytes;
  bool overlap = false;
  bool stream = false;
  std::optional<Prim> elements = {};
  static auto fields(auto& self) {
    return std::tie(self.dest, self.dest_offset, self.src, self.src_offset, self.bytes,
                    self.overlap, self.stream, self.elements);
  }
};
// What a thread of a device can load or store at once.
inline constexpr int64_t kWideBytes = 16;
// i64 o_2 = misaligned(f32 b_1);  How many elements after a multiple of kWideBytes the block
// begins. Only blocks that somebody lent do so after more than none.
struct Misaligned {
  Name name;
  Prim type;
  Name block;
  static auto fields(auto& self) { return std::tie(self.name, self.type, self.block); }
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

// scan add_f32(b_1[o_2], a_3[p_4], n_5, c_6);
// Elements o … o+n-1 of b become the inclusive scan of elements p … p+n-1 of a, which begins with
// the element c[0]; that becomes the last of them.  The two places are the same or do not overlap.
// The operator is associative: add, mul, min, max, and, or, xor on integers, add and mul on floats.
// Floats in groups of 64 bytes: parts of 16 are scanned by doubling steps (x[i-1] op x[i], x[i-2]
// op x[i] …), then part 1 gets the last of part 0, 3 that of 2, then 2 and 3 that of 1, then all
// what comes before the group.  The last n mod (64 bytes) elements one by one.  `stream scan …`:
// b is large and not read soon (see CopyBytes).
struct ScanBlock {
  BinOpKind op;
  Prim type;
  Name dest;
  Operand start;
  Name src;
  Operand src_start, count;
  Name carry;
  bool stream = false;
  static auto fields(auto& self) {
    return std::tie(self.op, self.type, self.dest, self.start, self.src, self.src_start, self.count,
                    self.carry, self.stream);
  }
};

bool can_scan_block(BinOpKind op, Prim type);

// scan rows add_i32(b_1[o_2], c_3[p_4], n_5, m_6);
// Elements p … p+n-1 of c are rows of m elements, at most kLongestScanRow; their inclusive scans
// become elements o … o+n-1 of b, which may be the same place.  The operator is one of ScanBlock's
// on integers.
struct ScanRows {
  BinOpKind op;
  Prim type;
  Name dest;
  Operand start;
  Name src;
  Operand src_start, count, length;
  static auto fields(auto& self) {
    return std::tie(self.op, self.type, self.dest, self.start, self.src, self.src_start, self.count,
                    self.length);
  }
};

// Positions in a row, and their sums, must fit into the smallest integers.
constexpr int64_t kLongestScanRow = 64;

// i32 x_5 = earlier(b_1[i_2], y_3, 4i64, z_4);
// b[i] becomes y, and x is b[i-4], or z if i < 4: the y of the iteration four before in a `simd
// for` that counts i from 0 to a constant.  It stands in no branch there, and nothing else uses b.
struct Earlier {
  Name name;
  Prim type;
  Name block;
  Operand index, value, by, none;
  static auto fields(auto& self) {
    return std::tie(self.name, self.type, self.block, self.index, self.value, self.by, self.none);
  }
};

// collect(c_1, n_2, i32 b_3 = x_4, f64 b_5 = y_6);
// If c holds, x becomes element n of b_3 and y element n of b_5, and the variable n, an i64,
// becomes one more.  The kCollectRoom elements from there on may be overwritten in any case.  In a
// `simd for` the elements lie in the order of the iterations afterwards; nothing else in its body
// uses n.
//
// collect again(…);
// The same, in a chunk of which the thread has read the points before, so that they are in a cache,
// and memory has time to bring the thread's next chunk.
struct Collected {
  Prim type;
  Name block;
  Operand value;
  friend bool operator==(const Collected&, const Collected&) = default;
};
struct Collect {
  Operand cond;
  Name next;
  std::vector<Collected> members;  // at least one
  bool again = false;
  static auto fields(auto& self) {
    return std::tie(self.cond, self.next, self.members, self.again);
  }
};
inline constexpr int64_t kCollectRoom = 64;

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

}  // namespace skald::imp
