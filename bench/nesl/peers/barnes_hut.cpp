// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

struct Body {
  double m, x, y;
};
struct Cell {
  double m = 0, x = 0, y = 0, size = 0;
  int count = 0;
  std::unique_ptr<Cell[]> children;
};

// The four quarters of a square are cut in turn, in parallel while they are large.
void build(Cell& cell, Body* bodies, int64_t n, double left, double low, double size, int depth) {
  cell.size = size;
  for (int64_t i = 0; i < n; ++i) {
    cell.m += bodies[i].m;
    cell.x += bodies[i].m * bodies[i].x;
    cell.y += bodies[i].m * bodies[i].y;
  }
  cell.x /= cell.m;
  cell.y /= cell.m;
  if (n < 2 || depth == 0) return;
  const double half = size / 2, cx = left + half, cy = low + half;
  Body* const end = bodies + n;
  Body* const upper = std::partition(bodies, end, [=](const Body& b) { return b.y < cy; });
  const auto is_left = [=](const Body& b) { return b.x < cx; };
  Body* const cuts[] = {bodies, std::partition(bodies, upper, is_left), upper,
                        std::partition(upper, end, is_left), end};
  for (int q = 0; q < 4; ++q) cell.count += cuts[q + 1] > cuts[q] ? 1 : 0;
  cell.children = std::make_unique<Cell[]>(static_cast<size_t>(cell.count));
  int used = 0;
  int which[4];
  for (int q = 0; q < 4; ++q) which[q] = cuts[q + 1] > cuts[q] ? used++ : -1;
  const auto one = [&](int q) {
    if (which[q] < 0) return;
    build(cell.children[static_cast<size_t>(which[q])], cuts[q], cuts[q + 1] - cuts[q],
          left + half * (q % 2), low + half * (q / 2), half, depth - 1);
  };
  if (n > 2048) {
    tbb::parallel_for(0, 4, one);
  } else {
    for (int q = 0; q < 4; ++q) one(q);
  }
}

void pull(const Cell& cell, const Body& body, double& fx, double& fy) {
  const double dx = cell.x - body.x, dy = cell.y - body.y, d2 = dx * dx + dy * dy;
  if (cell.count == 0 || cell.size * cell.size < 0.25 * d2) {
    const double r2 = d2 + 1.0e-6, r3 = r2 * std::sqrt(r2);
    fx += cell.m * dx / r3;
    fy += cell.m * dy / r3;
    return;
  }
  for (int k = 0; k < cell.count; ++k) pull(cell.children[static_cast<size_t>(k)], body, fx, fy);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> ms = peer.array<double>(), xs = peer.array<double>(),
                      ys = peer.array<double>();
  const int64_t n = xs.size();
  Array<double> fxs({n}), fys({n});
  peer.time([&] {
    std::vector<Body> bodies(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) bodies[static_cast<size_t>(i)] = {ms[i], xs[i], ys[i]};
    const auto [left, right] = std::minmax_element(xs.data(), xs.data() + n);
    const auto [low, high] = std::minmax_element(ys.data(), ys.data() + n);
    Cell root;
    build(root, bodies.data(), n, *left, *low,
          std::max(*right - *left, *high - *low) * 1.0000001 + 1.0e-9, 40);
    parallel(n, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double fx = 0, fy = 0;
        pull(root, {ms[i], xs[i], ys[i]}, fx, fy);
        fxs[i] = fx;
        fys[i] = fy;
      }
    });
  });
  peer.write(fxs);
  peer.write(fys);
}
