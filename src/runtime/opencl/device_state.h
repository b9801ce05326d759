// SPDX-License-Identifier: Apache-2.0
// The device of opencl_device.h: its kernels are built in opencl_device.cpp, its memory is kept in
// device_memory.cpp, and device_launch.cpp runs kernels and reads what they report.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/disk_cache.h"
#include "runtime/executor/bytecode.h"
#include "runtime/executor/device.h"
#include "runtime/opencl/find_device.h"

namespace skald::runtime {

inline int64_t round_up_to(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

struct DeviceBlock : SkaldBlock {
  cl::Mem buffer = nullptr;
  int64_t capacity = 0;
};

inline cl::Mem buffer_of(const SkaldBlock* block) {
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
    return static_cast<int64_t>(cl::device_number(api_, device_, cl::kDeviceLocalMemSize));
  }
  std::optional<RunError> failure() override;
  std::string problem() const override { return problem_; }

 private:
  Result<Unit> build(const DeviceProgram& program);
  Result<Unit> build_from(const std::string& source, const std::string& options,
                          const std::string& cached);
  bool keeps_own_cache() const;
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

}  // namespace skald::runtime
