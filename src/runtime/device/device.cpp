// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace skald::runtime {

Result<std::unique_ptr<Device>> Device::open(std::shared_ptr<DeviceDriver> driver) {
  std::unique_ptr<Device> device(new Device(std::move(driver)));
  if (Result<Unit> opened = device->record_.open(); !opened) return opened.failure();
  return device;
}

Device::Device(std::shared_ptr<DeviceDriver> driver)
    : driver_(std::move(driver)),
      memory_(std::make_shared<DeviceMemoryPool>(driver_, profile_)),
      record_(*driver_) {}

Device::~Device() {
  driver_->use_on_this_thread();
  finish();
  // Ends events that nobody asked for.
  if (!is_given_up()) take_events();
  skald_rt_release(scratch_);
}

void Device::note(const Result<Unit>& done) {
  if (done) return;
  const std::string kernels = at_work();
  if (driver_->is_given_up() && given_up_.empty())
    given_up_ = fmt::format("{} did not end in time; the device cannot be used any more",
                            kernels.empty() ? "the device's work" : kernels);
  if (!problem_.empty()) return;
  problem_ = !given_up_.empty() ? given_up_
             : kernels.empty()  ? done.error()
                                : fmt::format("{} ({} was at work)", done.error(), kernels);
}

std::string Device::at_work() const {
  std::string names;
  for (const LoadedKernel* kernel : at_work_)
    names += fmt::format("{}`{}`", names.empty() ? "kernel " : " or ", kernel->name);
  return names;
}

// Gives a command, and records it where that is wanted.
template <class Command>
void Device::command(EventKind kind, std::string_view name, int64_t bytes, const Command& give) {
  if (has_problem()) return;
  if (!given_up_.empty()) {
    problem_ = given_up_;
    return;
  }
  if (!profile_->on()) return note(give(nullptr));
  DeviceEvent event = nullptr;
  const int64_t given = profile_->now();
  note(give(&event));
  profile_->add_command(kind, name, bytes, given, event);
}

void Device::write(const SkaldBlock* dest, int64_t offset, const void* from, int64_t bytes) {
  command(EventKind::kToDevice, "", bytes, [&](DeviceEvent* event) {
    return driver_->write(as_device_block(dest).memory, offset, from, bytes, event);
  });
}

void Device::read(const SkaldBlock* src, int64_t offset, void* to, int64_t bytes) {
  command(EventKind::kFromDevice, "", bytes, [&](DeviceEvent* event) {
    // Whoever reads will ask next whether something failed.
    const bool expected = record_.is_expected();
    const std::array<ReadPart, 2> parts = {ReadPart{as_device_block(src).memory, offset, to, bytes},
                                           expected ? record_.part() : ReadPart{}};
    Result<Unit> done = driver_->read(std::span(parts).first(expected ? 2 : 1), event);
    if (done && expected) record_.arrived();
    if (done) is_idle();
    number_anew();
    return done;
  });
}

void Device::copy(const SkaldBlock* dest, int64_t dest_offset, const SkaldBlock* src,
                  int64_t src_offset, int64_t bytes) {
  command(EventKind::kOnDevice, "copy", bytes, [&](DeviceEvent* event) {
    return driver_->copy(as_device_block(dest).memory, dest_offset, as_device_block(src).memory,
                         src_offset, bytes, event);
  });
}

void Device::fill(const SkaldBlock* dest, int64_t offset, int64_t count, uint64_t bits, int size) {
  command(EventKind::kOnDevice, "fill", count * size, [&](DeviceEvent* event) {
    return driver_->fill(as_device_block(dest).memory, offset, count, bits, size, event);
  });
}

void Device::finish() {
  if (is_given_up()) return;
  // The record tells us sooner than the driver does that all is done.
  if (is_busy_ && !profile_->on()) note(record_.look());
  const Result<Unit> done = driver_->finish();
  if (done) is_idle();
  note(done);
}

void Device::start() {
  if (is_given_up()) return;
  note(driver_->start());
  number_anew();
}

void Device::is_idle() {
  is_busy_ = false;
  at_work_.clear();
}

std::optional<RunError> Device::failure() {
  if (is_given_up()) return std::nullopt;
  const bool waits = record_.is_expected();
  Result<std::optional<RunError>> error = record_.take();
  if (!error) {
    note(error.failure());
    return std::nullopt;
  }
  if (!waits) return *error;
  is_idle();
  number_anew();
  return *error;
}

// So that the next run gives the same commands as this one, which drivers may remember.
void Device::number_anew() {
  if (record_.is_clean()) launches_ = kFirstLaunchNumber;
}

void Device::set_profiling(bool on) {
  finish();
  take_events();
  note(driver_->set_profiling(on));
  profile_->set(on);
}

// ---- launches

namespace {

// All threads of a launch share at most about so much scratch memory; larger launches run a part
// of their groups at a time.
constexpr int64_t kScratchArena = int64_t{256} << 20;
// The index space of a launch is limited on some devices.
constexpr int64_t kMostGroups = int64_t{1} << 22;
// The most that the program's own estimate may ask for.
constexpr int64_t kLargestScratchGuess = int64_t{64} << 20;

int64_t round_up_to(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// Copies of what a launch updates, to restore it if the launch is repeated.
class SavedBlocks {
 public:
  explicit SavedBlocks(Device& device) : device_(device) {}
  SavedBlocks(const SavedBlocks&) = delete;
  SavedBlocks& operator=(const SavedBlocks&) = delete;
  ~SavedBlocks() {
    for (const auto& [block, saved] : saved_) skald_rt_release(saved);
  }
  // False: there is no memory.
  bool save(const SkaldBlock* block, bool& refused) {
    SkaldBlock* copy = device_.allocate(block->bytes, &refused);
    if (copy == nullptr) return false;
    if (block->bytes > 0) device_.copy(copy, 0, block, 0, block->bytes);
    saved_.emplace_back(block, copy);
    return true;
  }
  void restore() {
    for (const auto& [block, saved] : saved_)
      if (block->bytes > 0) device_.copy(block, 0, saved, 0, block->bytes);
  }

 private:
  Device& device_;
  std::vector<std::pair<const SkaldBlock*, SkaldBlock*>> saved_;
};

}  // namespace

bool Device::reserve_scratch(int64_t bytes) {
  if (scratch_ != nullptr && bytes <= scratch_->bytes) return true;
  give_back_scratch();
  bool refused = false;
  scratch_ = allocate(bytes, &refused);
  if (refused) refused_bytes_ = bytes;
  return scratch_ != nullptr;
}

void Device::give_back_scratch() {
  skald_rt_release(std::exchange(scratch_, nullptr));
}

// Bytes of scratch memory for the groups that run at once.
int64_t Device::scratch_arena() const {
  const MemoryBudget* budget = memory_->budget();
  // Less of what little there is: the program's own blocks come first.
  return budget == nullptr ? kScratchArena
                           : std::min(kScratchArena, (budget->limit() - budget->used()) / 2);
}

void Device::launch_part(const LoadedKernel& kernel, const DeviceLaunch& launch, int64_t first,
                         int64_t groups, const ThreadHeaps& heaps) {
  using Kind = KernelArg::Kind;
  constexpr size_t kNamed = 3;
  const DeviceMemory record = record_.memory();
  args_ = {{Kind::kMemory, record},
           {Kind::kOrder, record, launches_},
           {Kind::kNumber, nullptr, first},
           {Kind::kMemory, heaps.in_arena ? as_device_block(scratch_).memory : record},
           {Kind::kNumber, nullptr, heaps.bytes}};
  if (launch.shared >= 0)
    args_.push_back({Kind::kShared, nullptr, std::max<int64_t>(launch.shared, 16)});
  for (const DeviceArg& a : launch.args) {
    if (a.block != nullptr)
      args_.push_back({Kind::kMemory, as_device_block(a.block).memory});
    else
      args_.push_back({Kind::kNumber, nullptr, a.bits});
  }
  if (at_work_.size() < kNamed && (at_work_.empty() || at_work_.back() != &kernel))
    at_work_.push_back(&kernel);
  command(EventKind::kLaunch, kernel.name, 0, [&](DeviceEvent* event) {
    return driver_->launch(kernel.handle, groups, launch.threads, args_, event);
  });
  is_busy_ = true;
  if (launch.may_fail) record_.expect();
}

int64_t Device::try_part(const LoadedKernel& kernel, const DeviceLaunch& launch, int64_t first,
                         int64_t groups, const ThreadHeaps& heaps) {
  SavedBlocks saved(*this);
  for (const DeviceArg& a : launch.args) {
    bool refused = false;
    if (a.block == nullptr || !a.updated || saved.save(a.block, refused)) continue;
    if (refused) refused_bytes_ = a.block->bytes;
    problem_ = "no memory on the device for a copy of what a kernel updates";
    return 0;
  }
  launch_part(kernel, launch, first, groups, heaps);
  const Result<int64_t> missing = record_.take_missing_scratch(launches_);
  if (!missing) {
    note(missing.failure());
    return 0;
  }
  if (*missing != 0) saved.restore();
  return *missing;
}

void Device::launch(LoadedKernel& kernel, const DeviceLaunch& launch) {
  ++launches_;
  if (launch.scratch <= 0) {
    for (int64_t first = 0; first < launch.groups && !has_problem(); first += kMostGroups)
      launch_part(kernel, launch, first, std::min(kMostGroups, launch.groups - first), {});
    return;
  }
  int64_t scratch =
      std::max(kernel.scratch_needed,
               round_up_to(std::clamp<int64_t>(launch.scratch, 256, kLargestScratchGuess), 64));
  for (int64_t first = 0; first < launch.groups && !has_problem();) {
    const bool own = !launch.group_heap && scratch <= driver_->facts().own_heap;
    const int64_t per_group = (launch.threads + (launch.group_heap ? 1 : 0)) * scratch;
    const int64_t most = own ? kMostGroups : scratch_arena() / per_group;
    const int64_t groups = std::clamp<int64_t>(most, 1, launch.groups - first);
    if (!own && !reserve_scratch(groups * per_group)) {
      problem_ =
          fmt::format("no memory on the device: threads need {} bytes of scratch each", scratch);
      return;
    }
    const int64_t missing = try_part(kernel, launch, first, groups, {scratch, !own});
    if (missing == 0) {
      first += groups;
      continue;
    }
    // Not much more: what fits a thread's own memory is fastest there, and takes part of it.
    scratch = round_up_to(std::max(scratch + scratch / 4, missing + missing / 8), 64);
    kernel.scratch_needed = scratch;
  }
  // What counts is not kept.
  if (memory_->budget() != nullptr) give_back_scratch();
}

}  // namespace skald::runtime
