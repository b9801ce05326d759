// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace skald::runtime::cl {

namespace {

struct Loaded {
  Api api;
  std::string problem;
};

Loaded load() {
  Loaded loaded;
  void* library = nullptr;
  for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    loaded.problem =
        "there is no OpenCL library on this machine (libOpenCL.so.1); install ocl-icd-libopencl1 "
        "and "
        "a driver, for example pocl-opencl-icd";
    return loaded;
  }
#define X(field, symbol, ...)                                                               \
  loaded.api.field = reinterpret_cast<decltype(loaded.api.field)>(dlsym(library, #symbol)); \
  if (loaded.api.field == nullptr)                                                          \
    loaded.problem = "the OpenCL library has no function " #symbol "; OpenCL 1.2 is needed";
  SKALD_OPENCL_FUNCTIONS(X)
#undef X
  return loaded;
}

}  // namespace

Result<const Api*> load_api() {
  static const Loaded loaded = load();
  if (!loaded.problem.empty()) return Failure(loaded.problem);
  return &loaded.api;
}

std::string error_text(Int code) {
  switch (code) {
    case -1: return "device not found";
    case -2: return "device not available";
    case -3: return "compiler not available";
    case -4: return "no memory on the device";
    case -5: return "out of resources";
    case -6: return "out of memory on the host";
    case -11: return "the kernels do not compile";
    case -45: return "invalid program executable";
    case -46: return "invalid kernel name";
    case -52: return "invalid kernel arguments";
    case -54: return "invalid size of a work group";
    case -55: return "invalid size of a work item";
    case -61: return "invalid size of a buffer";
    default: return fmt::format("OpenCL error {}", code);
  }
}

}  // namespace skald::runtime::cl
