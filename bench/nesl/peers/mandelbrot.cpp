// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const auto width = peer.scalar<int64_t>(), height = peer.scalar<int64_t>(),
             limit = peer.scalar<int64_t>();
  Array<int64_t> out({width * height});
  peer.time([&] {
    parallel(height, 4, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j)
        for (int64_t i = 0; i < width; ++i) {
          const double cx = 3.0 * static_cast<double>(i) / static_cast<double>(width) - 2.0;
          const double cy = 2.0 * static_cast<double>(j) / static_cast<double>(height) - 1.0;
          double x = 0, y = 0;
          int64_t n = 0;
          while (n != limit && x * x + y * y <= 4.0) {
            const double next = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = next;
            ++n;
          }
          out[j * width + i] = n;
        }
    });
  });
  peer.write(out);
}
