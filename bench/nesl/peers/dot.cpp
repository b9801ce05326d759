// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> xs = peer.array<double>(), ys = peer.array<double>();
  double total = 0;
  peer.time([&] {
    total = tbb::parallel_reduce(
        Range(0, xs.size(), 1 << 15), 0.0,
        [&](const Range& r, double sum) {
          double acc[16] = {};
          int64_t i = r.begin();
          for (; i + 16 <= r.end(); i += 16)
            for (int k = 0; k < 16; ++k) acc[k] += xs[i + k] * ys[i + k];
          for (; i < r.end(); ++i) acc[0] += xs[i] * ys[i];
          for (const double each : acc) sum += each;
          return sum;
        },
        [](double a, double b) { return a + b; });
  });
  peer.write_scalar(total);
}
