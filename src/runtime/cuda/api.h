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
using Graph = struct GraphObject*;
using GraphNode = struct GraphNodeObject*;
using GraphExec = struct GraphExecObject*;

// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Function function = nullptr;
  unsigned groups = 1, groups_y = 1, groups_z = 1;
  unsigned threads = 1, threads_y = 1, threads_z = 1;
  unsigned shared = 0;
  void** args = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};

// CUDA_MEMSET_NODE_PARAMS: one row of `count` elements of `width` bytes.
struct MemsetNode {
  Address to = 0;
  size_t pitch = 0;
  unsigned value = 0, width = 4;
  size_t count = 0, rows = 1;
};

inline constexpr Status kSuccess = 0;
inline constexpr Status kNoMemory = 2;
inline constexpr Status kNotReady = 600;
// What a module that is not for this driver or device gives.
inline constexpr Status kInvalidImage = 200, kNoBinary = 209, kInvalidPtx = 218, kNewerPtx = 222;
inline constexpr unsigned kNonBlocking = 1;
inline constexpr unsigned kWithoutTimes = 2;  // of an event
inline constexpr int kMostThreads = 1, kWarp = 10, kClockKhz = 13, kMultiprocessors = 16;
inline constexpr int kCacheBytes = 38;
inline constexpr int kMajor = 75, kMinor = 76;
inline constexpr int kMostSharedBytes = 97;
inline constexpr int kDynamicSharedBytes = 8;  // of a function
inline constexpr int kMemoryType = 2;          // of a pointer

struct Api {
#define X(field, symbol, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
  SKALD_CUDA_FUNCTIONS(X)  // functions.def
  SKALD_CUDA_GRAPH_FUNCTIONS(X)
#undef X
};

// The loaded library; loaded at the first call, and never unloaded.  Fails, with a reason, where
// there is none or it finds no device.
Result<const Api*> load_api();

std::string error_text(const Api& api, Status code);

}  // namespace skald::runtime::cuda
