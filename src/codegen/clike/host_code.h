// SPDX-License-Identifier: Apache-2.0
// Host functions → bytecode.  Every name has a register of its own; constants have one for each
// function, set at its beginning.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/clike/kernel_text.h"
#include "imp/analysis/same_blocks.h"
#include "runtime/executor/bytecode.h"

namespace skald::clike {

class HostCode {
 public:
  HostCode(ProgramText& text, runtime::DeviceProgram& out,
           const std::unordered_map<std::string, int32_t>& functions)
      : text_(text), out_(out), functions_(functions) {}

  runtime::FunctionCode function(const imp::Function& fn);

 private:
  using Op = runtime::Op;

  int32_t reg(const core::Operand& operand);
  int32_t bind(core::Name name, imp::Type type);
  int32_t fresh() { return fn_.registers++; }
  size_t emit(runtime::Instruction instruction);
  // dst = name(a, b)
  void emit_binary(int32_t dst, int32_t a, int32_t b, const std::string& name);
  // The number of an operator (host_operators.h) in the program.
  int64_t host_operator(const std::string& name);
  size_t here() const { return fn_.code.size(); }
  void patch(size_t jump) { fn_.code[jump].imm = static_cast<int64_t>(here()); }

  void body(const imp::Body& body);
  void statements(const imp::Body& body);
  void own(core::Name name);
  void counted_loop(int32_t var, Prim type, int32_t end, int32_t step,
                    const std::function<void()>& inside, core::Loc loc = {});
  void jump_back(int64_t head, core::Loc loc);
  Prim type_of(const core::Operand& operand) const;

  void stmt(const imp::Let& n);
  void stmt(const imp::Var& n);
  void stmt(const imp::Assign& n);
  void stmt(const imp::Tunable& n);
  void stmt(const imp::Trace& n);
  void stmt(const imp::Load& n);
  void stmt(const imp::Store& n);
  void stmt(const imp::Alloc& n);
  void stmt(const imp::BlockVar& n);
  void stmt(const imp::BlockAssign& n);
  void stmt(const imp::Free& n);
  void stmt(const imp::CopyBytes& n);
  void stmt(const imp::Fill& n);
  void stmt(const imp::If& n);
  void stmt(const imp::For& n);
  void stmt(const imp::While& n);
  void stmt(const imp::Call& n);
  void stmt(const imp::Check& n);
  void stmt(const imp::Launch& n);
  // What runs on the host of a device program has one thread.
  void stmt(const imp::ParallelFor& n);
  void stmt(const imp::ParallelRange& n);
  void stmt(const imp::ParallelChunks& n);
  void stmt(const imp::Ordered& n) { body(n.body); }
  void stmt(const imp::MyTurn& n);
  void stmt(const imp::ChunkSize& n);
  void stmt(const imp::Workers& n);
  // What remains runs inside launches only.
  template <class N>
  void stmt(const N&) {
    SKALD_BUG("host code for a device with a statement that it cannot have");
  }

  ProgramText& text_;
  runtime::DeviceProgram& out_;
  const std::unordered_map<std::string, int32_t>& functions_;
  runtime::FunctionCode fn_;
  std::unordered_map<core::Name, int32_t> registers_;
  Types types_;
  std::map<std::pair<Prim, uint64_t>, int32_t> constants_;
  std::vector<std::vector<int32_t>> owned_;
  std::optional<imp::SameBlocks> same_;  // in the function
};

}  // namespace skald::clike
