// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> xs = peer.array<float>();
  const int64_t n = xs.dim(0), m = xs.dim(1);
  Array<float> out({n});
  peer.time([&] {
    parallel(n, std::max<int64_t>(1, 32768 / m), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float* row = xs.data() + i * m;
        if (m >= 64) {
          out[i] = sum_of(0, m, [&](int64_t j) { return row[j]; });
          continue;
        }
        float total = 0;
        for (int64_t j = 0; j < m; ++j) total += row[j];
        out[i] = total;
      }
    });
  });
  peer.write(out);
}
