// SPDX-License-Identifier: Apache-2.0
// What the functions of one module share: declarations, the runtime's functions, failure messages,
// the numbers of kernels.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <string>
#include <unordered_map>

#include "codegen/cpu/emit/module.h"
#include "machine/vector_registers.h"

namespace skald::cpu {

class ModuleEmitter {
 public:
  ModuleEmitter(const imp::Program& prog, EmittedProgram& out, bool lazy,
                const CompileOptions& options, LaneLoopEmitter* lanes);
  void run();

  // The size of a vector register; some loops use wider ones.
  const machine::VectorRegisters& vector_registers() const { return vectors_; }
  uint32_t vector_bytes() const { return static_cast<uint32_t>(vectors_.bytes); }
  // From so many bytes on, results of maps go to memory past the caches.
  int64_t streamed_map() const { return streamed_map_; }
  void emit_lanes(FunctionEmitter& f, const imp::For& loop) { lanes_(f, loop); }

  const imp::Program& prog() const { return prog_; }
  llvm::LLVMContext& context() { return *out_.context; }
  llvm::Module& module() { return *out_.module; }
  llvm::Function* function(const std::string& name) { return functions_.at(name); }
  // A function of runtime/abi.h.
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> params);
  int64_t add_failure(FailureMessage message);
  // The row of a tuning parameter.
  int32_t tuning_row(const std::string& param);
  // A name for the body of the next parallel loop.
  std::string loop_name(std::string_view fn);
  // Are kernels called through the table of kernel.h?
  bool lazy() const { return lazy_; }
  uint32_t new_group(uint32_t around);
  // Of the two arms of a branch.
  void set_rivals(uint32_t group, uint32_t other);
  // Of a branch in host code; 0: there is no such arm.
  void note_arms(const imp::If& branch, uint32_t yes, uint32_t no);
  // The number of a new kernel.
  uint32_t add_kernel(llvm::Function* body, uint32_t group);

 private:
  void declare(const imp::Function& fn);
  void emit_entry(const imp::Function& fn);
  // The function that calls `compute` the first time and remembers its results.
  void emit_once(const imp::Function& fn, llvm::Function* compute);
  bool is_recursive(const imp::Function& fn) const;

  const imp::Program& prog_;
  EmittedProgram& out_;
  bool lazy_;
  std::unordered_map<std::string, llvm::Function*> functions_;
  machine::VectorRegisters vectors_;
  int64_t streamed_map_;
  LaneLoopEmitter* lanes_;
  int loops_ = 0;
};

}  // namespace skald::cpu
