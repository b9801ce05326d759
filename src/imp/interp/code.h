// SPDX-License-Identifier: Apache-2.0
// Functions as the machine runs them: instructions on slots.
//
// A frame has scalar slots, 64 bits each, and block slots, one handle each.  Scalar slots below
// zero hold the constants of the function.  An instruction is a function of the machine and what it
// needs; statements with many operands keep them in a struct of their own.
#pragma once

#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "core/scalar/scalar.h"
#include "imp/ir/imp.h"

namespace skald::imp::interp {

class Machine;
struct Instr;
using Handler = void (*)(Machine&, const Instr&);

struct Instr {
  Handler run = nullptr;
  int32_t dst = 0, a = 0, b = 0, c = 0;
  union {
    int64_t number = 0;  // where jumps go, counts, sizes
    core::UnFn unary;
    core::BinFn binary;
    core::TernFn ternary;
    const void* node;  // one of the structs below
  };
};

struct FunctionCode;

// A value that goes from a slot of one frame to a slot of another.
struct Move {
  bool is_block = false;
  int32_t from = 0, to = 0;
};

struct CallCode {
  const FunctionCode* callee = nullptr;
  std::vector<Move> args, results;
  Loc loc = {};
};
struct CheckCode {
  const Check* check = nullptr;
  int32_t cond = 0;
  std::vector<int32_t> values;
  std::vector<Prim> types;
};
struct AllocCode {
  const Alloc* alloc = nullptr;
  int32_t bytes = 0, block = 0;
};
struct CopyCode {
  int32_t dest = 0, dest_offset = 0, src = 0, src_offset = 0, bytes = 0;
  bool overlap = false;
};
struct FillCode {
  int size = 0;
  int32_t block = 0, start = 0, count = 0, value = 0;
};
struct TransposeCode {
  int size = 0;
  int32_t dest = 0, dest_start = 0, dest_stride = 0;
  int32_t src = 0, src_start = 0, src_stride = 0, rows = 0, columns = 0;
};
struct ScanCode {
  core::BinFn op = nullptr;
  Prim type = Prim::kI32;
  int32_t dest = 0, start = 0, src = 0, src_start = 0, count = 0;
  int32_t carry = 0;   // of one scan: a block
  int32_t length = 0;  // of scans of rows
};
struct EarlierCode {
  int size = 0;
  int32_t name = 0, block = 0, index = 0, value = 0, by = 0, none = 0;
};
struct CollectCode {
  struct Member {
    int size = 0;
    int32_t block = 0, value = 0;
  };
  int32_t cond = 0, next = 0;
  std::vector<Member> members;
};
struct AtomicCode {
  core::BinFn op = nullptr;
  int size = 0;
  int32_t block = 0, index = 0, value = 0;
  int32_t before = 0;  // of fetch_add
};
struct TraceCode {
  const Trace* trace = nullptr;
  int32_t block = 0, index = 0;
  std::vector<int32_t> shape;
};
struct LaunchCode {
  int32_t group = 0, thread = 0, groups = 0, threads = 0, shared = 0;
  int32_t slots = 0, blocks = 0;  // those in use outside the body
  int64_t after = 0;              // the instruction behind the body
  bool together = false;          // do the threads of a group wait for each other?
};

struct FunctionCode {
  const Function* fn = nullptr;
  std::vector<Instr> code;
  std::vector<const Stmt*> sources;  // of each instruction
  std::vector<uint64_t> constants;   // the last one is slot -1
  int32_t slots = 0, blocks = 0;     // without the constants
  std::vector<Move> params;          // `to` is where they go
  std::vector<Move> results;         // `from` is where they are
  // The operands of statements that have many; their addresses do not change.
  std::tuple<std::deque<CallCode>, std::deque<CheckCode>, std::deque<AllocCode>,
             std::deque<CopyCode>, std::deque<FillCode>, std::deque<TransposeCode>,
             std::deque<ScanCode>, std::deque<EarlierCode>, std::deque<CollectCode>,
             std::deque<AtomicCode>, std::deque<TraceCode>, std::deque<LaunchCode>>
      nodes;
};

}  // namespace skald::imp::interp
