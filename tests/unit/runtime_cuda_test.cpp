// SPDX-License-Identifier: Apache-2.0
// The CUDA driver without a GPU (runtime_cuda_fake.h): which calls it makes, in which order.
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/device/transfer.h"
#include "runtime_cuda_fake.h"

namespace skald::runtime::cuda {
namespace {

using ArgKind = KernelArg::Kind;

class CudaTest : public testing::Test {
 protected:
  CudaTest() {
    fake() = {};
    driver_ = std::make_shared<CudaDriver>(api_, FoundDevice{0, "a GPU"});
    EXPECT_TRUE(driver_->open());
    kernel_ = *driver_->load("k", "code");
    record_ = driver_->allocate(16 * 8);
    std::memset(static_cast<void*>(record_), 0, 16 * 8);
    // As the text of kernels begins (codegen/clike): record, number of the launch, what it is for.
    fake().on_kernel = [&](const std::string& name, const std::vector<uint64_t>& args) {
      auto* record = reinterpret_cast<int64_t*>(args[0]);
      const auto number = static_cast<int64_t>(args[1]);
      if (record[1] != 0 && record[1] < number) return;
      if (static_cast<int64_t>(args[2]) == failing_) record[1] = number;
      ran_.push_back(static_cast<int64_t>(args[2]));
      names_ += name == "k" ? 'k' : 'o';
    };
  }
  ~CudaTest() override {
    if (driver_ == nullptr) return;
    driver_->release(kernel_);
    driver_->free(record_);
  }

  void launch(int64_t what, DeviceKernel kernel = nullptr, int64_t shared = 0) {
    const std::vector<KernelArg> args = {{ArgKind::kMemory, record_},
                                         {ArgKind::kOrder, record_, ++number_},
                                         {ArgKind::kShared, nullptr, shared},
                                         {ArgKind::kNumber, nullptr, what}};
    ASSERT_TRUE(driver_->launch(kernel != nullptr ? kernel : kernel_, 1, 32, args, nullptr));
  }
  // From then on the device reports.
  void read_often() {
    int64_t word = 0;
    const ReadPart part{record_, 0, &word, 8};
    for (int64_t k = 0; k < CudaDriver::kCopiedReads; ++k)
      ASSERT_TRUE(driver_->read(std::span(&part, 1), nullptr));
  }
  static std::vector<int64_t> up_to(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  Api api_ = fake_api();
  std::shared_ptr<CudaDriver> driver_;
  DeviceKernel kernel_ = nullptr;
  DeviceMemory record_ = nullptr;
  int64_t number_ = kFirstLaunchNumber, failing_ = -1;
  std::vector<int64_t> ran_;
  std::string names_;
};

TEST_F(CudaTest, ManyLaunchesRunInOrderAsGraphs) {
  for (int64_t k = 0; k < 1000; ++k) launch(k);
  ASSERT_TRUE(driver_->finish());
  EXPECT_EQ(ran_, up_to(1000));
  EXPECT_LT(fake().plain_launches, 50);
  EXPECT_GE(fake().graph_launches, 15);
  EXPECT_EQ(fake().waits, 1);
}

TEST_F(CudaTest, FewLaunchesDoNotWait) {
  for (int64_t k = 0; k < 10; ++k) launch(k);
  EXPECT_EQ(ran_, up_to(10));
}

TEST_F(CudaTest, EqualLaunchesLeaveChainsAsTheyAre) {
  for (int64_t k = 0; k < 4000; ++k) launch(k % 2);
  ASSERT_TRUE(driver_->finish());
  EXPECT_EQ(ran_.size(), 4000u);
  EXPECT_EQ(driver_->chains()->changed_nodes(), 0);
  EXPECT_LE(driver_->chains()->chain_count(), 2u);
}

TEST_F(CudaTest, LoopsOfThreeKernelsAreEqualAfterSomeChains) {
  DeviceKernel other = *driver_->load("other", "code");
  for (int64_t k = 0; k < 3000; ++k) launch(k % 3, k % 3 == 2 ? other : nullptr);
  ASSERT_TRUE(driver_->finish());
  EXPECT_EQ(driver_->chains()->changed_nodes(), 0);
  std::string expected;
  for (int k = 0; k < 1000; ++k) expected += "kko";
  EXPECT_EQ(names_, expected);
  driver_->release(other);
}

TEST_F(CudaTest, NothingRunsAfterAFailureInAGraph) {
  for (const int64_t failing : {5, 20, 100, 500}) {
    failing_ = failing;
    ran_.clear();
    std::memset(static_cast<void*>(record_), 0, 16);
    for (int64_t k = 0; k < 1000; ++k) launch(k);
    ASSERT_TRUE(driver_->finish());
    EXPECT_EQ(ran_, up_to(failing + 1));
    // A launch after the next wait is not in a chain.
    launch(7);
    ASSERT_TRUE(driver_->finish());
    EXPECT_EQ(ran_, up_to(failing + 1));
  }
}

TEST_F(CudaTest, OtherCommandsComeAfterLaunchesThatWait) {
  const DeviceMemory memory = driver_->allocate(2 << 20);
  for (int64_t k = 0; k < 40; ++k) launch(k);
  EXPECT_LT(ran_.size(), 40u);
  // Too large to be a kernel in a chain.
  ASSERT_TRUE(driver_->fill(memory, 0, 1 << 19, 7, 4, nullptr));
  EXPECT_EQ(ran_, up_to(40));
  for (int64_t k = 40; k < 45; ++k) launch(k);
  EXPECT_EQ(ran_.size(), 40u);
  const int32_t word = 3;
  ASSERT_TRUE(driver_->write(memory, 0, &word, 4, nullptr));
  EXPECT_EQ(ran_, up_to(45));
  for (int64_t k = 45; k < 50; ++k) launch(k);
  driver_->free(memory);
  EXPECT_EQ(ran_, up_to(50));
}

TEST_F(CudaTest, SmallCopiesAndFillsAreInChains) {
  const DeviceMemory a = driver_->allocate(64), b = driver_->allocate(64);
  std::vector<int> seen;
  fake().on_kernel = [&](const std::string&, const std::vector<uint64_t>&) {
    int32_t element = 0;
    std::memcpy(&element, reinterpret_cast<const char*>(b) + 12, 4);
    seen.push_back(element);
  };
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(driver_->fill(a, 0, 16, static_cast<uint64_t>(k), 4, nullptr));
    ASSERT_TRUE(driver_->copy(b, 4, a, 8, 20, nullptr));
    launch(k);
  }
  ASSERT_TRUE(driver_->finish());
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
  EXPECT_LT(fake().plain_launches, 100);
  driver_->free(a);
  driver_->free(b);
}

TEST_F(CudaTest, FillsAndCopiesOfAllSizes) {
  std::vector<unsigned char> here(256), back(256);
  const DeviceMemory memory = driver_->allocate(256), other = driver_->allocate(256);
  // So that they are kernels.
  for (int64_t k = 0; k < 20; ++k) launch(k);
  for (const int size : {1, 2, 4, 8}) {
    ASSERT_TRUE(driver_->fill(memory, 0, 256 / size, 0x0807060504030201, size, nullptr));
    ASSERT_TRUE(driver_->fill(other, 0, 256, 0, 1, nullptr));
    for (size_t k = 0; k < here.size(); ++k)
      here[k] = static_cast<unsigned char>(k % static_cast<size_t>(size) + 1);
    for (const int64_t offset : {0, 1, 2, 4, 8}) {
      ASSERT_TRUE(driver_->copy(other, offset, memory, offset, 200, nullptr));
      for (int64_t k = 0; k < 20; ++k) launch(k);
    }
    const ReadPart part{other, 0, back.data(), 208};
    ASSERT_TRUE(driver_->read(std::span(&part, 1), nullptr));
    EXPECT_TRUE(std::equal(here.begin(), here.begin() + 208, back.begin())) << size;
    for (int64_t k = 0; k < 20; ++k) launch(k);
  }
  driver_->free(memory);
  driver_->free(other);
}

TEST_F(CudaTest, CollectingCanBeLeftOut) {
  driver_->set_collecting(false);
  for (int64_t k = 0; k < 500; ++k) launch(k);
  EXPECT_EQ(ran_, up_to(500));
  EXPECT_EQ(fake().graph_launches, 0);
}

TEST_F(CudaTest, ChainsForgetKernelsThatAreGone) {
  DeviceKernel other = *driver_->load("other", "code");
  for (int64_t k = 0; k < 200; ++k) launch(k, other);
  EXPECT_GT(fake().live_graphs, 0);
  driver_->release(other);
  EXPECT_EQ(fake().live_graphs, 0);
  EXPECT_EQ(ran_, up_to(200));
}

TEST_F(CudaTest, ALaunchCostsOneCall) {
  const int contexts = fake().contexts;
  for (int64_t k = 0; k < 10; ++k) launch(k, kernel_, 100 << 10);
  EXPECT_EQ(fake().attributes, 1);
  EXPECT_EQ(fake().contexts, contexts);
}

TEST_F(CudaTest, SeveralPartsAreReadWithOneWait) {
  const DeviceMemory memory = driver_->allocate(8);
  ASSERT_TRUE(driver_->fill(memory, 0, 1, 0x123456789, 8, nullptr));
  int64_t first = 0, second = 1;
  const ReadPart parts[] = {{memory, 0, &first, 8}, {record_, 8, &second, 8}};
  ASSERT_TRUE(driver_->read(parts, nullptr));
  EXPECT_EQ(first, 0x123456789);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(fake().waits, 1);
  driver_->free(memory);
}

TEST_F(CudaTest, ScalarsAreReportedByTheDevice) {
  const DeviceMemory memory = driver_->allocate(80 * 8);
  for (int64_t k = 0; k < 80; ++k)
    ASSERT_TRUE(driver_->fill(memory, 8 * k, 1, static_cast<uint64_t>(k * 257), 8, nullptr));
  uint8_t byte = 0;
  std::vector<int64_t> words(79);
  const ReadPart parts[] = {{memory, 9, &byte, 1}, {memory, 8, words.data(), 79 * 8}};
  read_often();
  const int waits = fake().waits;
  for (int round = 0; round < 3; ++round) {
    byte = 0;
    std::ranges::fill(words, 0);
    launch(round);
    ASSERT_TRUE(driver_->read(parts, nullptr));
    EXPECT_EQ(byte, 1);
    for (int64_t k = 0; k < 79; ++k) EXPECT_EQ(words[static_cast<size_t>(k)], (k + 1) * 257);
  }
  EXPECT_EQ(fake().waits, waits);
  // Nothing is at work any more.
  ASSERT_TRUE(driver_->finish());
  EXPECT_EQ(fake().waits, waits);
  launch(7);
  ASSERT_TRUE(driver_->finish());
  EXPECT_EQ(fake().waits, waits + 1);
  driver_->free(memory);
}

// What a program does that is called again and again with the same arrays.
TEST_F(CudaTest, CallsThatComeAgainAreReplayed) {
  const DeviceMemory counter = driver_->allocate(8);
  read_often();
  fake().on_kernel = [&](const std::string&, const std::vector<uint64_t>& args) {
    *reinterpret_cast<uint32_t*>(counter) += static_cast<uint32_t>(args[2]);
  };
  const auto call = [&](int64_t what) {
    number_ = kFirstLaunchNumber;
    EXPECT_TRUE(driver_->fill(counter, 0, 1, 100, 4, nullptr));
    launch(what);
    launch(2 * what);
    uint32_t got = 0;
    const ReadPart parts[] = {{counter, 0, &got, 4}, {record_, 0, &number_, 8}};
    EXPECT_TRUE(driver_->read(parts, nullptr));
    return got;
  };
  for (int k = 0; k < 6; ++k) EXPECT_EQ(call(1), 103u);
  const int plain = fake().plain_launches, graphs = fake().graph_launches;
  for (int k = 0; k < 10; ++k) EXPECT_EQ(call(1), 103u);
  EXPECT_EQ(fake().plain_launches, plain);
  EXPECT_EQ(fake().graph_launches, graphs + 10);
  EXPECT_EQ(driver_->replays()->replayed(), graphs + 10);
  // Others are not mixed up with them.
  for (int64_t k = 1; k < 60; ++k) EXPECT_EQ(call(k), static_cast<uint32_t>(100 + 3 * k));
  EXPECT_EQ(fake().graph_launches, graphs + 11);
  // Without graphs nothing waits.
  driver_->set_collecting(false);
  EXPECT_EQ(call(5), 115u);
  EXPECT_EQ(fake().graph_launches, graphs + 11);
  driver_->free(counter);
}

// The same without a wait in between.
TEST_F(CudaTest, RunsThatNobodyWaitsForAreReplayed) {
  const auto run = [&] {
    number_ = kFirstLaunchNumber;
    for (int64_t k = 0; k < 3; ++k) launch(k);
    EXPECT_TRUE(driver_->start());
  };
  for (int k = 0; k < 10; ++k) run();
  EXPECT_EQ(ran_.size(), 30u);
  EXPECT_EQ(driver_->replays()->replayed(), 8);
  EXPECT_EQ(fake().plain_launches, 6);
}

TEST_F(CudaTest, WhatDoesNotFitAReportIsCopied) {
  const DeviceMemory memory = driver_->allocate(4096);
  const auto fits = [&](std::vector<ReadPart> parts) { return is_report(parts); };
  EXPECT_TRUE(fits({{memory, 3, nullptr, 128}}));
  EXPECT_TRUE(fits({{memory, 0, nullptr, 8}, {memory, 8, nullptr, 1024}}));
  EXPECT_TRUE(fits({{memory, 0, nullptr, 8}, {memory, 8, nullptr, 16}}));
  EXPECT_FALSE(fits({{memory, 4, nullptr, 1024}}));
  EXPECT_FALSE(fits({{memory, 0, nullptr, 1032}}));
  EXPECT_FALSE(fits({{memory, 0, nullptr, 132}}));
  driver_->free(memory);
}

TEST_F(CudaTest, AReportThatDoesNotComeIsGivenUp) {
  std::atomic<int32_t> stop{0};
  int64_t word = 0;
  const ReadPart part{record_, 0, &word, 8};
  read_often();
  driver_->watch(&stop);
  fake().endless = true;
  stop = 1;
  EXPECT_FALSE(driver_->read(std::span(&part, 1), nullptr));
  EXPECT_TRUE(driver_->is_given_up());
}

TEST_F(CudaTest, LargeArraysGoThereAndBackInPieces) {
  std::vector<int32_t> here((9 << 20) / 4 + 3), back(here.size());
  std::iota(here.begin(), here.end(), 1);
  const auto bytes = static_cast<int64_t>(here.size() * 4);
  const DeviceMemory memory = driver_->allocate(bytes);
  ASSERT_TRUE(driver_->write(memory, 0, here.data(), bytes, nullptr));
  const ReadPart part{memory, 0, back.data(), bytes};
  ASSERT_TRUE(driver_->read(std::span(&part, 1), nullptr));
  EXPECT_EQ(here, back);
  driver_->free(memory);
}

TEST_F(CudaTest, ADeviceThatDoesNotEndIsGivenUp) {
  std::atomic<int32_t> stop{0};
  driver_->watch(&stop);
  launch(0);
  ASSERT_TRUE(driver_->finish());
  launch(1);
  fake().endless = true;
  stop = 1;
  EXPECT_FALSE(driver_->finish());
  EXPECT_TRUE(driver_->is_given_up());
  EXPECT_FALSE(driver_->finish());
  // Nothing that would wait is called any more.
  const int waits = fake().waits;
  driver_->release(kernel_);
  driver_->free(record_);
  driver_.reset();
  EXPECT_EQ(fake().waits, waits);
}

TEST_F(CudaTest, DevicesAreFoundByNameAndNumber) {
  EXPECT_EQ(find_device(api_, "")->device, 0);
  EXPECT_EQ(find_device(api_, "1")->name, "Fake B");
  EXPECT_EQ(find_device(api_, "B")->device, 1);
  EXPECT_EQ(find_device(api_, "H200").error(),
            "no CUDA device has the number or the name `H200`; there are 0: Fake A, 1: Fake B");
}

// Numbers of bytes and elements that need more than 32 bits reach the driver as they are.
TEST_F(CudaTest, FillsOfManyElementsAreNotCutOff) {
  static size_t counted = 0;
  api_.fill8 = [](Address, unsigned char, size_t count, Stream) {
    counted = count;
    return kSuccess;
  };
  ASSERT_TRUE(driver_->fill(record_, 0, int64_t{5} << 32, 1, 1, nullptr));
  EXPECT_EQ(counted, size_t{5} << 32);
}

TEST_F(CudaTest, KernelsOfANewerCompilerAreExplained) {
  fake().on_load = kNewerPtx;
  const Result<DeviceKernel> kernel = driver_->load("k", "code");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().find("the driver (CUDA 12.4) does not take kernels"), std::string::npos)
      << kernel.error();
  fake().on_load = kSuccess;
}

}  // namespace
}  // namespace skald::runtime::cuda
