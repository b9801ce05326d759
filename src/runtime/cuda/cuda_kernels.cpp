// SPDX-License-Identifier: Apache-2.0
// Kernels by CUDA: NVRTC makes machine code, the driver loads it.
#include <fmt/format.h>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/nvrtc.h"

namespace skald::runtime::cuda {

namespace {

LoadedKernel* loaded(DeviceKernel kernel) {
  return reinterpret_cast<LoadedKernel*>(kernel);
}

}  // namespace

Result<std::vector<DeviceKernel>> CudaDriver::compile(std::span<const std::string> names,
                                                      const std::string& text) {
  const Result<std::string> cubin = compile_cuda(text, architecture_, CompiledForm::kCubin);
  if (!cubin) return cubin.failure();
  return load_all(names, *cubin);
}

Result<DeviceKernel> CudaDriver::load(const std::string& name, const std::string& binary) {
  const Result<std::vector<DeviceKernel>> kernels = load_all(std::span(&name, 1), binary);
  if (!kernels) return kernels.failure();
  return kernels->front();
}

Result<std::vector<DeviceKernel>> CudaDriver::load_all(std::span<const std::string> names,
                                                       const std::string& cubin) {
  enter();
  Module module = nullptr;
  if (Result<Unit> there = done(api_.load_module(&module, cubin.data()), "load kernels"); !there)
    return there.failure();
  const std::shared_ptr<ModuleObject> shared(module, [this](Module m) {
    enter();
    api_.unload_module(m);
  });
  const auto code = std::make_shared<const std::string>(cubin);
  std::vector<DeviceKernel> kernels;
  for (const std::string& name : names) {
    Function function = nullptr;
    if (Result<Unit> found =
            done(api_.get_function(&function, module, name.c_str()), "find a kernel");
        !found) {
      for (const DeviceKernel other : kernels) release(other);
      return found.failure();
    }
    kernels.push_back(reinterpret_cast<DeviceKernel>(new LoadedKernel{shared, code, function}));
  }
  return kernels;
}

std::string CudaDriver::binary(DeviceKernel kernel) {
  return *loaded(kernel)->cubin;
}

void CudaDriver::release(DeviceKernel kernel) {
  delete loaded(kernel);
}

}  // namespace skald::runtime::cuda
