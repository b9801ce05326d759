// SPDX-License-Identifier: Apache-2.0
// What a driver of devices offers: memory, copies, kernels compiled from text, launches, times.
// OpenCL is one (runtime/opencl); everything above this file knows no driver.
//
// Commands (write, copy, fill, launch) run in the order they are given, and may still be at work
// when the function returns, or wait for flush; read and finish wait.  The functions about memory
// and kernels may be called from several threads at once, commands from one at a time, which says
// so first (use_on_this_thread).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace skald::runtime {

// Handles that only the driver understands; null: none.
using DeviceMemory = struct DeviceMemoryObject*;
using DeviceKernel = struct DeviceKernelObject*;
using DeviceEvent = struct DeviceEventObject*;

struct DeviceFacts {
  std::string name;
  // Whatever compiled kernels depend on: the device, its driver, their versions.
  std::string identity;
  std::string driver = {};  // its version
  bool is_gpu = false;
  // 0: unknown.
  int64_t memory = 0;         // bytes
  int64_t local_memory = 0;   // what the threads of a group may share
  int64_t cache = 0;          // bytes, the one that all threads share
  int64_t group_threads = 0;  // at most
  int64_t compute_units = 0;
  int64_t clock_mhz = 0;
  int64_t warp = 0;  // threads that go together
  // Bytes that kernels may have for each thread without an arena (clike/dialect.h: SK_OWN_HEAP).
  int64_t own_heap = 0;
  bool has_f64 = true;
  // Its memory adds floats by an instruction (clike/dialect.h: SK_ADD_FLOAT).
  bool adds_floats = false;
  // The driver keeps compiled kernels on disk by itself.
  bool keeps_kernels = false;
  // Compiling many kernels at once takes little longer than compiling one.
  bool compiles_together = false;
};

// An argument of a kernel.
struct KernelArg {
  enum class Kind : uint8_t {
    kMemory,
    kNumber,  // the bits of a scalar, in 8 bytes
    kShared,  // so many bytes of memory that the threads of a group share
    kOrder,   // the number of the launch; `memory` is the failure record (failure_record.h)
  };
  Kind kind = Kind::kNumber;
  DeviceMemory memory = nullptr;
  int64_t number = 0;
};

// Launches are numbered from here on.  A driver may give launches smaller numbers, down to 1, if it
// sees to it that what failed before has a smaller one than they.
inline constexpr int64_t kFirstLaunchNumber = 1000;

// Bytes to read to the host.
struct ReadPart {
  DeviceMemory src = nullptr;
  int64_t offset = 0;
  void* to = nullptr;
  int64_t bytes = 0;
};

// When a command ran: how long after it was given, and for how long.
struct CommandTimes {
  int64_t waited_ns = 0;
  int64_t duration_ns = 0;
};

class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;
  virtual const DeviceFacts& facts() const = 0;
  // This thread gives commands from now on.
  virtual void use_on_this_thread() {}
  // While somebody waits for the device, the driver looks at this word (null: at none).  When it is
  // not 0 and the device goes on and on, it is given up: the wait fails, and so does every command
  // after it; what it used is never given back.
  virtual void watch(const std::atomic<int32_t>* stop) = 0;
  virtual bool is_given_up() const = 0;

  // ---- memory: undefined contents; null if there is not that much
  virtual DeviceMemory allocate(int64_t bytes) = 0;
  // Commands given before may still use it.
  virtual void free(DeviceMemory memory) = 0;

  // ---- commands; offsets are in bytes.  Where `event` is not null and profiling is on, it gets
  // one for `times`.
  // When this returns, the host's memory may be changed.
  virtual Result<Unit> write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                             DeviceEvent* event) = 0;
  // Waits once for all of them.
  virtual Result<Unit> read(std::span<const ReadPart> parts, DeviceEvent* event) = 0;
  virtual Result<Unit> copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src,
                            int64_t src_offset, int64_t bytes, DeviceEvent* event) = 0;
  // `count` elements of `size` bytes (1, 2, 4 or 8).
  virtual Result<Unit> fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits,
                            int size, DeviceEvent* event) = 0;
  virtual Result<Unit> launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                              std::span<const KernelArg> args, DeviceEvent* event) = 0;
  // Collected launches go to the device.
  virtual Result<Unit> flush() { return Unit{}; }
  // The same at the end of a run that nobody waits for.
  virtual Result<Unit> start() { return flush(); }
  virtual Result<Unit> finish() = 0;
  // May launches be collected, to be given to the device together?  They may at the beginning.
  virtual void set_collecting(bool /*on*/) {}

  // ---- kernels: those of these names, in one text
  virtual Result<std::vector<DeviceKernel>> compile(std::span<const std::string> names,
                                                    const std::string& text) = 0;
  // What `binary` gave for a kernel that was compiled alone.
  virtual Result<DeviceKernel> load(const std::string& name, const std::string& binary) = 0;
  // Empty: it has none.
  virtual std::string binary(DeviceKernel kernel) = 0;
  virtual void release(DeviceKernel kernel) = 0;

  // ---- profiling; off at the beginning
  virtual Result<Unit> set_profiling(bool on) = 0;
  // Waits for the command, and ends the event.
  virtual CommandTimes times(DeviceEvent event) = 0;
};

}  // namespace skald::runtime
