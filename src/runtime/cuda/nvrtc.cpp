// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include "runtime/cuda/api.h"

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
  std::string name, problem;
};

constexpr const char* kHowToGetIt =
    "install the package nvidia-cuda-nvrtc with pip, or CUDA's toolkit, or name the library in "
    "$SKALD_NVRTC";

// Where the compiler may be: as the linker finds it, in CUDA's toolkit, in packages of Python.
std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("SKALD_NVRTC")) return {chosen};
  std::vector<std::string> names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                    "libnvrtc.so.11.2"};
  std::vector<std::string> folders = {"/usr/local/cuda*/lib64", "/opt/cuda*/lib64"};
  const auto add_python = [&](const std::string& root) {
    folders.push_back(root + "/lib/python3*/site-packages/nvidia/*/lib");
    folders.push_back(root + "/lib/python3*/dist-packages/nvidia/*/lib");
  };
  if (const char* environment = std::getenv("VIRTUAL_ENV")) add_python(environment);
  if (const char* home = std::getenv("HOME")) add_python(std::string(home) + "/.local");
  add_python("/usr/local");
  for (const std::string& folder : folders) {
    glob_t found{};
    if (::glob((folder + "/libnvrtc.so*").c_str(), 0, nullptr, &found) == 0)
      for (size_t k = found.gl_pathc; k-- > 0;) names.emplace_back(found.gl_pathv[k]);
    ::globfree(&found);
  }
  return names;
}

// The version of CUDA that the driver has; a large number where there is no driver.
// Starts no driver: that takes long, and whoever only compiles needs none.
int driver_major() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  using Version = Status (*)(int*);
  const auto ask = library == nullptr
                       ? nullptr
                       : reinterpret_cast<Version>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (ask == nullptr || ask(&version) != kSuccess) return std::numeric_limits<int>::max();
  return version / 1000;
}

// The first compiler that is not newer than the driver, which may not take what a newer one makes;
// or else the first one.
void* open_library(std::string& name) {
  void* first = nullptr;
  for (const std::string& candidate : candidates()) {
    void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    using Version = Status (*)(int*, int*);
    const auto version = reinterpret_cast<Version>(dlsym(library, "nvrtcVersion"));
    int major = 0, minor = 0;
    const bool fits = version != nullptr && version(&major, &minor) == 0 && major <= driver_major();
    if (fits || first == nullptr) name = candidate;
    if (fits) return library;
    if (first == nullptr) first = library;
  }
  return first;
}

FoundNvrtc load_nvrtc() {
  FoundNvrtc loaded;
  void* const library = open_library(loaded.name);
  if (library == nullptr) {
    const char* chosen = std::getenv("SKALD_NVRTC");
    loaded.problem =
        chosen == nullptr
            ? fmt::format("there is no compiler for CUDA on this machine (NVRTC); {}", kHowToGetIt)
            : fmt::format("$SKALD_NVRTC is `{}`, which cannot be loaded", chosen);
    return loaded;
  }
#define X(field, symbol, ...)                                                               \
  loaded.api.field = reinterpret_cast<decltype(loaded.api.field)>(dlsym(library, #symbol)); \
  if (loaded.api.field == nullptr)                                                          \
    loaded.problem =                                                                        \
        fmt::format("{} has no function " #symbol "; NVRTC 11.2 or newer is needed", loaded.name);
  SKALD_NVRTC_FUNCTIONS(X)
#undef X
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

}  // namespace

Result<std::string> find_nvrtc() {
  const FoundNvrtc& loaded = nvrtc();
  if (!loaded.problem.empty()) return Failure(loaded.problem);
  int major = 0, minor = 0;
  loaded.api.version(&major, &minor);
  return fmt::format("NVRTC {}.{}", major, minor);
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
  const std::array<const char*, 4> options = {target.c_str(), "--fmad=false", "--std=c++17",
                                              "--disable-warnings"};
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
