// SPDX-License-Identifier: Apache-2.0
// Kernels by CUDA: NVRTC makes machine code, the driver loads it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/nvrtc.h"

namespace skald::runtime::cuda {

namespace {

LoadedKernel* loaded(DeviceKernel kernel) {
  return reinterpret_cast<LoadedKernel*>(kernel);
}

// Spilled bytes of a thread that are not worth another compilation, and more than a kernel spills:
// those are its arrays.
constexpr int kFewSpilled = 16, kMostSpilled = 4096;
// Groups that a multiprocessor is given registers for, where kernels ask for more and spill.
constexpr int kFewerGroups[] = {6, 4, 3, 2};

// The largest number of groups for which a kernel of the text wants room.
int most_groups(const std::string& text) {
  constexpr std::string_view kHead = "\nSK_KERNEL_AT_ONCE(";
  int most = 0;
  for (size_t at = text.find(kHead); at != std::string::npos; at = text.find(kHead, at + 1))
    most = std::max(most, std::atoi(text.c_str() + text.find(',', at) + 1));
  return most;
}

// Memory that a thread has for itself: arrays, and what does not fit into registers.
int local_bytes(const Api& api, DeviceKernel kernel) {
  constexpr int kLocalBytes = 3;  // CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
  int bytes = 0;
  const Function function = loaded(kernel)->function;
  return api.function_attribute(&bytes, kLocalBytes, function) == kSuccess ? bytes : 0;
}

bool may_spill(int local) {
  return local > kFewSpilled && local < kMostSpilled;
}

}  // namespace

// Many groups at once hide how long memory takes, but share the registers.  Kernels that would keep
// values in memory for that get more registers instead.
Result<std::vector<DeviceKernel>> CudaDriver::compile(std::span<const std::string> names,
                                                      const std::string& text) {
  // A compiler that does not know this device makes PTX for the newest one that it knows; the
  // driver makes machine code of it.
  const int known = nearest_architecture(architecture_);
  const CompiledForm form = known == architecture_ ? CompiledForm::kCubin : CompiledForm::kPtx;
  const std::string heap =
      facts_.own_heap == 0 ? "" : fmt::format("#define SK_OWN_HEAP_BYTES {}\n", facts_.own_heap);
  const auto compiled = [&](const std::string& head) -> Result<std::vector<DeviceKernel>> {
    const Result<std::string> code = compile_cuda(heap + head + text, known, form);
    if (!code) return code.failure();
    return load_all(names, *code);
  };
  Result<std::vector<DeviceKernel>> kernels = compiled("");
  const int wanted = kernels ? most_groups(text) : 0;
  for (const int fewer : kFewerGroups) {
    if (fewer >= wanted) continue;
    const auto spills = [&](DeviceKernel kernel) { return may_spill(local_bytes(api_, kernel)); };
    if (std::ranges::none_of(*kernels, spills)) break;
    Result<std::vector<DeviceKernel>> others =
        compiled(fmt::format("#define SK_MOST_GROUPS {}\n", fewer));
    if (!others) {
      for (const DeviceKernel kernel : *kernels) release(kernel);
      return others;
    }
    bool better = false;
    for (size_t k = 0; k < kernels->size(); ++k) {
      DeviceKernel &one = (*kernels)[k], &other = (*others)[k];
      if (spills(one) && local_bytes(api_, other) + kFewSpilled < local_bytes(api_, one)) {
        std::swap(one, other);
        better = true;
      }
      release(other);
    }
    if (!better) break;
  }
  return kernels;
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
  const Status taken = api_.load_module(&module, cubin.data());
  if (taken == kInvalidImage || taken == kNoBinary || taken == kInvalidPtx || taken == kNewerPtx)
    return Failure(fmt::format(
        "the driver ({}) does not take kernels that {} made for {}: {}; install a newer driver, or "
        "an older compiler (pip install nvidia-cuda-nvrtc-cu12) and name it in $SKALD_NVRTC",
        facts_.driver, find_nvrtc() ? *find_nvrtc() : "the compiler", facts_.name,
        error_text(api_, taken)));
  if (Result<Unit> there = done(taken, "load kernels"); !there) return there.failure();
  const std::shared_ptr<ModuleObject> shared(module, [this](Module m) {
    if (given_up_) return;
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
  if (!given_up_) {
    enter();
    const std::lock_guard lock(chains_mutex_);
    if (replays_ != nullptr) {
      replays_->flush(stream_);
      replays_->forget(loaded(kernel)->function);
    }
    if (chains_ != nullptr) {
      chains_->flush(stream_);
      chains_->forget(loaded(kernel)->function);
    }
  }
  delete loaded(kernel);
}

}  // namespace skald::runtime::cuda
