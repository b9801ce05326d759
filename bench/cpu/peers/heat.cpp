// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int32_t steps = peer.scalar<int32_t>();
  const Array<float> start = peer.array<float>();
  const int64_t n = start.dim(0), m = start.dim(1);
  Array<float> a(start.shape()), b(start.shape());
  peer.time([&] {
    std::memcpy(a.data(), start.data(), static_cast<size_t>(n * m) * sizeof(float));
    float* from = a.data();
    float* to = b.data();
    for (int32_t step = 0; step < steps; ++step, std::swap(from, to))
      parallel(n, 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const float* __restrict mid = from + i * m;
          float* __restrict out = to + i * m;
          if (i == 0 || i == n - 1) {
            std::memcpy(out, mid, static_cast<size_t>(m) * sizeof(float));
            continue;
          }
          const float* __restrict up = mid - m;
          const float* __restrict down = mid + m;
          out[0] = mid[0];
          for (int64_t j = 1; j < m - 1; ++j)
            out[j] = mid[j] + 0.1f * (up[j] + down[j] + mid[j - 1] + mid[j + 1] - 4 * mid[j]);
          out[m - 1] = mid[m - 1];
        }
      });
    if (from != a.data()) std::swap(a, b);
  });
  peer.write(a);
}
