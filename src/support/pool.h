// SPDX-License-Identifier: Apache-2.0
// Many objects of one type that live and die together.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace skald {

// Objects stay where they are until the pool is cleared or destroyed.
template <class T>
class Pool {
 public:
  Pool() = default;
  ~Pool() { clear(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  template <class... Args>
  T& add(Args&&... args) {
    if (count_ == blocks_.size() * kInBlock) blocks_.emplace_back(new Block);
    T* place = at(count_);
    ::new (static_cast<void*>(place)) T(std::forward<Args>(args)...);
    ++count_;
    return *place;
  }

  // Keeps the first blocks for what comes next.
  void clear() {
    for (; count_ > 0; --count_) {
      at(count_ - 1)->~T();
#ifndef NDEBUG
      // Who still looks at it shall notice.
      std::memset(static_cast<void*>(at(count_ - 1)), 0xdd, sizeof(T));
#endif
    }
    if (blocks_.size() > kKept) blocks_.resize(kKept);
  }

 private:
  static constexpr size_t kInBlock = 64, kKept = 16;
  struct Block {
    alignas(T) std::byte bytes[kInBlock * sizeof(T)];  // NOLINT: room for objects, not an array
  };
  T* at(size_t i) {
    return std::launder(reinterpret_cast<T*>(blocks_[i / kInBlock]->bytes) + i % kInBlock);
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  size_t count_ = 0;
};

}  // namespace skald
