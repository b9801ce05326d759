// SPDX-License-Identifier: Apache-2.0
// Devices, memory and commands by OpenCL.
#include "runtime/opencl/opencl_driver.h"

#include <fmt/format.h>

#include "runtime/device/patience.h"
#include "runtime/opencl/opencl_device.h"

namespace skald::runtime::cl {

namespace {

Mem mem(DeviceMemory memory) {
  return reinterpret_cast<Mem>(memory);
}

Event* events(DeviceEvent* event) {
  return reinterpret_cast<Event*>(event);
}

size_t size_of(int64_t n) {
  return static_cast<size_t>(n);
}

}  // namespace

OpenClDriver::OpenClDriver(const Api& api, const FoundDevice& found)
    : api_(api),
      device_(found.device),
      facts_(facts_of(api, found)),
      options_(compiler_options(api, found.device)) {}

OpenClDriver::~OpenClDriver() {
  // It would wait for ever.
  if (given_up_) return;
  if (queue_ != nullptr) {
    api_.finish(queue_);
    api_.release_queue(queue_);
  }
  if (context_ != nullptr) api_.release_context(context_);
}

Result<Unit> OpenClDriver::done(Int code, const char* what) {
  if (code == kSuccess) return Unit{};
  return Failure(
      fmt::format("the OpenCL device failed while it should {}: {}", what, error_text(code)));
}

Result<Unit> OpenClDriver::open() {
  Int code = 0;
  context_ = api_.create_context(nullptr, 1, &device_, nullptr, nullptr, &code);
  if (Result<Unit> opened = done(code, "be opened"); !opened) return opened;
  return make_queue(0);
}

Result<Unit> OpenClDriver::make_queue(Bitfield properties) {
  Int code = 0;
  const Queue queue = api_.create_queue(context_, device_, properties, &code);
  if (Result<Unit> made = done(code, "make a queue"); !made) return made;
  if (queue_ != nullptr) {
    api_.finish(queue_);
    api_.release_queue(queue_);
  }
  queue_ = queue;
  return Unit{};
}

// ---- memory

// Some drivers make buffers of any size and look for memory when a command first needs it; that
// would be too late for a message that says who asked.  So large buffers are touched here.
DeviceMemory OpenClDriver::allocate(int64_t bytes) {
  constexpr int64_t kTouchedFrom = int64_t{256} << 20;
  Int code = 0;
  const Mem buffer = api_.create_buffer(context_, kMemReadWrite, size_of(bytes), nullptr, &code);
  if (code != kSuccess) return nullptr;
  const auto memory = reinterpret_cast<DeviceMemory>(buffer);
  if (bytes < kTouchedFrom) return memory;
  if (!wait_if_watched()) return nullptr;
  const char zero = 0;
  code =
      api_.enqueue_write(queue_, buffer, kTrue, size_of(bytes - 1), 1, &zero, 0, nullptr, nullptr);
  if (code == kSuccess) return memory;
  api_.release_mem(buffer);
  return nullptr;
}

void OpenClDriver::free(DeviceMemory memory) {
  api_.release_mem(mem(memory));
}

// ---- commands

Result<Unit> OpenClDriver::write(DeviceMemory dest, int64_t offset, const void* from, int64_t bytes,
                                 DeviceEvent* event) {
  // The pattern of a fill is copied at once, so that nobody has to wait.
  const bool single = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (single && offset % bytes == 0)
    return done(api_.enqueue_fill(queue_, mem(dest), from, size_of(bytes), size_of(offset),
                                  size_of(bytes), 0, nullptr, events(event)),
                "take data");
  if (Result<Unit> waited = wait_if_watched(); !waited) return waited;
  return done(api_.enqueue_write(queue_, mem(dest), kTrue, size_of(offset), size_of(bytes), from, 0,
                                 nullptr, events(event)),
              "take data");
}

Result<Unit> OpenClDriver::read(std::span<const ReadPart> parts, DeviceEvent* event) {
  if (Result<Unit> waited = wait_if_watched(); !waited) return waited;
  // The queue is in order, so the last one waits for all.
  for (const ReadPart& part : parts) {
    const bool last = &part == &parts.back();
    const Int code = api_.enqueue_read(queue_, mem(part.src), last ? kTrue : kFalse,
                                       size_of(part.offset), size_of(part.bytes), part.to, 0,
                                       nullptr, &part == parts.data() ? events(event) : nullptr);
    if (Result<Unit> given = done(code, "give data"); !given) {
      // Nothing may be written to the host's memory later.
      if (&part != parts.data()) api_.finish(queue_);
      return given;
    }
  }
  return Unit{};
}

Result<Unit> OpenClDriver::copy(DeviceMemory dest, int64_t dest_offset, DeviceMemory src,
                                int64_t src_offset, int64_t bytes, DeviceEvent* event) {
  return done(api_.enqueue_copy(queue_, mem(src), mem(dest), size_of(src_offset),
                                size_of(dest_offset), size_of(bytes), 0, nullptr, events(event)),
              "copy");
}

Result<Unit> OpenClDriver::fill(DeviceMemory dest, int64_t offset, int64_t count, uint64_t bits,
                                int size, DeviceEvent* event) {
  return done(api_.enqueue_fill(queue_, mem(dest), &bits, size_of(size), size_of(offset),
                                size_of(count * size), 0, nullptr, events(event)),
              "fill memory");
}

Result<Unit> OpenClDriver::start() {
  return done(api_.flush(queue_), "start");
}

Result<Unit> OpenClDriver::finish() {
  if (Result<Unit> waited = wait_if_watched(); !waited) return waited;
  return done(api_.finish(queue_), "finish");
}

Result<Unit> OpenClDriver::wait_if_watched() {
  if (given_up_) return Failure("the OpenCL device is still at work");
  if (stop_ == nullptr) return Unit{};
  Event end = nullptr;
  Int code = api_.enqueue_marker(queue_, 0, nullptr, &end);
  if (code == kSuccess) code = api_.flush(queue_);
  if (code != kSuccess) return done(code, "finish");
  Int status = 1;
  given_up_ = !wait_with_patience(*stop_, [&] {
    code = api_.get_event_info(end, kEventStatus, sizeof status, &status, nullptr);
    return code != kSuccess || status <= kComplete;
  });
  api_.release_event(end);
  if (given_up_) return Failure("the OpenCL device did not end in time");
  return done(code != kSuccess ? code : status, "finish");
}

// ---- profiling

Result<Unit> OpenClDriver::set_profiling(bool on) {
  return make_queue(on ? kQueueProfiling : 0);
}

CommandTimes OpenClDriver::times(DeviceEvent event) {
  const auto e = reinterpret_cast<Event>(event);
  uint64_t queued = 0, start = 0, end = 0;
  CommandTimes times;
  const auto get = [&](Uint what, uint64_t& to) {
    return api_.get_event_profile(e, what, sizeof to, &to, nullptr) == kSuccess;
  };
  if (api_.wait_for_events(1, &e) == kSuccess && get(kProfileQueued, queued) &&
      get(kProfileStart, start) && get(kProfileEnd, end) && queued <= start && start <= end)
    times = {static_cast<int64_t>(start - queued), static_cast<int64_t>(end - start)};
  api_.release_event(e);
  return times;
}

}  // namespace skald::runtime::cl

namespace skald::runtime {

Result<std::string> find_opencl_device(std::string_view wanted) {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<cl::FoundDevice> found = cl::find_device(**api, wanted);
  if (!found) return found.failure();
  return found->name;
}

Result<std::vector<DeviceFacts>> list_opencl_devices() {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  const Result<std::vector<cl::FoundDevice>> found = cl::list_devices(**api);
  if (!found) return found.failure();
  std::vector<DeviceFacts> all;
  for (const cl::FoundDevice& each : *found) all.push_back(cl::facts_of(**api, each));
  return all;
}

Result<std::unique_ptr<Device>> open_opencl_device(std::string_view wanted) {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<cl::FoundDevice> found = cl::find_device(**api, wanted);
  if (!found) return found.failure();
  auto driver = std::make_shared<cl::OpenClDriver>(**api, *found);
  if (Result<Unit> opened = driver->open(); !opened) return opened.failure();
  return Device::open(std::move(driver));
}

}  // namespace skald::runtime
