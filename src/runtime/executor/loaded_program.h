// SPDX-License-Identifier: Apache-2.0
// A program that is ready to run on a device: its operators are found, its kernels are compiled as
// they are needed.  May be shared by several executors.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/device/kernel_set.h"
#include "runtime/executor/bytecode.h"
#include "runtime/executor/operators.h"

namespace skald::runtime {

class LoadedProgram {
 public:
  // The device must outlive the program.  Fails if the program cannot be run (check.h), has an
  // operator that `find` does not know, or uses f64 where the device has none.
  static Result<std::unique_ptr<LoadedProgram>> load(
      DeviceProgram program, Device& device, FindOperator find,
      const DiskCache& cache = DiskCache::standard());

  const DeviceProgram& code() const { return code_; }
  const std::vector<HostOperator>& operators() const { return operators_; }
  Device& device() { return device_; }
  KernelSet& kernels() { return kernels_; }

  // Starts to compile, in the background, the kernels that the entry point launches whatever its
  // arguments are.  Does nothing the second time.
  void prepare(std::string_view entry);
  // The same for what the function launches from its next instruction on.
  void prepare_from(const FunctionCode& function, size_t next);
  // May launches be collected (DeviceDriver::set_collecting)?  They may at the beginning.
  void set_collecting(bool on) { collecting_ = on; }
  bool is_collecting() const { return collecting_; }

 private:
  LoadedProgram(DeviceProgram program, std::vector<HostOperator> operators, Device& device,
                const DiskCache& cache);

  DeviceProgram code_;
  std::vector<HostOperator> operators_;
  Device& device_;
  KernelSet kernels_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> prepared_;
  bool collecting_ = true;
};

// The kernels that a function launches from an instruction on, whatever happens, except that loops
// are taken to run at least once; each once, in the order of their launches.
std::vector<int32_t> sure_kernels(const DeviceProgram& program, int32_t function, size_t first);

}  // namespace skald::runtime
