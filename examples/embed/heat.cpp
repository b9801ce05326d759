// SPDX-License-Identifier: Apache-2.0
// Heat spreads over a plate whose left edge is hot: lazy arrays of C++ (docs/array-hpp.md).  Each
// step is recorded and runs as one compiled loop.
//
//   heat [BACKEND]
#include <cstdio>
#include <skald/array.hpp>

using skald::array;
using skald::range;

int main(int argc, char** argv) try {
  if (argc > 1) skald::use_backend(argv[1]);
  const int64_t n = 64;
  array<double> plate = array<double>::zeros({n, n});
  plate(skald::all(), 0) = 100.0;
  double change = 1;
  int steps = 0;
  const range inner(1, -1);
  while (change > 0.1) {
    const array<double> old = plate;
    plate(inner, inner) = 0.25 * (old(range(0, -2), inner) + old(range(2), inner) +
                                  old(inner, range(0, -2)) + old(inner, range(2)));
    change = maximum(abs(plate - old)).item();
    ++steps;
  }
  std::printf("%d steps, mean %.3f\n", steps, mean(plate).item());
  return 0;
} catch (const skald::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
