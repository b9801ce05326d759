// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> lengths = peer.array<int64_t>();
  const Array<double> values = peer.array<double>();
  const int64_t n = lengths.size();
  Array<double> out({values.size()});
  peer.time([&] {
    std::vector<int64_t> starts(static_cast<size_t>(n) + 1);
    for (int64_t i = 0; i < n; ++i)
      starts[static_cast<size_t>(i) + 1] = starts[static_cast<size_t>(i)] + lengths[i];
    parallel(n, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = starts[static_cast<size_t>(i)],
                      last = starts[static_cast<size_t>(i) + 1];
        double top = -INFINITY;
        for (int64_t k = first; k < last; ++k) top = std::max(top, values[k]);
        double sum = 0;
        for (int64_t k = first; k < last; ++k) {
          out[k] = sum;
          sum += values[k] / top;
        }
      }
    });
  });
  peer.write(out);
}
