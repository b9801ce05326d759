// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// Points are few floats each; a vector holds one coordinate of several points.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t k = peer.scalar<int64_t>();
  const int32_t rounds = peer.scalar<int32_t>();
  const Array<float> points = peer.array<float>();
  const int64_t n = points.dim(0), d = points.dim(1);
  if (n % kWidth != 0) die("the number of points must be a multiple of a vector");
  Array<float> centres({k, d});
  struct Sums {
    std::vector<float> sums;
    std::vector<int32_t> counts;
  };
  peer.time([&] {
    std::memcpy(centres.data(), points.data(), static_cast<size_t>(k * d) * sizeof(float));
    for (int32_t round = 0; round < rounds; ++round) {
      tbb::enumerable_thread_specific<Sums> all([&] {
        return Sums{std::vector<float>(static_cast<size_t>(k * d)),
                    std::vector<int32_t>(static_cast<size_t>(k))};
      });
      parallel(n / kWidth, 512, [&](int64_t begin, int64_t end) {
        Sums& own = all.local();
        std::vector<Vec> block(static_cast<size_t>(d));
        for (int64_t v = begin; v < end; ++v) {
          const float* first = points.data() + v * kWidth * d;
          for (int64_t c = 0; c < d; ++c)
            for (int lane = 0; lane < kWidth; ++lane)
              block[static_cast<size_t>(c)][lane] = first[lane * d + c];
          Vec least = splat(INFINITY);
          VecI best = {};
          for (int64_t i = 0; i < k; ++i) {
            Vec t = {};
            for (int64_t c = 0; c < d; ++c) {
              const Vec diff = centres[i * d + c] - block[static_cast<size_t>(c)];
              t += diff * diff;
            }
            const VecI closer = t < least;
            least = select(closer, t, least);
            best = (closer & static_cast<int32_t>(i)) | (~closer & best);
          }
          for (int lane = 0; lane < kWidth; ++lane) {
            const int64_t b = best[lane];
            ++own.counts[static_cast<size_t>(b)];
            for (int64_t c = 0; c < d; ++c)
              own.sums[static_cast<size_t>(b * d + c)] += first[lane * d + c];
          }
        }
      });
      std::vector<double> sums(static_cast<size_t>(k * d));
      std::vector<int32_t> counts(static_cast<size_t>(k));
      for (const Sums& own : all) {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += own.sums[i];
        for (size_t i = 0; i < counts.size(); ++i) counts[i] += own.counts[i];
      }
      for (int64_t i = 0; i < k * d; ++i)
        centres[i] = static_cast<float>(sums[static_cast<size_t>(i)] /
                                        std::max(1, counts[static_cast<size_t>(i / d)]));
    }
  });
  peer.write(centres);
}
