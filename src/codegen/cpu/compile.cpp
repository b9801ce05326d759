// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <future>
#include <thread>

#include "codegen/cpu/effort.h"
#include "codegen/cpu/emit.h"
#include "codegen/cpu/optimise.h"
#include "codegen/cpu/target.h"

namespace skald::cpu {

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
constexpr size_t kVeryManyStatements = 12'000;

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

// Code that takes next to no time in a call is compiled without optimisation: host code of entry
// points, their wrappers, and constants.
void spare(llvm::Function& fn, const std::unordered_set<std::string>& rarely,
           const std::string& entries) {
  if (fn.isDeclaration()) return;
  const llvm::StringRef name = fn.getName();
  const size_t dot = name.find('.');
  const bool is_host = (name.starts_with("f.") || name.starts_with("compute.")) &&
                       rarely.contains(name.substr(dot + 1).str());
  if (!is_host && !(name.starts_with(entries) && dot == llvm::StringRef::npos)) return;
  fn.addFnAttr(llvm::Attribute::NoInline);
  fn.addFnAttr(llvm::Attribute::OptimizeNone);
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
  out.emitted = emit_program(prog, *out.machines[0], modules, options);
  // In a large program time is spent on code that may run long.
  std::unordered_set<std::string> rarely;
  if (level > 0 && statement_count(prog) > kManyStatements) rarely = functions_run_rarely(prog);
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
      // Vectors of 512 bits lower the clock, and nearly all of their loads cross a cache line.
      if (machine.getTargetTriple().isX86()) {
        fn.addFnAttr("prefer-vector-width", "256");
        fn.addFnAttr("min-legal-vector-width", "0");
      }
    }
    if (!rarely.empty())
      for (llvm::Function& fn : module) spare(fn, rarely, options.symbols);
    optimise(module, machine, level);
  });
  out.times.optimise = watch.lap();
  return out;
}

size_t module_count(const imp::Program& prog) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min({cores, kMostModules, 1 + statement_count(prog) / kManyStatements});
}

// Machine code as an object file (or assembly) in memory.  Of large programs the instructions are
// not reordered: that is half of the time, and processors do it themselves.
llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.getOptLevel() != llvm::CodeGenOptLevel::Less) {
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      SKALD_BUG("LLVM cannot write this kind of file");
    passes.run(module);
    return code;
  }
  auto& target = static_cast<llvm::LLVMTargetMachine&>(machine);
  llvm::TargetPassConfig* config = target.createPassConfig(passes);
  config->disablePass(&llvm::MachineSchedulerID);
  config->disablePass(&llvm::PostMachineSchedulerID);
  passes.add(config);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&target);  // belongs to `passes`
  passes.add(info);
  bool failed = config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  failed =
      failed || target.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext());
  if (failed) SKALD_BUG("LLVM cannot write this kind of file");
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return code;
}

// The names of symbols.h → those that a linker knows.
Result<Unit> use_own_names(llvm::Module& module) {
  for (llvm::Function& fn : module) {
    if (!fn.isDeclaration()) continue;
    llvm::StringRef name = fn.getName();
    if (name.consume_front("skald_op_"))
      return Failure(fmt::format("not supported yet: the operator `{}` in object files",
                                 std::string_view(name.data(), name.size())));
    if (name.consume_front("skald_m_")) fn.setName(name.str());
  }
  return Unit{};
}

}  // namespace

Result<ProgramImage> compile_to_image(const imp::Program& prog, const CompileOptions& options,
                                      CompileTimes* times) {
  const size_t modules = options.for_linker ? 1 : module_count(prog);
  Result<Optimised> optimised = emit_and_optimise(prog, options, modules);
  if (!optimised) return optimised.failure();
  EmittedProgram& emitted = optimised->emitted;
  if (options.for_linker) {
    const Result<Unit> named = use_own_names(*emitted.modules[0].module);
    if (!named) return named.failure();
  }
  ProgramImage image;
  image.failures = std::move(emitted.failures);
  image.params = std::move(emitted.params);
  image.entries = std::move(emitted.entries);
  image.objects.resize(modules);
  Stopwatch watch;
  at_the_same_time(modules, [&](size_t k) {
    const llvm::SmallVector<char, 0> code = generate(
        *emitted.modules[k].module, *optimised->machines[k], llvm::CodeGenFileType::ObjectFile);
    image.objects[k].assign(code.begin(), code.end());
  });
  optimised->times.code = watch.lap();
  if (times != nullptr) *times = optimised->times;
  return image;
}

Result<CompiledProgram> compile(const imp::Program& prog, const CompileOptions& options) {
  CompileTimes times;
  Result<ProgramImage> image = compile_to_image(prog, options, &times);
  if (!image) return image.failure();
  return load(std::move(*image), times);
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
