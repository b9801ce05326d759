// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/api.h"

#include <fmt/format.h>

#include <array>

#include "runtime/device/library.h"

namespace skald::runtime::cl {

namespace {

Result<Api> load() {
  Library library(std::array{"libOpenCL.so.1", "libOpenCL.so"});
  if (!library.found())
    return Failure(
        "there is no OpenCL library on this machine (libOpenCL.so.1); install ocl-icd-libopencl1 "
        "and a driver, for example pocl-opencl-icd");
  Api api;
#define X(field, symbol, ...) library.get(#symbol, api.field);
  SKALD_OPENCL_FUNCTIONS(X)
#undef X
  if (library.missing() != nullptr)
    return Failure(fmt::format("the OpenCL library has no function {}; OpenCL 1.2 is needed",
                               library.missing()));
  return api;
}

}  // namespace

Result<const Api*> load_api() {
  static const Result<Api> kLoaded = load();
  if (!kLoaded) return kLoaded.failure();
  return &*kLoaded;
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
