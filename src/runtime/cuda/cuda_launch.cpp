// SPDX-License-Identifier: Apache-2.0
// Launches by CUDA: at once, or many together as a graph.
#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/handles.h"

namespace skald::runtime::cuda {

namespace {

// So many launches go to the device at once, after somebody waited for it: it should not be idle
// while others are collected.
constexpr int64_t kLaunchedAtOnce = 16;

constexpr const char* kRunGraph = "run kernels as a graph (--disable=graphs does without)";

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
  const bool waits = collecting_ && !profiling_ && launches_since_wait_ >= kLaunchedAtOnce &&
                     api_.set_kernel_node != nullptr && LaunchChains::fits(args);
  ++launches_since_wait_;
  if (waits) {
    if (Result<Unit> there = open_helpers(); !there) return there;
    const std::lock_guard lock(chains_mutex_);
    const Status code = chains_->add(launch, args, stream_);
    return done(code, kRunGraph);
  }
  return timed(event, "run a kernel", [&] {
    point_at(args, pointers_);
    return launch_now(api_, launch, pointers_, stream_);
  });
}

Result<Unit> CudaDriver::flush() {
  // Only this thread makes chains.
  if (chains_ == nullptr) return Unit{};
  const std::lock_guard lock(chains_mutex_);
  if (chains_->is_empty()) return Unit{};
  return done(chains_->flush(stream_), kRunGraph);
}

}  // namespace skald::runtime::cuda
