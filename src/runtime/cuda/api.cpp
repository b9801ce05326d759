// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace skald::runtime::cuda {

namespace {

struct Loaded {
  Api api;
  std::string problem;
};

Loaded load() {
  Loaded loaded;
  void* library = nullptr;
  for (const char* name : {"libcuda.so.1", "libcuda.so"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    loaded.problem =
        "there is no CUDA driver on this machine (libcuda.so.1); it comes with the driver of an "
        "NVIDIA GPU";
    return loaded;
  }
#define X(field, symbol, ...)                                                               \
  loaded.api.field = reinterpret_cast<decltype(loaded.api.field)>(dlsym(library, #symbol)); \
  if (loaded.api.field == nullptr)                                                          \
    loaded.problem = "the CUDA driver has no function " #symbol "; install a newer one";
  SKALD_CUDA_FUNCTIONS(X)
#undef X
#define X(field, symbol, ...) \
  loaded.api.field = reinterpret_cast<decltype(loaded.api.field)>(dlsym(library, #symbol));
  SKALD_CUDA_GRAPH_FUNCTIONS(X)
#undef X
  if (!loaded.problem.empty()) return loaded;
  if (const Status code = loaded.api.init(0); code != kSuccess)
    loaded.problem =
        fmt::format("the CUDA driver does not start: {}", error_text(loaded.api, code));
  return loaded;
}

}  // namespace

Result<const Api*> load_api() {
  static const Loaded loaded = load();
  if (!loaded.problem.empty()) return Failure(loaded.problem);
  return &loaded.api;
}

std::string error_text(const Api& api, Status code) {
  const char* text = nullptr;
  if (api.error_string(code, &text) == kSuccess && text != nullptr) return text;
  return fmt::format("CUDA error {}", code);
}

}  // namespace skald::runtime::cuda
