// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/value.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/block.h"
#include "runtime/budget.h"

namespace skald::runtime {

// Values are written to memory and files as they are.
static_assert(std::endian::native == std::endian::little);

Result<Buffer> Buffer::allocate(int64_t bytes, MemoryBudget* budget) {
  bool refused = false;
  SkaldBlock* block = allocate_block(bytes, budget, &refused);
  if (refused) return Failure(budget->refusal(bytes));
  if (block == nullptr)
    return Failure(fmt::format("out of memory: cannot allocate {} bytes", bytes));
  return Buffer(block);
}

Result<Buffer> Buffer::adopt(void* data, int64_t bytes, void (*release)(void* data, void* argument),
                             void* argument) {
  SkaldBlock* block = adopt_block(data, bytes, release, argument);
  if (block == nullptr) return Failure("out of memory");
  return Buffer(block);
}

namespace {

void release_outer(void*, void* outer) {
  skald_rt_release(static_cast<SkaldBlock*>(outer));
}

}  // namespace

Result<Buffer> Buffer::part(int64_t offset, int64_t bytes) const {
  if (offset == 0 && bytes == this->bytes()) return *this;
  SKALD_CHECK(offset >= 0 && offset + bytes <= this->bytes(), "bytes {} to {} of a block of {}",
              offset, offset + bytes, this->bytes());
  Result<Buffer> result = adopt(data() + offset, bytes, release_outer, block_);
  if (result) skald_rt_retain(block_);
  return result;
}

Result<int64_t> byte_size(Prim type, std::span<const int64_t> shape) {
  int64_t bytes = prim_size(type);
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  for (int64_t dim : shape) {
    if (dim < 0) return Failure(fmt::format("the dimension {} is negative", dim));
    if (empty) continue;
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return Failure(fmt::format("an array of type {} is too large", type_text(type, shape)));
  }
  return empty ? 0 : bytes;
}

std::string type_text(Prim type, std::span<const int64_t> shape) {
  std::string text;
  for (int64_t dim : shape) text += fmt::format("[{}]", dim);
  return text.append(prim_name(type));
}

std::string type_text(Prim type, int rank) {
  std::string text;
  for (int i = 0; i < rank; ++i) text += "[]";
  return text.append(prim_name(type));
}

uint64_t Value::element_bits(int64_t i) const {
  uint64_t bits = 0;
  const int size = prim_size(type);
  std::memcpy(&bits, data.data() + i * size, static_cast<size_t>(size));
  return bits;
}

Result<Value> Value::allocate(Prim type, std::vector<int64_t> shape, MemoryBudget* budget) {
  Result<int64_t> bytes = byte_size(type, shape);
  if (!bytes) return bytes.failure();
  Result<Buffer> data = Buffer::allocate(*bytes, budget);
  if (!data) return data.failure();
  return Value{type, std::move(shape), std::move(*data)};
}

Result<Value> Value::scalar(Prim type, uint64_t bits) {
  Result<Value> value = allocate(type, {});
  if (value) std::memcpy(value->data.data(), &bits, static_cast<size_t>(prim_size(type)));
  return value;
}

Result<Value> part_of(const Value& value, int64_t offset, std::vector<int64_t> shape) {
  const Result<int64_t> bytes = byte_size(value.type, shape);
  if (!bytes) return bytes.failure();
  Result<Buffer> data = value.data.part(offset, *bytes);
  if (!data) return data.failure();
  return Value{value.type, std::move(shape), std::move(*data)};
}

}  // namespace skald::runtime
