// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

struct Point {
  double x, y;
};

double distance(Point a, Point p, Point q) {
  return (p.x - a.x) * (q.y - a.y) - (p.y - a.y) * (q.x - a.x);
}

struct Hull {
  int64_t count = 0;
  double x = 0, y = 0;
  void add(Point p) {
    ++count;
    x += p.x;
    y += p.y;
  }
  void add(const Hull& other) {
    count += other.count;
    x += other.x;
    y += other.y;
  }
};

// Keeps what lies outside in place, in order, in pieces; gives the farthest.
struct Kept {
  std::vector<Point> points;
  Point top{};
  double height = 0;
};
Kept outside(const Point* points, int64_t n, Point p, Point q) {
  const auto piece = [&](int64_t begin, int64_t end) {
    Kept kept;
    kept.points.reserve(static_cast<size_t>(end - begin) / 2);
    for (int64_t i = begin; i < end; ++i) {
      const double h = distance(points[i], p, q);
      if (h > 0) kept.points.push_back(points[i]);
      if (h > kept.height) kept.height = h, kept.top = points[i];
    }
    return kept;
  };
  if (n < 65536) return piece(0, n);
  const Pieces pieces(n, 32768, 2);
  std::vector<Kept> parts(static_cast<size_t>(pieces.count));
  tbb::parallel_for(int64_t{0}, pieces.count, [&](int64_t k) {
    parts[static_cast<size_t>(k)] = piece(pieces.begin(k), pieces.begin(k + 1));
  });
  Kept all;
  size_t total = 0;
  for (const Kept& part : parts) total += part.points.size();
  all.points.resize(total);
  std::vector<size_t> starts = {0};
  for (const Kept& part : parts) starts.push_back(starts.back() + part.points.size());
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t k) {
    std::copy(parts[k].points.begin(), parts[k].points.end(), all.points.begin() + starts[k]);
  });
  for (const Kept& part : parts)
    if (part.height > all.height) all.height = part.height, all.top = part.top;
  return all;
}

Hull half_hull(const Point* points, int64_t n, Point p, Point q) {
  const Kept kept = outside(points, n, p, q);
  Hull hull;
  const auto m = static_cast<int64_t>(kept.points.size());
  if (m < 2) {
    hull.add(p);
    for (const Point& each : kept.points) hull.add(each);
    return hull;
  }
  Hull second;
  const auto left = [&] { hull = half_hull(kept.points.data(), m, p, kept.top); };
  const auto right = [&] { second = half_hull(kept.points.data(), m, kept.top, q); };
  if (m > 1024) {
    tbb::parallel_invoke(left, right);
  } else {
    left();
    right();
  }
  hull.add(second);
  return hull;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> xs = peer.array<double>(), ys = peer.array<double>();
  const int64_t n = xs.size();
  Hull hull;
  peer.time([&] {
    std::vector<Point> points(static_cast<size_t>(n));
    parallel(n, 65536, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) points[static_cast<size_t>(i)] = {xs[i], ys[i]};
    });
    const Point left =
        points[static_cast<size_t>(std::min_element(xs.data(), xs.data() + n) - xs.data())];
    const Point right =
        points[static_cast<size_t>(std::max_element(xs.data(), xs.data() + n) - xs.data())];
    hull = half_hull(points.data(), n, left, right);
    hull.add(half_hull(points.data(), n, right, left));
  });
  peer.write_scalar(hull.count);
  peer.write_scalar(hull.x);
  peer.write_scalar(hull.y);
}
