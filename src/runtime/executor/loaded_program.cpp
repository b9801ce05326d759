// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/loaded_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/executor/check.h"

namespace skald::runtime {

namespace {

class SureKernels {
 public:
  explicit SureKernels(const DeviceProgram& program)
      : program_(program), seen_(program.functions.size()) {}

  // What is launched from this instruction of the function on.
  void visit(int32_t function, size_t first = 0) {
    const auto number = static_cast<size_t>(function);
    if (seen_[number]) return;
    seen_[number] = true;
    const std::vector<Instruction>& code = program_.functions[number].code;
    const std::vector<bool> skipped = skippable(code, first);
    for (size_t at = first; at < code.size(); ++at) {
      const auto row = static_cast<size_t>(code[at].imm);
      if (skipped[at]) continue;
      if (code[at].op == Op::kLaunch) add(program_.launches[row].kernel);
      if (code[at].op == Op::kCall) visit(program_.calls[row].function);
    }
  }

  std::vector<int32_t> found;

 private:
  // What some jump goes past, and is not the body of a loop: that ends with a jump back.
  static std::vector<bool> skippable(const std::vector<Instruction>& code, size_t first) {
    std::vector<bool> skipped(code.size());
    for (size_t at = first; at < code.size(); ++at) {
      if (code[at].op != Op::kJump && code[at].op != Op::kJumpUnless) continue;
      const auto to = static_cast<size_t>(code[at].imm);
      if (to <= at) continue;
      const Instruction& last = code[to - 1];
      if (last.op == Op::kJump && last.imm <= static_cast<int64_t>(at)) continue;
      std::fill(skipped.begin() + static_cast<ptrdiff_t>(at) + 1,
                skipped.begin() + static_cast<ptrdiff_t>(to), true);
    }
    return skipped;
  }

  void add(int32_t kernel) {
    if (std::ranges::find(found, kernel) == found.end()) found.push_back(kernel);
  }

  const DeviceProgram& program_;
  std::vector<bool> seen_;
};

Result<std::vector<HostOperator>> find_operators(const DeviceProgram& program, FindOperator find) {
  std::vector<HostOperator> operators;
  for (const std::string& name : program.operators) operators.push_back(find(name));
  for (const FunctionCode& function : program.functions)
    for (const Instruction& i : function.code) {
      if (i.op != Op::kUnary && i.op != Op::kBinary && i.op != Op::kTernary) continue;
      const HostOperator& op = operators[static_cast<size_t>(i.imm)];
      const bool known = i.op == Op::kUnary    ? op.unary != nullptr
                         : i.op == Op::kBinary ? op.binary != nullptr
                                               : op.ternary != nullptr;
      if (!known)
        return Failure(fmt::format("a device program with the unknown operator {}",
                                   program.operators[static_cast<size_t>(i.imm)]));
    }
  return operators;
}

}  // namespace

std::vector<int32_t> sure_kernels(const DeviceProgram& program, int32_t function, size_t first) {
  SureKernels kernels(program);
  kernels.visit(function, first);
  return kernels.found;
}

LoadedProgram::LoadedProgram(DeviceProgram program, std::vector<HostOperator> operators,
                             Device& device, const DiskCache& cache)
    : code_(std::move(program)),
      operators_(std::move(operators)),
      device_(device),
      kernels_(device, code_.kernels, cache) {}

Result<std::unique_ptr<LoadedProgram>> LoadedProgram::load(DeviceProgram program, Device& device,
                                                           FindOperator find,
                                                           const DiskCache& cache) {
  if (Result<Unit> fine = check_program(program); !fine) return fine.failure();
  if (!device.facts().has_f64 && std::ranges::any_of(program.kernels.units, &KernelUnit::uses_f64))
    return Failure("not supported: this device has no f64, and the program uses it");
  Result<std::vector<HostOperator>> operators = find_operators(program, find);
  if (!operators) return operators.failure();
  return std::unique_ptr<LoadedProgram>(
      new LoadedProgram(std::move(program), std::move(*operators), device, cache));
}

void LoadedProgram::prepare(std::string_view entry) {
  {
    const std::lock_guard lock(mutex_);
    if (prepared_.contains(entry)) return;
    prepared_.emplace(entry);
  }
  const auto named = std::ranges::find(code_.entries, entry, &EntryCode::name);
  if (named != code_.entries.end()) kernels_.prepare(sure_kernels(code_, named->function, 0));
}

void LoadedProgram::prepare_from(const FunctionCode& function, size_t next) {
  const auto number = static_cast<int32_t>(&function - code_.functions.data());
  kernels_.prepare(sure_kernels(code_, number, next));
}

}  // namespace skald::runtime
