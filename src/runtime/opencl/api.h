// SPDX-License-Identifier: Apache-2.0
// The part of the OpenCL 1.2 API that we use, declared by ourselves and loaded at run time, so that
// neither headers nor a library are needed to build, and one binary runs with and without OpenCL.
// Types and numbers are those of the OpenCL specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
inline constexpr Uint kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Uint kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Uint kDeviceSingleFpConfig = 0x101B;
inline constexpr Uint kDeviceGlobalMemSize = 0x101F;
inline constexpr Uint kDeviceLocalMemSize = 0x1023;
inline constexpr Uint kDeviceName = 0x102B;
inline constexpr Uint kDeviceDriverVersion = 0x102D;
inline constexpr Uint kDeviceVersion = 0x102F;
inline constexpr Uint kDeviceExtensions = 0x1030;
inline constexpr Uint kDeviceDoubleFpConfig = 0x1032;
inline constexpr Bitfield kFpCorrectlyRoundedDivideSqrt = 1 << 7;
inline constexpr Uint kProgramBinarySizes = 0x1165;
inline constexpr Uint kProgramBinaries = 0x1166;
inline constexpr Uint kProgramBuildLog = 0x1183;

// X(field, symbol, signature)
// clang-format off
#define SKALD_OPENCL_FUNCTIONS(X) \
  X(get_platform_ids, clGetPlatformIDs, Int(Uint, Platform*, Uint*)) \
  X(get_platform_info, clGetPlatformInfo, Int(Platform, Uint, size_t, void*, size_t*)) \
  X(get_device_ids, clGetDeviceIDs, Int(Platform, Bitfield, Uint, DeviceId*, Uint*)) \
  X(get_device_info, clGetDeviceInfo, Int(DeviceId, Uint, size_t, void*, size_t*)) \
  X(create_context, clCreateContext, Context(const intptr_t*, Uint, const DeviceId*, void*, void*, Int*)) \
  X(release_context, clReleaseContext, Int(Context)) \
  X(create_queue, clCreateCommandQueue, Queue(Context, DeviceId, Bitfield, Int*)) \
  X(release_queue, clReleaseCommandQueue, Int(Queue)) \
  X(create_buffer, clCreateBuffer, Mem(Context, Bitfield, size_t, void*, Int*)) \
  X(release_mem, clReleaseMemObject, Int(Mem)) \
  X(create_program, clCreateProgramWithSource, Program(Context, Uint, const char**, const size_t*, Int*)) \
  X(create_program_from_binary, clCreateProgramWithBinary, \
    Program(Context, Uint, const DeviceId*, const size_t*, const unsigned char**, Int*, Int*)) \
  X(build_program, clBuildProgram, Int(Program, Uint, const DeviceId*, const char*, void*, void*)) \
  X(get_build_info, clGetProgramBuildInfo, Int(Program, DeviceId, Uint, size_t, void*, size_t*)) \
  X(get_program_info, clGetProgramInfo, Int(Program, Uint, size_t, void*, size_t*)) \
  X(release_program, clReleaseProgram, Int(Program)) \
  X(create_kernel, clCreateKernel, Kernel(Program, const char*, Int*)) \
  X(release_kernel, clReleaseKernel, Int(Kernel)) \
  X(set_kernel_arg, clSetKernelArg, Int(Kernel, Uint, size_t, const void*)) \
  X(enqueue_kernel, clEnqueueNDRangeKernel, \
    Int(Queue, Kernel, Uint, const size_t*, const size_t*, const size_t*, Uint, const Event*, Event*)) \
  X(enqueue_read, clEnqueueReadBuffer, \
    Int(Queue, Mem, Uint, size_t, size_t, void*, Uint, const Event*, Event*)) \
  X(enqueue_write, clEnqueueWriteBuffer, \
    Int(Queue, Mem, Uint, size_t, size_t, const void*, Uint, const Event*, Event*)) \
  X(enqueue_copy, clEnqueueCopyBuffer, \
    Int(Queue, Mem, Mem, size_t, size_t, size_t, Uint, const Event*, Event*)) \
  X(enqueue_fill, clEnqueueFillBuffer, \
    Int(Queue, Mem, const void*, size_t, size_t, size_t, Uint, const Event*, Event*)) \
  X(finish, clFinish, Int(Queue))
// clang-format on

struct Api {
#define X(field, symbol, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
  SKALD_OPENCL_FUNCTIONS(X)
#undef X
};

// The loaded library; loaded at the first call, and never unloaded.  Fails, with a reason, where
// there is none.
Result<const Api*> load_api();

// The name of an error code.
std::string error_text(Int code);

}  // namespace skald::runtime::cl
