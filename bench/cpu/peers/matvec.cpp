// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> a = peer.array<float>(), x = peer.array<float>();
  const int64_t n = a.dim(0), m = a.dim(1);
  Array<float> out({n});
  peer.time([&] {
    parallel(n, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float* row = a.data() + i * m;
        out[i] = sum_of(0, m, [&](int64_t j) { return row[j] * x[j]; });
      }
    });
  });
  peer.write(out);
}
