// SPDX-License-Identifier: Apache-2.0
// The compiler behind compile.h; its files are compile*.cpp, one per group of nodes.
#pragma once

#include <string_view>
#include <unordered_set>

#include "core/interp/compile/compile.h"
#include "core/interp/compile/liveness.h"

namespace skald::core::interp {

class Compiler {
 public:
  Compiler(const Program& prog, const Tuning& tuning, NameSlots& slots, FunctionCode& out)
      : prog_(prog), tuning_(tuning), slots_(slots), out_(out) {}
  void function(const Function& fn);

 private:
  // ---- compile.cpp: names, operands, bodies
  using Owned = std::unordered_set<Name>;
  Binding declare(const Param& param);
  std::vector<Binding> declare(const std::vector<Param>& params);
  // The type of a result; binds nothing.
  Binding result_type(const Ret& ret) const;
  const NameSlot& find(Name name) const;
  Slot constant(uint64_t bits);
  // A scalar operand.
  Slot scalar(const Operand& operand);
  std::vector<Slot> scalars(const std::vector<Operand>& operands);
  // Any operand, only read.
  Use read(const Operand& operand);
  // An operand that the statement may use up if this is its last mention.
  Use take(const Operand& operand);
  std::vector<Use> read_all(const std::vector<Name>& names);
  std::vector<Use> take_all(const std::vector<Operand>& operands);

  Code body(const Body& body, const Owned& owned);
  Code body_after_declared(const Body& body, const Owned& owned);
  LambdaCode lambda(const Lambda& fn);
  Carry carry(const std::vector<Use>& from, std::vector<Binding> to) const;
  void stmt(const Stmt& stmt, const Deaths::AtStmt& deaths);
  void emit(Instr instr) {
    code_->instrs.push_back(instr);
    code_->locs.push_back(loc_);
  }
  void emit_node(Op op, const void* node);
  // A binding made by the statement at hand.
  Binding pat(size_t k) const;
  std::vector<Binding> pats() const;

  // ---- the nodes; each appends instructions that fill the pattern of `stmt_`
  // compile_scalars.cpp
  void node(const Value& exp);
  void node(const Opaque& exp);
  void node(const Tunable& exp);
  void node(const UnOp& exp);
  void node(const BinOp& exp);
  void node(const CmpOp& exp);
  void node(const TernOp& exp);
  void node(const Convert& exp);
  void node(const Bitcast& exp);
  void node(const Select& exp);
  void node(const Assert& exp);
  // compile_arrays.cpp
  // Malformed programs are our bugs, but must not read outside of a shape.
  void need_rank(Name array, size_t dims, bool exactly) const;
  std::vector<DimCode> slice(const std::vector<DimSlice>& slice);
  // What SOACs without operators have in common, and flat subscripts.
  template <class Code>
  Code* row_code(const auto& exp);
  FlatCode* flat_code(const auto& exp);
  std::vector<DimCode> flat_dims(const std::vector<FlatDim>& dims);
  void node(const ArrayLit& exp);
  void node(const Index& exp);
  void node(const Update& exp);
  void node(const FlatIndex& exp);
  void node(const FlatUpdate& exp);
  void node(const Concat& exp);
  void node(const Iota& exp);
  void node(const Replicate& exp);
  void node(const Scratch& exp);
  void node(const Reshape& exp);
  void node(const Rearrange& exp);
  void node(const Copy& exp);
  void node(const Alloc& exp);
  void node(const Free& exp);
  // compile_control.cpp
  OperatorCode op(const Operator& op);
  TargetCode target(const std::vector<Operand>& shape, const std::vector<Name>& arrays,
                    const Operator* op);
  void node(const If& exp);
  void node(const Loop& exp);
  void node(const Call& exp);
  void node(const Soac& exp);
  void node(const Hist& exp);
  void node(const Scatter& exp);
  void node(const Partition& exp);
  void node(const FlatMap& exp);
  void node(const WithAcc& exp);
  void node(const UpdateAcc& exp);
  void node(const Jvp& exp);
  void node(const Vjp& exp);
  void node(const WithVjp& exp);
  void node(const Kernel& exp);

  const Program& prog_;
  const Tuning& tuning_;
  NameSlots& slots_;
  FunctionCode& out_;
  std::unordered_map<uint64_t, Slot> constants_;
  // The body and statement at hand.
  Code* code_ = nullptr;
  Loc loc_;
  const Stmt* stmt_ = nullptr;
  const Deaths::AtStmt* deaths_ = nullptr;
  std::optional<ArrayMentions> mentions_;
};

}  // namespace skald::core::interp
