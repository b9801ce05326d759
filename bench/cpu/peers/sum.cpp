// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> xs = peer.array<float>();
  float total = 0;
  peer.time([&] { total = parallel_sum(xs.size(), [&](int64_t i) { return xs[i]; }); });
  peer.write_scalar(total);
}
