// SPDX-License-Identifier: Apache-2.0
// The hand-written peer: sum and saxpy as an experienced programmer writes them with oneTBB.
//
//   skald_bench_peer input FILE sum|saxpy N    writes N random floats per vector, in Skald's binary
//   format skald_bench_peer time sum|saxpy N RUNS     prints the time of each run in microseconds
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Range = tbb::blocked_range<size_t>;
constexpr size_t kGrain = 1 << 16;

std::vector<float> random_vector(size_t n, uint64_t seed) {
  std::vector<float> xs(n);
  tbb::parallel_for(Range(0, n, kGrain), [&](const Range& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) {
      uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
      x ^= x >> 31;
      x *= 0xbf58476d1ce4e5b9ull;
      xs[i] = static_cast<float>(x >> 40) * 0x1p-24f;
    }
  });
  return xs;
}

// Sixteen accumulators, so that the compiler can use vector registers without reassociating.
float sum_range(const float* xs, size_t n) {
  float acc[16] = {};
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (size_t k = 0; k < 16; ++k) acc[k] += xs[i + k];
  float total = 0;
  for (const float a : acc) total += a;
  for (; i < n; ++i) total += xs[i];
  return total;
}

float sum(const std::vector<float>& xs) {
  return tbb::parallel_reduce(
      Range(0, xs.size(), kGrain), 0.0f,
      [&](const Range& r, float total) {
        return total + sum_range(xs.data() + r.begin(), r.size());
      },
      [](float a, float b) { return a + b; });
}

void saxpy(float a, const std::vector<float>& xs, const std::vector<float>& ys, float* out) {
  tbb::parallel_for(Range(0, xs.size(), kGrain), [&](const Range& r) {
    for (size_t i = r.begin(); i < r.end(); ++i) out[i] = a * xs[i] + ys[i];
  });
}

void write_vector(std::FILE* out, const std::vector<float>& xs) {
  const uint64_t n = xs.size();
  const char header[] = {'b', 2, 1, ' ', 'f', '3', '2'};
  std::fwrite(header, 1, sizeof header, out);
  std::fwrite(&n, 8, 1, out);
  std::fwrite(xs.data(), 4, n, out);
}

int write_input(const char* path, const std::string& what, size_t n) {
  std::FILE* out = std::fopen(path, "wb");
  if (out == nullptr) {
    std::perror(path);
    return 2;
  }
  if (what == "saxpy") {
    const char header[] = {'b', 2, 0, ' ', 'f', '3', '2'};
    const float a = 1.5f;
    std::fwrite(header, 1, sizeof header, out);
    std::fwrite(&a, 4, 1, out);
    write_vector(out, random_vector(n, 1));
  }
  write_vector(out, random_vector(n, 2));
  return std::fclose(out) == 0 ? 0 : 2;
}

int time_runs(const std::string& what, size_t n, int runs) {
  const std::vector<float> xs = random_vector(n, 1), ys = random_vector(n, 2);
  float checksum = 0;
  std::vector<float> out(what == "saxpy" ? n : 0);
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    if (what == "saxpy")
      saxpy(1.5f, xs, ys, out.data());
    else
      checksum += sum(xs);
    const auto took = std::chrono::steady_clock::now() - start;
    if (!out.empty()) checksum += out[n / 2];
    if (run > 0)
      std::printf("%lld\n",
                  static_cast<long long>(
                      std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  }
  std::fprintf(stderr, "checksum %g\n", static_cast<double>(checksum));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "input" && argc == 5)
    return write_input(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10));
  if (mode == "time" && argc == 5)
    return time_runs(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoi(argv[4]));
  std::fprintf(stderr, "usage: skald_bench_peer input FILE sum|saxpy N | time sum|saxpy N RUNS\n");
  return 2;
}
