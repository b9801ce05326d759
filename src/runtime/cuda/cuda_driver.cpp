// SPDX-License-Identifier: Apache-2.0
// Devices, memory and commands by CUDA.
#include "runtime/cuda/cuda_driver.h"

#include <fmt/format.h>

#include <bit>

#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/nvrtc.h"

namespace skald::runtime::cuda {

namespace {

// CUDA copies so much of ordinary memory before it returns, without waiting for the device.
constexpr size_t kCopiedAtOnce = size_t{64} << 10;
// Up to so many bytes, copies and fills between launches that are collected are kernels too.
constexpr int64_t kHelped = int64_t{1} << 20;
// Fills up to that are replayed.
constexpr int64_t kReplayedFill = int64_t{64} << 20;

}  // namespace

CudaDriver::CudaDriver(const Api& api, FoundDevice found)
    : api_(api),
      found_(std::move(found)),
      facts_(facts_of(api, found_)),
      architecture_(architecture_of(api, found_.device)) {}

CudaDriver::~CudaDriver() {
  if (context_ == nullptr) return;
  enter();
  if (given_up_) {
    // Giving something back would wait for ever.
    [[maybe_unused]] const LaunchChains* chains = chains_.release();
    [[maybe_unused]] const Replays* replays = replays_.release();
    [[maybe_unused]] const Staging* staging = staging_.release();
    return;
  }
  if (stream_ != nullptr) api_.wait_for_stream(stream_);
  chains_.reset();
  replays_.reset();
  staging_.reset();
  if (ticket_counter_ != nullptr) api_.free(address(ticket_counter_));
  if (helpers_.module != nullptr) api_.unload_module(helpers_.module);
  if (stream_ != nullptr) api_.destroy_stream(stream_);
  api_.release_context(found_.device);
}

Result<Unit> CudaDriver::done(Status code, const char* what) const {
  if (code == kSuccess) return Unit{};
  return Failure(
      fmt::format("the CUDA device failed while it should {}: {}", what, error_text(api_, code)));
}

Result<Unit> CudaDriver::open() {
  if (Result<Unit> made = done(api_.retain_context(&context_, found_.device), "start"); !made)
    return made;
  enter();
  if (Result<Unit> made = done(api_.create_stream(&stream_, kNonBlocking), "make a stream"); !made)
    return made;
  if (api_.add_memset_node != nullptr) replays_ = std::make_unique<Replays>(api_, context_);
  staging_ = std::make_unique<Staging>(api_);
  return done(staging_->open(), "give the host memory");
}

Result<Unit> CudaDriver::open_helpers() {
  if (helpers_.module != nullptr) return Unit{};
  const Status code = load_helpers(api_, helpers_);
  if (Result<Unit> loaded = done(code, "load our helpers"); !loaded) return loaded;
  const std::lock_guard lock(chains_mutex_);
  if (api_.set_kernel_node != nullptr)
    chains_ = std::make_unique<LaunchChains>(api_, helpers_.seal);
  return Unit{};
}

// ---- memory

DeviceMemory CudaDriver::allocate(int64_t bytes) {
  enter();
  Address memory = 0;
  if (api_.allocate(&memory, size_of(std::max<int64_t>(bytes, 1))) != kSuccess) return nullptr;
  return reinterpret_cast<DeviceMemory>(memory);
}

void CudaDriver::free(DeviceMemory memory) {
  if (given_up_) return;
  enter();
  {
    // What waits may use it.  A problem shows when somebody waits.
    const std::lock_guard lock(chains_mutex_);
    if (replays_ != nullptr) replays_->flush(stream_);
    if (chains_ != nullptr) chains_->flush(stream_);
  }
  // Waits for what still uses it.
  api_.free(address(memory));
}

// ---- commands

Result<Unit> CudaDriver::write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                               DeviceEvent* event) {
  if (stop_ != nullptr && size_of(bytes) > Staging::kSmallBytes)
    if (Result<Unit> waited = wait(); !waited) return waited;
  return timed(event, "take data", [&] {
    const Address to = address(dest, offset);
    // Memory that the driver knows is read by the device itself, later.
    uint32_t type = 0;
    if (api_.pointer_attribute(&type, kMemoryType, reinterpret_cast<Address>(from)) == kSuccess) {
      const Status code = api_.write(to, from, size_of(bytes), stream_);
      return code == kSuccess ? api_.wait_for_stream(stream_) : code;
    }
    // Little of other memory has been copied when the function returns.
    if (size_of(bytes) <= kCopiedAtOnce) return api_.write(to, from, size_of(bytes), stream_);
    return staging_->write(to, static_cast<const char*>(from), size_of(bytes), stream_);
  });
}

Result<Unit> CudaDriver::copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src,
                              int64_t src_offset, int64_t bytes, DeviceEvent* event) {
  if (collects() && bytes <= kHelped) {
    if (Result<Unit> there = open_helpers(); !there) return there;
    const Address to = address(dest, dest_offset), from = address(src, src_offset);
    const int log = std::min(3, std::countr_zero(to | from | static_cast<Address>(bytes)));
    return give_helper(helpers_.copy[size_of(log)], to, static_cast<uint64_t>(bytes) >> log, from,
                       event);
  }
  return timed(event, "copy", [&] {
    return api_.copy(address(dest, dest_offset), address(src, src_offset), size_of(bytes), stream_);
  });
}

Result<Unit> CudaDriver::fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits,
                              int size, DeviceEvent* event) {
  const auto low = static_cast<unsigned>(bits), high = static_cast<unsigned>(bits >> 32);
  // CUDA has no fill with 8 bytes.
  if ((size == 8 && low != high) || (collects() && count * size <= kHelped)) {
    if (Result<Unit> there = open_helpers(); !there) return there;
    return give_helper(helpers_.fill[size_of(helper_number(size))], address(dest, offset),
                       static_cast<uint64_t>(count), bits, event);
  }
  Fill fill{address(dest, offset), static_cast<uint64_t>(count), low, static_cast<unsigned>(size)};
  if (size == 8) fill = {fill.to, 2 * fill.count, low, 4};
  if (replays_next() && count * size <= kReplayedFill) {
    const std::lock_guard lock(chains_mutex_);
    idle_ = false;
    replays_->add(fill);
    return Unit{};
  }
  return timed(event, "fill memory", [&] { return fill_now(api_, fill, stream_); });
}

// ---- profiling

Result<Unit> CudaDriver::set_profiling(bool on) {
  profiling_ = on;
  return Unit{};
}

CommandTimes CudaDriver::times(DeviceEvent event) {
  enter();
  auto* timing = reinterpret_cast<Timing*>(event);
  CommandTimes times;
  float milliseconds = 0;
  if (api_.wait_for_event(timing->end) == kSuccess &&
      api_.elapsed_ms(&milliseconds, timing->start, timing->end) == kSuccess)
    times.duration_ns = static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  api_.destroy_event(timing->start);
  api_.destroy_event(timing->end);
  delete timing;
  return times;
}

}  // namespace skald::runtime::cuda

namespace skald::runtime {

Result<std::string> find_cuda_device(std::string_view wanted) {
  Result<const cuda::Api*> api = cuda::load_api();
  if (!api) return api.failure();
  Result<cuda::FoundDevice> found = cuda::find_device(**api, wanted);
  if (!found) return found.failure();
  if (Result<std::string> compiler = cuda::find_nvrtc(); !compiler) return compiler.failure();
  return found->name;
}

Result<int> cuda_architecture(std::string_view wanted) {
  Result<const cuda::Api*> api = cuda::load_api();
  if (!api) return api.failure();
  Result<cuda::FoundDevice> found = cuda::find_device(**api, wanted);
  if (!found) return found.failure();
  return cuda::architecture_of(**api, found->device);
}

Result<std::vector<DeviceFacts>> list_cuda_devices() {
  Result<const cuda::Api*> api = cuda::load_api();
  if (!api) return api.failure();
  std::vector<DeviceFacts> all;
  for (const cuda::FoundDevice& each : cuda::list_devices(**api))
    all.push_back(cuda::facts_of(**api, each));
  return all;
}

Result<std::unique_ptr<Device>> open_cuda_device(std::string_view wanted) {
  if (Result<std::string> there = find_cuda_device(wanted); !there) return there.failure();
  const cuda::Api& api = **cuda::load_api();
  auto driver = std::make_shared<cuda::CudaDriver>(api, *cuda::find_device(api, wanted));
  if (Result<Unit> opened = driver->open(); !opened) return opened.failure();
  return Device::open(std::move(driver));
}

}  // namespace skald::runtime
