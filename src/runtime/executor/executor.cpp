// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/executor/blocks.h"

namespace skald::runtime {

namespace {

// What a device says of itself; 0: nothing.
int64_t known_of(const DeviceFacts& facts, Op op) {
  if (op == Op::kComputeUnits) return facts.compute_units;
  if (op == Op::kFloatSums) return facts.adds_floats ? 1 : 0;
  return op == Op::kGroupThreads ? facts.group_threads : facts.local_memory;
}

// Memory for registers of all frames together, in registers.
constexpr size_t kMostRegisters = size_t{8} << 20;

}  // namespace

Executor::~Executor() {
  for (size_t f = 0; f < once_.size(); ++f) {
    if (!once_[f].known) continue;
    const FunctionCode& function = code_.functions[f];
    for (size_t k = 0; k < once_[f].slots.size(); ++k)
      if (function.result_is_block[k]) skald_rt_release(as_block(once_[f].slots[k]));
  }
}

// ---- calls

bool Executor::push(const FunctionCode& function, const CallCode* call) {
  const size_t base = frames_.empty() ? 0
                                      : frames_.back().base +
                                            static_cast<size_t>(frames_.back().function->registers);
  const size_t end = base + static_cast<size_t>(function.registers);
  const auto allowed = static_cast<size_t>(context_.stack_bytes) / sizeof(int64_t);
  if (context_.stack_bytes > 0 && !frames_.empty() && end > allowed)
    return fail(SKALD_RT_STACK_LIMIT, {context_.stack_bytes});
  if (end > kMostRegisters) return fail(SKALD_RT_STACK_OVERFLOW, {});
  if (end > registers_.size()) registers_.resize(std::max(end, 2 * registers_.size()));
  for (const int32_t reg : function.owned) registers_[base + static_cast<size_t>(reg)] = 0;
  frames_.push_back({&function, base, 0, call});
  return true;
}

// Gives back what the innermost frame owns.
void Executor::pop() {
  const Frame& frame = frames_.back();
  for (const int32_t reg : frame.function->owned)
    skald_rt_release(as_block(registers_[frame.base + static_cast<size_t>(reg)]));
  frames_.pop_back();
}

bool Executor::call(const CallCode& call) {
  const auto number = static_cast<size_t>(call.function);
  const FunctionCode& function = code_.functions[number];
  const size_t caller = frames_.back().base;
  if (function.once && number < once_.size() && once_[number].known) {
    const Once& once = once_[number];
    for (size_t k = 0; k < call.results.size(); ++k) {
      int64_t& to = registers_[caller + static_cast<size_t>(call.results[k])];
      if (function.result_is_block[k]) {
        skald_rt_retain(as_block(once.slots[k]));
        skald_rt_release(as_block(to));
      }
      to = once.slots[k];
    }
    return true;
  }
  if (!push(function, &call)) return false;
  const size_t callee = frames_.back().base;
  for (size_t k = 0; k < call.args.size(); ++k)
    registers_[callee + static_cast<size_t>(function.params[k])] =
        registers_[caller + static_cast<size_t>(call.args[k])];
  return true;
}

// Hands the results of the innermost frame to its caller, with new references.
void Executor::finish_call() {
  const Frame frame = frames_.back();
  const FunctionCode& function = *frame.function;
  const size_t caller = frames_[frames_.size() - 2].base;
  if (function.once) {
    const auto number = static_cast<size_t>(&function - code_.functions.data());
    if (once_.size() <= number) once_.resize(code_.functions.size());
    Once& once = once_[number];
    if (!once.known) {
      once.known = true;
      for (size_t k = 0; k < function.results.size(); ++k) {
        once.slots.push_back(registers_[frame.base + static_cast<size_t>(function.results[k])]);
        if (function.result_is_block[k]) skald_rt_retain(as_block(once.slots.back()));
      }
    }
  }
  for (size_t k = 0; k < function.results.size(); ++k) {
    const int64_t value = registers_[frame.base + static_cast<size_t>(function.results[k])];
    int64_t& to = registers_[caller + static_cast<size_t>(frame.call->results[k])];
    if (function.result_is_block[k]) {
      skald_rt_retain(as_block(value));
      skald_rt_release(as_block(to));
    }
    to = value;
  }
  pop();
}

// ---- failures

void Executor::fail(const RunError& error) {
  context_.errors.record(0, error);
}

bool Executor::fail(const FailCode& failure, const int64_t* regs) {
  // What a kernel found before comes first.
  if (device_failed()) return false;
  RunError error;
  error.id = failure.id;
  for (const int32_t reg : failure.values) {
    if (error.value_count == SKALD_RT_MAX_FAIL_VALUES) break;
    error.values[static_cast<size_t>(error.value_count++)] = regs[reg];
  }
  fail(error);
  return false;
}

bool Executor::fail(int64_t id, std::initializer_list<int64_t> values) {
  RunError error;
  error.id = id;
  for (const int64_t value : values) error.values[static_cast<size_t>(error.value_count++)] = value;
  fail(error);
  return false;
}

// Records why the run must stop, if it must.
bool Executor::must_stop(int32_t loc) {
  if (context_.stop.load(std::memory_order_relaxed) == 0) return false;
  skald_rt_stop(&context_);
  if (loc != 0) context_.errors.add_frame(0, loc);
  return true;
}

bool Executor::device_failed() {
  const std::optional<RunError> error = device_.failure();
  if (!error) return device_.has_problem();
  fail(*error);
  return true;
}

// Leaves all frames, noting where they were called.
void Executor::unwind() {
  while (!frames_.empty()) {
    if (frames_.back().call != nullptr) context_.errors.add_frame(0, frames_.back().call->loc);
    pop();
  }
}

// ---- kernels

// Null, with a problem, if it does not compile.
LoadedKernel* Executor::find_kernel(int32_t number) {
  if (LoadedKernel* ready = program_.kernels().ready(number)) return ready;
  // Compiling takes long; what was launched before goes on meanwhile.
  device_.flush();
  // What comes next on the way that was taken is compiled meanwhile.
  const Frame& frame = frames_.back();
  program_.prepare_from(*frame.function, frame.next);
  const Result<LoadedKernel*> kernel = program_.kernels().get(number);
  if (kernel) return *kernel;
  problem_ = kernel.error();
  return nullptr;
}

bool Executor::launch(const LaunchCode& launch, const int64_t* regs) {
  const int64_t groups = regs[launch.groups];
  if (groups <= 0) return true;
  args_.clear();
  for (const LaunchArg& arg : launch.args)
    args_.push_back({arg.is_block ? as_block(regs[arg.reg]) : nullptr, regs[arg.reg], arg.updated});
  LoadedKernel* const kernel = find_kernel(launch.kernel);
  if (kernel == nullptr) return false;
  const KernelUnit& unit = code_.kernels.units[static_cast<size_t>(launch.kernel)];
  device_.launch(*kernel, {groups, regs[launch.threads], regs[launch.scratch],
                           launch.shared < 0 ? -1 : regs[launch.shared], unit.group_heap,
                           unit.may_fail, args_});
  if (const int64_t bytes = device_.take_refused_bytes(); bytes > 0) {
    device_.take_problem();
    fail_for_memory(&context_, bytes, /*by_budget=*/true);
    return false;
  }
  return !device_.has_problem();
}

// ---- steps

bool Executor::step(Frame& frame) {
  const Instruction* const code = frame.function->code.data();
  const Instruction* at = code + frame.next;
  int64_t* const regs = registers_.data() + frame.base;
  const HostOperator* const operators = program_.operators().data();
  for (;; ++at) {
    const Instruction& i = *at;
    const auto bits = [&](int32_t reg) { return static_cast<uint64_t>(regs[reg]); };
    const auto set = [&](uint64_t result) { regs[i.dst] = static_cast<int64_t>(result); };
    switch (i.op) {
      case Op::kConst: regs[i.dst] = i.imm; break;
      case Op::kMove: regs[i.dst] = regs[i.a]; break;
      case Op::kUnary: set(operators[i.imm].unary(bits(i.a))); break;
      case Op::kBinary: set(operators[i.imm].binary(bits(i.a), bits(i.b))); break;
      case Op::kTernary: set(operators[i.imm].ternary(bits(i.a), bits(i.b), bits(i.c))); break;
      case Op::kSelect: regs[i.dst] = regs[i.a] != 0 ? regs[i.b] : regs[i.c]; break;
      case Op::kAdd: set(bits(i.a) + bits(i.b)); break;
      case Op::kSub: set(bits(i.a) - bits(i.b)); break;
      case Op::kMul: set(bits(i.a) * bits(i.b)); break;
      case Op::kLess: regs[i.dst] = regs[i.a] < regs[i.b] ? 1 : 0; break;
      case Op::kJump:
        at = code + i.imm - 1;
        if (must_stop(i.b)) return false;
        break;
      case Op::kJumpUnless:
        if (regs[i.a] == 0) at = code + i.imm - 1;
        break;
      case Op::kAllocDevice:
      case Op::kAllocHost:
        if (!allocate(i, regs)) return false;
        break;
      case Op::kSetBlock: {
        SkaldBlock* block = as_block(regs[i.a]);
        skald_rt_retain(block);
        skald_rt_release(as_block(regs[i.dst]));
        regs[i.dst] = reinterpret_cast<intptr_t>(block);
        break;
      }
      case Op::kRelease:
        skald_rt_release(as_block(regs[i.dst]));
        regs[i.dst] = 0;
        break;
      case Op::kLoad:
        if (!load(i, regs)) return false;
        break;
      case Op::kStore:
        if (!store(i, regs)) return false;
        break;
      case Op::kCopy:
        if (!copy(code_.copies[static_cast<size_t>(i.imm)], regs)) return false;
        break;
      case Op::kFill:
        if (!fill(i, regs)) return false;
        break;
      case Op::kTrace:
        if (!trace(code_.traces[static_cast<size_t>(i.imm)], regs)) return false;
        break;
      case Op::kLocalMemory:
      case Op::kComputeUnits:
      case Op::kFloatSums:
      case Op::kGroupThreads: {
        const int64_t known = known_of(device_.facts(), i.op);
        regs[i.dst] = known > 0 ? known : regs[i.a];
        break;
      }
      case Op::kLaunch:
        if (must_stop() || !launch(code_.launches[static_cast<size_t>(i.imm)], regs)) return false;
        break;
      case Op::kFail: return fail(code_.failures[static_cast<size_t>(i.imm)], regs);
      // These change the stack, so the caller goes on with another frame.
      case Op::kCall:
        if (must_stop()) return false;
        frame.next = static_cast<size_t>(at - code) + 1;
        return call(code_.calls[static_cast<size_t>(i.imm)]);
      case Op::kReturn: frame.next = static_cast<size_t>(at - code); return true;
    }
  }
}

Result<const FunctionCode*> Executor::find_entry(std::string_view entry,
                                                 std::span<const int64_t> in,
                                                 std::span<int64_t> out) const {
  const auto named = std::ranges::find(code_.entries, entry, &EntryCode::name);
  if (named == code_.entries.end())
    return Failure(fmt::format("the program has no entry point `{}`", entry));
  const FunctionCode& function = code_.functions[static_cast<size_t>(named->function)];
  if (in.size() != function.params.size() || out.size() != function.results.size())
    return Failure(fmt::format("entry point `{}` takes {} slots and gives {}, not {} and {}", entry,
                               function.params.size(), function.results.size(), in.size(),
                               out.size()));
  for (size_t k = 0; k < in.size(); ++k)
    if (function.param_is_block[k] && (in[k] == 0 || !device_.owns(as_block(in[k]))))
      return Failure(
          fmt::format("slot {} of entry point `{}` is no block of its device", k, entry));
  return &function;
}

Result<Unit> Executor::run(std::string_view entry, std::span<const int64_t> in,
                           std::span<int64_t> out) {
  const std::unique_lock held = device_.hold();
  const Result<const FunctionCode*> found = find_entry(entry, in, out);
  if (!found) return found.failure();
  if (device_.is_given_up()) return Failure(device_.why_given_up());
  const FunctionCode& function = **found;
  program_.prepare(entry);
  device_.watch(context_.seconds > 0 ? &context_.stop : nullptr);
  device_.set_collecting(program_.is_collecting());
  bool fine = interpret(function, in);
  if (fine && context_.seconds > 0) {
    // The limit is one for what the device does, too.
    device_.finish();
    fine = !device_failed();
  }
  device_.watch(nullptr);
  if (!fine) {
    // What did not end in time is the user's limit.
    if (device_.is_given_up()) must_stop();
    unwind();
    // The next run begins anew.
    const std::string broken = device_.take_problem();
    if (context_.errors.error()) return Failure("the program failed");
    return Failure(problem_.empty() ? broken : problem_);
  }
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = registers_[static_cast<size_t>(function.results[k])];
    if (function.result_is_block[k]) skald_rt_retain(as_block(out[k]));
  }
  pop();
  return Unit{};
}

// Leaves the frame of the function behind, for its results.
bool Executor::interpret(const FunctionCode& function, std::span<const int64_t> in) {
  bool fine = push(function, nullptr);
  for (size_t k = 0; fine && k < in.size(); ++k)
    registers_[static_cast<size_t>(function.params[k])] = in[k];
  while (fine) {
    fine = step(frames_.back());
    if (!fine) break;
    const Frame& frame = frames_.back();
    if (frame.function->code[frame.next].op != Op::kReturn) continue;
    if (frames_.size() == 1) break;
    finish_call();
  }
  return fine && !device_failed();
}

}  // namespace skald::runtime
