// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> xs = peer.array<float>(), ys = peer.array<float>(), zs = peer.array<float>(),
                     ms = peer.array<float>();
  const int64_t n = xs.size();
  Array<float> ax({n}), ay({n}), az({n});
  // Two vectors of bodies against every other body.
  constexpr int kRows = 2;
  const auto forces = [&](int64_t i) {
    Vec x[kRows], y[kRows], z[kRows], fx[kRows] = {}, fy[kRows] = {}, fz[kRows] = {};
    for (int r = 0; r < kRows; ++r) {
      x[r] = load(&xs[i + r * kWidth]);
      y[r] = load(&ys[i + r * kWidth]);
      z[r] = load(&zs[i + r * kWidth]);
    }
    for (int64_t j = 0; j < n; ++j)
      for (int r = 0; r < kRows; ++r) {
        const Vec dx = xs[j] - x[r], dy = ys[j] - y[r], dz = zs[j] - z[r];
        const Vec r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        const Vec s = ms[j] / (r2 * vsqrt(r2));
        fx[r] += s * dx;
        fy[r] += s * dy;
        fz[r] += s * dz;
      }
    for (int r = 0; r < kRows; ++r) {
      store(&ax[i + r * kWidth], fx[r]);
      store(&ay[i + r * kWidth], fy[r]);
      store(&az[i + r * kWidth], fz[r]);
    }
  };
  constexpr int64_t kStep = kRows * kWidth;
  if (n % kStep != 0) die("the number of bodies must be a multiple of two vectors");
  peer.time([&] {
    parallel(n / kStep, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) forces(i * kStep);
    });
  });
  peer.write(ax);
  peer.write(ay);
  peer.write(az);
}
