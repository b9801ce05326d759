// SPDX-License-Identifier: Apache-2.0
#include "hist.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  Array<int32_t> out({peer.scalar<int64_t>()});
  const Array<int32_t> keys = peer.array<int32_t>();
  peer.time([&] {
    histogram(
        keys, out, 0, peer.threads(), [](int32_t& bin, int64_t) { ++bin; },
        [](int32_t& a, int32_t b) { a += b; });
  });
  peer.write(out);
}
