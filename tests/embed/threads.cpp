// SPDX-License-Identifier: Apache-2.0
// Several threads use one context, and several contexts, at the same time.
#include <atomic>
#include <cstdio>
#include <skald/skald.hpp>
#include <thread>

namespace {

constexpr const char* kText = R"(
entry sums [n] (xs: [n]i64) : [n]i64 = scan (+) 0 xs
)";

// Calls the program many times with arrays of its own; whether all results are right.
bool works(const skald::Context& context, const skald::Program& program, int64_t seed) {
  for (int64_t round = 0; round < 20; ++round) {
    std::vector<int64_t> xs(1000 + static_cast<size_t>(seed), seed);
    skald::Array input = skald::Array::from(context, xs).value();
    std::vector<skald::Array> results = program.call("sums", {input}).value();
    const std::vector<int64_t> sums = results[0].to_vector<int64_t>().value();
    if (sums.size() != xs.size() || sums.back() != seed * static_cast<int64_t>(xs.size()))
      return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    skald_context_options options = skald_context_defaults();
    if (argc > 1) options.backend = argv[1];
    skald::Context shared = skald::Context::open(options).value();
    skald::Program program = shared.program_from_text("futhark", "sums.fut", kText).value();
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    constexpr int kThreads = 4;
    for (int k = 1; k <= kThreads; ++k) {
      threads.emplace_back([&, k] { right += works(shared, program, k) ? 1 : 0; });
      threads.emplace_back([&, k] {
        skald::Context own = skald::Context::open(options).value();
        skald::Program again = own.program_from_text("futhark", "sums.fut", kText).value();
        right += works(own, again, k) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (right != 2 * kThreads) {
      std::fprintf(stderr, "%d of %d threads have right results\n", right.load(), 2 * kThreads);
      return 1;
    }
    std::printf("ok\n");
    return 0;
  } catch (const skald::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
