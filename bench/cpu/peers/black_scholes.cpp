// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

Vec cnd(Vec d) {
  const Vec k = 1.0f / (1.0f + 0.2316419f * vabs(d));
  const Vec p =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const Vec c = 0.39894228f * vexp(-0.5f * d * d) * p;
  return select(d > Vec{}, 1.0f - c, c);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<float> s = peer.array<float>(), x = peer.array<float>(), t = peer.array<float>();
  const int64_t n = s.size();
  Array<float> call({n}), put({n});
  if (n % kWidth != 0) die("the number of options must be a multiple of a vector");
  constexpr float r = 0.02f, v = 0.3f;
  peer.time([&] {
    parallel(n / kWidth, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * kWidth; i < end * kWidth; i += kWidth) {
        const Vec sv = load(&s[i]), xv = load(&x[i]), tv = load(&t[i]);
        const Vec root = vsqrt(tv);
        const Vec d1 = (vlog(sv / xv) + (r + 0.5f * v * v) * tv) / (v * root);
        const Vec d2 = d1 - v * root;
        const Vec discounted = xv * vexp(-r * tv);
        const Vec a = cnd(d1), b = cnd(d2);
        store(&call[i], sv * a - discounted * b);
        store(&put[i], discounted * (1.0f - b) - sv * (1.0f - a));
      }
    });
  });
  peer.write(call);
  peer.write(put);
}
