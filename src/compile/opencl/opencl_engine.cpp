// SPDX-License-Identifier: Apache-2.0
// OpenCL as a driver of the device engine.
#include "compile/opencl/opencl_engine.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "codegen/opencl/dialect.h"
#include "compile/device/device_engine.h"
#include "runtime/opencl/opencl_device.h"

namespace skald::compile {

namespace {

// Looks in a process of its own: drivers start threads, and who asks may want to fork later.
bool has_opencl(std::string& why_not) {
  int ends[2];
  if (::pipe(ends) != 0) return true;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const Result<std::string> found = runtime::find_opencl_device();
    const std::string text = found ? std::string() : found.error();
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(found && written ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    why_not.append(buffer.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status == 0) return true;
  if (why_not.empty()) why_not = "the OpenCL driver of this machine does not work";
  return false;
}

const DeviceDriver kDriver = {opencl::kDialect, runtime::open_opencl_device};

Result<std::shared_ptr<Engine>> open_opencl(const EngineOptions& options) {
  return open_device_engine(kDriver, options);
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
    .device = passes::kGpu,
    .lower = lower_for_device,
    .emits = {{"device-imp", "imp for a device", print_imp}, {"cl", "OpenCL C", emit_opencl}}};

}  // namespace skald::compile
