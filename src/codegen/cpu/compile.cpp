// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>

#include "codegen/cpu/emit/module.h"
#include "codegen/cpu/jit/generate.h"
#include "codegen/cpu/jit/split.h"
#include "codegen/cpu/operators/shared_maths.h"
#include "codegen/cpu/operators/vector_maths.h"
#include "codegen/cpu/optimise/effort.h"
#include "codegen/cpu/optimise/optimise.h"
#include "codegen/cpu/target/target.h"
#include "codegen/cpu/vector/loop.h"
#include "imp/analysis/program_size.h"

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

// A program that is emitted and whose calls are inlined.
struct Inlined {
  std::unique_ptr<llvm::TargetMachine> machine;
  EmittedProgram emitted;
  int level = 0;
  CompileTimes times;
};

// In programs with more statements host code is not optimised …
constexpr size_t kManyStatements = 4000;
// … and in these everything else with less effort.
constexpr size_t kVeryManyStatements = 12'000;

int affordable_level(size_t statements, const CompileOptions& options) {
  const int most = statements > imp::kHugeProgram ? 0 : statements > kVeryManyStatements ? 1 : 2;
  if (most < options.level && options.on_limit)
    options.on_limit(fmt::format("cpu: a program of {} statements is compiled with {}", statements,
                                 most == 0 ? "hardly any optimisation" : "less optimisation"));
  return std::min(most, options.level);
}

// Code that takes next to no time in a call is compiled without optimisation: host code of entry
// points, their wrappers, and constants.
void spare(llvm::Function& fn, const std::unordered_set<std::string>& rarely,
           const std::string& entries) {
  if (fn.isDeclaration()) return;
  const llvm::StringRef name = fn.getName();
  const size_t dot = name.find('.');
  const bool is_host =
      (name.starts_with("f.") || name.starts_with("self.") || name.starts_with("compute.")) &&
      rarely.contains(name.substr(dot + 1).str());
  if (!is_host && !(name.starts_with(entries) && dot == llvm::StringRef::npos)) return;
  fn.addFnAttr(llvm::Attribute::NoInline);
  fn.addFnAttr(llvm::Attribute::OptimizeNone);
}

// Functions with little work of their own, and the entry points that call these.  What they call
// stays outside of them if it has more.
void mark_light(const imp::Program& prog, const EmittedProgram& emitted) {
  const std::unordered_set<std::string> light = light_functions(prog);
  const std::unordered_set<std::string> rarely = functions_run_rarely(prog);
  // They may become parts of each other.
  const bool all_rarely = std::all_of(
      light.begin(), light.end(), [&](const std::string& name) { return rarely.contains(name); });
  std::vector<llvm::Function*> marked;
  std::unordered_set<const llvm::Function*> heavy;
  size_t entries = 0;
  for (const imp::Function& fn : prog.functions) {
    const std::string entry = fn.entry ? emitted.entries[entries++].symbol : std::string();
    for (const std::string& symbol :
         {"f." + fn.name, "self." + fn.name, "compute." + fn.name, entry}) {
      llvm::Function* code = emitted.module->getFunction(symbol);
      if (code == nullptr) continue;
      if (!light.contains(fn.name)) {
        heavy.insert(code);
        continue;
      }
      code->addFnAttr(kLight);
      if (all_rarely) code->addFnAttr(kRunsRarely);
      marked.push_back(code);
    }
  }
  // Among themselves calls are rare: to avoid them is only work.
  const auto stays = [&](const llvm::Function* callee) {
    return heavy.contains(callee) || (callee != nullptr && callee->hasFnAttribute(kLight));
  };
  for (llvm::Function* fn : marked)
    for (llvm::Instruction& at : llvm::instructions(*fn))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
          call != nullptr && stays(call->getCalledFunction()))
        call->addFnAttr(llvm::Attribute::NoInline);
}

Result<Inlined> emit_and_inline(const imp::Program& prog, const CompileOptions& options,
                                bool lazy) {
  Stopwatch watch;
  Inlined out;
  const size_t size = imp::statement_count(prog);
  out.level = affordable_level(size, options);
  Result<std::unique_ptr<llvm::TargetMachine>> made = SpareMachines::all().take(out.level);
  if (!made) return made.failure();
  out.machine = std::move(*made);
  llvm::TargetMachine& machine = *out.machine;
  CompileOptions affordable = options;
  affordable.level = out.level;
  out.emitted = emit_program(prog, machine, lazy, affordable, emit_in_lanes);
  // In a large program time is spent on code that may run long.
  std::unordered_set<std::string> rarely;
  if (out.level > 0 && size > kManyStatements) rarely = functions_run_rarely(prog);
  out.times.emit = watch.lap();
  llvm::Module& module = *out.emitted.module;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (options.verify && llvm::verifyModule(module, &stream))
    SKALD_BUG("LLVM does not accept our module: {}", problem);
  std::string features = machine.getTargetFeatureString().str();
  // Everything that builds on it goes with it.
  if (!options.avx512 && machine.getTargetTriple().isX86()) features += ",-avx512f";
  if (machine.getTargetTriple().isX86() && !vector_registers(options).gathers)
    features += ",+prefer-no-gather";
  // Code is generated for this CPU, whatever the module's functions are compiled as otherwise.
  for (llvm::Function& fn : module) {
    if (fn.isDeclaration()) continue;
    fn.addFnAttr("target-cpu", machine.getTargetCPU());
    fn.addFnAttr("target-features", features);
    // What LLVM vectorises mostly streams, for which 512 bits do not pay.  Our own loops ask for
    // them where they do.
    if (machine.getTargetTriple().isX86()) {
      fn.addFnAttr("prefer-vector-width", "256");
      if (!fn.hasFnAttribute(kLegalVectors)) fn.addFnAttr(kLegalVectors, "0");
    }
  }
  if (!rarely.empty())
    for (llvm::Function& fn : module) spare(fn, rarely, options.symbols);
  if (lazy) mark_light(prog, out.emitted);
  if (out.level > 0) share_maths(module);
  inline_calls(module, machine, out.level);
  out.times.optimise = watch.lap();
  return out;
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
    if (const std::string_view own = vector_maths_symbol({name.data(), name.size()}); !own.empty())
      fn.setName(llvm::StringRef(own.data(), own.size()));
  }
  return Unit{};
}

}  // namespace

Result<ProgramImage> compile_to_image(const imp::Program& prog, const CompileOptions& options,
                                      CompileTimes* times) {
  const bool lazy = !options.for_linker;
  Result<Inlined> inlined = emit_and_inline(prog, options, lazy);
  if (!inlined) return inlined.failure();
  EmittedProgram& emitted = inlined->emitted;
  ProgramImage image;
  image.failures = std::move(emitted.failures);
  image.params = std::move(emitted.params);
  image.entries = std::move(emitted.entries);
  Stopwatch watch;
  if (lazy) {
    image.foresight = std::make_shared<const Foresight>(prog, emitted.places, image.params);
    split(emitted, inlined->level, options.soon, image);
  } else {
    llvm::Module& module = *emitted.module;
    optimise_functions(module, *inlined->machine, inlined->level);
    const Result<Unit> named = use_own_names(module);
    if (!named) return named.failure();
    const llvm::SmallVector<char, 0> code =
        generate(module, *inlined->machine, llvm::CodeGenFileType::ObjectFile);
    image.parts.push_back({{}, std::string(code.begin(), code.end()), inlined->level});
  }
  inlined->times.code = watch.lap();
  SpareMachines::all().give_back(inlined->level, std::move(inlined->machine));
  if (times != nullptr) *times = inlined->times;
  return image;
}

Result<CompiledProgram> compile(const imp::Program& prog, const CompileOptions& options) {
  CompileTimes times;
  Result<ProgramImage> image = compile_to_image(prog, options, &times);
  if (!image) return image.failure();
  return load(std::move(*image), times);
}

namespace {

Result<Inlined> optimised(const imp::Program& prog, const CompileOptions& options) {
  Result<Inlined> inlined = emit_and_inline(prog, options, /*lazy=*/false);
  if (inlined) optimise_functions(*inlined->emitted.module, *inlined->machine, inlined->level);
  return inlined;
}

}  // namespace

Result<std::string> emit_llvm(const imp::Program& prog, const CompileOptions& options) {
  Result<Inlined> made = optimised(prog, options);
  if (!made) return made.failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  made->emitted.module->print(stream, nullptr);
  return text;
}

Result<std::string> emit_assembly(const imp::Program& prog, const CompileOptions& options) {
  Result<Inlined> made = optimised(prog, options);
  if (!made) return made.failure();
  const llvm::SmallVector<char, 0> code =
      generate(*made->emitted.module, *made->machine, llvm::CodeGenFileType::AssemblyFile);
  return std::string(code.begin(), code.end());
}

}  // namespace skald::cpu
