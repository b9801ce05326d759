// SPDX-License-Identifier: Apache-2.0
// Arrays as the interpreter sees them: a place in a block, a shape and strides.
//
// Slices, rows, transpositions and most reshapes are views of the same block.  Who writes first
// asks `is_writable`; if the answer is no, the array is copied (Machine::make_writable).
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "core/interp/code/block.h"
#include "support/prim.h"

namespace skald::core::interp {

// A short list of sizes or strides that needs no allocation up to rank 4.
class Dims {
 public:
  Dims() = default;
  explicit Dims(int size) : size_(size) {
    if (size_ > kFew) many_ = std::make_unique<int64_t[]>(static_cast<size_t>(size_));
  }
  Dims(const Dims& other) : Dims(other.size_) {
    std::memcpy(data(), other.data(), sizeof(int64_t) * static_cast<size_t>(size_));
  }
  Dims(Dims&& other) noexcept = default;
  Dims& operator=(const Dims& other) {
    if (this != &other) *this = Dims(other);
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept = default;

  int size() const { return size_; }
  int64_t* data() { return size_ > kFew ? many_.get() : few_; }
  const int64_t* data() const { return size_ > kFew ? many_.get() : few_; }
  int64_t& operator[](int k) { return data()[k]; }
  int64_t operator[](int k) const { return data()[k]; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  friend bool operator==(const Dims& a, const Dims& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  // The sizes of `outer`, then those of `inner`.
  friend Dims operator+(const Dims& outer, const Dims& inner);
  // Without the first `count` ones.
  Dims without_first(int count) const;

 private:
  static constexpr int kFew = 4;
  int size_ = 0;
  int64_t few_[kFew] = {};
  std::unique_ptr<int64_t[]> many_;
};

// "[2][3]", as error messages show shapes.
std::string shape_text(const Dims& shape);

// The number of elements, or -1 if it is negative or not representable.
int64_t element_count(const Dims& shape);
// Row-major strides, in elements.
Dims dense_strides(const Dims& shape);

struct Array {
  BlockRef block;
  std::byte* data = nullptr;  // of element (0, 0, …)
  Prim elem = Prim::kI32;
  Dims shape;
  Dims strides;  // in elements; may be negative or zero

  int rank() const { return shape.size(); }
  int elem_size() const { return prim_size(elem); }
  int64_t step(int dim) const { return strides[dim] * elem_size(); }  // in bytes
};

inline uint64_t load_bits(const std::byte* at, int size) {
  uint64_t bits = 0;
  switch (size) {
    case 1: return static_cast<uint8_t>(*at);
    case 2: {
      uint16_t half;
      std::memcpy(&half, at, 2);
      return half;
    }
    case 4: {
      uint32_t word;
      std::memcpy(&word, at, 4);
      return word;
    }
    default: std::memcpy(&bits, at, 8); return bits;
  }
}
inline void store_bits(std::byte* at, int size, uint64_t bits) {
  switch (size) {
    case 1: *at = static_cast<std::byte>(bits); return;
    case 2: {
      const auto half = static_cast<uint16_t>(bits);
      std::memcpy(at, &half, 2);
      return;
    }
    case 4: {
      const auto word = static_cast<uint32_t>(bits);
      std::memcpy(at, &word, 4);
      return;
    }
    default: std::memcpy(at, &bits, 8);
  }
}

// Are the elements in row-major order without gaps?
bool is_dense(const Array& array);
// Do all elements lie inside the block?
bool fits_block(const Array& array);
// May elements be overwritten without anybody else noticing?
bool is_writable(const Array& array);

// The subarray at index `i` of the first dimension, which must be in bounds.  Needs rank >= 1.
Array row_of(const Array& array, int64_t i);
// The same elements under another shape of the same size.  Only for dense arrays.
Array reshaped(const Array& array, const Dims& shape);

// Equal shapes.  The elements may overlap only if they are the same ones.
void copy_elements(const Array& dst, const Array& src);
void fill_elements(const Array& dst, uint64_t bits);
// Calls f(pointer) for all elements in row-major order.
template <class F>
void for_each_element(const Array& array, F&& f) {
  if (array.rank() == 0) return f(array.data);
  struct Walk {
    const Array& array;
    F& f;
    void dim(int d, std::byte* at) const {
      const int64_t step = array.step(d);
      for (int64_t i = 0; i < array.shape[d]; ++i, at += step) {
        if (d + 1 == array.rank())
          f(at);
        else
          dim(d + 1, at);
      }
    }
  };
  Walk{array, f}.dim(0, array.data);
}

}  // namespace skald::core::interp
