// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/target/target.h"

#include <llvm/ADT/StringMap.h>
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

imp::VectorRegisters x86_registers(const CompileOptions& options) {
  const auto has = [](const char* feature) {
    return host_cpu().features.find(feature) != std::string::npos;
  };
  const bool avx512 = options.avx512 && has("+avx512vl") && has("+avx512bw") && has("+avx512dq");
  imp::VectorRegisters result{.bytes = has("+avx2") ? 32 : 16, .count = avx512 ? 32 : 16};
  result.bit_masks = result.long_operations = avx512;
  result.shuffles = has("+ssse3");
  if (avx512) result.packed_bytes = has("+avx512vbmi2") ? 1 : 4;
  // Older machines have the instructions too, but are said to be slow at them, some of them very
  // much so since microcode keeps what they load from leaking.
  result.gathers = avx512 && has("+avx512fp16");
  // The first machines with AVX-512, which did not have this part of it, lower their clock when
  // all 512 bits are used.
  if (avx512 && has("+avx512vbmi2")) result.wide_bytes = 64;
  return result;
}

}  // namespace

imp::VectorRegisters vector_registers(const CompileOptions& options) {
  imp::VectorRegisters result{.bytes = 16, .count = 32};
  if (kIsArm64) {
    result.shuffles = true;
    result.window = 128;  // Neoverse N1; later ones have more, and lose nothing
  }
  if (kIsX86) result = x86_registers(options);
  if (options.vector_bits == 512) {
    result.wide_bytes = 64;
    result.always_wide = true;
  } else if (options.vector_bits == 256) {
    result.bytes = 32;
    result.wide_bytes = 0;
  }
  if (kIsX86) result.masked_bytes = result.bit_masks ? 1 : result.bytes >= 32 ? 4 : 0;
  // Nothing is inlined then, and how functions hand over a vector depends on the registers they
  // use.
  if (options.level == 0) result.wide_bytes = 0;
  return result;
}

bool has_wide_vectors(const CompileOptions& options) {
  return vector_registers(options).wide_bytes > 0;
}

void initialise_target() {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
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
      host.triple, host.name, host.features, options, llvm::Reloc::PIC_, std::nullopt,
      level == 0   ? llvm::CodeGenOptLevel::None
      : level == 1 ? llvm::CodeGenOptLevel::Less
                   : llvm::CodeGenOptLevel::Default,
      true));
  if (machine == nullptr) return Failure("LLVM cannot generate code for " + host.triple);
  return machine;
}

Result<std::unique_ptr<llvm::TargetMachine>> SpareMachines::take(int level) {
  {
    const std::lock_guard lock(mutex_);
    auto& spare = spare_.at(static_cast<size_t>(level));
    if (!spare.empty()) {
      std::unique_ptr<llvm::TargetMachine> machine = std::move(spare.back());
      spare.pop_back();
      return machine;
    }
  }
  return make_target_machine(level);
}

void SpareMachines::give_back(int level, std::unique_ptr<llvm::TargetMachine> machine) {
  const std::lock_guard lock(mutex_);
  spare_.at(static_cast<size_t>(level)).push_back(std::move(machine));
}

}  // namespace skald::cpu
