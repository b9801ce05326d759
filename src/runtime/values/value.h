// SPDX-License-Identifier: Apache-2.0
// Values that go into and come out of programs: a primitive type, a shape, and dense row-major data
// in reference-counted memory.  Copying a Value or a Buffer shares the memory.
//
// Read next: value_reader.h, value_writer.h (files), entry_call.h (passing values to compiled
// code).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi.h"
#include "support/prim.h"
#include "support/result.h"

namespace skald::runtime {

class MemoryBudget;

// A shared reference to a block of memory; may be empty.  Allocated buffers are aligned to 64
// bytes, adopted ones have the alignment they came with.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { skald_rt_release(block_); }
  Buffer(const Buffer& other) : block_(other.block_) { skald_rt_retain(block_); }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }

  // Undefined contents.  Fails, with a message, if there is not that much memory, or not in the
  // budget.
  static Result<Buffer> allocate(int64_t bytes, MemoryBudget* budget = nullptr);
  // Uses memory that somebody else allocated; `release(data, argument)` is called when the last
  // reference goes.  adopt(p, n, [](void* data, void*) { free(data); }, nullptr) takes over a
  // malloc.
  static Result<Buffer> adopt(void* data, int64_t bytes,
                              void (*release)(void* data, void* argument), void* argument);
  // `bytes` bytes of this buffer from `offset` on; keeps all of it alive.
  Result<Buffer> part(int64_t offset, int64_t bytes) const;
  // Takes over the caller's reference to `block`.
  static Buffer take(SkaldBlock* block) { return Buffer(block); }

  std::byte* data() const { return block_ ? static_cast<std::byte*>(block_->data) : nullptr; }
  int64_t bytes() const { return block_ ? block_->bytes : 0; }
  // Borrowed: stays valid as long as this buffer.
  SkaldBlock* block() const { return block_; }

 private:
  explicit Buffer(SkaldBlock* block) : block_(block) {}
  SkaldBlock* block_ = nullptr;
};

// The bytes of an array's data; fails if a dimension is negative or the number is out of range.
Result<int64_t> byte_size(Prim type, std::span<const int64_t> shape);

// "[2][3]i32"
std::string type_text(Prim type, std::span<const int64_t> shape);
// "[][]i32"
std::string type_text(Prim type, int rank);

struct Value {
  Prim type = Prim::kI32;
  std::vector<int64_t> shape;  // empty for a scalar
  Buffer data;                 // exactly the elements

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t element_count() const { return data.bytes() / prim_size(type); }

  // The elements; T must have the size of `type` (uint16_t for f16, uint8_t for bool).
  template <class T>
  std::span<T> elements() const {
    SKALD_CHECK(sizeof(T) == static_cast<size_t>(prim_size(type)), "elements() of the wrong size");
    return {reinterpret_cast<T*>(data.data()), static_cast<size_t>(element_count())};
  }
  // Element `i` in row-major order as its bits, zero-extended.
  uint64_t element_bits(int64_t i) const;

  // Undefined contents.
  static Result<Value> allocate(Prim type, std::vector<int64_t> shape,
                                MemoryBudget* budget = nullptr);
  // A scalar, from the low bits of `bits`.
  static Result<Value> scalar(Prim type, uint64_t bits);
};

// The elements of `value` from byte `offset` on, as an array of that shape.  Shares memory, which
// stays alive as long as the part does.
Result<Value> part_of(const Value& value, int64_t offset, std::vector<int64_t> shape);

}  // namespace skald::runtime
