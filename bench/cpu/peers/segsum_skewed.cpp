// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> offsets = peer.array<int64_t>();
  const Array<float> xs = peer.array<float>();
  const int64_t n = offsets.size() - 1;
  Array<float> out({n});
  constexpr int64_t kLong = 1 << 16;
  peer.time([&] {
    parallel(n, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float* row = xs.data() + offsets[i];
        const int64_t m = offsets[i + 1] - offsets[i];
        const auto term = [&](int64_t j) { return row[j]; };
        out[i] = m > kLong ? parallel_sum(m, term) : sum_of(0, m, term);
      }
    });
  });
  peer.write(out);
}
