// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const float a = peer.scalar<float>();
  const Array<float> xs = peer.array<float>(), ys = peer.array<float>();
  Array<float> out(xs.shape());
  peer.time([&] {
    parallel(xs.size(), 1 << 15, [&](int64_t begin, int64_t end) {
      const float* x = xs.data();
      const float* y = ys.data();
      float* z = out.data();
      for (int64_t i = begin; i < end; ++i) z[i] = a * x[i] + y[i];
    });
  });
  peer.write(out);
}
