// SPDX-License-Identifier: Apache-2.0
#include "hist.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  Array<uint32_t> out({peer.scalar<int64_t>()});
  const Array<int32_t> keys = peer.array<int32_t>();
  const auto saturating = [](uint32_t& a, uint32_t b) { a = std::min(0xffffffu, a + b); };
  peer.time([&] {
    histogram(
        keys, out, 0u, peer.threads(),
        [&](uint32_t& bin, int64_t i) {
          saturating(bin, (static_cast<uint32_t>(keys[i]) & 255) + 1);
        },
        saturating);
  });
  peer.write(out);
}
