// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#include <mutex>

#include "codegen/cpu/compile.h"

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
#ifdef __aarch64__
  return true;
#else
  return host_cpu().features.find("+fma") != std::string::npos;
#endif
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

}  // namespace skald::cpu
