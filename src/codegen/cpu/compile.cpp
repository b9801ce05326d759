// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <future>
#include <thread>

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
  // One for each module: code generation changes it.
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines;
  EmittedProgram emitted;
  CompileTimes times;
};

// Programs with more statements are compiled in several modules at the same time …
constexpr size_t kManyStatements = 4000;
constexpr size_t kMostModules = 8;
// … and these with less effort.
constexpr size_t kVeryManyStatements = 40'000;

// Calls work(k) for k = 0 … count-1, each on a thread of its own.
template <class Work>
void at_the_same_time(size_t count, const Work& work) {
  if (count == 1) return work(0);
  std::vector<std::future<void>> running;
  for (size_t k = 0; k < count; ++k)
    running.push_back(std::async(std::launch::async, [&work, k] { work(k); }));
  // All are waited for before the first internal error travels on.
  for (std::future<void>& job : running) job.wait();
  for (std::future<void>& job : running) job.get();
}

Result<Optimised> emit_and_optimise(const imp::Program& prog, const CompileOptions& options,
                                    size_t modules) {
  Stopwatch watch;
  const bool large = statement_count(prog) > kVeryManyStatements;
  const int level = options.level == 2 && large ? 1 : options.level;
  Optimised out;
  for (size_t k = 0; k < modules; ++k) {
    Result<std::unique_ptr<llvm::TargetMachine>> machine = make_target_machine(level);
    if (!machine) return machine.failure();
    out.machines.push_back(std::move(*machine));
  }
  out.emitted = emit_program(prog, *out.machines[0], modules);
  out.times.emit = watch.lap();
  at_the_same_time(modules, [&](size_t k) {
    llvm::Module& module = *out.emitted.modules[k].module;
    llvm::TargetMachine& machine = *out.machines[k];
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module, &stream))
      SKALD_BUG("LLVM does not accept our module: {}", problem);
    // Code is generated for this CPU, whatever the module's functions are compiled as otherwise.
    for (llvm::Function& fn : module) {
      if (fn.isDeclaration()) continue;
      fn.addFnAttr("target-cpu", machine.getTargetCPU());
      fn.addFnAttr("target-features", machine.getTargetFeatureString());
    }
    optimise(module, machine, level);
  });
  out.times.optimise = watch.lap();
  return out;
}

size_t module_count(const imp::Program& prog) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({cores, kMostModules, 1 + statement_count(prog) / kManyStatements});
}

// Addresses of what the module calls outside.
void add_outside_symbols(const llvm::Module& module, llvm::orc::LLJIT& jit,
                         llvm::orc::SymbolMap& map) {
  const auto add = [&](llvm::StringRef name) {
    if (void* address = symbol_address({name.data(), name.size()}))
      map[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                        llvm::JITSymbolFlags::Exported};
  };
  for (const llvm::Function& fn : module)
    if (fn.isDeclaration() && !fn.isIntrinsic()) add(fn.getName());
  // Code generation may call these for intrinsics.
  for (const char* name : {"memcpy", "memset", "memmove"}) add(name);
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
  Result<Optimised> optimised = emit_and_optimise(prog, options, module_count(prog));
  if (!optimised) return optimised.failure();
  EmittedProgram& emitted = optimised->emitted;
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
  llvm::orc::SymbolMap outside;
  for (const EmittedModule& part : emitted.modules)
    add_outside_symbols(*part.module, *impl->jit, outside);
  if (auto error = main.define(llvm::orc::absoluteSymbols(std::move(outside))))
    return Failure(text_of(std::move(error)));
  std::vector<llvm::SmallVector<char, 0>> objects(emitted.modules.size());
  at_the_same_time(objects.size(), [&](size_t k) {
    objects[k] = generate(*emitted.modules[k].module, *optimised->machines[k],
                          llvm::CodeGenFileType::ObjectFile);
  });
  for (size_t k = 0; k < objects.size(); ++k) {
    auto object = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(objects[k]),
                                                                  fmt::format("skald{}", k), false);
    if (auto error = impl->jit->addObjectFile(std::move(object)))
      return Failure(text_of(std::move(error)));
  }
  for (const EmittedProgram::Entry& entry : emitted.entries) {
    auto address = impl->jit->lookup(entry.symbol);
    if (!address) return Failure(text_of(address.takeError()));
    impl->entries.emplace_back(entry.name, address->toPtr<SkaldEntry>());
  }
  impl->times.code = watch.lap();
  return CompiledProgram(std::move(impl));
}

Result<std::string> emit_llvm(const imp::Program& prog, const CompileOptions& options) {
  Result<Optimised> optimised = emit_and_optimise(prog, options, 1);
  if (!optimised) return optimised.failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  optimised->emitted.modules[0].module->print(stream, nullptr);
  return text;
}

Result<std::string> emit_assembly(const imp::Program& prog, const CompileOptions& options) {
  Result<Optimised> optimised = emit_and_optimise(prog, options, 1);
  if (!optimised) return optimised.failure();
  const llvm::SmallVector<char, 0> code =
      generate(*optimised->emitted.modules[0].module, *optimised->machines[0],
               llvm::CodeGenFileType::AssemblyFile);
  return std::string(code.begin(), code.end());
}

}  // namespace skald::cpu
