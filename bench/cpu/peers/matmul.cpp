// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// Blocks for the cache, 4 × 4 vectors of results in registers.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> a = peer.array<float>(), b = peer.array<float>();
  const int64_t n = a.dim(0), m = a.dim(1), k = b.dim(1);
  Array<float> c({n, k});
  constexpr int64_t kRows = 4, kCols = 4 * kWidth, kDepth = 256, kPanel = 64;
  peer.time([&] {
    tbb::parallel_for(int64_t{0}, (n + kPanel - 1) / kPanel, [&](int64_t p) {
      const int64_t i_end = std::min(n, (p + 1) * kPanel);
      std::memset(&c[p * kPanel * k], 0,
                  static_cast<size_t>((i_end - p * kPanel) * k) * sizeof(float));
      std::vector<float> packed(static_cast<size_t>(kDepth * kCols));
      for (int64_t d0 = 0; d0 < m; d0 += kDepth) {
        const int64_t d1 = std::min(m, d0 + kDepth);
        for (int64_t j = 0; j < k; j += kCols) {
          if (j + kCols > k) {
            for (int64_t i = p * kPanel; i < i_end; ++i)
              for (int64_t d = d0; d < d1; ++d)
                for (int64_t jj = j; jj < k; ++jj) c[i * k + jj] += a[i * m + d] * b[d * k + jj];
            continue;
          }
          for (int64_t d = d0; d < d1; ++d)
            std::memcpy(&packed[static_cast<size_t>((d - d0) * kCols)], &b[d * k + j],
                        kCols * sizeof(float));
          int64_t i = p * kPanel;
          for (; i + kRows <= i_end; i += kRows) {
            Vec acc[kRows][4];
            for (int r = 0; r < kRows; ++r)
              for (int v = 0; v < 4; ++v) acc[r][v] = load(&c[(i + r) * k + j + v * kWidth]);
            const float* col = packed.data();
            for (int64_t d = d0; d < d1; ++d, col += kCols) {
              Vec bs[4];
              for (int v = 0; v < 4; ++v) bs[v] = load(col + v * kWidth);
              for (int r = 0; r < kRows; ++r) {
                const Vec x = splat(a[(i + r) * m + d]);
                for (int v = 0; v < 4; ++v) acc[r][v] += x * bs[v];
              }
            }
            for (int r = 0; r < kRows; ++r)
              for (int v = 0; v < 4; ++v) store(&c[(i + r) * k + j + v * kWidth], acc[r][v]);
          }
          for (; i < i_end; ++i)
            for (int64_t d = d0; d < d1; ++d)
              for (int64_t jj = j; jj < j + kCols; ++jj)
                c[i * k + jj] += a[i * m + d] * b[d * k + jj];
        }
      }
    });
  });
  peer.write(c);
}
