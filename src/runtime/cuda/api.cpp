// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/api.h"

#include <fmt/format.h>

#include <array>

#include "runtime/device/library.h"

namespace skald::runtime::cuda {

namespace {

Result<Api> load() {
  Library library(std::array{"libcuda.so.1", "libcuda.so"});
  if (!library.found())
    return Failure(
        "there is no CUDA driver on this machine (libcuda.so.1); it comes with the driver of an "
        "NVIDIA GPU");
  Api api;
#define X(field, symbol, ...) library.get(#symbol, api.field);
  SKALD_CUDA_FUNCTIONS(X)
#undef X
  if (library.missing() != nullptr)
    return Failure(
        fmt::format("the CUDA driver has no function {}; install a newer one", library.missing()));
  // Older drivers do without.
#define X(field, symbol, ...) library.get(#symbol, api.field);
  SKALD_CUDA_GRAPH_FUNCTIONS(X)
#undef X
  if (const Status code = api.init(0); code != kSuccess)
    return Failure(fmt::format("the CUDA driver does not start: {}", error_text(api, code)));
  return api;
}

}  // namespace

Result<const Api*> load_api() {
  static const Result<Api> kLoaded = load();
  if (!kLoaded) return kLoaded.failure();
  return &*kLoaded;
}

std::string error_text(const Api& api, Status code) {
  const char* text = nullptr;
  if (api.error_string(code, &text) == kSuccess && text != nullptr) return text;
  return fmt::format("CUDA error {}", code);
}

}  // namespace skald::runtime::cuda
