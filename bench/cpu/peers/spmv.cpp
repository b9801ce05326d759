// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> offsets = peer.array<int64_t>();
  const Array<int32_t> columns = peer.array<int32_t>();
  const Array<float> values = peer.array<float>(), x = peer.array<float>();
  const int64_t n = offsets.size() - 1;
  Array<float> out({n});
  peer.time([&] {
    parallel(n, 128, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float acc[4] = {};
        int64_t j = offsets[i];
        const int64_t last = offsets[i + 1];
        for (; j + 4 <= last; j += 4)
          for (int k = 0; k < 4; ++k) acc[k] += values[j + k] * x[columns[j + k]];
        for (; j < last; ++j) acc[0] += values[j] * x[columns[j]];
        out[i] = (acc[0] + acc[1]) + (acc[2] + acc[3]);
      }
    });
  });
  peer.write(out);
}
