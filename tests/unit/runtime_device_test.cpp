// SPDX-License-Identifier: Apache-2.0
// What all devices have in common, on a driver that is the host's memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/block.h"
#include "runtime/device/kernel_set.h"
#include "runtime/device/transfer.h"
#include "runtime_device_util.h"

namespace skald::runtime {
namespace {

class DeviceTest : public testing::Test {
 protected:
  std::shared_ptr<HostDriver> driver_ = std::make_shared<HostDriver>();
  std::unique_ptr<Device> device_ = open_host_device(driver_);

  static Value row(std::vector<int32_t> elements) {
    Result<Value> value = Value::allocate(Prim::kI32, {static_cast<int64_t>(elements.size())});
    std::ranges::copy(elements, value->elements<int32_t>().begin());
    return std::move(*value);
  }
  static std::vector<int32_t> elements(const Value& value) {
    const std::span<int32_t> all = value.elements<int32_t>();
    return {all.begin(), all.end()};
  }
};

// ---- memory

TEST_F(DeviceTest, MemoryThatWasGivenBackIsUsedAgain) {
  SkaldBlock* first = device_->allocate(1000);
  const DeviceMemory memory = as_device_block(first).memory;
  skald_rt_release(first);
  EXPECT_GT(device_->memory().usage().kept_bytes, 0);
  SkaldBlock* second = device_->allocate(990);
  EXPECT_EQ(as_device_block(second).memory, memory);
  skald_rt_release(second);
  device_->memory().trim();
  EXPECT_EQ(device_->memory().usage().kept_bytes, 0);
  EXPECT_EQ(device_->memory().usage().live_bytes, 0);
}

TEST_F(DeviceTest, AShareOfTheMemoryIsKeptAndTheOldestGoesFirst) {
  driver_->device_facts.is_gpu = true;
  driver_->device_facts.memory = 400 << 10;
  SkaldBlock* blocks[3] = {device_->allocate(40 << 10), device_->allocate(48 << 10),
                           device_->allocate(56 << 10)};
  const DeviceMemory second = as_device_block(blocks[1]).memory;
  for (SkaldBlock* block : blocks) skald_rt_release(block);
  // 144 KB of 100 were given back: the first had to go.
  EXPECT_EQ(device_->memory().usage().kept_bytes, 56 << 10);
  SkaldBlock* again = device_->allocate(48 << 10);
  EXPECT_NE(as_device_block(again).memory, second);
  skald_rt_release(again);
}

TEST_F(DeviceTest, WhatIsKeptMakesRoomWhenTheDeviceHasNoMore) {
  SkaldBlock* first = device_->allocate(4000);
  skald_rt_release(first);
  // One allocation is the failure record.
  EXPECT_EQ(driver_->allocations, 2);
  driver_->most_allocations = 2;
  SkaldBlock* other = device_->allocate(8000);
  EXPECT_NE(other, nullptr);
  EXPECT_EQ(device_->memory().usage().kept_bytes, 0);
  skald_rt_release(other);
}

TEST_F(DeviceTest, MemoryHasALimit) {
  device_->memory().set_limit(4096);
  SkaldBlock* fits = device_->allocate(4000);
  EXPECT_NE(fits, nullptr);
  EXPECT_EQ(device_->allocate(4000), nullptr);
  skald_rt_release(fits);
  EXPECT_EQ(device_->allocate(-1), nullptr);
  EXPECT_EQ(device_->allocate(int64_t{1} << 60), nullptr);
}

TEST_F(DeviceTest, BlocksMayOutliveTheDevice) {
  SkaldBlock* block = device_->allocate(8);
  device_.reset();
  EXPECT_TRUE(is_device_block(block));
  skald_rt_release(block);
  EXPECT_EQ(driver_->allocations, 0);
}

TEST_F(DeviceTest, PartsKeepTheWholeAlive) {
  SkaldBlock* whole = device_->allocate(100);
  SkaldBlock* part = device_->memory().first_part(whole, 10);
  skald_rt_release(whole);
  EXPECT_TRUE(device_->owns(part));
  EXPECT_EQ(part->bytes, 10);
  EXPECT_GT(device_->memory().usage().live_bytes, 0);
  skald_rt_release(part);
  EXPECT_EQ(device_->memory().usage().live_bytes, 0);
}

TEST_F(DeviceTest, AdoptedMemoryGoesBackToItsOwner) {
  static int released = 0;
  const DeviceMemory theirs = driver_->allocate(64);
  SkaldBlock* block =
      device_->memory().adopt(theirs, 64, [](void*, void*) { ++released; }, nullptr);
  EXPECT_TRUE(device_->owns(block));
  skald_rt_release(block);
  EXPECT_EQ(released, 1);
  driver_->free(theirs);
}

// ---- transfers

TEST_F(DeviceTest, ValuesGoThereAndBack) {
  const Result<Value> there = upload(*device_, row({1, 2, 3}));
  ASSERT_TRUE(there);
  EXPECT_TRUE(is_on_device(*there));
  EXPECT_EQ(there->data.data(), nullptr);
  const Result<Value> copy = copy_on_device(*device_, *there);
  ASSERT_TRUE(copy);
  EXPECT_NE(copy->data.block(), there->data.block());
  EXPECT_EQ(elements(*download(*device_, *copy)), (std::vector<int32_t>{1, 2, 3}));
}

TEST_F(DeviceTest, EmptyArraysAndScalarsGoThereAndBack) {
  const Result<Value> empty = upload(*device_, row({}));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(is_on_device(*empty));
  EXPECT_EQ(download(*device_, *empty)->element_count(), 0);
  const Result<Value> scalar = upload(*device_, *Value::scalar(Prim::kI32, 7));
  EXPECT_FALSE(is_on_device(*scalar));
  EXPECT_EQ(download(*device_, *scalar)->element_bits(0), 7u);
}

TEST_F(DeviceTest, ValuesOfAnotherPlaceAreRefused) {
  const std::unique_ptr<Device> other = open_host_device(std::make_shared<HostDriver>());
  const Value here = row({1});
  const Result<Value> there = upload(*device_, here);
  ASSERT_TRUE(there);
  EXPECT_FALSE(upload(*device_, *there));
  EXPECT_FALSE(download(*device_, here));
  EXPECT_FALSE(download(*other, *there));
  EXPECT_FALSE(copy_on_device(*other, *there));
  EXPECT_FALSE(first_part_on_device(*other, there->data, 1));
}

TEST_F(DeviceTest, NoMemoryForAValueIsAnError) {
  driver_->most_bytes = 16;
  EXPECT_FALSE(upload(*device_, row(std::vector<int32_t>(100))));
}

// ---- launches

TEST_F(DeviceTest, LaunchesAreRepeatedWithMoreScratchMemory) {
  LoadedKernel kernel{.name = "k", .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  const Result<Value> data = upload(*device_, row({5}));
  std::vector<int64_t> given;
  driver_->on_launch = [&](const std::string&, int64_t, std::span<const KernelArg> args) {
    // record, number, first group, arena, bytes of a thread; then the block
    given.push_back(args[4].number);
    auto* words = reinterpret_cast<int64_t*>(HostDriver::bytes_of(args[0].memory));
    auto* element = reinterpret_cast<int32_t*>(HostDriver::bytes_of(args[5].memory));
    *element += 1;
    if (args[4].number < 5000) words[kFailScratch] = 5000;
  };
  const DeviceArg arg{data->data.block(), 0, true};
  const DeviceLaunch launch{.groups = 1,
                            .threads = 1,
                            .scratch = 300,
                            .shared = -1,
                            .group_heap = false,
                            .args = std::span(&arg, 1)};
  device_->launch(kernel, launch);
  EXPECT_FALSE(device_->has_problem());
  ASSERT_EQ(given.size(), 2u);
  EXPECT_GE(given[1], 5000);
  EXPECT_EQ(elements(*download(*device_, *data)), (std::vector<int32_t>{6}));
  // What was learnt is kept.
  device_->launch(kernel, launch);
  EXPECT_EQ(given.size(), 3u);
  driver_->release(kernel.handle);
}

TEST_F(DeviceTest, FailuresOfKernelsAreReadOnce) {
  LoadedKernel kernel{.name = "k", .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  driver_->on_launch = [&](const std::string&, int64_t, std::span<const KernelArg> args) {
    auto* words = reinterpret_cast<int64_t*>(HostDriver::bytes_of(args[0].memory));
    words[kFailLaunch] = args[1].number;
    words[kFailId] = 17;
    words[kFailValueCount] = 1;
    words[kFailValues] = 4;
  };
  device_->launch(
      kernel,
      {.groups = 1, .threads = 1, .scratch = 0, .shared = -1, .group_heap = false, .args = {}});
  const std::optional<RunError> error = device_->failure();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->id, 17);
  EXPECT_EQ(error->values[0], 4);
  EXPECT_FALSE(device_->failure());
  driver_->release(kernel.handle);
}

// Whoever runs programs one after the other need not wait between them.
TEST_F(DeviceTest, LaunchesThatCannotFailAreNotWaitedFor) {
  LoadedKernel kernel{.name = "k", .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  std::vector<int64_t> numbers;
  driver_->on_launch = [&](const std::string&, int64_t, std::span<const KernelArg> args) {
    numbers.push_back(args[1].number);
  };
  DeviceLaunch launch{.groups = 1,
                      .threads = 1,
                      .scratch = 0,
                      .shared = -1,
                      .group_heap = false,
                      .may_fail = false,
                      .args = {}};
  const int before = driver_->reads;
  for (int run = 0; run < 2; ++run) {
    device_->launch(kernel, launch);
    EXPECT_FALSE(device_->failure());
    device_->start();
  }
  EXPECT_EQ(driver_->reads, before);
  // So that drivers see that the second run is the same.
  EXPECT_EQ(numbers[0], numbers[1]);
  // What may fail keeps its number until somebody looked.
  launch.may_fail = true;
  device_->launch(kernel, launch);
  device_->start();
  launch.may_fail = false;
  device_->launch(kernel, launch);
  EXPECT_GT(numbers[3], numbers[2]);
  EXPECT_FALSE(device_->failure());
  EXPECT_EQ(driver_->reads, before + 1);
  // The record says that all is done.
  device_->launch(kernel, launch);
  device_->finish();
  EXPECT_EQ(driver_->reads, before + 2);
  device_->finish();
  EXPECT_EQ(driver_->reads, before + 2);
  driver_->release(kernel.handle);
}

TEST_F(DeviceTest, AReadBringsTheFailureRecordWithIt) {
  LoadedKernel kernel{.name = "k", .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  const Result<Value> data = upload(*device_, row({5}));
  const DeviceLaunch launch{
      .groups = 1, .threads = 1, .scratch = 0, .shared = -1, .group_heap = false, .args = {}};
  device_->launch(kernel, launch);
  const int before = driver_->reads;
  int32_t element = 0;
  device_->read(data->data.block(), 0, &element, 4);
  EXPECT_FALSE(device_->failure());
  EXPECT_EQ(element, 5);
  EXPECT_EQ(driver_->reads, before + 1);
  driver_->on_launch = [&](const std::string&, int64_t, std::span<const KernelArg> args) {
    auto* words = reinterpret_cast<int64_t*>(HostDriver::bytes_of(args[0].memory));
    words[kFailLaunch] = args[1].number;
    words[kFailId] = 3;
  };
  device_->launch(kernel, launch);
  device_->read(data->data.block(), 0, &element, 4);
  EXPECT_EQ(driver_->reads, before + 2);
  EXPECT_EQ(device_->failure()->id, 3);
  EXPECT_FALSE(device_->failure());
  driver_->release(kernel.handle);
}

TEST_F(DeviceTest, ADeviceThatIsGivenUpSaysWhy) {
  LoadedKernel kernel{.name = "k7_main",
                      .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  const std::atomic<int32_t> stop{1};
  device_->watch(&stop);
  device_->launch(
      kernel,
      {.groups = 1, .threads = 1, .scratch = 0, .shared = -1, .group_heap = false, .args = {}});
  EXPECT_FALSE(device_->failure());
  const std::string why =
      "kernel `k7_main` did not end in time; the device cannot be used any more";
  EXPECT_EQ(device_->take_problem(), why);
  EXPECT_TRUE(device_->is_given_up());
  EXPECT_EQ(upload(*device_, row({1})).error(), why);
  driver_->release(kernel.handle);
}

TEST_F(DeviceTest, ProblemsAreForgottenOnceTaken) {
  LoadedKernel kernel{.name = "k", .handle = reinterpret_cast<DeviceKernel>(new std::string("k"))};
  driver_->broken = "the device is gone";
  const DeviceLaunch launch{
      .groups = 1, .threads = 1, .scratch = 0, .shared = -1, .group_heap = false, .args = {}};
  device_->launch(kernel, launch);
  EXPECT_EQ(device_->take_problem(), "the device is gone (kernel `k` was at work)");
  EXPECT_FALSE(device_->has_problem());
  driver_->release(kernel.handle);
}

// ---- kernels

TEST_F(DeviceTest, KernelsAreCompiledWhenTheyAreNeeded) {
  const KernelTexts texts{{}, {{"a", {}, "text a"}, {"b", {}, "nonsense"}, {"c", {}, "text c"}}};
  KernelSet kernels(*device_, texts, DiskCache({}, 0));
  EXPECT_TRUE(driver_->compiled.empty());
  ASSERT_TRUE(kernels.get(2));
  ASSERT_TRUE(kernels.get(2));
  EXPECT_EQ(driver_->compiled, std::vector<std::string>{"c"});
  EXPECT_EQ(kernels.get(1).error(), "`nonsense` does not compile");
  EXPECT_EQ(kernels.get(1).error(), "`nonsense` does not compile");
  EXPECT_EQ(driver_->compiled.size(), 2u);
}

TEST_F(DeviceTest, KernelsAreCompiledInTheBackground) {
  KernelTexts texts;
  std::vector<int32_t> numbers;
  for (int32_t k = 0; k < 20; ++k) {
    texts.units.push_back({fmt::format("k{}", k), {}, "text"});
    numbers.push_back(k);
  }
  KernelSet kernels(*device_, texts, DiskCache({}, 0));
  kernels.prepare(numbers);
  kernels.prepare(numbers);
  for (const int32_t k : numbers) {
    const Result<LoadedKernel*> kernel = kernels.get(k);
    ASSERT_TRUE(kernel);
    EXPECT_EQ((*kernel)->name, texts.units[static_cast<size_t>(k)].name);
  }
  EXPECT_EQ(driver_->compiled.size(), 20u);
}

TEST_F(DeviceTest, KernelsAreKeptOnDiskOneByOne) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("skald-kernels-{}", ::getpid());
  const DiskCache cache(folder, 1 << 20);
  const KernelTexts texts{{}, {{"a", {}, "text a"}, {"b", {}, "other text b"}}};
  {
    KernelSet kernels(*device_, texts, cache);
    ASSERT_TRUE(kernels.get(0));
  }
  KernelSet again(*device_, texts, cache);
  ASSERT_TRUE(again.get(0));
  EXPECT_EQ(driver_->compiled.size(), 1u);
  ASSERT_TRUE(again.get(1));
  EXPECT_EQ(driver_->compiled.size(), 2u);
  // Another driver, another kernel.
  driver_->device_facts.identity = "host 2";
  KernelSet other(*device_, texts, cache);
  ASSERT_TRUE(other.get(0));
  EXPECT_EQ(driver_->compiled.size(), 3u);
  std::filesystem::remove_all(folder);
}

TEST_F(DeviceTest, ADriverThatIsSlowToStartGetsAllKernelsAtOnce) {
  driver_->device_facts.compiles_together = true;
  const KernelTexts texts{{}, {{"a", {}, "text a"}, {"b", {}, "text b"}, {"c", {}, "text c"}}};
  KernelSet kernels(*device_, texts, DiskCache({}, 0));
  ASSERT_TRUE(kernels.get(1));
  ASSERT_TRUE(kernels.get(0));
  EXPECT_EQ(driver_->compilations, 1);
  EXPECT_EQ(driver_->compiled.size(), 3u);
}

TEST_F(DeviceTest, UnitsThatAreTheSameAreCompiledOnce) {
  KernelTexts texts{{}, {{"a", {}, "text of a"}, {"b", {}, ""}, {"c", {}, "text of c"}}};
  texts.units[1].same_as = 0;
  KernelSet kernels(*device_, texts, DiskCache({}, 0));
  const Result<LoadedKernel*> second = kernels.get(1);
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->name, "b");
  const Result<LoadedKernel*> first = kernels.get(0);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->name, "a");
  EXPECT_EQ((*first)->handle, (*second)->handle);
  EXPECT_EQ(driver_->compiled, std::vector<std::string>{"a"});
  EXPECT_NE(kernels.ready(1), nullptr);
  EXPECT_EQ(kernels.ready(2), nullptr);
  const std::vector<int32_t> all = {1, 2};
  kernels.prepare(all);
  ASSERT_TRUE(kernels.get(2));
  EXPECT_EQ(driver_->compiled.size(), 2u);
}

// A kernel of another program, or one that has moved, is the same but for its name.
TEST_F(DeviceTest, KeptKernelsServeOtherNames) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("skald-names-{}", ::getpid());
  const DiskCache cache(folder, 1 << 20);
  const KernelTexts before{{}, {{"k3_main", {}, "void k3_main(int x) {}"}}};
  const KernelTexts after{{}, {{"k7_other", {}, "void k7_other(int x) {}"}}};
  {
    KernelSet kernels(*device_, before, cache);
    ASSERT_TRUE(kernels.get(0));
  }
  KernelSet again(*device_, after, cache);
  const Result<LoadedKernel*> kernel = again.get(0);
  ASSERT_TRUE(kernel);
  EXPECT_EQ((*kernel)->name, "k7_other");
  EXPECT_EQ(driver_->compiled.size(), 1u);
  std::filesystem::remove_all(folder);
}

TEST(KernelTexts, AUnitHasThePiecesItNeeds) {
  const KernelTexts texts{{"0;", "1;", "2;"}, {{"a", {0, 2}, "a"}, {"b", {0, 1}, "b"}}};
  const int32_t first = 0;
  EXPECT_EQ(texts.source(std::span(&first, 1)), "0;2;\na");
  EXPECT_EQ(texts.source(), "0;1;2;\na\nb");
}

// ---- profiles

TEST_F(DeviceTest, EventsAreRecordedWhenAskedFor) {
  const Value value = row({1, 2});
  const Result<Value> before = upload(*device_, value);
  EXPECT_TRUE(device_->take_events().empty());
  device_->set_profiling(true);
  EXPECT_TRUE(driver_->profiling);
  Result<Value> there = upload(*device_, row(std::vector<int32_t>(1000)));
  ASSERT_TRUE(copy_on_device(*device_, *there));
  ASSERT_TRUE(download(*device_, *there));
  std::vector<EventKind> kinds;
  int64_t last = 0;
  for (const ProfileEvent& event : device_->take_events()) {
    kinds.push_back(event.kind);
    EXPECT_GE(event.start_ns, last);
    last = event.start_ns;
    EXPECT_TRUE(event.kind == EventKind::kAllocate || event.bytes == 4000);
  }
  using enum EventKind;
  EXPECT_EQ(kinds, (std::vector{kAllocate, kToDevice, kAllocate, kOnDevice, kFromDevice}));
  EXPECT_EQ(driver_->open_events, 0);
  ASSERT_TRUE(download(*device_, *there));
  device_->set_profiling(false);
  EXPECT_TRUE(device_->take_events().empty());
  EXPECT_EQ(driver_->open_events, 0);
  EXPECT_EQ(event_kind_name(kCompile), "compile");
}

}  // namespace
}  // namespace skald::runtime
