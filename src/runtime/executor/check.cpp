// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace skald::runtime {

namespace {

// One function may have at most so many registers; the executor has room for more.
constexpr int32_t kMostFunctionRegisters = 1 << 20;

class ProgramCheck {
 public:
  explicit ProgramCheck(const DeviceProgram& program) : program_(program) {}

  bool run() {
    for (const EntryCode& entry : program_.entries)
      if (!is_row(entry.function, program_.functions)) return false;
    for (const KernelUnit& unit : program_.kernels.units) {
      for (const int32_t piece : unit.pieces)
        if (!is_row(piece, program_.kernels.pieces)) return false;
      if (unit.same_as >= 0 && !is_original(unit.same_as)) return false;
    }
    return std::ranges::all_of(program_.functions,
                               [&](const FunctionCode& function) { return check(function); });
  }

 private:
  bool is_original(int32_t unit) const {
    const std::vector<KernelUnit>& units = program_.kernels.units;
    return is_row(unit, units) && units[static_cast<size_t>(unit)].same_as < 0;
  }
  template <class T>
  static bool is_row(int64_t number, const std::vector<T>& table) {
    return number >= 0 && number < static_cast<int64_t>(table.size());
  }
  bool is_reg(int32_t number) const { return number >= 0 && number < registers_; }
  bool are_regs(const std::vector<int32_t>& numbers) const {
    return std::ranges::all_of(numbers, [&](int32_t n) { return is_reg(n); });
  }

  bool check(const FunctionCode& f) {
    registers_ = f.registers;
    code_ = &f;
    return f.registers >= 0 && f.registers <= kMostFunctionRegisters && are_regs(f.params) &&
           are_regs(f.results) && are_regs(f.owned) && f.param_is_block.size() == f.params.size() &&
           f.result_is_block.size() == f.results.size() && !f.code.empty() &&
           f.code.back().op == Op::kReturn &&
           std::ranges::all_of(f.code, [&](const Instruction& i) { return check(i); });
  }

  bool check(const Instruction& i) const {
    if (i.prim > Prim::kF64) return false;
    switch (i.op) {
      case Op::kConst:
      case Op::kRelease: return is_reg(i.dst);
      case Op::kMove:
      case Op::kAllocDevice:
      case Op::kAllocHost:
      case Op::kSetBlock:
      case Op::kLocalMemory:
      case Op::kComputeUnits:
      case Op::kFloatSums:
      case Op::kGroupThreads: return is_reg(i.dst) && is_reg(i.a);
      case Op::kUnary: return is_row(i.imm, program_.operators) && is_reg(i.dst) && is_reg(i.a);
      case Op::kBinary: return is_row(i.imm, program_.operators) && has_two(i);
      case Op::kTernary: return is_row(i.imm, program_.operators) && has_two(i) && is_reg(i.c);
      case Op::kSelect: return has_two(i) && is_reg(i.c);
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kLess:
      case Op::kLoad: return has_two(i);
      case Op::kStore: return is_reg(i.a) && is_reg(i.b) && is_reg(i.c);
      case Op::kFill:
        return is_reg(i.a) && is_reg(i.b) && is_reg(i.c) && i.imm >= 0 && i.imm < registers_;
      case Op::kJump: return is_row(i.imm, code_->code);
      case Op::kJumpUnless: return is_row(i.imm, code_->code) && is_reg(i.a);
      case Op::kCopy: return is_row(i.imm, program_.copies) && check(row(program_.copies, i));
      case Op::kTrace: return is_row(i.imm, program_.traces) && check(row(program_.traces, i));
      case Op::kLaunch: return is_row(i.imm, program_.launches) && check(row(program_.launches, i));
      case Op::kCall: return is_row(i.imm, program_.calls) && check(row(program_.calls, i));
      case Op::kFail:
        return is_row(i.imm, program_.failures) && are_regs(row(program_.failures, i).values);
      case Op::kReturn: return true;
    }
    return false;
  }

  template <class T>
  static const T& row(const std::vector<T>& table, const Instruction& i) {
    return table[static_cast<size_t>(i.imm)];
  }
  bool has_two(const Instruction& i) const { return is_reg(i.dst) && is_reg(i.a) && is_reg(i.b); }

  bool check(const CopyCode& c) const {
    return are_regs({c.dest, c.dest_offset, c.src, c.src_offset, c.bytes});
  }
  bool check(const TraceCode& t) const {
    return t.type <= Prim::kF64 && is_reg(t.block) && is_reg(t.index) && are_regs(t.shape);
  }
  bool check(const LaunchCode& l) const {
    return is_row(l.kernel, program_.kernels.units) && are_regs({l.groups, l.scratch, l.threads}) &&
           (l.shared == -1 || is_reg(l.shared)) &&
           std::ranges::all_of(l.args, [&](const LaunchArg& arg) { return is_reg(arg.reg); });
  }
  bool check(const CallCode& c) const {
    if (!is_row(c.function, program_.functions)) return false;
    const FunctionCode& callee = program_.functions[static_cast<size_t>(c.function)];
    return are_regs(c.args) && are_regs(c.results) && c.args.size() == callee.params.size() &&
           c.results.size() == callee.results.size();
  }

  const DeviceProgram& program_;
  const FunctionCode* code_ = nullptr;
  int32_t registers_ = 0;
};

}  // namespace

Result<Unit> check_program(const DeviceProgram& program) {
  if (ProgramCheck(program).run()) return Unit{};
  return Failure("a device program that cannot be run");
}

}  // namespace skald::runtime
