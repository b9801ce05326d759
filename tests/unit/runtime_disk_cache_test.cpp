// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>
#include <vector>

#include "runtime/disk_cache.h"
#include "support/bytes.h"

namespace skald::runtime {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() {
    std::string name = testing::TempDir() + "skald-cache-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~DiskCacheTest() override { fs::remove_all(folder_); }

  fs::path file(std::string_view key) const { return folder_ / (hash128(key).hex() + ".run"); }
  void age(std::string_view key, int minutes) const {
    fs::last_write_time(file(key),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }

  fs::path folder_;
};

TEST_F(DiskCacheTest, KeepsAndFinds) {
  const DiskCache cache(folder_ / "new" / "skald", 1 << 20);
  EXPECT_FALSE(cache.read(hash128("a"), "run"));
  cache.write(hash128("a"), "run", "code");
  EXPECT_EQ(cache.read(hash128("a"), "run"), "code");
  EXPECT_FALSE(cache.read(hash128("a"), "clbin"));
  EXPECT_FALSE(cache.read(hash128("b"), "run"));
  EXPECT_EQ(cache.usage().files, 1u);
  EXPECT_EQ(fs::status(folder_ / "new" / "skald").permissions(), fs::perms::owner_all);
}

TEST_F(DiskCacheTest, DamagedEntriesAreDeleted) {
  const DiskCache cache(folder_, 1 << 20);
  const std::string content(1000, 'x');
  for (const int damage : {0, 9, 20, 40, 500, 1031}) {
    cache.write(hash128("a"), "run", content);
    std::fstream stream(file("a"), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(damage);
    stream.put('!');
    stream.close();
    EXPECT_FALSE(cache.read(hash128("a"), "run")) << damage;
    EXPECT_FALSE(fs::exists(file("a"))) << damage;
  }
  for (const int size : {0, 1, 31, 32, 900}) {
    cache.write(hash128("a"), "run", content);
    fs::resize_file(file("a"), static_cast<uintmax_t>(size));
    EXPECT_FALSE(cache.read(hash128("a"), "run")) << size;
    EXPECT_FALSE(fs::exists(file("a"))) << size;
  }
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedGoFirst) {
  const DiskCache cache(folder_, 4000);
  const std::string content(900, 'x');
  for (const char* key : {"a", "b", "c"}) cache.write(hash128(key), "run", content);
  age("a", 30);
  age("b", 20);
  age("c", 10);
  EXPECT_TRUE(cache.read(hash128("a"), "run"));  // now the newest
  for (const char* key : {"d", "e"}) cache.write(hash128(key), "run", content);
  EXPECT_TRUE(fs::exists(file("a")));
  EXPECT_FALSE(fs::exists(file("b")));
  EXPECT_FALSE(fs::exists(file("c")));
  EXPECT_TRUE(fs::exists(file("e")));
  EXPECT_LE(cache.usage().bytes, cache.limit());
}

TEST_F(DiskCacheTest, WhatIsTooLargeIsNotKept) {
  const DiskCache cache(folder_, 100);
  cache.write(hash128("a"), "run", std::string(101, 'x'));
  EXPECT_EQ(cache.usage().files, 0u);
  const DiskCache none(folder_, 0);
  none.write(hash128("a"), "run", "");
  EXPECT_EQ(none.usage().files, 0u);
}

TEST_F(DiskCacheTest, ClearLeavesFilesOfOthers) {
  const DiskCache cache(folder_, 1 << 20);
  std::ofstream(folder_ / "letter.txt") << "mine";
  cache.write(hash128("a"), "run", "code");
  const Result<DiskCache::Usage> removed = cache.clear();
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, 1u);
  EXPECT_TRUE(fs::exists(folder_ / "letter.txt"));
}

TEST_F(DiskCacheTest, AFolderThatOthersWriteToIsNotUsed) {
  const DiskCache cache(folder_, 1 << 20);
  cache.write(hash128("a"), "run", "code");
  ::chmod(folder_.c_str(), 0777);
  EXPECT_FALSE(cache.read(hash128("a"), "run"));
  cache.write(hash128("b"), "run", "code");
  EXPECT_FALSE(fs::exists(file("b")));
}

TEST_F(DiskCacheTest, ManyThreadsAtOnce) {
  const DiskCache cache(folder_, 20'000);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 200; ++k) {
        const int key = (k * 7 + t) % 13;
        const std::string content(1000 + static_cast<size_t>(key), static_cast<char>('a' + key));
        const std::optional<std::string> found = cache.read(hash128(std::to_string(key)), "run");
        if (found && *found != content) ++wrong;
        cache.write(hash128(std::to_string(key)), "run", content);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.usage().bytes, cache.limit());
}

TEST(ParseBytes, Units) {
  EXPECT_EQ(parse_bytes("100"), 100u);
  EXPECT_EQ(parse_bytes("2K"), 2048u);
  EXPECT_EQ(parse_bytes("3 M"), 3u << 20);
  EXPECT_EQ(parse_bytes("4G"), uint64_t{4} << 30);
  EXPECT_FALSE(parse_bytes(""));
  EXPECT_FALSE(parse_bytes("-1"));
  EXPECT_FALSE(parse_bytes("1MB"));
  EXPECT_FALSE(parse_bytes("99999999999999999999G"));
  EXPECT_FALSE(parse_bytes("18446744073709551615K"));
}

TEST(ByteReader, NeverReadsPastTheEnd) {
  ByteWriter out;
  out.number(3);
  out.text("abc");
  const std::string bytes = out.take();
  for (size_t size = 0; size <= bytes.size(); ++size) {
    ByteReader in(std::string_view(bytes).substr(0, size));
    in.number();
    in.text();
    EXPECT_EQ(in.done(), size == bytes.size()) << size;
  }
  ByteReader huge(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
  EXPECT_EQ(huge.count(), 0u);
  EXPECT_FALSE(huge.ok());
}

}  // namespace
}  // namespace skald::runtime
