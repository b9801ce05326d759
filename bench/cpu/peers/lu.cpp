// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> start = peer.array<float>();
  const int64_t n = start.dim(0);
  Array<float> a(start.shape());
  peer.time([&] {
    std::memcpy(a.data(), start.data(), static_cast<size_t>(n * n) * sizeof(float));
    for (int64_t k = 0; k < n - 1; ++k) {
      const float* __restrict row = a.data() + k * n;
      const float pivot = row[k];
      parallel(n - k - 1, std::max<int64_t>(4, 16384 / (n - k)), [&](int64_t begin, int64_t end) {
        for (int64_t i = k + 1 + begin; i < k + 1 + end; ++i) {
          float* __restrict r = a.data() + i * n;
          const float factor = r[k] = r[k] / pivot;
          for (int64_t j = k + 1; j < n; ++j) r[j] -= factor * row[j];
        }
      });
    }
  });
  peer.write(a);
}
