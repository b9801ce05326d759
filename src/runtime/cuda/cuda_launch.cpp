// SPDX-License-Identifier: Apache-2.0
// Launches by CUDA: at once, or many together as a graph.
#include <array>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/handles.h"

namespace skald::runtime::cuda {

namespace {

// So many launches go to the device at once, after somebody waited for it: it should not be idle
// while others are collected.
constexpr int64_t kLaunchedAtOnce = 16;

constexpr const char* kRunGraph = "run kernels as a graph (--disable=graphs does without)";

int64_t number_of(uint64_t bits) {
  return static_cast<int64_t>(bits);
}

int64_t shared_bytes(std::span<const KernelArg> args) {
  for (const KernelArg& arg : args)
    if (arg.kind == KernelArg::Kind::kShared) return arg.number;
  return 0;
}

}  // namespace

Result<Unit> CudaDriver::launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                                std::span<const KernelArg> args, DeviceEvent* event) {
  LoadedKernel& loaded = *reinterpret_cast<LoadedKernel*>(kernel);
  const int64_t shared = shared_bytes(args);
  if (shared > loaded.shared_allowed) {
    const Status code =
        api_.set_function_attribute(loaded.function, kDynamicSharedBytes, static_cast<int>(shared));
    if (Result<Unit> allowed = done(code, "give a kernel shared memory"); !allowed) return allowed;
    loaded.shared_allowed = shared;
  }
  const KernelLaunch launch{loaded.function, static_cast<unsigned>(groups),
                            static_cast<unsigned>(threads), static_cast<unsigned>(shared)};
  return give(launch, args, event);
}

bool CudaDriver::collects() const {
  return collecting_ && !profiling_ && launches_since_wait_ >= kLaunchedAtOnce &&
         api_.set_kernel_node != nullptr;
}

// After a longer stretch the device would be idle while we wait for more.
bool CudaDriver::replays_next() const {
  return replays_ != nullptr && collecting_ && !profiling_ && replays_->has_room() &&
         launches_since_wait_ < static_cast<int64_t>(Replays::kMost);
}

Result<Unit> CudaDriver::give(const KernelLaunch& launch, std::span<const KernelArg> args,
                              DeviceEvent* event) {
  const bool later = collects(), replay = replays_next();
  ++launches_since_wait_;
  if (replay) {
    const std::lock_guard lock(chains_mutex_);
    idle_ = false;
    replays_->add(launch, args);
    return Unit{};
  }
  if (later) {
    if (Result<Unit> there = open_helpers(); !there) return there;
    const std::lock_guard lock(chains_mutex_);
    idle_ = false;
    if (chains_->can_take(args)) return done(chains_->add(launch, args, stream_), kRunGraph);
  }
  return timed(event, "run a kernel", [&] {
    point_at(args, pointers_);
    return launch_now(api_, launch, pointers_, stream_);
  });
}

Result<Unit> CudaDriver::give_helper(Function helper, Address to, uint64_t count, uint64_t other,
                                     DeviceEvent* event) {
  using Kind = KernelArg::Kind;
  const std::array<KernelArg, 3> args = {KernelArg{Kind::kNumber, nullptr, number_of(to)},
                                         KernelArg{Kind::kNumber, nullptr, number_of(count)},
                                         KernelArg{Kind::kNumber, nullptr, number_of(other)}};
  return give({helper, helper_groups(count), kHelperThreads, 0}, args, event);
}

Result<Unit> CudaDriver::flush() {
  // Only this thread makes them.  What is replayed comes before what is chained.
  const std::lock_guard lock(chains_mutex_);
  if (replays_ != nullptr && !replays_->is_empty())
    if (Result<Unit> given = done(replays_->flush(stream_), "run a kernel"); !given) return given;
  if (chains_ == nullptr || chains_->is_empty()) return Unit{};
  return done(chains_->flush(stream_), kRunGraph);
}

// What comes next may be the same again, as after a wait.
Result<Unit> CudaDriver::start() {
  Result<Unit> given = flush();
  launches_since_wait_ = 0;
  return given;
}

}  // namespace skald::runtime::cuda
