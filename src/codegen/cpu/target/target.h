// SPDX-License-Identifier: Apache-2.0
// The machine we compile for: the one we are on.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/cpu/target/options.h"
#include "support/result.h"

namespace skald::cpu {

// Code is made for the processor it is made on.  These are conditions, not macros, so that what is
// written for one processor is compiled on the other too.
#if defined(__aarch64__)
inline constexpr bool kIsArm64 = true;
#else
inline constexpr bool kIsArm64 = false;
#endif
#if defined(__x86_64__)
inline constexpr bool kIsX86 = true;
#else
inline constexpr bool kIsX86 = false;
#endif

struct HostCpu {
  std::string triple, name, features;
  // Those that `name` does not imply, one way or the other: LLVM takes half a millisecond to read
  // all of them, and does so for every machine.
  std::string own_features;
};

// What LLVM may use here.  LLVM 19 takes features from the CPU's name and believes in SVE even
// where the kernel does not let programs use it, so those are taken away unless AT_HWCAP has them.
const HostCpu& host_cpu();

// Machines that nobody uses at the moment, of the whole process.  One that has compiled something
// knows its processor already, which takes a new one two milliseconds.
class SpareMachines {
 public:
  static SpareMachines& all();
  Result<std::unique_ptr<llvm::TargetMachine>> take(int level);
  void give_back(int level, std::unique_ptr<llvm::TargetMachine> machine);

 private:
  std::mutex mutex_;
  std::array<std::vector<std::unique_ptr<llvm::TargetMachine>>, 3> spare_;  // by level
};

}  // namespace skald::cpu
