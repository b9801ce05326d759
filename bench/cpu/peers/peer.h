// SPDX-License-Identifier: Apache-2.0
// What the hand-written programs share: values in and out (Futhark's binary format), timing, loops.
//
//   PEER INPUT OUTPUT RUNS [THREADS]    prints the microseconds of each run, one per line, after
//   one
//                                       that does not count; writes the results of the last one
//
// A peer is written as an experienced programmer would for this one machine: oneTBB for the cores,
// loops that g++ and clang can turn into vector code, intrinsics where they cannot.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#ifdef PEER_SLEEF
#include <sleef.h>
#endif

using Range = tbb::blocked_range<int64_t>;

// Memory that is not set to zero first, as any program that cares would have it.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::vector<int64_t> shape) : shape_(std::move(shape)) {
    for (const int64_t d : shape_) size_ *= d;
    data_.reset(static_cast<T*>(std::aligned_alloc(64, (size_ * sizeof(T) + 127) / 64 * 64)));
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](int64_t i) { return data_.get()[i]; }
  const T& operator[](int64_t i) const { return data_.get()[i]; }
  int64_t size() const { return data_ ? size_ : 0; }
  int64_t dim(size_t d) const { return shape_[d]; }
  const std::vector<int64_t>& shape() const { return shape_; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::vector<int64_t> shape_;
  int64_t size_ = 1;
  std::unique_ptr<T, Free> data_;
};

template <class T>
const char* type_code() {
  if constexpr (std::is_same_v<T, float>) return " f32";
  if constexpr (std::is_same_v<T, double>) return " f64";
  if constexpr (std::is_same_v<T, uint8_t>) return "  u8";
  if constexpr (std::is_same_v<T, int32_t>) return " i32";
  if constexpr (std::is_same_v<T, uint32_t>) return " u32";
  return " i64";
}

[[noreturn]] inline void die(const char* what) {
  std::fprintf(stderr, "peer: %s\n", what);
  std::exit(2);
}

class Peer {
 public:
  Peer(int argc, char** argv) {
    if (argc < 4) die("usage: PEER INPUT OUTPUT RUNS [THREADS]");
    in_ = std::fopen(argv[1], "rb");
    output_ = argv[2];
    runs_ = std::atoi(argv[3]);
    threads_ = argc > 4 ? std::atoi(argv[4]) : 0;
    if (threads_ <= 0) threads_ = tbb::info::default_concurrency();
    limit_ = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                   static_cast<size_t>(threads_));
    if (in_ == nullptr) die("cannot read the input");
  }
  int threads() const { return threads_; }

  template <class T>
  Array<T> array() {
    unsigned char head[7];
    take(head, 3);
    std::vector<int64_t> shape(head[2]);
    take(head + 3, 4);
    if (std::memcmp(head + 3, type_code<T>(), 4) != 0) die("the input has another type");
    for (int64_t& d : shape) take(&d, 8);
    Array<T> values(shape);
    take(values.data(), static_cast<size_t>(values.size()) * sizeof(T));
    return values;
  }
  template <class T>
  T scalar() {
    return array<T>()[0];
  }

  template <class Work>
  void time(const Work& work) {
    for (int run = 0; run <= runs_; ++run) {
      const auto start = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      if (run > 0) std::printf("%.1f\n", took.count());
    }
  }

  template <class T>
  void write(const Array<T>& values) {
    write(values.data(), values.shape());
  }
  template <class T>
  void write(const T* data, const std::vector<int64_t>& shape) {
    if (out_ == nullptr) out_ = std::fopen(output_.c_str(), "wb");
    if (out_ == nullptr) die("cannot write the output");
    const unsigned char head[3] = {'b', 2, static_cast<unsigned char>(shape.size())};
    int64_t size = 1;
    for (const int64_t d : shape) size *= d;
    std::fwrite(head, 1, 3, out_);
    std::fwrite(type_code<T>(), 1, 4, out_);
    std::fwrite(shape.data(), 8, shape.size(), out_);
    std::fwrite(data, sizeof(T), static_cast<size_t>(size), out_);
    std::fflush(out_);
  }
  template <class T>
  void write_scalar(T value) {
    write(&value, {});
  }

 private:
  void take(void* to, size_t bytes) {
    if (std::fread(to, 1, bytes, in_) != bytes) die("the input ends too early");
  }
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
  std::string output_;
  int runs_ = 0;
  int threads_ = 0;
  std::unique_ptr<tbb::global_control> limit_;
};

// body(begin, end) over pieces of at least `grain`.
template <class Body>
void parallel(int64_t n, int64_t grain, const Body& body) {
  tbb::parallel_for(Range(0, n, static_cast<size_t>(grain)),
                    [&](const Range& r) { body(r.begin(), r.end()); });
}

// Many accumulators, so that a compiler may use vector registers without reassociating.
template <class Term>
float sum_of(int64_t begin, int64_t end, const Term& term) {
  constexpr int kLanes = 32;
  float acc[kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (int k = 0; k < kLanes; ++k) acc[k] += term(i + k);
  for (; i < end; ++i) acc[0] += term(i);
  for (int step = kLanes / 2; step > 0; step /= 2)
    for (int k = 0; k < step; ++k) acc[k] += acc[k + step];
  return acc[0];
}
template <class Term>
float parallel_sum(int64_t n, const Term& term) {
  return tbb::parallel_reduce(
      Range(0, n, 1 << 15), 0.0f,
      [&](const Range& r, float total) { return total + sum_of(r.begin(), r.end(), term); },
      [](float a, float b) { return a + b; });
}

// Pieces for two-pass algorithms: a few for each thread.
struct Pieces {
  Pieces(int64_t total, int64_t least, int threads) : n(total) {
    count = std::max<int64_t>(1, std::min<int64_t>(threads * 4, total / least));
  }
  int64_t begin(int64_t k) const { return n * k / count; }
  int64_t n, count;
};

// Four or eight floats.
#if defined(__AVX__)
constexpr int kWidth = 8;
#else
constexpr int kWidth = 4;
#endif
typedef float Vec __attribute__((vector_size(kWidth * 4)));
typedef int32_t VecI __attribute__((vector_size(kWidth * 4)));
typedef uint32_t VecU __attribute__((vector_size(kWidth * 4)));

inline Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vec v) {
  std::memcpy(p, &v, sizeof v);
}
inline Vec splat(float x) {
  return x - Vec{};
}
inline Vec select(VecI mask, Vec a, Vec b) {
  return (Vec)((mask & (VecI)a) | (~mask & (VecI)b));
}
inline bool any(VecI mask) {
  int32_t bits = 0;
  for (int k = 0; k < kWidth; ++k) bits |= mask[k];
  return bits != 0;
}
inline Vec vsqrt(Vec v) {
  for (int k = 0; k < kWidth; ++k) v[k] = std::sqrt(v[k]);
  return v;
}
inline Vec vmax(Vec a, Vec b) {
  return select(a > b, a, b);
}
inline Vec vmin(Vec a, Vec b) {
  return select(a < b, a, b);
}
inline Vec vabs(Vec a) {
  return (Vec)((VecI)a & 0x7fffffff);
}

// Maths: SLEEF where it is installed, else the C library lane by lane.
#define PEER_SLEEF_LANES(name, function, type) \
  inline Vec name(Vec v) {                     \
    return (Vec)function((type)v);             \
  }
#if defined(PEER_SLEEF) && defined(__AVX__)
PEER_SLEEF_LANES(vexp, Sleef_expf8_u10, __m256)
PEER_SLEEF_LANES(vlog, Sleef_logf8_u10, __m256)
PEER_SLEEF_LANES(vcos, Sleef_cosf8_u10, __m256)
PEER_SLEEF_LANES(vsin, Sleef_sinf8_u10, __m256)
#elif defined(PEER_SLEEF) && defined(__aarch64__)
PEER_SLEEF_LANES(vexp, Sleef_expf4_u10, float32x4_t)
PEER_SLEEF_LANES(vlog, Sleef_logf4_u10, float32x4_t)
PEER_SLEEF_LANES(vcos, Sleef_cosf4_u10, float32x4_t)
PEER_SLEEF_LANES(vsin, Sleef_sinf4_u10, float32x4_t)
#else
#define PEER_LANES(name, function)                          \
  inline Vec name(Vec v) {                                  \
    for (int k = 0; k < kWidth; ++k) v[k] = function(v[k]); \
    return v;                                               \
  }
PEER_LANES(vexp, std::exp)
PEER_LANES(vlog, std::log)
PEER_LANES(vcos, std::cos)
PEER_LANES(vsin, std::sin)
#endif

inline VecU vhash(VecU x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
inline Vec to_float(VecU x) {
  return __builtin_convertvector((VecI)x, Vec);  // less than 2^31
}
inline VecU lane_numbers() {
  VecU v;
  for (int k = 0; k < kWidth; ++k) v[k] = static_cast<uint32_t>(k);
  return v;
}
