// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/target/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#include <mutex>

namespace skald::cpu {

namespace {

void append(std::string& features, const char* feature) {
  if (!features.empty()) features += ',';
  features += feature;
}

// Makes LLVM know this machine; cheap the second time.
void initialise_target() {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::string features_beyond(const HostCpu& host) {
  initialise_target();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (target == nullptr) return host.features;
  const std::unique_ptr<llvm::MCSubtargetInfo> implied(
      target->createMCSubtargetInfo(host.triple, host.name, ""));
  if (implied == nullptr) return host.features;
  llvm::StringMap<bool> known;
  for (const llvm::SubtargetFeatureKV& feature : implied->getAllProcessorFeatures())
    known[feature.Key] = implied->getFeatureBits().test(feature.Value);
  std::string beyond;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(host.features).split(features, ',', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef feature : features) {
    const auto found = known.find(feature.drop_front());
    if (found == known.end() || found->second != feature.starts_with("+"))
      append(beyond, feature.str().c_str());
  }
  return beyond;
}

HostCpu detect() {
  HostCpu host;
  host.triple = llvm::sys::getProcessTriple();
  host.name = llvm::sys::getHostCPUName().str();
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    append(host.features, ((feature.second ? "+" : "-") + feature.first().str()).c_str());
#if defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kHwcapSve = 1ul << 22, kHwcap2Sve2 = 1ul << 1;
  if ((getauxval(AT_HWCAP) & kHwcapSve) == 0) append(host.features, "-sve");
  if ((getauxval(AT_HWCAP) & kHwcapSve) == 0 || (getauxval(AT_HWCAP2) & kHwcap2Sve2) == 0)
    append(host.features, "-sve2");
#endif
  host.own_features = features_beyond(host);
  return host;
}

}  // namespace

const HostCpu& host_cpu() {
  static const HostCpu host = detect();
  return host;
}

bool has_fused_multiply_add() {
  return kIsArm64 || host_cpu().features.find("+fma") != std::string::npos;
}

bool has_streams() {
  return kIsX86;
}

namespace {

machine::VectorRegisters host_registers(const CompileOptions& options) {
  if (kIsArm64) return machine::arm64_registers();
  if (!kIsX86) return {};
  const auto has = [](std::string_view feature) {
    return host_cpu().features.find("+" + std::string(feature)) != std::string::npos;
  };
  return machine::x86_registers(
      has, options.avx512 ? machine::Avx512::kUsed : machine::Avx512::kLeftOut);
}

}  // namespace

machine::VectorRegisters vector_registers(const CompileOptions& options) {
  machine::VectorRegisters result = host_registers(options);
  if (options.vector_bits == 512) {
    result.wide_bytes = result.function_bytes = 64;
    result.always_wide = true;
  } else if (options.vector_bits == 256) {
    result.bytes = 32;
    result.wide_bytes = result.function_bytes = 0;
    if (kIsX86 && !result.bit_masks) result.masked_bytes = 4;
  }
  // Nothing is inlined then, and how functions hand over a vector depends on the registers they
  // use.
  if (options.level == 0) result.wide_bytes = result.function_bytes = 0;
  return result;
}

bool has_wide_vectors(const CompileOptions& options) {
  return vector_registers(options).wide_bytes > 0;
}

namespace {

// On x86-64 a machine can change its mind about how much code may cost.
size_t pool_of(int level) {
  return kIsX86 ? 0 : static_cast<size_t>(level);
}

llvm::CodeGenOptLevel effort_of(int level) {
  return level == 0   ? llvm::CodeGenOptLevel::None
         : level == 1 ? llvm::CodeGenOptLevel::Less
                      : llvm::CodeGenOptLevel::Default;
}

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(int level) {
  initialise_target();
  const HostCpu& host = host_cpu();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (target == nullptr) return Failure(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.ExceptionModel = llvm::ExceptionHandling::None;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      host.triple, host.name, host.own_features, options, llvm::Reloc::PIC_,
      // The linker makes way stations to what is far.  Otherwise LLVM would write every address
      // into code in full, which its quick way to select instructions cannot do.
      kIsX86 ? std::optional(llvm::CodeModel::Small) : std::nullopt, effort_of(level), true));
  if (machine == nullptr) return Failure("LLVM cannot generate code for " + host.triple);
  return machine;
}

}  // namespace

SpareMachines& SpareMachines::all() {
  // A thread may still compile when the process ends.
  static auto* const all = new SpareMachines;
  return *all;
}

Result<std::unique_ptr<llvm::TargetMachine>> SpareMachines::take(int level) {
  {
    const std::lock_guard lock(mutex_);
    auto& spare = spare_.at(pool_of(level));
    if (!spare.empty()) {
      std::unique_ptr<llvm::TargetMachine> machine = std::move(spare.back());
      spare.pop_back();
      machine->setOptLevel(effort_of(level));
      // Code that is wanted quickly turns it on.
      if (kIsX86) machine->setFastISel(false);
      return machine;
    }
  }
  return make_target_machine(level);
}

void SpareMachines::give_back(int level, std::unique_ptr<llvm::TargetMachine> machine) {
  const std::lock_guard lock(mutex_);
  spare_.at(pool_of(level)).push_back(std::move(machine));
}

}  // namespace skald::cpu
