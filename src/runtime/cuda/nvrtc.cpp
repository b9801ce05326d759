// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/cuda/api.h"
#include "runtime/cuda/toolkit.h"
#include "runtime/device/library.h"

namespace skald::runtime::cuda {

namespace {

using Text = struct TextObject*;

struct Nvrtc {
#define X(field, symbol, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
  SKALD_NVRTC_FUNCTIONS(X)  // functions.def
#undef X
};

struct FoundNvrtc {
  Nvrtc api;
  std::string problem;
};

constexpr const char* kHowToGetIt =
    "install the package nvidia-cuda-nvrtc with pip, or CUDA's toolkit, or name the library in "
    "$SKALD_NVRTC";

// Where the compiler may be: as the linker finds it, in CUDA's toolkit, in packages of Python.
std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("SKALD_NVRTC")) return {chosen};
  std::vector<std::string> names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                    "libnvrtc.so.11.2"};
  for (std::string& file : find_toolkit_files("lib64", "lib", "libnvrtc.so*"))
    names.push_back(std::move(file));
  return names;
}

// The version of CUDA that the driver has; a large number where there is no driver.
// Starts no driver: that takes long, and whoever only compiles needs none.
int driver_major() {
  Library library(std::array{"libcuda.so.1"});
  Status (*ask)(int*) = nullptr;
  if (library.found()) library.get("cuDriverGetVersion", ask);
  int version = 0;
  if (ask == nullptr || ask(&version) != kSuccess) return std::numeric_limits<int>::max();
  return version / 1000;
}

// The first compiler that is not newer than the driver, which may not take what a newer one makes;
// or else the first one; none if there is none.
std::vector<std::string> fitting_compiler() {
  std::vector<std::string> first;
  for (const std::string& candidate : candidates()) {
    Library library(std::array{candidate});
    if (!library.found()) continue;
    Status (*version)(int*, int*) = nullptr;
    library.get("nvrtcVersion", version);
    int major = 0, minor = 0;
    if (version != nullptr && version(&major, &minor) == 0 && major <= driver_major())
      return {candidate};
    if (first.empty()) first = {candidate};
  }
  return first;
}

FoundNvrtc load_nvrtc() {
  FoundNvrtc loaded;
  Library library(fitting_compiler());
  if (!library.found()) {
    const char* chosen = std::getenv("SKALD_NVRTC");
    loaded.problem =
        chosen == nullptr
            ? fmt::format("there is no compiler for CUDA on this machine (NVRTC); {}", kHowToGetIt)
            : fmt::format("$SKALD_NVRTC is `{}`, which cannot be loaded", chosen);
    return loaded;
  }
#define X(field, symbol, ...) library.get(#symbol, loaded.api.field);
  SKALD_NVRTC_FUNCTIONS(X)
#undef X
  if (library.missing() != nullptr)
    loaded.problem = fmt::format("{} has no function {}; NVRTC 11.2 or newer is needed",
                                 library.name(), library.missing());
  return loaded;
}

const FoundNvrtc& nvrtc() {
  static const FoundNvrtc loaded = load_nvrtc();
  return loaded;
}

std::string log_of(const Nvrtc& api, Text text) {
  size_t size = 0;
  if (api.log_size(text, &size) != 0 || size == 0) return {};
  std::string log(size, '\0');
  api.log(text, log.data());
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log.substr(0, 4000);
}

// What the user wants the compiler to be told: -lineinfo for a profiler, -G for a debugger.
std::string chosen_options() {
  const char* chosen = std::getenv("SKALD_NVRTC_OPTIONS");
  return chosen == nullptr ? std::string() : chosen;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream rest(text);
  return {std::istream_iterator<std::string>(rest), {}};
}

}  // namespace

// Kernels on disk are known by this, so options are part of it.
Result<std::string> find_nvrtc() {
  const FoundNvrtc& loaded = nvrtc();
  if (!loaded.problem.empty()) return Failure(loaded.problem);
  int major = 0, minor = 0;
  loaded.api.version(&major, &minor);
  const std::string options = chosen_options();
  return fmt::format("NVRTC {}.{}{}{}", major, minor, options.empty() ? "" : " ", options);
}

int nearest_architecture(int architecture) {
  const FoundNvrtc& loaded = nvrtc();
  int count = 0;
  if (!loaded.problem.empty() || loaded.api.architecture_count(&count) != 0 || count <= 0)
    return architecture;
  std::vector<int> known(static_cast<size_t>(count));
  if (loaded.api.architectures(known.data()) != 0) return architecture;
  int nearest = 0;
  for (const int each : known)
    if (each <= architecture) nearest = std::max(nearest, each);
  return nearest == 0 ? architecture : nearest;
}

Result<std::string> compile_cuda(const std::string& text, int architecture, CompiledForm form) {
  const FoundNvrtc& loaded = nvrtc();
  if (!loaded.problem.empty()) return Failure(loaded.problem);
  const Nvrtc& api = loaded.api;
  Text program = nullptr;
  if (const Status code = api.create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr);
      code != 0)
    return Failure(fmt::format("NVRTC takes no text: {}", api.error_string(code)));
  // As the other back ends round: nothing is contracted, nothing is flushed to zero.
  const std::string target = fmt::format(
      "--gpu-architecture={}_{}", form == CompiledForm::kCubin ? "sm" : "compute", architecture);
  const std::vector<std::string> chosen = words_of(chosen_options());
  std::vector<const char*> options = {target.c_str(), "--fmad=false", "--std=c++17",
                                      "--disable-warnings"};
  for (const std::string& option : chosen) options.push_back(option.c_str());
  const Status code = api.compile(program, static_cast<int>(options.size()), options.data());
  Result<std::string> result = std::string();
  if (code != 0) {
    result = Failure(fmt::format("the CUDA compiler does not accept our kernels ({}):\n{}",
                                 api.error_string(code), log_of(api, program)));
  } else {
    size_t size = 0;
    const bool cubin = form == CompiledForm::kCubin;
    if ((cubin ? api.cubin_size : api.ptx_size)(program, &size) == 0) {
      result->resize(size);
      (cubin ? api.cubin : api.ptx)(program, result->data());
    }
    if (size == 0) result = Failure(std::string("the CUDA compiler gave no code"));
  }
  api.destroy(&program);
  return result;
}

}  // namespace skald::runtime::cuda
