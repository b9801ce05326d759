// SPDX-License-Identifier: Apache-2.0
// Runs bytecode.  A step costs some nanoseconds; calls use a stack of their own, so deep recursion
// ends in an error and not in a crash.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/executor/loaded_program.h"
#include "support/result.h"

namespace skald::runtime {

class Executor {
 public:
  Executor(LoadedProgram& program, SkaldContext& context)
      : program_(program), code_(program.code()), device_(program.device()), context_(context) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  // Slots are those of SkaldEntry (abi.h), and their blocks lie on the device.  The entry point may
  // update the blocks of unique parameters.  When it returns, kernels that cannot fail may still be
  // at work, or wait for Device::start; Device::finish waits for them.
  //
  // Fails, with a text, if the caller made a mistake (no such entry point, blocks of the host) or
  // the device broke; and if the program failed, which the context records.
  Result<Unit> run(std::string_view entry, std::span<const int64_t> in, std::span<int64_t> out);

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

  // The function of an entry point, if the arguments are such that it can be run.
  Result<const FunctionCode*> find_entry(std::string_view entry, std::span<const int64_t> in,
                                         std::span<int64_t> out) const;
  bool interpret(const FunctionCode& function, std::span<const int64_t> in);
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
  LoadedKernel* find_kernel(int32_t number);
  bool launch(const LaunchCode& launch, const int64_t* regs);
  bool allocate(const Instruction& i, int64_t* regs);
  bool fail(const FailCode& failure, const int64_t* regs);
  void fail(const RunError& error);
  bool fail(int64_t id, std::initializer_list<int64_t> values);
  bool must_stop(int32_t loc = 0);
  bool device_failed();
  void unwind();

  LoadedProgram& program_;
  const DeviceProgram& code_;
  Device& device_;
  SkaldContext& context_;
  std::vector<int64_t> registers_;
  std::vector<Frame> frames_;
  std::vector<Once> once_;
  std::vector<DeviceArg> args_;
  std::string problem_;  // a kernel that does not compile
};

}  // namespace skald::runtime
