// SPDX-License-Identifier: Apache-2.0
// Loads CBC; cbc.h says why at run time.
#ifdef SKALD_CBC_LIBRARY
#include "passes/fusion/solve/cbc.h"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>

namespace skald::passes::fusion {

namespace {

void* open_with_one_thread() {
  // OpenBLAS reads this when it is loaded; whoever loads it later must not see our choice.
  constexpr const char* kVariable = "OPENBLAS_NUM_THREADS";
  const bool chosen = std::getenv(kVariable) != nullptr;
  if (!chosen) setenv(kVariable, "1", 0);
  void* library = dlopen(SKALD_CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!chosen) unsetenv(kVariable);
  return library;
}

std::optional<CbcLibrary> load() {
  void* library = open_with_one_thread();
  if (library == nullptr) return std::nullopt;
  CbcLibrary result;
#define SKALD_CBC_LOAD(name)                                                           \
  result.name = reinterpret_cast<decltype(result.name)>(dlsym(library, "Cbc_" #name)); \
  if (result.name == nullptr) return std::nullopt;
  SKALD_CBC_FUNCTIONS(SKALD_CBC_LOAD)
#undef SKALD_CBC_LOAD
  return result;
}

}  // namespace

const CbcLibrary* cbc_library() {
  static const std::optional<CbcLibrary> library = load();
  return library ? &*library : nullptr;
}

}  // namespace skald::passes::fusion
#endif
