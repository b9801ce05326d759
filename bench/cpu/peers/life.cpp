// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int32_t steps = peer.scalar<int32_t>();
  const Array<uint8_t> start = peer.array<uint8_t>();
  const int64_t n = start.dim(0), m = start.dim(1);
  Array<uint8_t> a(start.shape()), b(start.shape());
  const auto cell = [](uint8_t sum, uint8_t alive) {
    return static_cast<uint8_t>((sum == 3) | ((sum == 4) & (alive == 1)));
  };
  peer.time([&] {
    std::memcpy(a.data(), start.data(), static_cast<size_t>(n * m));
    uint8_t* from = a.data();
    uint8_t* to = b.data();
    for (int32_t step = 0; step < steps; ++step, std::swap(from, to))
      parallel(n, 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const uint8_t* __restrict up = from + (i == 0 ? n - 1 : i - 1) * m;
          const uint8_t* __restrict mid = from + i * m;
          const uint8_t* __restrict down = from + (i == n - 1 ? 0 : i + 1) * m;
          uint8_t* __restrict out = to + i * m;
          const auto column = [&](int64_t j) {
            return static_cast<uint8_t>(up[j] + mid[j] + down[j]);
          };
          out[0] = cell(static_cast<uint8_t>(column(m - 1) + column(0) + column(1)), mid[0]);
          for (int64_t j = 1; j < m - 1; ++j)
            out[j] = cell(static_cast<uint8_t>(column(j - 1) + column(j) + column(j + 1)), mid[j]);
          out[m - 1] =
              cell(static_cast<uint8_t>(column(m - 2) + column(m - 1) + column(0)), mid[m - 1]);
        }
      });
    if (from != a.data()) std::swap(a, b);
  });
  peer.write(a);
}
