// SPDX-License-Identifier: Apache-2.0
// Launches, their scratch memory, and failures that kernels report.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/opencl/device_state.h"

namespace skald::runtime {

namespace {

// All threads of a launch share at most about so much scratch memory; larger launches run a part
// of their groups at a time.
constexpr int64_t kScratchArena = int64_t{256} << 20;

}  // namespace

void OpenClDevice::clear_record() {
  words_.fill(0);
  check(api_.enqueue_write(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0, nullptr,
                           nullptr),
        "take data");
}

void OpenClDevice::read_record() {
  check(api_.enqueue_read(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0, nullptr,
                          nullptr),
        "give data");
}

std::optional<RunError> OpenClDevice::failure() {
  if (!unread_) return std::nullopt;
  read_record();
  unread_ = false;
  std::optional<RunError> error = read_failure(words_);
  if (error) clear_record();
  return error;
}

int64_t OpenClDevice::missing_scratch() {
  read_record();
  const int64_t missing = words_[kFailScratch];
  if (missing != 0) {
    // Whatever failed in that launch will fail again.
    if (words_[kFailLaunch] >= launches_) {
      clear_record();
    } else {
      words_[kFailScratch] = 0;
      check(api_.enqueue_write(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0,
                               nullptr, nullptr),
            "take data");
    }
  }
  return missing;
}

bool OpenClDevice::reserve_scratch(int64_t bytes) {
  if (bytes <= scratch_bytes_) return true;
  if (scratch_ != nullptr) api_.release_mem(scratch_);
  scratch_bytes_ = 0;
  scratch_ = take_buffer(bytes);
  if (scratch_ == nullptr) return false;
  scratch_bytes_ = bytes;
  return true;
}

void OpenClDevice::launch_part(const DeviceLaunch& launch, int64_t first, int64_t groups,
                               int64_t scratch) {
  const cl::Kernel k = kernel(launch.kernel);
  if (k == nullptr) return;
  cl::Uint arg = 0;
  const auto pass = [&](const void* value, size_t size) {
    check(api_.set_kernel_arg(k, arg++, size, value), "take an argument");
  };
  const int64_t number = launches_;
  const cl::Mem arena = scratch > 0 ? scratch_ : record_;
  pass(&record_, sizeof record_);
  pass(&number, sizeof number);
  pass(&first, sizeof first);
  pass(&arena, sizeof arena);
  pass(&scratch, sizeof scratch);
  if (launch.shared >= 0) pass(nullptr, static_cast<size_t>(std::max<int64_t>(launch.shared, 16)));
  for (const DeviceArg& a : launch.args) {
    if (a.block != nullptr) {
      const cl::Mem buffer = buffer_of(a.block);
      pass(&buffer, sizeof buffer);
    } else {
      pass(&a.bits, sizeof a.bits);
    }
  }
  const auto local = static_cast<size_t>(launch.threads);
  const size_t global = static_cast<size_t>(groups) * local;
  check(api_.enqueue_kernel(queue_, k, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "run a kernel");
  unread_ = true;
}

void OpenClDevice::launch(const DeviceLaunch& launch) {
  ++launches_;
  if (launch.scratch <= 0) {
    // The index space of a launch is limited on some devices.
    constexpr int64_t kMostGroups = int64_t{1} << 22;
    for (int64_t first = 0; first < launch.groups && problem_.empty(); first += kMostGroups)
      launch_part(launch, first, std::min(kMostGroups, launch.groups - first), 0);
    return;
  }
  int64_t& known = scratch_needed_[static_cast<size_t>(launch.kernel)];
  constexpr int64_t kLargestGuess = int64_t{64} << 20;
  int64_t scratch =
      std::max(known, round_up_to(std::clamp<int64_t>(launch.scratch, 256, kLargestGuess), 64));
  for (int64_t first = 0; first < launch.groups && problem_.empty();) {
    const int64_t per_group = (launch.threads + (launch.group_heap ? 1 : 0)) * scratch;
    const int64_t groups = std::clamp<int64_t>(kScratchArena / per_group, 1, launch.groups - first);
    if (!reserve_scratch(groups * per_group)) {
      problem_ =
          fmt::format("no memory on the device: threads need {} bytes of scratch each", scratch);
      return;
    }
    std::vector<std::pair<const SkaldBlock*, SkaldBlock*>> saved;
    for (const DeviceArg& a : launch.args) {
      if (a.block == nullptr || !a.updated) continue;
      SkaldBlock* copy_of = allocate(a.block->bytes);
      if (copy_of == nullptr) {
        problem_ = "no memory on the device for a copy of what a kernel updates";
        break;
      }
      if (a.block->bytes > 0) copy(copy_of, 0, a.block, 0, a.block->bytes);
      saved.emplace_back(a.block, copy_of);
    }
    launch_part(launch, first, groups, scratch);
    const int64_t missing = missing_scratch();
    if (missing != 0)
      for (const auto& [block, copy_of] : saved)
        if (block->bytes > 0) copy(block, 0, copy_of, 0, block->bytes);
    for (const auto& [block, copy_of] : saved) skald_rt_release(copy_of);
    if (missing == 0) {
      first += groups;
      continue;
    }
    scratch = round_up_to(std::max(4 * scratch, 2 * missing), 64);
    known = scratch;
  }
}

}  // namespace skald::runtime
