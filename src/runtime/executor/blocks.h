// SPDX-License-Identifier: Apache-2.0
// Registers that hold blocks.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace skald::runtime {

inline SkaldBlock* as_block(int64_t bits) {
  return reinterpret_cast<SkaldBlock*>(bits);
}

// A block of a device has no address.
inline bool on_host(const SkaldBlock* block) {
  return block->data != nullptr;
}

}  // namespace skald::runtime
