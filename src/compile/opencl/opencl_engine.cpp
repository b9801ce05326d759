// SPDX-License-Identifier: Apache-2.0
// OpenCL as a driver of the device engine.
#include "compile/opencl/opencl_engine.h"

#include "codegen/opencl/dialect.h"
#include "compile/device/device_engine.h"
#include "compile/device/measure_device.h"
#include "compile/device/probe.h"
#include "runtime/opencl/opencl_device.h"

namespace skald::compile {

namespace {

bool has_opencl(std::string& why_not) {
  return works_elsewhere("OpenCL", [] { return runtime::find_opencl_device(); }, why_not);
}

const DeviceDriver kDriver = {opencl::kDialect, runtime::open_opencl_device};

Result<std::shared_ptr<Engine>> open_opencl(const EngineOptions& options) {
  return open_device_engine(kDriver, options);
}

Result<std::vector<machine::DeviceModel>> opencl_devices() {
  return device_models(runtime::list_opencl_devices(), "opencl");
}

Result<machine::DeviceTimes> measure_opencl(const machine::DeviceModel& device) {
  const Result<std::unique_ptr<runtime::Device>> open = runtime::open_opencl_device(device.name);
  if (!open) return open.failure();
  return measure_device(*(*open)->shared_driver(),
                        {"skald_nothing", "kernel void skald_nothing(global int* x) {}\n"});
}

Result<std::string> emit_opencl(const imp::Program& prog, const passes::PassOptions&) {
  return kernel_text(prog, opencl::kDialect);
}

}  // namespace

const Backend kOpenClBackend = {
    .name = "opencl",
    .is_available = has_opencl,
    .open = open_opencl,
    .limits_memory = true,
    .limits_time = true,
    .limits_stack = true,
    .devices = opencl_devices,
    .measure = measure_opencl,
    .device = passes::kGpu,
    .lower = lower_for_device,
    .emits = {{"device-imp", "imp for a device", print_imp}, {"cl", "OpenCL C", emit_opencl}}};

}  // namespace skald::compile
