// SPDX-License-Identifier: Apache-2.0
#include "runtime/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "runtime/disk_cache.h"
#include "runtime/opencl/api.h"
#include "support/bug.h"

namespace skald::runtime {

namespace {

// All threads of a launch share at most about so much scratch memory; larger launches run a part
// of their groups at a time.
constexpr int64_t kScratchArena = int64_t{256} << 20;
// Buffers that were given back and are kept for the next request.
constexpr int64_t kMostKept = int64_t{1} << 30;
constexpr int64_t kAlignment = 64;
constexpr std::string_view kCacheKind = "clbin";

int64_t round_up_to(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

std::string device_text(const cl::Api& api, cl::DeviceId device, cl::Uint what) {
  size_t size = 0;
  if (api.get_device_info(device, what, 0, nullptr, &size) != cl::kSuccess || size == 0) return {};
  std::string text(size, '\0');
  api.get_device_info(device, what, size, text.data(), nullptr);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

uint64_t device_number(const cl::Api& api, cl::DeviceId device, cl::Uint what) {
  uint64_t number = 0;
  api.get_device_info(device, what, sizeof number, &number, nullptr);
  return number;
}

struct Found {
  cl::DeviceId device;
  std::string name;
};

Result<Found> find_device(const cl::Api& api) {
  const char* wanted = std::getenv("SKALD_OPENCL_DEVICE");
  cl::Uint count = 0;
  if (api.get_platform_ids(0, nullptr, &count) != cl::kSuccess || count == 0)
    return Failure(
        "there is no OpenCL platform on this machine; install a driver, for example "
        "pocl-opencl-icd");
  std::vector<cl::Platform> platforms(count);
  api.get_platform_ids(count, platforms.data(), nullptr);
  // First the GPUs of all platforms, then whatever there is.
  for (const cl::Bitfield type : {cl::kDeviceTypeGpu, cl::kDeviceTypeAll}) {
    for (const cl::Platform platform : platforms) {
      std::array<char, 256> platform_name{};
      api.get_platform_info(platform, cl::kPlatformName, platform_name.size() - 1,
                            platform_name.data(), nullptr);
      cl::Uint devices = 0;
      if (api.get_device_ids(platform, type, 0, nullptr, &devices) != cl::kSuccess) continue;
      std::vector<cl::DeviceId> ids(devices);
      api.get_device_ids(platform, type, devices, ids.data(), nullptr);
      for (const cl::DeviceId id : ids) {
        const std::string name =
            fmt::format("{}: {}", platform_name.data(), device_text(api, id, cl::kDeviceName));
        if (wanted == nullptr || name.find(wanted) != std::string::npos) return Found{id, name};
      }
    }
  }
  if (wanted != nullptr)
    return Failure(
        fmt::format("no OpenCL device has `{}` in its name ($SKALD_OPENCL_DEVICE)", wanted));
  return Failure("the OpenCL platforms of this machine have no device");
}

class OpenClDevice;

struct DeviceBlock : SkaldBlock {
  cl::Mem buffer = nullptr;
  int64_t capacity = 0;
};

cl::Mem buffer_of(const SkaldBlock* block) {
  return static_cast<const DeviceBlock*>(block)->buffer;
}

class OpenClDevice : public Device {
 public:
  OpenClDevice(const cl::Api& api, cl::DeviceId device) : api_(api), device_(device) {}
  ~OpenClDevice() override;
  Result<Unit> open(const DeviceProgram& program);

  SkaldBlock* allocate(int64_t bytes) override;
  void write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes) override;
  void read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes) override;
  void copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src, int64_t src_offset,
            int64_t bytes) override;
  void fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits,
            int size) override;
  void launch(const DeviceLaunch& launch) override;
  int64_t local_memory() const override {
    return static_cast<int64_t>(device_number(api_, device_, cl::kDeviceLocalMemSize));
  }
  std::optional<RunError> failure() override;
  std::string problem() const override { return problem_; }

 private:
  Result<Unit> build(const DeviceProgram& program);
  Result<Unit> build_from(const std::string& source, const std::string& options,
                          const std::string& cached);
  void keep_binary(Hash128 key);
  cl::Mem take_buffer(int64_t& bytes);
  cl::Mem make_buffer(int64_t bytes);
  void give_back(cl::Mem buffer, int64_t bytes);
  void drop_kept();
  cl::Kernel kernel(int32_t number);
  bool check(cl::Int code, const char* what);
  bool reserve_scratch(int64_t bytes);
  void launch_part(const DeviceLaunch& launch, int64_t first, int64_t groups, int64_t scratch);
  // What a thread of the last launch would have needed; 0: it had enough.
  int64_t missing_scratch();
  void clear_record();
  void read_record();

  const cl::Api& api_;
  cl::DeviceId device_;
  cl::Context context_ = nullptr;
  cl::Queue queue_ = nullptr;
  cl::Program program_ = nullptr;
  std::vector<std::string> names_;
  std::vector<cl::Kernel> kernels_;
  std::vector<int64_t> scratch_needed_;  // of each kernel, as learnt so far
  std::multimap<int64_t, cl::Mem> kept_;
  int64_t kept_bytes_ = 0;
  cl::Mem record_ = nullptr;
  std::array<int64_t, kFailWords> words_{};
  cl::Mem scratch_ = nullptr;
  int64_t scratch_bytes_ = 0;
  int64_t launches_ = 0;
  bool unread_ = false;  // launches since the record was read
  DiskCache cache_ = DiskCache::standard();
  std::string problem_;
};

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

// ---- kernels

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
  const uint64_t doubles = device_number(api_, device_, cl::kDeviceDoubleFpConfig);
  if (program.uses_f64 && doubles == 0)
    return Failure("not supported: this OpenCL device has no f64, and the program uses it");
  std::string options = "-cl-std=CL1.2 -w";
  if (doubles != 0) options += " -DSKALD_F64";
  const uint64_t singles = device_number(api_, device_, cl::kDeviceSingleFpConfig);
  if ((singles & cl::kFpCorrectlyRoundedDivideSqrt) != 0)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  const Hash128 key = hash128(
      fmt::format("1\n{}\n{}\n{}\n{}\n{}", device_text(api_, device_, cl::kDeviceName),
                  device_text(api_, device_, cl::kDeviceVersion),
                  device_text(api_, device_, cl::kDeviceDriverVersion), options, program.source));
  if (const std::optional<std::string> cached = cache_.read(key, kCacheKind)) {
    if (build_from({}, options, *cached)) return Unit{};
    problem_.clear();
    cache_.remove(key, kCacheKind);
  }
  if (Result<Unit> built = build_from(program.source, options, {}); !built) return built.failure();
  keep_binary(key);
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

// ---- memory

cl::Mem OpenClDevice::take_buffer(int64_t& bytes) {
  bytes = round_up_to(std::max<int64_t>(bytes, 1), kAlignment);
  const auto fit = kept_.lower_bound(bytes);
  if (fit != kept_.end() && fit->first - bytes <= bytes / 8) {
    const cl::Mem buffer = fit->second;
    bytes = fit->first;
    kept_bytes_ -= bytes;
    kept_.erase(fit);
    return buffer;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const cl::Mem buffer = make_buffer(bytes); buffer != nullptr) return buffer;
    api_.finish(queue_);
    drop_kept();
  }
  return nullptr;
}

// Some drivers make buffers of any size and look for memory when a command first needs it; that
// would be too late for a message that says who asked.  So large buffers are touched here.
cl::Mem OpenClDevice::make_buffer(int64_t bytes) {
  constexpr int64_t kTouchedFrom = int64_t{256} << 20;
  if (bytes > static_cast<int64_t>(device_number(api_, device_, cl::kDeviceGlobalMemSize)))
    return nullptr;
  cl::Int code = 0;
  const cl::Mem buffer =
      api_.create_buffer(context_, cl::kMemReadWrite, static_cast<size_t>(bytes), nullptr, &code);
  if (code != cl::kSuccess) return nullptr;
  if (bytes < kTouchedFrom) return buffer;
  const char zero = 0;
  code = api_.enqueue_write(queue_, buffer, cl::kTrue, static_cast<size_t>(bytes - 1), 1, &zero, 0,
                            nullptr, nullptr);
  if (code == cl::kSuccess) return buffer;
  api_.release_mem(buffer);
  return nullptr;
}

void OpenClDevice::give_back(cl::Mem buffer, int64_t bytes) {
  kept_.emplace(bytes, buffer);
  kept_bytes_ += bytes;
  if (kept_bytes_ > kMostKept) drop_kept();
}

// Commands that still use a buffer keep it alive.
void OpenClDevice::drop_kept() {
  for (const auto& [bytes, buffer] : kept_) api_.release_mem(buffer);
  kept_.clear();
  kept_bytes_ = 0;
}

SkaldBlock* OpenClDevice::allocate(int64_t bytes) {
  // Larger requests overflow when they are rounded.
  constexpr int64_t kLargest = int64_t{1} << 46;
  if (bytes > kLargest) return nullptr;
  int64_t capacity = bytes;
  const cl::Mem buffer = take_buffer(capacity);
  if (buffer == nullptr) return nullptr;
  auto* block = new DeviceBlock;
  block->data = nullptr;
  block->bytes = bytes;
  block->refs = 1;
  block->owner = this;
  block->buffer = buffer;
  block->capacity = capacity;
  block->destroy = [](SkaldBlock* self) {
    auto* own = static_cast<DeviceBlock*>(self);
    static_cast<OpenClDevice*>(own->owner)->give_back(own->buffer, own->capacity);
    delete own;
  };
  return block;
}

void OpenClDevice::write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes) {
  check(api_.enqueue_write(queue_, buffer_of(dest), cl::kTrue, static_cast<size_t>(offset),
                           static_cast<size_t>(bytes), from, 0, nullptr, nullptr),
        "take data");
}

void OpenClDevice::read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes) {
  check(api_.enqueue_read(queue_, buffer_of(src), cl::kTrue, static_cast<size_t>(offset),
                          static_cast<size_t>(bytes), to, 0, nullptr, nullptr),
        "give data");
}

void OpenClDevice::copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src,
                        int64_t src_offset, int64_t bytes) {
  check(api_.enqueue_copy(queue_, buffer_of(src), buffer_of(dest), static_cast<size_t>(src_offset),
                          static_cast<size_t>(dest_offset), static_cast<size_t>(bytes), 0, nullptr,
                          nullptr),
        "copy");
}

void OpenClDevice::fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits,
                        int size) {
  check(api_.enqueue_fill(queue_, buffer_of(dest), &bits, static_cast<size_t>(size),
                          static_cast<size_t>(offset), static_cast<size_t>(count * size), 0,
                          nullptr, nullptr),
        "fill memory");
}

// ---- launches and failures

void OpenClDevice::clear_record() {
  words_.fill(0);
  check(api_.enqueue_write(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0, nullptr,
                           nullptr),
        "take data");
}

void OpenClDevice::read_record() {
  check(api_.enqueue_read(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0, nullptr,
                          nullptr),
        "give data");
}

std::optional<RunError> OpenClDevice::failure() {
  if (!unread_) return std::nullopt;
  read_record();
  unread_ = false;
  std::optional<RunError> error = read_failure(words_);
  if (error) clear_record();
  return error;
}

int64_t OpenClDevice::missing_scratch() {
  read_record();
  const int64_t missing = words_[kFailScratch];
  if (missing != 0) {
    // Whatever failed in that launch will fail again.
    if (words_[kFailLaunch] >= launches_) {
      clear_record();
    } else {
      words_[kFailScratch] = 0;
      check(api_.enqueue_write(queue_, record_, cl::kTrue, 0, sizeof words_, words_.data(), 0,
                               nullptr, nullptr),
            "take data");
    }
  }
  return missing;
}

bool OpenClDevice::reserve_scratch(int64_t bytes) {
  if (bytes <= scratch_bytes_) return true;
  if (scratch_ != nullptr) api_.release_mem(scratch_);
  scratch_bytes_ = 0;
  scratch_ = take_buffer(bytes);
  if (scratch_ == nullptr) return false;
  scratch_bytes_ = bytes;
  return true;
}

void OpenClDevice::launch_part(const DeviceLaunch& launch, int64_t first, int64_t groups,
                               int64_t scratch) {
  const cl::Kernel k = kernel(launch.kernel);
  if (k == nullptr) return;
  cl::Uint arg = 0;
  const auto pass = [&](const void* value, size_t size) {
    check(api_.set_kernel_arg(k, arg++, size, value), "take an argument");
  };
  const int64_t number = launches_;
  const cl::Mem arena = scratch > 0 ? scratch_ : record_;
  pass(&record_, sizeof record_);
  pass(&number, sizeof number);
  pass(&first, sizeof first);
  pass(&arena, sizeof arena);
  pass(&scratch, sizeof scratch);
  if (launch.shared >= 0) pass(nullptr, static_cast<size_t>(std::max<int64_t>(launch.shared, 16)));
  for (const DeviceArg& a : launch.args) {
    if (a.block != nullptr) {
      const cl::Mem buffer = buffer_of(a.block);
      pass(&buffer, sizeof buffer);
    } else {
      pass(&a.bits, sizeof a.bits);
    }
  }
  const auto local = static_cast<size_t>(launch.threads);
  const size_t global = static_cast<size_t>(groups) * local;
  check(api_.enqueue_kernel(queue_, k, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "run a kernel");
  unread_ = true;
}

void OpenClDevice::launch(const DeviceLaunch& launch) {
  ++launches_;
  if (launch.scratch <= 0) {
    // The index space of a launch is limited on some devices.
    constexpr int64_t kMostGroups = int64_t{1} << 22;
    for (int64_t first = 0; first < launch.groups && problem_.empty(); first += kMostGroups)
      launch_part(launch, first, std::min(kMostGroups, launch.groups - first), 0);
    return;
  }
  int64_t& known = scratch_needed_[static_cast<size_t>(launch.kernel)];
  constexpr int64_t kLargestGuess = int64_t{64} << 20;
  int64_t scratch =
      std::max(known, round_up_to(std::clamp<int64_t>(launch.scratch, 256, kLargestGuess), 64));
  for (int64_t first = 0; first < launch.groups && problem_.empty();) {
    const int64_t per_group = (launch.threads + (launch.group_heap ? 1 : 0)) * scratch;
    const int64_t groups = std::clamp<int64_t>(kScratchArena / per_group, 1, launch.groups - first);
    if (!reserve_scratch(groups * per_group)) {
      problem_ =
          fmt::format("no memory on the device: threads need {} bytes of scratch each", scratch);
      return;
    }
    std::vector<std::pair<const SkaldBlock*, SkaldBlock*>> saved;
    for (const DeviceArg& a : launch.args) {
      if (a.block == nullptr || !a.updated) continue;
      SkaldBlock* copy_of = allocate(a.block->bytes);
      if (copy_of == nullptr) {
        problem_ = "no memory on the device for a copy of what a kernel updates";
        break;
      }
      if (a.block->bytes > 0) copy(copy_of, 0, a.block, 0, a.block->bytes);
      saved.emplace_back(a.block, copy_of);
    }
    launch_part(launch, first, groups, scratch);
    const int64_t missing = missing_scratch();
    if (missing != 0)
      for (const auto& [block, copy_of] : saved)
        if (block->bytes > 0) copy(block, 0, copy_of, 0, block->bytes);
    for (const auto& [block, copy_of] : saved) skald_rt_release(copy_of);
    if (missing == 0) {
      first += groups;
      continue;
    }
    scratch = round_up_to(std::max(4 * scratch, 2 * missing), 64);
    known = scratch;
  }
}

}  // namespace

Result<std::string> find_opencl_device() {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<Found> found = find_device(**api);
  if (!found) return found.failure();
  return found->name;
}

Result<std::unique_ptr<Device>> make_opencl_device(const DeviceProgram& program) {
  Result<const cl::Api*> api = cl::load_api();
  if (!api) return api.failure();
  Result<Found> found = find_device(**api);
  if (!found) return found.failure();
  auto device = std::make_unique<OpenClDevice>(**api, found->device);
  if (Result<Unit> opened = device->open(program); !opened) return opened.failure();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace skald::runtime
