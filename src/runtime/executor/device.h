// SPDX-License-Identifier: Apache-2.0
// A device as the executor sees it.  Commands run in the order they are given; reading waits.
//
// A device block is a SkaldBlock whose `data` is null; releasing the last reference gives the
// memory back to the device's pool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "runtime/abi.h"
#include "runtime/context.h"

namespace skald::runtime {

// What kernels tell the host, as words of 8 bytes at the beginning of the failure record.  The text
// in codegen/clike uses the same numbers.
enum FailureWord : int32_t {
  kFailLock = 0,
  kFailLaunch = 1,    // the number of the launch that failed; 0: none
  kFailPosition = 2,  // its rank (helpers.cpp): the higher, the earlier; 0: none
  kFailId = 3,
  kFailValueCount = 4,
  kFailValues = 5,
  kFailFrameCount = kFailValues + SKALD_RT_MAX_FAIL_VALUES,
  kFailFrames = kFailFrameCount + 1,
  kFailScratch = kFailFrames + RunError::kMaxFrames,  // bytes a thread would have needed
  kFailWords = kFailScratch + 1,
};

struct DeviceArg {
  const SkaldBlock* block;  // null: a scalar
  int64_t bits;
  // The kernel reads and writes the block, so it must be restored before the launch is repeated.
  bool updated = false;
};

struct DeviceLaunch {
  int32_t kernel;
  int64_t groups, threads;
  int64_t scratch;  // bytes for each thread
  int64_t shared;   // bytes for each group, passed after the scratch memory; -1: no such argument
  bool group_heap;  // scratch memory for one more thread in each group
  std::span<const DeviceArg> args;
};

class Device {
 public:
  virtual ~Device() = default;

  // With one reference; null if there is no memory.
  virtual SkaldBlock* allocate(int64_t bytes) = 0;
  // All offsets are in bytes.
  virtual void write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes) = 0;
  virtual void read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes) = 0;
  virtual void copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src,
                    int64_t src_offset, int64_t bytes) = 0;
  // `count` elements of `size` bytes (1, 2, 4 or 8).
  virtual void fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits,
                    int size) = 0;
  virtual void launch(const DeviceLaunch& launch) = 0;
  // How many bytes the threads of a group may share; 0: unknown.
  virtual int64_t local_memory() const { return 0; }
  // Waits for all commands; the failure of the first launch that failed since the last call.
  virtual std::optional<RunError> failure() = 0;
  // What went wrong with the device itself (a kernel that does not compile, a lost device).
  virtual std::string problem() const = 0;
};

// The error in a failure record, if there is one.
std::optional<RunError> read_failure(std::span<const int64_t> words);

}  // namespace skald::runtime
