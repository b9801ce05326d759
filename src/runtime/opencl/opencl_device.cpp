// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/opencl_device.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "runtime/opencl/device_state.h"

namespace skald::runtime {

namespace {

constexpr std::string_view kCacheKind = "clbin";

}  // namespace

OpenClDevice::~OpenClDevice() {
  if (queue_ != nullptr) api_.finish(queue_);
  for (const cl::Kernel k : kernels_)
    if (k != nullptr) api_.release_kernel(k);
  drop_kept();
  if (scratch_ != nullptr) api_.release_mem(scratch_);
  if (record_ != nullptr) api_.release_mem(record_);
  if (program_ != nullptr) api_.release_program(program_);
  if (queue_ != nullptr) api_.release_queue(queue_);
  if (context_ != nullptr) api_.release_context(context_);
}

bool OpenClDevice::check(cl::Int code, const char* what) {
  if (code == cl::kSuccess) return true;
  if (problem_.empty())
    problem_ =
        fmt::format("the OpenCL device failed while it should {}: {}", what, cl::error_text(code));
  return false;
}

Result<Unit> OpenClDevice::open(const DeviceProgram& program) {
  cl::Int code = 0;
  context_ = api_.create_context(nullptr, 1, &device_, nullptr, nullptr, &code);
  if (!check(code, "be opened")) return Failure(problem_);
  queue_ = api_.create_queue(context_, device_, 0, &code);
  if (!check(code, "make a queue")) return Failure(problem_);
  record_ = api_.create_buffer(context_, cl::kMemReadWrite, sizeof words_, nullptr, &code);
  if (!check(code, "allocate")) return Failure(problem_);
  clear_record();
  names_ = program.kernels;
  kernels_.resize(names_.size());
  scratch_needed_.resize(names_.size());
  if (names_.empty()) return Unit{};
  return build(program);
}

Result<Unit> OpenClDevice::build(const DeviceProgram& program) {
  const uint64_t doubles = cl::device_number(api_, device_, cl::kDeviceDoubleFpConfig);
  if (program.uses_f64 && doubles == 0)
    return Failure("not supported: this OpenCL device has no f64, and the program uses it");
  std::string options = "-cl-std=CL1.2 -w";
  if (doubles != 0) options += " -DSKALD_F64";
  const uint64_t singles = cl::device_number(api_, device_, cl::kDeviceSingleFpConfig);
  if ((singles & cl::kFpCorrectlyRoundedDivideSqrt) != 0)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  const Hash128 key = hash128(fmt::format(
      "1\n{}\n{}\n{}\n{}\n{}", cl::device_text(api_, device_, cl::kDeviceName),
      cl::device_text(api_, device_, cl::kDeviceVersion),
      cl::device_text(api_, device_, cl::kDeviceDriverVersion), options, program.source));
  if (const std::optional<std::string> cached = cache_.read(key, kCacheKind)) {
    if (build_from({}, options, *cached)) return Unit{};
    problem_.clear();
    cache_.remove(key, kCacheKind);
  }
  if (Result<Unit> built = build_from(program.source, options, {}); !built) return built.failure();
  if (!keeps_own_cache()) keep_binary(key);
  return Unit{};
}

Result<Unit> OpenClDevice::build_from(const std::string& source, const std::string& options,
                                      const std::string& cached) {
  cl::Int code = 0;
  if (program_ != nullptr) api_.release_program(program_);
  if (!cached.empty()) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(cached.data());
    const size_t size = cached.size();
    cl::Int status = 0;
    program_ =
        api_.create_program_from_binary(context_, 1, &device_, &size, &bytes, &status, &code);
  } else {
    const char* text = source.c_str();
    const size_t size = source.size();
    program_ = api_.create_program(context_, 1, &text, &size, &code);
  }
  if (!check(code, "take a program")) {
    program_ = nullptr;
    return Failure(problem_);
  }
  code = api_.build_program(program_, 1, &device_, options.c_str(), nullptr, nullptr);
  if (code == cl::kSuccess) return Unit{};
  size_t size = 0;
  api_.get_build_info(program_, device_, cl::kProgramBuildLog, 0, nullptr, &size);
  std::string log(size, '\0');
  api_.get_build_info(program_, device_, cl::kProgramBuildLog, size, log.data(), nullptr);
  while (!log.empty() && log.back() == '\0') log.pop_back();
  problem_ = fmt::format("the OpenCL compiler does not accept our kernels ({}):\n{}",
                         cl::error_text(code), log.substr(0, 4000));
  return Failure(problem_);
}

// PoCL compiles a kernel when it is launched, and keeps that; asked for a program's binary it would
// compile all of them once more.
bool OpenClDevice::keeps_own_cache() const {
  const std::string version = cl::device_text(api_, device_, cl::kDeviceVersion);
  return version.find("PoCL HSTR") != std::string::npos ||
         version.find("pocl HSTR") != std::string::npos;
}

void OpenClDevice::keep_binary(Hash128 key) {
  size_t size = 0;
  if (api_.get_program_info(program_, cl::kProgramBinarySizes, sizeof size, &size, nullptr) !=
          cl::kSuccess ||
      size == 0)
    return;
  std::string bytes(size, '\0');
  char* data = bytes.data();
  if (api_.get_program_info(program_, cl::kProgramBinaries, sizeof data, static_cast<void*>(&data),
                            nullptr) == cl::kSuccess)
    cache_.write(key, kCacheKind, bytes);
}

cl::Kernel OpenClDevice::kernel(int32_t number) {
  const auto k = static_cast<size_t>(number);
  if (kernels_[k] == nullptr) {
    cl::Int code = 0;
    kernels_[k] = api_.create_kernel(program_, names_[k].c_str(), &code);
    if (!check(code, "make a kernel")) kernels_[k] = nullptr;
  }
  return kernels_[k];
}

Result<std::string> find_opencl_device() {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<cl::FoundDevice> found = cl::find_device(**api);
  if (!found) return found.failure();
  return found->name;
}

Result<std::unique_ptr<Device>> make_opencl_device(const DeviceProgram& program) {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<cl::FoundDevice> found = cl::find_device(**api);
  if (!found) return found.failure();
  auto device = std::make_unique<OpenClDevice>(**api, found->device);
  if (Result<Unit> opened = device->open(program); !opened) return opened.failure();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace skald::runtime
