// SPDX-License-Identifier: Apache-2.0
// Runs bytecode.  A step costs some nanoseconds; calls use a stack of their own, so deep recursion
// ends in an error and not in a crash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/executor/bytecode.h"
#include "runtime/executor/device.h"

namespace skald::runtime {

class Executor {
 public:
  Executor(const DeviceProgram& program, Device& device, SkaldContext& context)
      : program_(program), device_(device), context_(context) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  // Like SkaldEntry: 0, or 1 after a failure, which is recorded in the context or, if it is the
  // device's, found in device().problem().
  int32_t run(std::string_view entry, const int64_t* in, int64_t* out);

 private:
  struct Frame {
    const FunctionCode* function;
    size_t base;           // of its registers
    size_t next;           // the next instruction
    const CallCode* call;  // how it was called; null for the entry
  };
  // A value that is computed once in a run.
  struct Once {
    bool known = false;
    std::vector<int64_t> slots;
  };

  bool push(const FunctionCode& function, const CallCode* call);
  bool call(const CallCode& call);
  void finish_call();
  void pop();
  bool step(Frame& frame);
  bool load(const Instruction& i, int64_t* regs);
  bool store(const Instruction& i, int64_t* regs);
  bool copy(const CopyCode& copy, const int64_t* regs);
  bool fill(const Instruction& i, const int64_t* regs);
  bool trace(const TraceCode& trace, const int64_t* regs);
  bool launch(const LaunchCode& launch, const int64_t* regs);
  bool allocate(const Instruction& i, int64_t* regs);
  bool fail(const FailCode& failure, const int64_t* regs);
  void fail(const RunError& error);
  bool device_failed();
  void unwind();

  const DeviceProgram& program_;
  Device& device_;
  SkaldContext& context_;
  std::vector<int64_t> registers_;
  std::vector<Frame> frames_;
  std::vector<Once> once_;
  std::vector<DeviceArg> args_;
};

}  // namespace skald::runtime
