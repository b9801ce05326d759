// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> lengths = peer.array<int64_t>(), columns = peer.array<int64_t>();
  const Array<double> values = peer.array<double>(), x = peer.array<double>();
  const int64_t n = lengths.size();
  Array<double> out({n});
  peer.time([&] {
    std::vector<int64_t> starts(static_cast<size_t>(n) + 1);
    for (int64_t i = 0; i < n; ++i)
      starts[static_cast<size_t>(i) + 1] = starts[static_cast<size_t>(i)] + lengths[i];
    parallel(n, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double sum = 0;
        for (int64_t k = starts[static_cast<size_t>(i)]; k < starts[static_cast<size_t>(i) + 1];
             ++k)
          sum += values[k] * x[columns[k]];
        out[i] = sum;
      }
    });
  });
  peer.write(out);
}
