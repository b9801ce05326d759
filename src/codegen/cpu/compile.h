// SPDX-License-Identifier: Apache-2.0
// imp → machine code of this process, by LLVM 19.
//
//   target/      the machine we are on, and options
//   operators/   the scalar operators, on scalars and vectors; what generated code may call
//   image/       a compiled program as data, which a cache may keep
//   emit/        imp → LLVM IR: functions, statements, parallel loops as functions of their own
//   vector/      the same for loops in lanes
//   optimise/    the passes over LLVM IR
//   jit/         the module in parts, and parts → addresses, when they are needed
//   compile.cpp  all of it in order, up to object code
//   load.cpp     the program as others see it
//
// Only files below this folder include LLVM's headers; this one does not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cpu/image/image.h"
#include "codegen/cpu/target/options.h"
#include "imp/ir/imp.h"
#include "runtime/abi.h"
#include "support/result.h"

namespace skald::cpu {

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
  // A call of the entry point is about to begin, with these slots (SkaldEntry), choices of tuning
  // parameters by row, and so many threads: the kernels that it will run are compiled ahead.
  void expect_call(std::string_view entry, std::span<const int64_t> args,
                   std::span<const int64_t> tuning, int64_t threads) const;
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
// Makes a program callable.  `times` is what making the image took.
Result<CompiledProgram> load(ProgramImage image, const CompileTimes& times = {});
// Both.
Result<CompiledProgram> compile(const imp::Program& prog, const CompileOptions& options = {});

// LLVM IR as text, after optimisation; assembly for this machine.
Result<std::string> emit_llvm(const imp::Program& prog, const CompileOptions& options = {});
Result<std::string> emit_assembly(const imp::Program& prog, const CompileOptions& options = {});

}  // namespace skald::cpu
