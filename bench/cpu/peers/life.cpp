// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int32_t steps = peer.scalar<int32_t>();
  const Array<uint8_t> start = peer.array<uint8_t>();
  const int64_t n = start.dim(0), m = start.dim(1);
  Array<uint8_t> a(start.shape()), b(start.shape());
  peer.time([&] {
    std::memcpy(a.data(), start.data(), static_cast<size_t>(n * m));
    uint8_t* from = a.data();
    uint8_t* to = b.data();
    for (int32_t step = 0; step < steps; ++step, std::swap(from, to))
      parallel(n, 8, [&](int64_t begin, int64_t end) {
        // A variable of its own, because stores of bytes might change the captured one.
        const int64_t width = m;
        // Sums of columns of three, with one more at both ends.
        std::vector<uint8_t> columns(static_cast<size_t>(m + 2));
        uint8_t* __restrict sums = columns.data() + 1;
        for (int64_t i = begin; i < end; ++i) {
          const uint8_t* __restrict up = from + (i == 0 ? n - 1 : i - 1) * m;
          const uint8_t* __restrict mid = from + i * m;
          const uint8_t* __restrict down = from + (i == n - 1 ? 0 : i + 1) * m;
          uint8_t* __restrict out = to + i * m;
          for (int64_t j = 0; j < width; ++j)
            sums[j] = static_cast<uint8_t>(up[j] + mid[j] + down[j]);
          sums[-1] = sums[m - 1];
          sums[m] = sums[0];
          for (int64_t j = 0; j < width; ++j) {
            const auto sum = static_cast<uint8_t>(sums[j - 1] + sums[j] + sums[j + 1]);
            out[j] = static_cast<uint8_t>(sum == 3) |
                     (static_cast<uint8_t>(sum == 4) & static_cast<uint8_t>(mid[j]));
          }
        }
      });
    if (from != a.data()) std::swap(a, b);
  });
  peer.write(a);
}
