// SPDX-License-Identifier: Apache-2.0
// The host code of device programs: a compact register bytecode, so that devices need no compiler
// for the host's processor.
//
// A register holds 8 bytes: the bits of a scalar, zero-extended, or a SkaldBlock*.  Registers of
// blocks that own a reference are listed in the function; they are null at its beginning, and what
// they hold is given back by every way out.  Scalar operators are names (operators.h).
//
// All of it is plain data: program_bytes.h writes and reads it, check.h says whether it can be run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/kernel_unit.h"
#include "support/prim.h"

namespace skald::runtime {

enum class Op : uint8_t {
  kConst,         // dst = imm
  kMove,          // dst = a
  kUnary,         // dst = operators[imm](a)
  kBinary,        // dst = operators[imm](a, b)
  kTernary,       // dst = operators[imm](a, b, c)
  kSelect,        // dst = a ? b : c
  kAdd,           // dst = a + b, i64
  kSub,           // dst = a - b, i64
  kMul,           // dst = a * b, i64
  kLess,          // dst = a < b, i64
  kJump,          // to imm; the number b is the place of a loop, 0 for none
  kJumpUnless,    // to imm unless a
  kAllocDevice,   // dst = a new block of a bytes on the device; what dst held is given back; the
                  // number b is the place to name if there is no memory, 0 for none
  kAllocHost,     // the same in the host's memory
  kSetBlock,      // dst = a, with a new reference; what dst held is given back
  kRelease,       // gives back what dst holds
  kLoad,          // dst = a[b], of type prim
  kStore,         // a[b] = c, of type prim
  kCopy,          // copies[imm]
  kFill,          // a[b …] = c, as often as register imm says, of type prim
  kTrace,         // traces[imm]
  kLocalMemory,   // dst = how many bytes of memory a group of threads may have; a if unknown
  kComputeUnits,  // dst = how many groups the device works on at once; a if unknown
  kFloatSums,     // dst = 1 if the device's memory adds floats by itself; a if unknown
  kGroupThreads,  // dst = how many threads a group may have; a if unknown
  kLaunch,        // launches[imm]
  kCall,          // calls[imm]
  kFail,          // fails with failures[imm]
  kReturn,
};

struct Instruction {
  Op op = Op::kReturn;
  Prim prim = Prim::kI64;
  int32_t dst = 0, a = 0, b = 0, c = 0;
  int64_t imm = 0;
};

struct CopyCode {
  int32_t dest = 0, dest_offset = 0, src = 0, src_offset = 0, bytes = 0;
};

struct TraceCode {
  std::string tag;
  Prim type = Prim::kI64;
  int32_t block = 0, index = 0;
  std::vector<int32_t> shape;
};

// An argument of a kernel: a block, or the bits of a scalar.
struct LaunchArg {
  int32_t reg = 0;
  bool is_block = false;
  bool updated = false;  // the kernel reads and writes the block
};
struct LaunchCode {
  int32_t kernel = 0;  // a number of DeviceProgram's kernel units
  int32_t groups = 0, scratch = 0, threads = 0;
  int32_t shared = -1;  // bytes of memory for each group; -1: the kernel takes no such argument
  std::vector<LaunchArg> args;
};

struct CallCode {
  int32_t function = 0;
  std::vector<int32_t> args, results;
  int32_t loc = 0;
};

struct FailCode {
  int64_t id = 0;
  std::vector<int32_t> values;
};

struct FunctionCode {
  std::string name;
  int32_t registers = 0;
  std::vector<int32_t> params;  // registers
  std::vector<bool> param_is_block;
  std::vector<int32_t> results;
  std::vector<bool> result_is_block;
  std::vector<int32_t> owned;
  std::vector<Instruction> code;
  bool once = false;
};

struct EntryCode {
  std::string name;
  int32_t function = 0;
};

// A whole program: host code, and the kernels as text.
struct DeviceProgram {
  std::vector<FunctionCode> functions;
  std::vector<EntryCode> entries;
  std::vector<CopyCode> copies;
  std::vector<TraceCode> traces;
  std::vector<LaunchCode> launches;
  std::vector<CallCode> calls;
  std::vector<FailCode> failures;
  std::vector<std::string> operators;  // names
  KernelTexts kernels;
};

}  // namespace skald::runtime
