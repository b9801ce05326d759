// SPDX-License-Identifier: Apache-2.0
// Buffers, and copies to, from and between them.
#include <algorithm>

#include "runtime/opencl/device_state.h"

namespace skald::runtime {

namespace {

// Buffers that were given back and are kept for the next request.
constexpr int64_t kMostKept = int64_t{1} << 30;
constexpr int64_t kAlignment = 64;

}  // namespace

cl::Mem OpenClDevice::take_buffer(int64_t& bytes) {
  bytes = round_up_to(std::max<int64_t>(bytes, 1), kAlignment);
  const auto fit = kept_.lower_bound(bytes);
  if (fit != kept_.end() && fit->first - bytes <= bytes / 8) {
    const cl::Mem buffer = fit->second;
    bytes = fit->first;
    kept_bytes_ -= bytes;
    kept_.erase(fit);
    return buffer;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const cl::Mem buffer = make_buffer(bytes); buffer != nullptr) return buffer;
    api_.finish(queue_);
    drop_kept();
  }
  return nullptr;
}

// Some drivers make buffers of any size and look for memory when a command first needs it; that
// would be too late for a message that says who asked.  So large buffers are touched here.
cl::Mem OpenClDevice::make_buffer(int64_t bytes) {
  constexpr int64_t kTouchedFrom = int64_t{256} << 20;
  if (bytes > static_cast<int64_t>(cl::device_number(api_, device_, cl::kDeviceGlobalMemSize)))
    return nullptr;
  cl::Int code = 0;
  const cl::Mem buffer =
      api_.create_buffer(context_, cl::kMemReadWrite, static_cast<size_t>(bytes), nullptr, &code);
  if (code != cl::kSuccess) return nullptr;
  if (bytes < kTouchedFrom) return buffer;
  const char zero = 0;
  code = api_.enqueue_write(queue_, buffer, cl::kTrue, static_cast<size_t>(bytes - 1), 1, &zero, 0,
                            nullptr, nullptr);
  if (code == cl::kSuccess) return buffer;
  api_.release_mem(buffer);
  return nullptr;
}

void OpenClDevice::give_back(cl::Mem buffer, int64_t bytes) {
  kept_.emplace(bytes, buffer);
  kept_bytes_ += bytes;
  if (kept_bytes_ > kMostKept) drop_kept();
}

// Commands that still use a buffer keep it alive.
void OpenClDevice::drop_kept() {
  for (const auto& [bytes, buffer] : kept_) api_.release_mem(buffer);
  kept_.clear();
  kept_bytes_ = 0;
}

SkaldBlock* OpenClDevice::allocate(int64_t bytes) {
  // Larger requests overflow when they are rounded.
  constexpr int64_t kLargest = int64_t{1} << 46;
  if (bytes > kLargest) return nullptr;
  int64_t capacity = bytes;
  const cl::Mem buffer = take_buffer(capacity);
  if (buffer == nullptr) return nullptr;
  auto* block = new DeviceBlock;
  block->data = nullptr;
  block->bytes = bytes;
  block->refs = 1;
  block->owner = this;
  block->buffer = buffer;
  block->capacity = capacity;
  block->destroy = [](SkaldBlock* self) {
    auto* own = static_cast<DeviceBlock*>(self);
    static_cast<OpenClDevice*>(own->owner)->give_back(own->buffer, own->capacity);
    delete own;
  };
  return block;
}

void OpenClDevice::write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes) {
  check(api_.enqueue_write(queue_, buffer_of(dest), cl::kTrue, static_cast<size_t>(offset),
                           static_cast<size_t>(bytes), from, 0, nullptr, nullptr),
        "take data");
}

void OpenClDevice::read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes) {
  check(api_.enqueue_read(queue_, buffer_of(src), cl::kTrue, static_cast<size_t>(offset),
                          static_cast<size_t>(bytes), to, 0, nullptr, nullptr),
        "give data");
}

void OpenClDevice::copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src,
                        int64_t src_offset, int64_t bytes) {
  check(api_.enqueue_copy(queue_, buffer_of(src), buffer_of(dest), static_cast<size_t>(src_offset),
                          static_cast<size_t>(dest_offset), static_cast<size_t>(bytes), 0, nullptr,
                          nullptr),
        "copy");
}

void OpenClDevice::fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits,
                        int size) {
  check(api_.enqueue_fill(queue_, buffer_of(dest), &bits, static_cast<size_t>(size),
                          static_cast<size_t>(offset), static_cast<size_t>(count * size), 0,
                          nullptr, nullptr),
        "fill memory");
}

}  // namespace skald::runtime
