// SPDX-License-Identifier: Apache-2.0
// Code for a device: host code that keeps arrays in device memory and launches kernels, kernels
// that one thread runs for each point, and kernels that hold kernels, which a group of threads runs
// together for each point (group.cpp).
//
// Core says which arrays are in the host's memory and which in the device's, and which kernels run
// on the host (passes/place): those are written as loops for cores, and run one iteration after the
// other.
#pragma once

#include <string>
#include <vector>

#include "imp/lower/common/function.h"

namespace skald::imp {

// Threads of a group.
inline constexpr int64_t kGroupThreads = 256;

// Code that the threads of a group run together, each for itself as far as scalars go: they all
// have the same ones.  What writes memory is shared out among them, between barriers.
struct GroupCode {
  Name thread;
  Operand threads;
  Operand position;         // of the group's failures; those of its threads come after
  Name failed;              // a block: has a thread of the group failed?
  bool may_fail = false;    // is that needed?
  std::vector<Name> slots;  // blocks with room for 8 bytes of each thread
};

// The variant of a function that launches call.
inline std::string device_name(const std::string& fn) {
  return fn + ".device";
}

class DeviceTarget : public LoweringTarget {
 public:
  void kernel(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
              const core::Kernel& kernel) override;
  bool loop(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
            const core::Loop& loop) override;
  bool has_vectors() const override { return false; }
  Space owned(const FunctionLowering& fn, core::Space space) const override;
  bool in_group() const override { return group != nullptr; }
  bool spreads(const FunctionLowering& fn, core::Space space) const override;
  void spread(FunctionLowering& fn, Code& code, const Operand& count,
              const Code::LoopBody& body) override;
  void once(FunctionLowering& fn, Code& code, const std::function<void(Code&)>& body) override;
  bool copy(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
            const ArrayPlace& src) override;
  bool has_whole_copies(const FunctionLowering& fn) const override;
  std::string callee(const FunctionLowering& fn, const std::string& name) const override;
  bool can_print(const FunctionLowering& fn) const override;

  // In a kernel that runs on the host.
  bool kernel_on_host = false;
  // The group whose threads run this code together; null: one thread (or the host) does.
  GroupCode* group = nullptr;

 private:
  bool is_host(const FunctionLowering& fn) const { return fn.parallel_depth == 0; }
  // Code that a thread of the device runs.
  bool is_thread(const FunctionLowering& fn) const {
    return fn.parallel_depth > 0 && !kernel_on_host;
  }
};

// Writes the launches of a loop whose rounds are done together; false (and no code) if it is
// another one (strategies/strategies.cpp).
bool write_loop_for_device(FunctionLowering& fn, DeviceTarget& device, Code& code,
                           const core::Stmt& stmt, const core::Loop& loop);
// Writes the launches of a kernel, or what a group does for it (strategies/strategies.cpp).
void write_for_device(FunctionLowering& fn, DeviceTarget& device, Code& code,
                      const core::Stmt& stmt, const core::Kernel& kernel);

}  // namespace skald::imp
