// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// The largest angle of each piece, then the pieces again from the largest before them.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> heights = peer.array<double>();
  const int64_t n = heights.size();
  int64_t result = 0;
  peer.time([&] {
    const auto angle = [&](int64_t i) {
      return i == 0 ? -1.0e300 : (heights[i] - heights[0]) / static_cast<double>(i);
    };
    const Pieces pieces(n, 65536, peer.threads());
    std::vector<double> tops(static_cast<size_t>(pieces.count) + 1, -INFINITY);
    tbb::parallel_for(int64_t{0}, pieces.count, [&](int64_t p) {
      double top[8];
      std::fill(top, top + 8, -INFINITY);
      int64_t i = pieces.begin(p);
      for (; i + 8 <= pieces.begin(p + 1); i += 8)
        for (int k = 0; k < 8; ++k) top[k] = std::max(top[k], angle(i + k));
      for (; i < pieces.begin(p + 1); ++i) top[0] = std::max(top[0], angle(i));
      tops[static_cast<size_t>(p) + 1] = *std::max_element(top, top + 8);
    });
    for (size_t p = 1; p < tops.size(); ++p) tops[p] = std::max(tops[p], tops[p - 1]);
    std::vector<int64_t> counts(static_cast<size_t>(pieces.count));
    tbb::parallel_for(int64_t{0}, pieces.count, [&](int64_t p) {
      double top = tops[static_cast<size_t>(p)];
      int64_t count = 0;
      for (int64_t i = pieces.begin(p); i < pieces.begin(p + 1); ++i) {
        const double a = angle(i);
        if (a > top) ++count, top = a;
      }
      counts[static_cast<size_t>(p)] = count;
    });
    result = 0;
    for (const int64_t count : counts) result += count;
  });
  peer.write_scalar(result);
}
