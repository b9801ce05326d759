// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

Vec uniform(VecU x) {
  return (to_float(vhash(x) >> 8) + 0.5f) / 16777216.0f;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t paths = peer.scalar<int64_t>();
  const int32_t steps = peer.scalar<int32_t>();
  if (paths % kWidth != 0) die("the number of paths must be a multiple of a vector");
  const float dt = 1 / static_cast<float>(steps);
  const float drift = (0.02f - 0.5f * 0.3f * 0.3f) * dt, spread = 0.3f * std::sqrt(dt);
  const auto step_count = static_cast<uint32_t>(steps);
  const auto vector_of_paths = [&](int64_t i) {
    Vec price = splat(100), total = {};
    const VecU first = (lane_numbers() + static_cast<uint32_t>(i)) * 2u * step_count;
    for (uint32_t k = 0; k < step_count; ++k) {
      const VecU seed = first + 2u * k;
      const Vec normal = vsqrt(-2.0f * vlog(uniform(seed))) * vcos(6.2831853f * uniform(seed + 1u));
      price *= vexp(drift + spread * normal);
      total += price;
    }
    return vmax(Vec{}, total / static_cast<float>(steps) - 100.0f);
  };
  float result = 0;
  peer.time([&] {
    const double sum = tbb::parallel_reduce(
        Range(0, paths / kWidth, 256), 0.0,
        [&](const Range& r, double total) {
          Vec acc = {};
          for (int64_t i = r.begin(); i < r.end(); ++i) acc += vector_of_paths(i * kWidth);
          for (int k = 0; k < kWidth; ++k) total += acc[k];
          return total;
        },
        [](double a, double b) { return a + b; });
    result = static_cast<float>(sum / static_cast<double>(paths));
  });
  peer.write_scalar(result);
}
