// SPDX-License-Identifier: Apache-2.0
// Devices, memory and commands by CUDA.
#include "runtime/cuda/cuda_driver.h"

#include <fmt/format.h>

#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/nvrtc.h"

namespace skald::runtime::cuda {

namespace {

Address address(DeviceMemory memory, int64_t offset = 0) {
  return reinterpret_cast<Address>(memory) + static_cast<Address>(offset);
}

size_t size_of(int64_t n) {
  return static_cast<size_t>(n);
}

}  // namespace

CudaDriver::CudaDriver(const Api& api, FoundDevice found)
    : api_(api),
      found_(std::move(found)),
      facts_(facts_of(api, found_)),
      architecture_(architecture_of(api, found_.device)) {}

CudaDriver::~CudaDriver() {
  if (context_ == nullptr) return;
  enter();
  if (stream_ != nullptr) {
    api_.wait_for_stream(stream_);
    api_.destroy_stream(stream_);
  }
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
  return done(api_.create_stream(&stream_, kNonBlocking), "make a stream");
}

// ---- memory

DeviceMemory CudaDriver::allocate(int64_t bytes) {
  enter();
  Address memory = 0;
  if (api_.allocate(&memory, size_of(std::max<int64_t>(bytes, 1))) != kSuccess) return nullptr;
  return reinterpret_cast<DeviceMemory>(memory);
}

void CudaDriver::free(DeviceMemory memory) {
  enter();
  // Waits for what still uses it.
  api_.free(address(memory));
}

// ---- commands

template <class Command>
Result<Unit> CudaDriver::timed(DeviceEvent* event, const char* what, const Command& command) {
  enter();
  Timing* timing = nullptr;
  if (event != nullptr && profiling_) {
    timing = new Timing;
    api_.create_event(&timing->start, 0);
    api_.create_event(&timing->end, 0);
    api_.record_event(timing->start, stream_);
  }
  const Status code = command();
  if (timing != nullptr) {
    api_.record_event(timing->end, stream_);
    *event = reinterpret_cast<DeviceEvent>(timing);
  }
  return done(code, what);
}

Result<Unit> CudaDriver::write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                               DeviceEvent* event) {
  return timed(event, "take data", [&] {
    const Status code = api_.write(address(dest, offset), from, size_of(bytes), stream_);
    // Ordinary memory has been copied by now.  Memory that the driver knows is read later.
    uint32_t type = 0;
    const bool known =
        api_.pointer_attribute(&type, kMemoryType, reinterpret_cast<Address>(from)) == kSuccess;
    return code == kSuccess && known ? api_.wait_for_stream(stream_) : code;
  });
}

Result<Unit> CudaDriver::read(DeviceMemory src, int64_t offset, void* to, int64_t bytes,
                              DeviceEvent* event) {
  return timed(event, "give data", [&] {
    const Status code = api_.read(to, address(src, offset), size_of(bytes), stream_);
    return code == kSuccess ? api_.wait_for_stream(stream_) : code;
  });
}

Result<Unit> CudaDriver::copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src,
                              int64_t src_offset, int64_t bytes, DeviceEvent* event) {
  return timed(event, "copy", [&] {
    return api_.copy(address(dest, dest_offset), address(src, src_offset), size_of(bytes), stream_);
  });
}

Result<Unit> CudaDriver::fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits,
                              int size, DeviceEvent* event) {
  return timed(event, "fill memory", [&] {
    const Address to = address(dest, offset);
    const size_t n = size_of(count);
    if (size == 1) return api_.fill8(to, static_cast<unsigned char>(bits), n, stream_);
    if (size == 2) return api_.fill16(to, static_cast<unsigned short>(bits), n, stream_);
    const auto low = static_cast<unsigned>(bits), high = static_cast<unsigned>(bits >> 32);
    if (size == 4) return api_.fill32(to, low, n, stream_);
    if (low == high) return api_.fill32(to, low, 2 * n, stream_);
    // Two columns of half the width.
    const Status code = api_.fill_column32(to, 8, low, 1, n, stream_);
    return code == kSuccess ? api_.fill_column32(to + 4, 8, high, 1, n, stream_) : code;
  });
}

Result<Unit> CudaDriver::finish() {
  enter();
  return done(api_.wait_for_stream(stream_), "finish");
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

// ---- kernels

Result<Unit> CudaDriver::launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                                std::span<const KernelArg> args, DeviceEvent* event) {
  const LoadedKernel& loaded = *reinterpret_cast<const LoadedKernel*>(kernel);
  std::vector<void*> values;
  values.reserve(args.size());
  int64_t shared = 0;
  for (const KernelArg& arg : args) {
    if (arg.kind == KernelArg::Kind::kShared)
      shared = arg.number;
    else
      values.push_back(arg.kind == KernelArg::Kind::kMemory
                           ? const_cast<void*>(static_cast<const void*>(&arg.memory))
                           : const_cast<void*>(static_cast<const void*>(&arg.number)));
  }
  return timed(event, "run a kernel", [&] {
    constexpr int64_t kWithoutAsking = 48 << 10;
    if (shared > kWithoutAsking)
      api_.set_function_attribute(loaded.function, kDynamicSharedBytes, static_cast<int>(shared));
    return api_.launch(loaded.function, static_cast<unsigned>(groups), 1, 1,
                       static_cast<unsigned>(threads), 1, 1, static_cast<unsigned>(shared), stream_,
                       values.data(), nullptr);
  });
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
