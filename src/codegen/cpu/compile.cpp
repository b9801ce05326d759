// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>

#include "codegen/cpu/emit.h"
#include "codegen/cpu/optimise.h"
#include "codegen/cpu/symbols.h"
#include "codegen/cpu/target.h"

namespace skald::cpu {

struct CompiledProgram::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<FailureMessage> failures;
  std::vector<std::string> params;
  std::vector<std::pair<std::string, SkaldEntry>> entries;
  CompileTimes times;
};

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledProgram::CompiledProgram(CompiledProgram&&) noexcept = default;
CompiledProgram& CompiledProgram::operator=(CompiledProgram&&) noexcept = default;
CompiledProgram::~CompiledProgram() = default;

SkaldEntry CompiledProgram::entry(std::string_view name) const {
  for (const auto& [entry, address] : impl_->entries)
    if (entry == name) return address;
  return nullptr;
}

const FailureMessage& CompiledProgram::failure(int64_t id) const {
  return impl_->failures.at(static_cast<size_t>(id));
}

const std::vector<std::string>& CompiledProgram::params() const {
  return impl_->params;
}

const CompileTimes& CompiledProgram::times() const {
  return impl_->times;
}

namespace {

class Stopwatch {
 public:
  // Milliseconds since the last call.
  double lap() {
    const auto now = Clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

struct Optimised {
  std::unique_ptr<llvm::TargetMachine> machine;
  EmittedModule emitted;
  CompileTimes times;
};

Result<Optimised> emit_and_optimise(const imp::Program& prog, const CompileOptions& options) {
  Result<std::unique_ptr<llvm::TargetMachine>> machine = make_target_machine(options.level);
  if (!machine) return machine.failure();
  Stopwatch watch;
  Optimised out{.machine = std::move(*machine), .emitted = {}, .times = {}};
  out.emitted = emit_module(prog, *out.machine);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*out.emitted.module, &stream))
    SKALD_BUG("LLVM does not accept our module: {}", problem);
  // Code is generated for this CPU, whatever the module's functions are compiled as otherwise.
  for (llvm::Function& fn : *out.emitted.module) {
    if (fn.isDeclaration()) continue;
    fn.addFnAttr("target-cpu", out.machine->getTargetCPU());
    fn.addFnAttr("target-features", out.machine->getTargetFeatureString());
  }
  out.times.emit = watch.lap();
  optimise(*out.emitted.module, *out.machine, options.level);
  out.times.optimise = watch.lap();
  return out;
}

// Addresses of what the module calls outside.
llvm::orc::SymbolMap outside_symbols(const llvm::Module& module, llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap map;
  const auto add = [&](llvm::StringRef name) {
    if (void* address = symbol_address({name.data(), name.size()}))
      map[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                        llvm::JITSymbolFlags::Exported};
  };
  for (const llvm::Function& fn : module)
    if (fn.isDeclaration() && !fn.isIntrinsic()) add(fn.getName());
  // Code generation may call these for intrinsics.
  for (const char* name : {"memcpy", "memset", "memmove"}) add(name);
  return map;
}

// Machine code as an object file (or assembly) in memory.
llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    SKALD_BUG("LLVM cannot write this kind of file");
  passes.run(module);
  return code;
}

std::string text_of(llvm::Error error) {
  return llvm::toString(std::move(error));
}

}  // namespace

Result<CompiledProgram> compile(const imp::Program& prog, const CompileOptions& options) {
  Result<Optimised> optimised = emit_and_optimise(prog, options);
  if (!optimised) return optimised.failure();
  EmittedModule& emitted = optimised->emitted;
  auto impl = std::make_unique<CompiledProgram::Impl>();
  impl->failures = std::move(emitted.failures);
  impl->params = std::move(emitted.params);
  impl->times = optimised->times;
  Stopwatch watch;
  // LLJIT compiles on its own only what it needs for its platform; our code arrives as an object.
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(host_cpu().triple)};
  llvm::orc::LLJITBuilder jit_builder;
  jit_builder.setJITTargetMachineBuilder(std::move(builder))
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
      .setLinkProcessSymbolsByDefault(false);
  auto jit = jit_builder.create();
  if (!jit) return Failure(text_of(jit.takeError()));
  impl->jit = std::move(*jit);
  llvm::orc::JITDylib& main = impl->jit->getMainJITDylib();
  llvm::orc::SymbolMap outside = outside_symbols(*emitted.module, *impl->jit);
  if (auto error = main.define(llvm::orc::absoluteSymbols(std::move(outside))))
    return Failure(text_of(std::move(error)));
  auto object = std::make_unique<llvm::SmallVectorMemoryBuffer>(
      generate(*emitted.module, *optimised->machine, llvm::CodeGenFileType::ObjectFile), "skald",
      false);
  if (auto error = impl->jit->addObjectFile(std::move(object)))
    return Failure(text_of(std::move(error)));
  for (const EmittedModule::Entry& entry : emitted.entries) {
    auto address = impl->jit->lookup(entry.symbol);
    if (!address) return Failure(text_of(address.takeError()));
    impl->entries.emplace_back(entry.name, address->toPtr<SkaldEntry>());
  }
  impl->times.code = watch.lap();
  return CompiledProgram(std::move(impl));
}

Result<std::string> emit_llvm(const imp::Program& prog, const CompileOptions& options) {
  Result<Optimised> optimised = emit_and_optimise(prog, options);
  if (!optimised) return optimised.failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  optimised->emitted.module->print(stream, nullptr);
  return text;
}

Result<std::string> emit_assembly(const imp::Program& prog, const CompileOptions& options) {
  Result<Optimised> optimised = emit_and_optimise(prog, options);
  if (!optimised) return optimised.failure();
  const llvm::SmallVector<char, 0> code = generate(*optimised->emitted.module, *optimised->machine,
                                                   llvm::CodeGenFileType::AssemblyFile);
  return std::string(code.begin(), code.end());
}

}  // namespace skald::cpu
