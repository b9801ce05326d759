// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's driver API that we use, declared by ourselves and loaded at run time, so that
// neither headers nor a library are needed to build, and one binary runs with and without CUDA.
// Types and numbers are those of CUDA's documentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/cuda/functions.def"
#include "support/result.h"

namespace skald::runtime::cuda {

using Status = int;
using Ordinal = int;  // of a device
using Address = uint64_t;
using Context = struct ContextObject*;
using Stream = struct StreamObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Event = struct EventObject*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kNoMemory = 2;
inline constexpr unsigned kNonBlocking = 1;
inline constexpr int kMostThreads = 1, kWarp = 10, kClockKhz = 13, kMultiprocessors = 16;
inline constexpr int kCacheBytes = 38;
inline constexpr int kMajor = 75, kMinor = 76;
inline constexpr int kMostSharedBytes = 97;
inline constexpr int kDynamicSharedBytes = 8;  // of a function
inline constexpr int kMemoryType = 2;          // of a pointer

struct Api {
#define X(field, symbol, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
  SKALD_CUDA_FUNCTIONS(X)  // functions.def
#undef X
};

// The loaded library; loaded at the first call, and never unloaded.  Fails, with a reason, where
// there is none or it finds no device.
Result<const Api*> load_api();

std::string error_text(const Api& api, Status code);

}  // namespace skald::runtime::cuda
