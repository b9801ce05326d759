// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/element_sink.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace skald::runtime {

namespace {

// From this capacity on, the memory is pages of its own.
constexpr size_t kMappedBytes = 1 << 20;

size_t whole_pages(size_t bytes) {
  constexpr size_t kPage = 1 << 16;  // no machine has larger ones
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

bool ElementSink::mapped() const {
  return capacity_ >= kMappedBytes;
}

ElementSink::~ElementSink() {
  if (mapped())
    munmap(memory_, capacity_);
  else
    std::free(memory_);
}

bool ElementSink::grow(size_t least, bool exact) {
  if (least > static_cast<size_t>(PTRDIFF_MAX) / 4) return false;
  size_t wanted = exact ? least : std::max({least, 2 * capacity_, size_t{256}});
  if (wanted < kMappedBytes) {
    void* larger = std::realloc(memory_, wanted);
    if (larger == nullptr) return false;
    memory_ = static_cast<char*>(larger);
    capacity_ = wanted;
    return true;
  }
  wanted = whole_pages(wanted);
  void* larger =
      mapped() ? mremap(memory_, capacity_, wanted, MREMAP_MAYMOVE)
               : mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger == MAP_FAILED) return false;
  madvise(larger, wanted, MADV_HUGEPAGE);
  if (!mapped()) {
    if (used_ != 0) std::memcpy(larger, memory_, used_);
    std::free(memory_);
  }
  memory_ = static_cast<char*>(larger);
  capacity_ = wanted;
  return true;
}

Result<Buffer> ElementSink::finish() {
  if (!mapped()) {
    Result<Buffer> buffer = Buffer::allocate(static_cast<int64_t>(used_));
    if (buffer && used_ != 0) std::memcpy(buffer->data(), memory_, used_);
    if (buffer) used_ = 0;
    return buffer;
  }
  const size_t kept = std::max(whole_pages(used_), whole_pages(1));
  if (kept < capacity_) munmap(memory_ + kept, capacity_ - kept);
  capacity_ = 0;
  return Buffer::adopt(
      std::exchange(memory_, nullptr), static_cast<int64_t>(std::exchange(used_, 0)),
      [](void* data, void* size) { munmap(data, reinterpret_cast<size_t>(size)); },
      reinterpret_cast<void*>(kept));
}

}  // namespace skald::runtime
