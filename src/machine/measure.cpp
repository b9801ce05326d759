// SPDX-License-Identifier: Apache-2.0
#include "machine/measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "support/machine.h"

namespace skald::machine {

namespace {

using Clock = std::chrono::steady_clock;

// So many times what the caches hold, within these bounds.
constexpr int64_t kTimesCache = 4, kLeastBytes = 64 << 20, kMostBytes = 1 << 30;
constexpr double kSeconds = 0.25;
// The least of several rounds would be disturbed least, but all threads must read at the same time;
// so they read pieces until the time is over, and all pieces count.
constexpr size_t kPiece = 1 << 17;  // words

constexpr int64_t kEightWords = 64;  // bytes

using Words = std::vector<uint64_t>;

// Eight sums at a time: they wait for memory and not for each other.
uint64_t sum_of(const uint64_t* words, size_t count) {
  uint64_t sums[8] = {};
  for (size_t k = 0; k + 8 <= count; k += 8)
    for (size_t s = 0; s < 8; ++s) sums[s] += words[k + s];
  uint64_t sum = 0;
  for (const uint64_t s : sums) sum += s;
  return sum;
}

// What one thread reads of its own words until the time is over.
struct ReadWords {
  int64_t bytes = 0;
  uint64_t sum = 0;  // looked at, so that it is computed
};

ReadWords read_until(const Words& words, Clock::time_point end) {
  ReadWords read;
  size_t at = 0;
  while (Clock::now() < end) {
    const size_t count = std::min(kPiece, words.size() - at);
    read.sum += sum_of(words.data() + at, count);
    read.bytes += static_cast<int64_t>(count * sizeof(uint64_t));
    at = at + count == words.size() ? 0 : at + count;
  }
  return read;
}

// Bytes in a second of so many threads; each touches its own memory first.
double read_by(int threads, int64_t bytes) {
  std::vector<ReadWords> read(static_cast<size_t>(threads));
  std::atomic<int> ready = 0;
  std::atomic<bool> failed = false;
  Clock::time_point begin, end;
  std::atomic<bool> go = false;
  const auto work = [&](size_t number) {
    Words words;
    try {
      words.assign(static_cast<size_t>(bytes / threads / kEightWords) * 8, number);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    ++ready;
    go.wait(false);
    if (!words.empty()) read[number] = read_until(words, end);
  };
  std::vector<std::thread> team;
  for (int k = 0; k < threads; ++k) team.emplace_back(work, static_cast<size_t>(k));
  while (ready < threads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  begin = Clock::now();
  end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kSeconds));
  go = true;
  go.notify_all();
  for (std::thread& each : team) each.join();
  if (failed) return 0;
  double total = 0;
  // All words of a thread are its number, so that each sum is known.
  for (size_t k = 0; k < read.size(); ++k)
    if (read[k].sum == k * static_cast<uint64_t>(read[k].bytes) / sizeof(uint64_t))
      total += static_cast<double>(read[k].bytes);
  return total / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Result<Bandwidth> measure_bandwidth(const Processor& processor) {
  const int64_t cache = processor.caches.l3.bytes + processor.cores * processor.caches.l2.bytes;
  int64_t bytes = std::clamp(kTimesCache * cache, kLeastBytes, kMostBytes);
  if (const auto available = available_memory()) {
    if (*available / 2 < kLeastBytes)
      return Failure("there is not enough memory to measure how fast it is");
    bytes = std::min(bytes, *available / 2);
  }
  const Bandwidth found{read_by(1, bytes), read_by(processor.cores, bytes)};
  if (found.one_core == 0 || found.all_cores == 0)
    return Failure("there is not enough memory to measure how fast it is");
  return found;
}

}  // namespace skald::machine
