// SPDX-License-Identifier: Apache-2.0
// What one may ask of the cpu back end, and what this machine has.
#pragma once

#include <functional>
#include <string>

#include "machine/caches.h"
#include "machine/vector_registers.h"

namespace skald::cpu {

struct CompileOptions {
  // 0: hardly any optimisation, for looking at the IR and for huge programs; 1: for programs that
  // are so large that not all of it can matter; 2: the usual.  Programs of such a size get less
  // than they ask for.
  int level = 2;
  // Leave out what takes LLVM long and does little for loops that we made.
  bool soon = false;
  // Is LLVM asked whether it accepts our module?
  bool verify = true;
  // The symbol of the first entry point is this and 0, and so on.
  std::string symbols = "skald_entry_";
  // For a linker instead of the JIT: one object, whatever its size, that calls the C library's
  // functions by their own names.
  bool for_linker = false;
  // Registers of so many bits for all loops, 256 or 512, whatever this machine has; 0: chosen for
  // each loop.
  int vector_bits = 0;
  // May AVX-512 be used where the machine has it?
  bool avx512 = true;
  // What decides which results go past them.
  machine::Caches caches = machine::kPlainCaches;
  // Told if less was optimised than asked for.
  std::function<void(const std::string&)> on_limit = {};
};

// Is x * y + z, rounded once, one instruction on this machine?
bool has_fused_multiply_add();
// Are there stores that go to memory past the caches?
bool has_streams();

// What simd loops may use.
machine::VectorRegisters vector_registers(const CompileOptions& options);
// Are there registers of 512 bits for loops that compute much?
bool has_wide_vectors(const CompileOptions& options);

}  // namespace skald::cpu
