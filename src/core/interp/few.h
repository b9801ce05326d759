// SPDX-License-Identifier: Apache-2.0
// A list of fixed length that needs no allocation while it is short.
#pragma once

#include <cstddef>
#include <memory>

namespace skald::core::interp {

template <class T, size_t N>
class Few {
 public:
  explicit Few(size_t size) : size_(size) {
    if (size_ > N) many_ = std::make_unique<T[]>(size_);
  }
  size_t size() const { return size_; }
  T* begin() { return size_ > N ? many_.get() : few_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return size_ > N ? many_.get() : few_; }
  const T* end() const { return begin() + size_; }
  T& operator[](size_t k) { return begin()[k]; }
  const T& operator[](size_t k) const { return begin()[k]; }

 private:
  size_t size_;
  T few_[N] = {};
  std::unique_ptr<T[]> many_;
};

}  // namespace skald::core::interp
