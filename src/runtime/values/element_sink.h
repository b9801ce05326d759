// SPDX-License-Identifier: Apache-2.0
// ElementSink: collects the bytes of an array whose length is not known yet.  Small ones are copied
// once at the end; large ones grow in place of their pages (mremap) and are never copied.
#pragma once

#include <cstddef>

#include "runtime/values/value.h"

namespace skald::runtime {

class ElementSink {
 public:
  ElementSink() = default;
  ~ElementSink();
  ElementSink(const ElementSink&) = delete;
  ElementSink& operator=(const ElementSink&) = delete;

  // Makes room for `bytes` more.  False if there is no memory.
  bool reserve(size_t bytes) {
    return capacity_ - used_ >= bytes || grow(used_ + bytes, /*exact=*/false);
  }
  // Where the next byte goes, and how many there is room for.
  char* end() { return memory_ + used_; }
  size_t room() const { return capacity_ - used_; }
  // Says that `bytes` bytes were written at end().
  void add(size_t bytes) { used_ += bytes; }
  size_t used() const { return used_; }
  // Makes room for `bytes` in all and no more, where that is less than doubling would give.
  bool reserve_total(size_t bytes) { return bytes <= capacity_ || grow(bytes, /*exact=*/true); }

  // Everything that was added, as a buffer of exactly that size.  Leaves the sink empty.
  Result<Buffer> finish();

 private:
  bool grow(size_t least, bool exact);
  bool mapped() const;

  char* memory_ = nullptr;
  size_t used_ = 0, capacity_ = 0;
};

}  // namespace skald::runtime
