// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> xs = peer.array<float>();
  const int64_t n = xs.dim(0), m = xs.dim(1);
  Array<float> out({m, n});
  constexpr int64_t kTile = 32;
  peer.time([&] {
    tbb::parallel_for(int64_t{0}, (m + kTile - 1) / kTile, [&](int64_t t) {
      const int64_t j0 = t * kTile, j1 = std::min(m, j0 + kTile);
      float tile[kTile][kTile + 4];
      for (int64_t i0 = 0; i0 < n; i0 += kTile) {
        const int64_t i1 = std::min(n, i0 + kTile);
        for (int64_t i = i0; i < i1; ++i)
          for (int64_t j = j0; j < j1; ++j) tile[j - j0][i - i0] = xs[i * m + j] + 1;
        for (int64_t j = j0; j < j1; ++j)
          for (int64_t i = i0; i < i1; ++i) out[j * n + i] = tile[j - j0][i - i0];
      }
    });
  });
  peer.write(out);
}
