// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/kernel_set.h"

#include <algorithm>

#include "support/bug.h"
#include "support/hash.h"

namespace skald::runtime {

namespace {

constexpr std::string_view kKernelCacheKind = "kernel";
// More would take the machine from others for the sake of a rare first start.
constexpr size_t kMostCompilers = 8;

}  // namespace

KernelSet::KernelSet(Device& device, const KernelTexts& texts, DiskCache cache)
    : driver_(device.shared_driver()),
      profile_(device.shared_profile()),
      texts_(texts),
      cache_(std::move(cache)),
      entries_(texts.units.size()),
      ready_(texts.units.size()),
      served_(texts.units.size()) {
  for (size_t k = 0; k < entries_.size(); ++k) {
    entries_[k].kernel.name = texts.units[k].name;
    if (const int32_t same = texts.units[k].same_as; same >= 0)
      served_[static_cast<size_t>(same)].push_back(k);
  }
}

KernelSet::~KernelSet() {
  {
    const std::lock_guard lock(mutex_);
    wanted_.clear();
  }
  for (std::thread& thread : threads_) thread.join();
  for (size_t k = 0; k < entries_.size(); ++k)
    if (entries_[k].kernel.handle != nullptr && texts_.units[k].same_as < 0)
      driver_->release(entries_[k].kernel.handle);
}

size_t KernelSet::original(int32_t number) const {
  const int32_t same = texts_.units[static_cast<size_t>(number)].same_as;
  return static_cast<size_t>(same >= 0 ? same : number);
}

void KernelSet::prepare(std::span<const int32_t> numbers) {
  const std::lock_guard lock(mutex_);
  for (const int32_t number : numbers) {
    const size_t k = original(number);
    if (entries_[k].state == State::kText && std::ranges::find(wanted_, k) == wanted_.end())
      wanted_.push_back(k);
  }
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (; working_ < std::min({wanted_.size(), kMostCompilers, cores}); ++working_)
    threads_.emplace_back([this] { work(); });
}

void KernelSet::work() {
  std::unique_lock lock(mutex_);
  while (!wanted_.empty()) {
    const size_t number = wanted_.front();
    wanted_.pop_front();
    if (entries_[number].state == State::kText) compile(number, lock);
  }
  --working_;
}

void KernelSet::compile(size_t number, std::unique_lock<std::mutex>& lock) {
  std::vector<int32_t> numbers;
  for (size_t k = 0; k < entries_.size(); ++k) {
    if (k != number && !driver_->facts().compiles_together) continue;
    if (entries_[k].state != State::kText || texts_.units[k].same_as >= 0) continue;
    numbers.push_back(static_cast<int32_t>(k));
    entries_[k].state = State::kCompiling;
  }
  lock.unlock();
  const int64_t start = profile_->now();
  const Result<std::vector<DeviceKernel>> made = make(numbers);
  profile_->add_host_event(EventKind::kCompile, texts_.units[number].name, 0, start);
  lock.lock();
  for (size_t k = 0; k < numbers.size(); ++k) {
    Entry& entry = entries_[static_cast<size_t>(numbers[k])];
    if (made)
      entry.kernel.handle = (*made)[k];
    else
      entry.problem = made.error();
    entry.state = made ? State::kReady : State::kFailed;
    if (made) hand_out(static_cast<size_t>(numbers[k]), entry);
  }
  changed_.notify_all();
}

void KernelSet::hand_out(size_t number, Entry& entry) {
  ready_[number].store(&entry.kernel, std::memory_order_release);
  for (const size_t other : served_[number]) {
    entries_[other].kernel.handle = entry.kernel.handle;
    ready_[other].store(&entries_[other].kernel, std::memory_order_release);
  }
}

Result<std::vector<DeviceKernel>> KernelSet::make(std::span<const int32_t> numbers) {
  if (numbers.size() == 1) {
    const Result<DeviceKernel> one = make_one(numbers[0]);
    if (!one) return one.failure();
    return std::vector<DeviceKernel>{*one};
  }
  std::vector<std::string> names;
  for (const int32_t number : numbers)
    names.push_back(texts_.units[static_cast<size_t>(number)].name);
  return driver_->compile(names, texts_.source(numbers));
}

// What is kept is the name that the code was made with, which may be that of another program, a
// line's end, and the code.
Result<DeviceKernel> KernelSet::make_one(int32_t number) {
  const DeviceFacts& facts = driver_->facts();
  const std::string& name = texts_.units[static_cast<size_t>(number)].name;
  const Hash128 key =
      hash128(fmt::format("3\n{}\n{}", facts.identity, texts_.source_without_name(number)));
  const bool cached = cache_.enabled() && !facts.keeps_kernels;
  if (cached)
    if (const std::optional<std::string> kept = cache_.read(key, kKernelCacheKind)) {
      const size_t end = kept->find('\n');
      Result<DeviceKernel> loaded =
          end == std::string::npos ? Failure("no name")
                                   : driver_->load(kept->substr(0, end), kept->substr(end + 1));
      if (loaded) return loaded;
      cache_.remove(key, kKernelCacheKind);
    }
  const Result<std::vector<DeviceKernel>> compiled =
      driver_->compile(std::span(&name, 1), texts_.source(std::span(&number, 1)));
  if (!compiled) return compiled.failure();
  const DeviceKernel kernel = compiled->front();
  if (cached)
    if (const std::string binary = driver_->binary(kernel); !binary.empty())
      cache_.write(key, kKernelCacheKind, name + '\n' + binary);
  return kernel;
}

Result<LoadedKernel*> KernelSet::get(int32_t number) {
  SKALD_CHECK(static_cast<size_t>(number) < entries_.size(), "there is no kernel {}", number);
  const size_t k = original(number);
  std::unique_lock lock(mutex_);
  if (entries_[k].state == State::kText) compile(k, lock);
  changed_.wait(lock, [&] { return entries_[k].state != State::kCompiling; });
  if (entries_[k].state == State::kFailed) return Failure(entries_[k].problem);
  return &entries_[static_cast<size_t>(number)].kernel;
}

}  // namespace skald::runtime
