// SPDX-License-Identifier: Apache-2.0
// Kernels by OpenCL.
#include <fmt/format.h>

#include <memory>

#include "runtime/opencl/opencl_driver.h"

namespace skald::runtime::cl {

namespace {

// What a DeviceKernel points to.
struct BuiltKernel {
  std::shared_ptr<ProgramObject> program;
  Kernel kernel;
};

BuiltKernel* built(DeviceKernel kernel) {
  return reinterpret_cast<BuiltKernel*>(kernel);
}

std::string build_log(const Api& api, Program program, DeviceId device) {
  size_t size = 0;
  api.get_build_info(program, device, kProgramBuildLog, 0, nullptr, &size);
  std::string log(size, '\0');
  api.get_build_info(program, device, kProgramBuildLog, size, log.data(), nullptr);
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log.substr(0, 4000);
}

}  // namespace

Result<std::vector<DeviceKernel>> OpenClDriver::compile(std::span<const std::string> names,
                                                        const std::string& text) {
  const char* source = text.c_str();
  const size_t size = text.size();
  Int code = 0;
  const Program program = api_.create_program(context_, 1, &source, &size, &code);
  if (Result<Unit> taken = done(code, "take a program"); !taken) return taken.failure();
  return build(program, names);
}

Result<DeviceKernel> OpenClDriver::load(const std::string& name, const std::string& binary) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const size_t size = binary.size();
  Int status = 0, code = 0;
  const Program program =
      api_.create_program_from_binary(context_, 1, &device_, &size, &bytes, &status, &code);
  if (Result<Unit> taken = done(code, "take a compiled program"); !taken) return taken.failure();
  const Result<std::vector<DeviceKernel>> kernels = build(program, std::span(&name, 1));
  if (!kernels) return kernels.failure();
  return kernels->front();
}

Result<std::vector<DeviceKernel>> OpenClDriver::build(Program program,
                                                      std::span<const std::string> names) {
  // Released with the last kernel made of it.
  const std::shared_ptr<ProgramObject> shared(program,
                                              [this](Program p) { api_.release_program(p); });
  Int code = api_.build_program(program, 1, &device_, options_.c_str(), nullptr, nullptr);
  if (code != kSuccess)
    return Failure(fmt::format("the OpenCL compiler does not accept our kernel {} ({}):\n{}",
                               names[0], error_text(code), build_log(api_, program, device_)));
  std::vector<DeviceKernel> kernels;
  for (const std::string& name : names) {
    const Kernel kernel = api_.create_kernel(program, name.c_str(), &code);
    if (Result<Unit> made = done(code, "make a kernel"); !made) {
      for (const DeviceKernel other : kernels) release(other);
      return made.failure();
    }
    kernels.push_back(reinterpret_cast<DeviceKernel>(new BuiltKernel{shared, kernel}));
  }
  return kernels;
}

std::string OpenClDriver::binary(DeviceKernel kernel) {
  const Program program = built(kernel)->program.get();
  size_t size = 0;
  if (api_.get_program_info(program, kProgramBinarySizes, sizeof size, &size, nullptr) != kSuccess)
    return {};
  std::string bytes(size, '\0');
  char* data = bytes.data();
  if (size == 0 || api_.get_program_info(program, kProgramBinaries, sizeof data,
                                         static_cast<void*>(&data), nullptr) != kSuccess)
    return {};
  return bytes;
}

void OpenClDriver::release(DeviceKernel kernel) {
  api_.release_kernel(built(kernel)->kernel);
  delete built(kernel);
}

Result<Unit> OpenClDriver::launch(DeviceKernel kernel, int64_t groups, int64_t threads,
                                  std::span<const KernelArg> args, DeviceEvent* event) {
  const Kernel k = built(kernel)->kernel;
  Uint number = 0;
  for (const KernelArg& arg : args) {
    Int code = kSuccess;
    switch (arg.kind) {
      case KernelArg::Kind::kMemory:
        code = api_.set_kernel_arg(k, number, sizeof arg.memory, &arg.memory);
        break;
      case KernelArg::Kind::kNumber:
      case KernelArg::Kind::kOrder:
        code = api_.set_kernel_arg(k, number, sizeof arg.number, &arg.number);
        break;
      case KernelArg::Kind::kShared:
        code = api_.set_kernel_arg(k, number, static_cast<size_t>(arg.number), nullptr);
        break;
    }
    if (Result<Unit> taken = done(code, "take an argument"); !taken) return taken;
    ++number;
  }
  const auto local = static_cast<size_t>(threads);
  const size_t global = static_cast<size_t>(groups) * local;
  return done(api_.enqueue_kernel(queue_, k, 1, nullptr, &global, &local, 0, nullptr,
                                  reinterpret_cast<Event*>(event)),
              "run a kernel");
}

}  // namespace skald::runtime::cl
