// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

#if defined(PEER_SLEEF) && defined(__AVX512F__)
constexpr int kDoubles = 8;
typedef double Doubles __attribute__((vector_size(64)));
Doubles exp_of(Doubles v) {
  return (Doubles)Sleef_expd8_u10((__m512d)v);
}
Doubles log_of(Doubles v) {
  return (Doubles)Sleef_logd8_u10((__m512d)v);
}
#else
constexpr int kDoubles = 4;
typedef double Doubles __attribute__((vector_size(32)));
Doubles exp_of(Doubles v) {
  for (int k = 0; k < kDoubles; ++k) v[k] = std::exp(v[k]);
  return v;
}
Doubles log_of(Doubles v) {
  for (int k = 0; k < kDoubles; ++k) v[k] = std::log(v[k]);
  return v;
}
#endif

Doubles root_of(Doubles v) {
  for (int k = 0; k < kDoubles; ++k) v[k] = std::sqrt(v[k]);
  return v;
}

Doubles normal(Doubles d) {
  const Doubles size = d < 0 ? -d : d;
  const Doubles k = 1 / (1 + 0.2316419 * size);
  const Doubles poly =
      k *
      (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const Doubles tail = exp_of(-0.5 * d * d) / std::sqrt(2 * std::acos(-1.0)) * poly;
  return d > 0 ? 1 - tail : tail;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> spots = peer.array<double>(), strikes = peer.array<double>(),
                      years = peer.array<double>();
  const int64_t n = spots.size();
  if (n % kDoubles != 0) die("the number of options must be a multiple of 8");
  Array<double> calls({n}), puts({n});
  const double rate = 0.02, volatility = 0.3;
  peer.time([&] {
    parallel(n / kDoubles, 2048, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * kDoubles; i < end * kDoubles; i += kDoubles) {
        Doubles s, x, t;
        std::memcpy(&s, spots.data() + i, sizeof s);
        std::memcpy(&x, strikes.data() + i, sizeof x);
        std::memcpy(&t, years.data() + i, sizeof t);
        const Doubles root = volatility * root_of(t);
        const Doubles d1 = (log_of(s / x) + (rate + 0.5 * volatility * volatility) * t) / root;
        const Doubles now = x * exp_of(-rate * t);
        const Doubles call = s * normal(d1) - now * normal(d1 - root), put = call + now - s;
        std::memcpy(calls.data() + i, &call, sizeof call);
        std::memcpy(puts.data() + i, &put, sizeof put);
      }
    });
  });
  peer.write(calls);
  peer.write(puts);
}
