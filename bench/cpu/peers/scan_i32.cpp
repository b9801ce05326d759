// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int32_t> xs = peer.array<int32_t>();
  Array<int32_t> out(xs.shape());
  peer.time([&] { parallel_scan(xs.data(), out.data(), xs.size(), peer.threads()); });
  peer.write(out);
}
