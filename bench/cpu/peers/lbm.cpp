// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int32_t steps = peer.scalar<int32_t>();
  const Array<float> start = peer.array<float>();
  const int64_t n = start.dim(1), m = start.dim(2), plane = n * m;
  Array<float> a(start.shape()), b(start.shape());
  peer.time([&] {
    std::memcpy(a.data(), start.data(), static_cast<size_t>(9 * plane) * sizeof(float));
    float* from = a.data();
    float* to = b.data();
    for (int32_t step = 0; step < steps; ++step, std::swap(from, to))
      parallel(n, 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t up = (i + n - 1) % n, down = (i + 1) % n;
          const float* __restrict rows[9] = {from + i * m,
                                             from + plane + i * m,
                                             from + 2 * plane + down * m,
                                             from + 3 * plane + i * m,
                                             from + 4 * plane + up * m,
                                             from + 5 * plane + down * m,
                                             from + 6 * plane + down * m,
                                             from + 7 * plane + up * m,
                                             from + 8 * plane + up * m};
          float* __restrict out = to + i * m;
          const auto cell = [&](int64_t j, int64_t l, int64_t r) __attribute__((always_inline)) {
            const float f0 = rows[0][j], f1 = rows[1][l], f2 = rows[2][j], f3 = rows[3][r],
                        f4 = rows[4][j], f5 = rows[5][l], f6 = rows[6][r], f7 = rows[7][r],
                        f8 = rows[8][l];
            const float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            const float ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho,
                        uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
            const float usq = 1.5f * (ux * ux + uy * uy);
            const auto relax = [&](float w, float e, float old) {
              return old + 1.2f * (w * rho * (1 + 3 * e + 4.5f * e * e - usq) - old);
            };
            constexpr float kA = 4.0f / 9, kB = 1.0f / 9, kC = 1.0f / 36;
            out[j] = relax(kA, 0, f0);
            out[plane + j] = relax(kB, ux, f1);
            out[2 * plane + j] = relax(kB, uy, f2);
            out[3 * plane + j] = relax(kB, -ux, f3);
            out[4 * plane + j] = relax(kB, -uy, f4);
            out[5 * plane + j] = relax(kC, ux + uy, f5);
            out[6 * plane + j] = relax(kC, uy - ux, f6);
            out[7 * plane + j] = relax(kC, -ux - uy, f7);
            out[8 * plane + j] = relax(kC, ux - uy, f8);
          };
          cell(0, m - 1, 1);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
          for (int64_t j = 1; j < m - 1; ++j) cell(j, j - 1, j + 1);
          cell(m - 1, m - 2, 0);
        }
      });
    if (from != a.data()) std::swap(a, b);
  });
  peer.write(a);
}
