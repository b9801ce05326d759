// SPDX-License-Identifier: Apache-2.0
// Instructions on memory, of the host and of the device.
#include <algorithm>
#include <cstring>

#include "runtime/executor/blocks.h"
#include "runtime/executor/executor.h"

namespace skald::runtime {

static uint64_t load_bits(const void* from, int size) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(size));
  return bits;
}

bool Executor::allocate(const Instruction& i, int64_t* regs) {
  skald_rt_release(as_block(regs[i.dst]));
  regs[i.dst] = 0;
  const int64_t bytes = regs[i.a];
  SkaldBlock* block = nullptr;
  if (i.op == Op::kAllocHost) {
    block = skald_rt_alloc(&context_, bytes);
    if (block == nullptr) {
      if (i.b != 0) context_.errors.add_frame(0, i.b);
      return false;
    }
  } else {
    bool refused = false;
    if (bytes >= 0) block = device_.allocate(bytes, &refused);
    if (block == nullptr) {
      if (device_failed()) return false;
      fail_for_memory(&context_, bytes, refused);
      if (i.b != 0) context_.errors.add_frame(0, i.b);
      return false;
    }
  }
  regs[i.dst] = reinterpret_cast<intptr_t>(block);
  return true;
}

bool Executor::load(const Instruction& i, int64_t* regs) {
  const SkaldBlock* block = as_block(regs[i.a]);
  const int size = prim_size(i.prim);
  const int64_t at = regs[i.b] * size;
  uint64_t bits = 0;
  if (on_host(block)) {
    bits = load_bits(static_cast<const char*>(block->data) + at, size);
  } else {
    device_.read(block, at, &bits, size);
    if (device_failed()) return false;
  }
  regs[i.dst] = static_cast<int64_t>(bits);
  return true;
}

bool Executor::store(const Instruction& i, int64_t* regs) {
  const SkaldBlock* block = as_block(regs[i.a]);
  const int size = prim_size(i.prim);
  const int64_t at = regs[i.b] * size;
  if (on_host(block))
    std::memcpy(static_cast<char*>(block->data) + at, &regs[i.c], static_cast<size_t>(size));
  else
    device_.write(block, at, &regs[i.c], size);
  return true;
}

bool Executor::copy(const CopyCode& copy, const int64_t* regs) {
  const SkaldBlock* dest = as_block(regs[copy.dest]);
  const SkaldBlock* src = as_block(regs[copy.src]);
  const int64_t to = regs[copy.dest_offset], from = regs[copy.src_offset];
  const int64_t bytes = regs[copy.bytes];
  if (bytes <= 0) return true;
  const auto address = [](const SkaldBlock* block, int64_t offset) {
    return static_cast<char*>(block->data) + offset;
  };
  if (!on_host(dest) && !on_host(src)) {
    device_.copy(dest, to, src, from, bytes);
  } else if (!on_host(dest)) {
    device_.write(dest, to, address(src, from), bytes);
  } else if (!on_host(src)) {
    device_.read(src, from, address(dest, to), bytes);
    return !device_failed();
  } else {
    std::memmove(address(dest, to), address(src, from), static_cast<size_t>(bytes));
  }
  return true;
}

bool Executor::fill(const Instruction& i, const int64_t* regs) {
  const SkaldBlock* block = as_block(regs[i.a]);
  const int size = prim_size(i.prim);
  const int64_t start = regs[i.b], count = regs[i.imm];
  if (count <= 0) return true;
  if (!on_host(block)) {
    device_.fill(block, start * size, count, static_cast<uint64_t>(regs[i.c]), size);
    return true;
  }
  for (int64_t k = 0; k < count; ++k)
    std::memcpy(static_cast<char*>(block->data) + (start + k) * size, &regs[i.c],
                static_cast<size_t>(size));
  return true;
}

bool Executor::trace(const TraceCode& trace, const int64_t* regs) {
  std::vector<int64_t> shape;
  int64_t bytes = prim_size(trace.type);
  for (const int32_t dim : trace.shape) {
    shape.push_back(regs[dim]);
    bytes *= regs[dim];
  }
  std::vector<char> data(static_cast<size_t>(std::max<int64_t>(bytes, 0)));
  const SkaldBlock* block = as_block(regs[trace.block]);
  const int64_t from = regs[trace.index] * prim_size(trace.type);
  if (!data.empty() && on_host(block))
    std::memcpy(data.data(), static_cast<const char*>(block->data) + from, data.size());
  else if (!data.empty())
    device_.read(block, from, data.data(), bytes);
  if (device_failed()) return false;
  skald_rt_trace(&context_, trace.tag.c_str(), static_cast<int32_t>(trace.type), data.data(),
                 static_cast<int32_t>(shape.size()), shape.data());
  return true;
}

}  // namespace skald::runtime
