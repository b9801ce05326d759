// SPDX-License-Identifier: Apache-2.0
// What kernels tell the host: a few words in the device's memory.  The text in codegen/clike uses
// the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/abi.h"
#include "runtime/context.h"
#include "runtime/device/driver.h"

namespace skald::runtime {

// Words of 8 bytes.
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

// The error in a failure record, if there is one.
std::optional<RunError> read_failure(std::span<const int64_t> words);

class FailureRecord {
 public:
  explicit FailureRecord(DeviceDriver& driver) : driver_(driver) {}
  ~FailureRecord();
  FailureRecord(const FailureRecord&) = delete;
  FailureRecord& operator=(const FailureRecord&) = delete;

  Result<Unit> open();
  DeviceMemory memory() const { return memory_; }
  // There was a launch that may fail since the record was read.
  void expect() { unread_ = true; }
  bool is_expected() const { return unread_; }
  // Nothing failed in any launch so far, and nothing is at work that may fail.
  bool is_clean() const { return !unread_ && words_[kFailLaunch] == 0; }
  // What to read with something else, so that nobody waits twice; then `arrived`.
  ReadPart part();
  void arrived();
  // Reads it now, for a later `take`.
  Result<Unit> look();
  // The failure since the last call.  Waits for the device if a launch may have failed.
  Result<std::optional<RunError>> take();
  // What a thread of launch `number`, the last one, would have needed in scratch memory; 0: it had
  // enough.
  Result<int64_t> take_missing_scratch(int64_t number);

 private:
  Result<Unit> read();
  Result<Unit> write();
  Result<Unit> clear();

  DeviceDriver& driver_;
  DeviceMemory memory_ = nullptr;
  std::array<int64_t, kFailWords> words_{};
  bool unread_ = false;  // on the device
  bool unseen_ = false;  // in words_
};

}  // namespace skald::runtime
