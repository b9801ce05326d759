// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/failure_record.h"

#include <algorithm>
#include <utility>

namespace skald::runtime {

std::optional<RunError> read_failure(std::span<const int64_t> words) {
  if (words[kFailLaunch] == 0) return std::nullopt;
  RunError error;
  error.id = words[kFailId];
  error.value_count = static_cast<int32_t>(
      std::clamp<int64_t>(words[kFailValueCount], 0, SKALD_RT_MAX_FAIL_VALUES));
  for (int32_t k = 0; k < error.value_count; ++k)
    error.values[static_cast<size_t>(k)] = words[static_cast<size_t>(kFailValues + k)];
  error.frame_count =
      static_cast<int32_t>(std::clamp<int64_t>(words[kFailFrameCount], 0, RunError::kMaxFrames));
  for (int32_t k = 0; k < error.frame_count; ++k)
    error.frames[static_cast<size_t>(k)] =
        static_cast<int32_t>(words[static_cast<size_t>(kFailFrames + k)]);
  return error;
}

FailureRecord::~FailureRecord() {
  if (memory_ != nullptr) driver_.free(memory_);
}

Result<Unit> FailureRecord::open() {
  memory_ = driver_.allocate(sizeof words_);
  if (memory_ == nullptr) return Failure("no memory on the device");
  return clear();
}

ReadPart FailureRecord::part() {
  return {memory_, 0, words_.data(), sizeof words_};
}

void FailureRecord::arrived() {
  unread_ = false;
  unseen_ = true;
}

Result<Unit> FailureRecord::read() {
  const ReadPart own = part();
  return driver_.read(std::span(&own, 1), nullptr);
}

Result<Unit> FailureRecord::write() {
  return driver_.write(memory_, 0, words_.data(), sizeof words_, nullptr);
}

Result<Unit> FailureRecord::clear() {
  words_.fill(0);
  return write();
}

Result<Unit> FailureRecord::look() {
  Result<Unit> done = read();
  if (done) arrived();
  return done;
}

Result<std::optional<RunError>> FailureRecord::take() {
  if (!unread_ && !unseen_) return std::optional<RunError>();
  if (std::exchange(unread_, false))
    if (Result<Unit> done = read(); !done) return done.failure();
  unseen_ = false;
  std::optional<RunError> error = read_failure(words_);
  if (!error) return error;
  if (Result<Unit> done = clear(); !done) return done.failure();
  return error;
}

Result<int64_t> FailureRecord::take_missing_scratch(int64_t number) {
  if (Result<Unit> done = read(); !done) return done.failure();
  arrived();
  const int64_t missing = words_[kFailScratch];
  if (missing == 0) return missing;
  words_[kFailScratch] = 0;
  // Whatever failed in that launch will fail again.
  const Result<Unit> done = words_[kFailLaunch] >= number ? clear() : write();
  if (!done) return done.failure();
  return missing;
}

}  // namespace skald::runtime
