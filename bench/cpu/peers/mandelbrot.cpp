// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// One vector of points at a time, until all have escaped.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t width = peer.scalar<int64_t>(), height = peer.scalar<int64_t>();
  const int32_t limit = peer.scalar<int32_t>();
  Array<int32_t> out({height, width});
  const auto point = [&](int64_t y, int64_t x) {
    const float ci = static_cast<float>(y) * 2 / static_cast<float>(height) - 1;
    const Vec cr = __builtin_convertvector((VecI)lane_numbers() + static_cast<int32_t>(x), Vec) *
                       3.0f / static_cast<float>(width) -
                   2.0f;
    Vec zr = {}, zi = {};
    VecI count = {};
    for (int32_t i = 0; i < limit; ++i) {
      const VecI inside = zr * zr + zi * zi <= splat(4);
      if (!any(inside)) break;
      const Vec next = zr * zr - zi * zi + cr;
      zi = select(inside, 2.0f * zr * zi + ci, zi);
      zr = select(inside, next, zr);
      count -= inside;
    }
    return count;
  };
  peer.time([&] {
    parallel(height, 1, [&](int64_t begin, int64_t end) {
      for (int64_t y = begin; y < end; ++y)
        for (int64_t x = 0; x < width; x += kWidth) {
          const VecI count = point(y, x);
          std::memcpy(&out[y * width + x], &count,
                      sizeof(int32_t) * static_cast<size_t>(std::min<int64_t>(kWidth, width - x)));
        }
    });
  });
  peer.write(out);
}
