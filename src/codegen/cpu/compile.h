// SPDX-License-Identifier: Apache-2.0
// imp → machine code of this process, by LLVM 19.
//
//   emit.cpp       imp → LLVM IR: functions, statements, parallel loops as functions of their own
//   scalar.cpp     the scalar operators
//   symbols.cpp    what generated code may call: runtime/abi.h, the C library's maths
//   target.cpp     the machine we are on
//   optimise.cpp   the passes
//   split.cpp      the module in parts: host code, kernels, what they share
//   compile.cpp    all of it in order, up to object code
//   image.cpp      the result as data, which a cache may keep
//   kernel_loader.cpp  parts → addresses, by ORC's JIT, when they are needed
//   load.cpp       the program as others see it
//
// Only files in this folder include LLVM's headers; this one does not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cpu/image.h"
#include "imp/ir/imp.h"
#include "imp/simd/registers.h"
#include "runtime/abi.h"
#include "support/result.h"

namespace skald::cpu {

struct CompileOptions {
  // 0: hardly any optimisation, for looking at the IR and for huge programs; 1: for programs that
  // are so large that not all of it can matter; 2: the usual.  Programs of such a size get less
  // than they ask for.
  int level = 2;
  // The symbol of the first entry point is this and 0, and so on.
  std::string symbols = "skald_entry_";
  // For a linker instead of the JIT: one object, whatever its size, that calls the C library's
  // functions by their own names.
  bool for_linker = false;
  // Vector code for simd loops; without it LLVM's loop vectoriser does what it can.
  bool simd = true;
  // Registers of so many bits for all loops, 256 or 512, whatever this machine has; 0: chosen for
  // each loop.
  int vector_bits = 0;
  // May AVX-512 be used where the machine has it?
  bool avx512 = true;
  // May large results be written past the caches where the machine can?
  bool streams = true;
  // Told what became of every simd loop.
  std::function<void(const std::string&)> explain_simd = {};
  // Told if less was optimised than asked for.
  std::function<void(const std::string&)> on_limit = {};
};

// Is x * y + z, rounded once, one instruction on this machine?
bool has_fused_multiply_add();
// Are there stores that go to memory past the caches?
bool has_streams();

// What simd loops may use.
imp::VectorRegisters vector_registers(const CompileOptions& options);
// Are there registers of 512 bits for loops that compute much?
bool has_wide_vectors(const CompileOptions& options);

// How long the steps that concern the whole program took, in milliseconds: emitting IR, inlining,
// writing bitcode (for_linker: the rest of the passes and object code).
struct CompileTimes {
  double emit = 0, optimise = 0, code = 0;
};

// Machine code, ready to be called.  Keep it as long as anything it made is running.
class CompiledProgram {
 public:
  CompiledProgram(CompiledProgram&&) noexcept;
  CompiledProgram& operator=(CompiledProgram&&) noexcept;
  ~CompiledProgram();

  // Null if there is no entry point of this name.  Its host code is compiled the first time, its
  // kernels when they are first called.
  SkaldEntry entry(std::string_view name) const;
  // What failing checks say, by id.
  const std::vector<FailureMessage>& failures() const;
  // The tuning parameters that the code asks for, in the order of the table for a run.
  const std::vector<std::string>& params() const;
  const CompileTimes& times() const;
  // For a cache: the program with the kernels that have been compiled.  Empty if nothing was
  // compiled that was not in the image it was loaded from.
  std::optional<ProgramImage> new_image() const;

 private:
  friend Result<CompiledProgram> load(ProgramImage, const CompileTimes&);
  struct Impl;
  explicit CompiledProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The program must satisfy imp::verify.  Fails only for reasons outside the program: a machine that
// LLVM does not know, no memory for code.
Result<ProgramImage> compile_to_image(const imp::Program& prog, const CompileOptions& options = {},
                                      CompileTimes* times = nullptr);
class SpareMachines;
// The object code of a part that has none yet.  May be called for several parts at the same time.
Result<std::string> compile_part(const ProgramImage& image, size_t part, SpareMachines& machines);
// Makes a program callable.  `times` is what making the image took.
Result<CompiledProgram> load(ProgramImage image, const CompileTimes& times = {});
// Both.
Result<CompiledProgram> compile(const imp::Program& prog, const CompileOptions& options = {});

// LLVM IR as text, after optimisation; assembly for this machine.
Result<std::string> emit_llvm(const imp::Program& prog, const CompileOptions& options = {});
Result<std::string> emit_assembly(const imp::Program& prog, const CompileOptions& options = {});

}  // namespace skald::cpu
