// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// Least significant digit first, eight bits at a time; every thread counts and moves its own piece.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<uint32_t> xs = peer.array<uint32_t>();
  const int64_t n = xs.size();
  Array<uint32_t> a({n}), b({n});
  const int64_t pieces = peer.threads();
  peer.time([&] {
    const uint32_t* from = xs.data();
    uint32_t* to = a.data();
    for (int shift = 0; shift < 32; shift += 8) {
      std::vector<int64_t> counts(static_cast<size_t>(pieces * 256));
      const auto begin = [&](int64_t p) { return n * p / pieces; };
      tbb::parallel_for(int64_t{0}, pieces, [&](int64_t p) {
        int64_t* own = counts.data() + p * 256;
        for (int64_t i = begin(p); i < begin(p + 1); ++i) ++own[from[i] >> shift & 255];
      });
      int64_t sum = 0;
      for (int64_t digit = 0; digit < 256; ++digit)
        for (int64_t p = 0; p < pieces; ++p) {
          int64_t& count = counts[static_cast<size_t>(p * 256 + digit)];
          const int64_t here = count;
          count = sum;
          sum += here;
        }
      tbb::parallel_for(int64_t{0}, pieces, [&](int64_t p) {
        int64_t* own = counts.data() + p * 256;
        for (int64_t i = begin(p); i < begin(p + 1); ++i)
          to[own[from[i] >> shift & 255]++] = from[i];
      });
      from = to;
      to = to == a.data() ? b.data() : a.data();
    }
  });
  peer.write(b);
}
