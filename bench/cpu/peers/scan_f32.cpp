// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> xs = peer.array<float>();
  Array<float> out(xs.shape());
  peer.time([&] { parallel_scan(xs.data(), out.data(), xs.size(), peer.threads()); });
  peer.write(out);
}
