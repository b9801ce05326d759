// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

std::vector<int64_t> primes(int64_t n) {
  if (n <= 2) return {};
  const std::vector<int64_t> small =
      primes(static_cast<int64_t>(std::sqrt(static_cast<double>(n - 1))) + 1);
  std::vector<uint8_t> is_prime(static_cast<size_t>(n), 1);
  tbb::parallel_for(size_t{0}, small.size(), [&](size_t k) {
    for (int64_t i = 2 * small[k]; i < n; i += small[k]) is_prime[static_cast<size_t>(i)] = 0;
  });
  std::vector<int64_t> result;
  for (int64_t i = 2; i < n; ++i)
    if (is_prime[static_cast<size_t>(i)] != 0) result.push_back(i);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const auto n = peer.scalar<int64_t>();
  std::vector<int64_t> result;
  peer.time([&] { result = primes(n); });
  peer.write(result.data(), {static_cast<int64_t>(result.size())});
}
