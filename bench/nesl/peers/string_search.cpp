// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<uint8_t> text = peer.array<uint8_t>(), word = peer.array<uint8_t>();
  int64_t found = 0;
  peer.time([&] {
    found = tbb::parallel_reduce(
        Range(0, text.size() - word.size() + 1, 1 << 16), int64_t{0},
        [&](const Range& r, int64_t count) {
          for (int64_t i = r.begin(); i < r.end(); ++i)
            count +=
                std::memcmp(text.data() + i, word.data(), static_cast<size_t>(word.size())) == 0;
          return count;
        },
        [](int64_t a, int64_t b) { return a + b; });
  });
  peer.write_scalar(found);
}
