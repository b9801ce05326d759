// SPDX-License-Identifier: Apache-2.0
// How host code gets at kernels that may not be compiled yet.  It reads a row of a table; while
// that has no address, it calls kPrepareKernel with the row, which waits for the code or makes it
// (load.cpp).
#pragma once

#include <atomic>

namespace skald::cpu {

class KernelLoader;

struct KernelRow {
  std::atomic<void*> code = nullptr;  // read by generated code: must be first
  KernelLoader* loader = nullptr;
};

// The symbols that generated code asks for: the table's address; void*(KernelRow*).
inline constexpr const char* kKernelTable = "skald_kernel_table";
inline constexpr const char* kPrepareKernel = "skald_prepare_kernel";

}  // namespace skald::cpu
