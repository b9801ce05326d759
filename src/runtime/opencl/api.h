// SPDX-License-Identifier: Apache-2.0
// The part of the OpenCL 1.2 API that we use, declared by ourselves and loaded at run time, so that
// neither headers nor a library are needed to build, and one binary runs with and without OpenCL.
// Types and numbers are those of the OpenCL specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/opencl/functions.def"
#include "support/result.h"

namespace skald::runtime::cl {

using Int = int32_t;
using Uint = uint32_t;
using Bitfield = uint64_t;
using Platform = struct PlatformObject*;
using DeviceId = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Mem = struct MemObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;

inline constexpr Int kSuccess = 0;
inline constexpr Uint kTrue = 1;
inline constexpr Uint kFalse = 0;
inline constexpr Bitfield kDeviceTypeCpu = 1 << 1;
inline constexpr Bitfield kDeviceTypeGpu = 1 << 2;
inline constexpr Bitfield kDeviceTypeAll = 0xFFFFFFFF;
inline constexpr Bitfield kMemReadWrite = 1 << 0;
inline constexpr Uint kPlatformName = 0x0902;
inline constexpr Uint kDeviceType = 0x1000;
inline constexpr Uint kDeviceMaxComputeUnits = 0x1002;
inline constexpr Uint kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Uint kDeviceMaxClockFrequency = 0x100C;
inline constexpr Uint kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Uint kDeviceSingleFpConfig = 0x101B;
inline constexpr Uint kDeviceGlobalMemCacheSize = 0x101E;
inline constexpr Uint kDeviceGlobalMemSize = 0x101F;
inline constexpr Uint kDeviceLocalMemSize = 0x1023;
inline constexpr Uint kDeviceName = 0x102B;
inline constexpr Uint kDeviceDriverVersion = 0x102D;
inline constexpr Uint kDeviceVersion = 0x102F;
inline constexpr Uint kDeviceExtensions = 0x1030;
inline constexpr Uint kDeviceDoubleFpConfig = 0x1032;
// Extensions of two vendors: cl_nv_device_attribute_query, cl_amd_device_attribute_query.
inline constexpr Uint kDeviceWarpSizeNv = 0x4003;
inline constexpr Uint kDeviceWavefrontWidthAmd = 0x4043;
inline constexpr Bitfield kFpCorrectlyRoundedDivideSqrt = 1 << 7;
inline constexpr Uint kProgramBinarySizes = 0x1165;
inline constexpr Uint kProgramBinaries = 0x1166;
inline constexpr Uint kProgramBuildLog = 0x1183;
inline constexpr Bitfield kQueueProfiling = 1 << 1;
inline constexpr Uint kEventStatus = 0x11D3;
inline constexpr Int kComplete = 0;  // less: it failed
inline constexpr Uint kProfileQueued = 0x1280;
inline constexpr Uint kProfileStart = 0x1282;
inline constexpr Uint kProfileEnd = 0x1283;

struct Api {
#define X(field, symbol, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
  SKALD_OPENCL_FUNCTIONS(X)  // functions.def
#undef X
};

// The loaded library; loaded at the first call, and never unloaded.  Fails, with a reason, where
// there is none.
Result<const Api*> load_api();

// The name of an error code.
std::string error_text(Int code);

}  // namespace skald::runtime::cl
