// SPDX-License-Identifier: Apache-2.0
// CUDA as a driver of the device engine.
#include "compile/cuda/cuda_engine.h"

#include "codegen/cuda/dialect.h"
#include "compile/device/device_engine.h"
#include "compile/device/measure_device.h"
#include "compile/device/probe.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/toolkit.h"

namespace skald::compile {

namespace {

bool has_cuda(std::string& why_not) {
  return works_elsewhere("CUDA", [] { return runtime::find_cuda_device(); }, why_not);
}

const DeviceDriver kDriver = {cuda::kDialect, runtime::open_cuda_device, true, true};

Result<std::shared_ptr<Engine>> open_cuda(const EngineOptions& options) {
  return open_device_engine(kDriver, options);
}

Result<std::vector<machine::DeviceModel>> cuda_devices() {
  return device_models(runtime::list_cuda_devices(), "cuda");
}

Result<machine::DeviceTimes> measure_cuda(const machine::DeviceModel& device) {
  const Result<std::unique_ptr<runtime::Device>> open = runtime::open_cuda_device(device.name);
  if (!open) return open.failure();
  return measure_device(
      *(*open)->shared_driver(),
      {"skald_nothing", "extern \"C\" __global__ void skald_nothing(int* x) {}\n"});
}

Result<std::string> emit_cuda(const imp::Program& prog, const passes::PassOptions&) {
  return kernel_text(prog, cuda::kDialect);
}

// For the oldest architecture that has all that kernels use, whatever this machine has.
Result<std::string> emit_ptx(const imp::Program& prog, const passes::PassOptions&) {
  constexpr int kArchitecture = 75;
  return runtime::cuda::compile_cuda(kernel_text(prog, cuda::kDialect, clike::Places::kHidden),
                                     kArchitecture, runtime::cuda::CompiledForm::kPtx);
}

// For the device at hand, or for a Hopper.
Result<std::string> emit_sass(const imp::Program& prog, const passes::PassOptions&) {
  constexpr int kHopper = 90;
  const Result<int> here = runtime::cuda_architecture();
  const int architecture = runtime::cuda::nearest_architecture(here ? *here : kHopper);
  const Result<std::string> cubin =
      runtime::cuda::compile_cuda(kernel_text(prog, cuda::kDialect, clike::Places::kHidden),
                                  architecture, runtime::cuda::CompiledForm::kCubin);
  if (!cubin) return cubin.failure();
  return runtime::cuda::disassemble(*cubin);
}

}  // namespace

const Backend kCudaBackend = {.name = "cuda",
                              .is_available = has_cuda,
                              .open = open_cuda,
                              .limits_memory = true,
                              .limits_time = true,
                              .limits_stack = true,
                              .tests_together = 64,
                              .devices = cuda_devices,
                              .measure = measure_cuda,
                              .device = passes::kGpu,
                              .lower = lower_with_matrices,
                              .emits = {{"cu", "CUDA C++", emit_cuda},
                                        {"ptx", "what NVRTC makes of it", emit_ptx},
                                        {"sass", "instructions of the device", emit_sass}}};

}  // namespace skald::compile
