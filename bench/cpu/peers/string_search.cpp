// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// The first and the last character of the pattern for a whole block of places, then the rest.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<uint8_t> text = peer.array<uint8_t>(), pattern = peer.array<uint8_t>();
  const int64_t n = text.size(), m = pattern.size();
  int64_t found = 0;
  peer.time([&] {
    const uint8_t first = pattern[0], last = pattern[m - 1];
    found = tbb::parallel_reduce(
        Range(0, n - m + 1, 1 << 16), int64_t{0},
        [&](const Range& r, int64_t count) {
          constexpr int64_t kBlock = 64;
          const uint8_t* t = text.data();
          for (int64_t i = r.begin(); i < r.end(); i += kBlock) {
            const int64_t size = std::min(kBlock, r.end() - i);
            uint8_t candidate[kBlock];
            uint8_t any_candidate = 0;
            for (int64_t k = 0; k < size; ++k) {
              candidate[k] = (t[i + k] == first) & (t[i + k + m - 1] == last);
              any_candidate |= candidate[k];
            }
            if (any_candidate == 0) continue;
            for (int64_t k = 0; k < size; ++k)
              if (candidate[k] != 0)
                count += std::memcmp(t + i + k, pattern.data(), static_cast<size_t>(m)) == 0;
          }
          return count;
        },
        [](int64_t a, int64_t b) { return a + b; });
  });
  peer.write_scalar(found);
}
