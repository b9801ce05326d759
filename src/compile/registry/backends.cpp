// SPDX-License-Identifier: Apache-2.0
#include "compile/registry/backends.h"

#ifdef SKALD_HAVE_CPU
#include "compile/cpu/cpu_engine.h"
#else
#include "compile/backend/strategy_options.h"
#include "imp/pipeline.h"
#endif
#include "compile/cuda/cuda_engine.h"
#include "compile/interp/interp_engine.h"
#include "compile/opencl/opencl_engine.h"

namespace skald::compile {

namespace {

#ifndef SKALD_HAVE_CPU
// Without LLVM there is still imp for cores to look at.
constexpr std::string_view kNoCpu =
    "this build has no cpu back end; configure with -DSKALD_CPU=ON (needs LLVM 19 and oneTBB)";

Result<imp::Program> lower_for_any_cpu(const core::Program& prog,
                                       const passes::PassOptions& options) {
  return imp::make_cpu_code(prog, strategy_options(options), options.with_device(imp::Device{}));
}

Result<std::string> no_text(const imp::Program&, const passes::PassOptions&) {
  return Failure(std::string(kNoCpu));
}

const Backend kCpuBackend = {.name = "cpu",
                             .is_available =
                                 [](std::string& why_not) {
                                   why_not = kNoCpu;
                                   return false;
                                 },
                             .open = [](const EngineOptions&) -> Result<std::shared_ptr<Engine>> {
                               return Failure(std::string(kNoCpu));
                             },
                             .lower = lower_for_any_cpu,
                             .emits = {{"ll", "LLVM IR", no_text}, {"asm", "assembly", no_text}}};
#endif

std::vector<const Backend*>& backend_table() {
  static std::vector<const Backend*> rows = {
      &kInterpBackend,
      &kCpuBackend,
      &kOpenClBackend,
      &kCudaBackend,
  };
  return rows;
}

}  // namespace

const std::vector<const Backend*>& backends() {
  return backend_table();
}

const Backend* find_backend(std::string_view name) {
  for (const Backend* each : backend_table())
    if (each->name == name) return each;
  return nullptr;
}

std::string backend_names() {
  std::string names;
  for (size_t k = 0; k < backend_table().size(); ++k) {
    if (k > 0) names += k + 1 == backend_table().size() ? " or " : ", ";
    names += backend_table()[k]->name;
  }
  return names;
}

const Backend& default_backend() {
  std::string why_not;
  return kCpuBackend.is_available(why_not) ? kCpuBackend : kInterpBackend;
}

const Backend& reference_backend() {
  return kInterpBackend;
}

void add_backend(const Backend& backend) {
  backend_table().push_back(&backend);
}

FoundEmit find_emit(std::string_view name) {
  for (const Backend* backend : backend_table())
    for (const Emit& emit : backend->emits)
      if (emit.name == name) return {backend, &emit};
  return {nullptr, nullptr};
}

}  // namespace skald::compile
