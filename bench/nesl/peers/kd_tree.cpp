// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

struct Point {
  double at[2];
};

// The points in the order of the tree, each part cut at the point in the middle.
void build(Point* points, int64_t n, int axis) {
  if (n < 2) return;
  const int64_t half = n / 2;
  std::nth_element(points, points + half, points + n,
                   [=](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; });
  const auto left = [=] { build(points, half, 1 - axis); };
  const auto right = [=] { build(points + half + 1, n - half - 1, 1 - axis); };
  if (n > 2048) {
    tbb::parallel_invoke(left, right);
  } else {
    left();
    right();
  }
}

double nearest(const Point* points, int64_t n, int axis, Point query, double best) {
  if (n == 0) return best;
  const int64_t half = n / 2;
  const double dx = points[half].at[0] - query.at[0], dy = points[half].at[1] - query.at[1];
  const double cut = query.at[axis] - points[half].at[axis];
  best = std::min(best, dx * dx + dy * dy);
  const Point* const right = points + half + 1;
  const int64_t rest = n - half - 1;
  best = cut < 0 ? nearest(points, half, 1 - axis, query, best)
                 : nearest(right, rest, 1 - axis, query, best);
  if (cut * cut >= best) return best;
  return cut < 0 ? nearest(right, rest, 1 - axis, query, best)
                 : nearest(points, half, 1 - axis, query, best);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> xs = peer.array<double>(), ys = peer.array<double>(),
                      qxs = peer.array<double>(), qys = peer.array<double>();
  const int64_t n = xs.size();
  Array<double> out({qxs.size()});
  peer.time([&] {
    std::vector<Point> points(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) points[static_cast<size_t>(i)] = {{xs[i], ys[i]}};
    build(points.data(), n, 0);
    parallel(qxs.size(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = std::sqrt(nearest(points.data(), n, 0, {{qxs[i], qys[i]}}, 1.0e300));
    });
  });
  peer.write(out);
}
