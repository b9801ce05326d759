// SPDX-License-Identifier: Apache-2.0
// The host code of device programs: a compact register bytecode, so that devices need no compiler
// for the host's processor.
//
// A register holds 8 bytes: the bits of a scalar, zero-extended, or a SkaldBlock*.  Registers of
// blocks that own a reference are listed in the function; they are null at its beginning, and what
// they hold is given back by every way out.  Scalar operators are pointers to functions on bits,
// which whoever makes the bytecode supplies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/prim.h"

namespace skald::runtime {

using UnaryFn = uint64_t (*)(uint64_t);
using BinaryFn = uint64_t (*)(uint64_t, uint64_t);
using TernaryFn = uint64_t (*)(uint64_t, uint64_t, uint64_t);

enum class Op : uint8_t {
  kConst,        // dst = imm
  kMove,         // dst = a
  kUnary,        // dst = unary(a)
  kBinary,       // dst = binary(a, b)
  kTernary,      // dst = ternary(a, b, c)
  kSelect,       // dst = a ? b : c
  kAdd,          // dst = a + b, i64
  kSub,          // dst = a - b, i64
  kMul,          // dst = a * b, i64
  kLess,         // dst = a < b, i64
  kJump,         // to imm
  kJumpUnless,   // to imm unless a
  kAllocDevice,  // dst = a new block of a bytes on the device; what dst held is given back; the
                 // number b is the place to name if there is no memory, 0 for none
  kAllocHost,    // the same in the host's memory
  kSetBlock,     // dst = a, with a new reference; what dst held is given back
  kRelease,      // gives back what dst holds
  kLoad,         // dst = a[b], of type prim
  kStore,        // a[b] = c, of type prim
  kCopy,         // copies[imm]
  kFill,         // a[b …] = c, as often as register imm says, of type prim
  kTrace,        // traces[imm]
  kLocalMemory,  // dst = how many bytes of memory a group of threads may have; a if unknown
  kLaunch,       // launches[imm]
  kCall,         // calls[imm]
  kFail,         // fails with failures[imm]
  kReturn,
};

struct Instruction {
  Op op = Op::kReturn;
  Prim prim = Prim::kI64;
  int32_t dst = 0, a = 0, b = 0, c = 0;
  union {
    int64_t imm = 0;
    UnaryFn unary;
    BinaryFn binary;
    TernaryFn ternary;
  };
};

struct CopyCode {
  int32_t dest, dest_offset, src, src_offset, bytes;
};

struct TraceCode {
  std::string tag;
  Prim type;
  int32_t block, index;
  std::vector<int32_t> shape;
};

// An argument of a kernel: a block, or the bits of a scalar.
struct LaunchArg {
  int32_t reg;
  bool is_block;
  bool updated = false;  // the kernel reads and writes the block
};
struct LaunchCode {
  int32_t kernel;  // a number of DeviceProgram's kernel names
  int32_t groups, scratch, threads;
  int32_t shared;   // bytes of memory for each group; -1: the kernel takes no such argument
  bool group_heap;  // scratch memory for one more thread in each group
  std::vector<LaunchArg> args;
};

struct CallCode {
  int32_t function;
  std::vector<int32_t> args, results;
  int32_t loc;
};

struct FailCode {
  int64_t id;
  std::vector<int32_t> values;
};

struct FunctionCode {
  std::string name;
  int32_t registers = 0;
  std::vector<int32_t> params;  // registers
  std::vector<int32_t> results;
  std::vector<bool> result_is_block;
  std::vector<int32_t> owned;
  std::vector<Instruction> code;
  bool once = false;
};

struct EntryCode {
  std::string name;
  int32_t function;
};

// A whole program: host code, and the text of the kernels.
struct DeviceProgram {
  std::vector<FunctionCode> functions;
  std::vector<EntryCode> entries;
  std::vector<CopyCode> copies;
  std::vector<TraceCode> traces;
  std::vector<LaunchCode> launches;
  std::vector<CallCode> calls;
  std::vector<FailCode> failures;
  std::vector<std::string> kernels;  // names
  std::string source;
  bool uses_f64 = false;
};

}  // namespace skald::runtime
