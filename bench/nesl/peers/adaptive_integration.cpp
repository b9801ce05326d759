// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

double g(double x) {
  return std::sin(x) * std::sin(x * x);
}
double simpson(double a, double b) {
  return (b - a) / 6 * (g(a) + 4 * g((a + b) / 2) + g(b));
}

double refined(double a, double b, double error, int depth) {
  const double m = (a + b) / 2, halves = simpson(a, m) + simpson(m, b);
  if (std::abs(halves - simpson(a, b)) < 15 * error) return halves;
  double left = 0, right = 0;
  const auto first = [&] { left = refined(a, m, error / 2, depth + 1); };
  const auto second = [&] { right = refined(m, b, error / 2, depth + 1); };
  if (depth < 10) {
    tbb::parallel_invoke(first, second);
  } else {
    first();
    second();
  }
  return left + right;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const auto a = static_cast<double>(peer.scalar<int64_t>());
  const auto b = static_cast<double>(peer.scalar<int64_t>());
  double error = 1;
  for (int64_t digits = peer.scalar<int64_t>(); digits > 0; --digits) error *= 10;
  double result = 0;
  peer.time([&] { result = refined(a, b, 1 / error, 0); });
  peer.write_scalar(result);
}
