// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// A vector of samples for one point: the rays of one pixel stay together.
namespace {

constexpr float kFar = 1e30f;

struct Point {
  float x, y, z;
};
struct Rays {
  Vec x, y, z;
};
constexpr Point kCentres[3] = {{-2, 0, -3.5f}, {-0.5f, 0, -3}, {1, 0, -2.2f}};
constexpr float kRadius = 0.5f;

Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Point operator*(float s, Point a) {
  return {s * a.x, s * a.y, s * a.z};
}
float dot(Point a, Point b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Point cross(Point a, Point b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Point normalise(Point a) {
  return (1 / std::sqrt(dot(a, a))) * a;
}

float hit_sphere(Point o, Point d, Point c) {
  const Point rs = o - c;
  const float b = dot(rs, d), disc = b * b - (dot(rs, rs) - kRadius * kRadius);
  const float t = -b - std::sqrt(std::max(0.0f, disc));
  return disc > 0 && t > 0 ? t : kFar;
}
float hit_plane(Point o, Point d) {
  const float t = -(o.y + 0.5f) / d.y;
  return std::abs(d.y) > 1e-6f && t > 0 ? t : kFar;
}

VecI occluded(Point o, const Rays& d) {
  VecI hit = {};
  for (const Point& c : kCentres) {
    const Point rs = o - c;
    const Vec b = rs.x * d.x + rs.y * d.y + rs.z * d.z;
    const Vec disc = b * b - (dot(rs, rs) - kRadius * kRadius);
    hit |= (disc > Vec{}) & (-b - vsqrt(vmax(Vec{}, disc)) > Vec{});
  }
  return hit | ((vabs(d.y) > splat(1e-6f)) & (-(o.y + 0.5f) / d.y > Vec{}));
}

Vec uniform(VecU x) {
  return to_float(vhash(x) >> 8) / 16777216.0f;
}

float shade(int32_t samples, uint32_t pixel, Point o, Point d) {
  const float t0 = hit_sphere(o, d, kCentres[0]), t1 = hit_sphere(o, d, kCentres[1]),
              t2 = hit_sphere(o, d, kCentres[2]), tp = hit_plane(o, d);
  const float t = std::min(std::min(t0, t1), std::min(t2, tp));
  if (t >= kFar) return 0;
  Point p = o + t * d;
  const Point n = t == tp ? Point{0, 1, 0} : normalise(p - kCentres[t == t0 ? 0 : t == t1 ? 1 : 2]);
  p = p + 0.001f * n;
  const Point up = std::abs(n.x) < 0.6f ? Point{1, 0, 0} : Point{0, 1, 0};
  const Point u = normalise(cross(up, n)), v = cross(n, u);
  int32_t free = 0;
  for (int32_t k = 0; k < samples; k += kWidth) {
    const VecU seed =
        (pixel * static_cast<uint32_t>(samples) + static_cast<uint32_t>(k) + lane_numbers()) * 2u;
    const Vec theta = vsqrt(uniform(seed)), phi = 6.2831853f * uniform(seed + 1u);
    const Vec x = vcos(phi) * theta, y = vsin(phi) * theta;
    const Vec z = vsqrt(vmax(Vec{}, 1.0f - theta * theta));
    const VecI hit = occluded(
        p, {x * u.x + y * v.x + z * n.x, x * u.y + y * v.y + z * n.y, x * u.z + y * v.z + z * n.z});
    for (int lane = 0; lane < kWidth; ++lane) free += hit[lane] == 0;
  }
  return static_cast<float>(free) / static_cast<float>(samples);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t width = peer.scalar<int64_t>(), height = peer.scalar<int64_t>();
  const int32_t samples = peer.scalar<int32_t>();
  if (samples % kWidth != 0) die("the number of samples must be a multiple of a vector");
  Array<float> out({height, width});
  const float half_width = static_cast<float>(width) / 2,
              half_height = static_cast<float>(height) / 2;
  peer.time([&] {
    parallel(height, 1, [&](int64_t begin, int64_t end) {
      for (int64_t y = begin; y < end; ++y)
        for (int64_t x = 0; x < width; ++x) {
          const float px = (static_cast<float>(x) - half_width) / half_width;
          const float py = (half_height - static_cast<float>(y)) / half_height;
          out[y * width + x] = shade(samples, static_cast<uint32_t>(y * width + x), {0, 0, 0},
                                     normalise({px, py, -1}));
        }
    });
  });
  peer.write(out);
}
