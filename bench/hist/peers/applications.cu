// SPDX-License-Identifier: Apache-2.0
// Histograms of applications/benchmarks in plain CUDA: what somebody writes who knows the sizes and the device, without a library.
#include "applications.cuh"

namespace {

// ---- k-means: n points of d = 256 numbers, k centres

constexpr int kDims = 256, kWarp = 32;

// A thread has one of the d columns, so nobody else adds to its sums.
__global__ void sums_in_columns(const int* own, const float* points, int64_t n, int k, float* sums, int* counts) {
  extern __shared__ float of_group[];
  const int column = threadIdx.x;
  for (int c = 0; c < k; ++c) of_group[c * kDims + column] = 0;
  int* const counted = reinterpret_cast<int*>(of_group + k * kDims);
  for (int c = column; c < k; c += kDims) counted[c] = 0;
  __syncthreads();
  for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
    const int c = own[i];
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(k)) continue;
    of_group[c * kDims + column] += points[i * kDims + column];
    if (column == 0) ++counted[c];
  }
  __syncthreads();
  for (int c = 0; c < k; ++c) atomicAdd(&sums[c * kDims + column], of_group[c * kDims + column]);
  for (int c = column; c < k; c += kDims) atomicAdd(&counts[c], counted[c]);
}

// Centres that fit no group: sums are in the second cache, four at a time.
__global__ void sums_in_memory(const int* own, const float4* points, int64_t n, int k, float4* sums, int* counts) {
  constexpr int kOfPoint = kDims / 4;
  EACH_POINT(at, n * kOfPoint) {
    const int64_t i = at / kOfPoint;
    const int part = static_cast<int>(at % kOfPoint), c = own[i];
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(k)) continue;
    const float4 x = points[at];
#if __CUDA_ARCH__ >= 900
    atomicAdd(&sums[c * kOfPoint + part], x);
#else
    float* const to = reinterpret_cast<float*>(&sums[c * kOfPoint + part]);
    atomicAdd(to, x.x);
    atomicAdd(to + 1, x.y);
    atomicAdd(to + 2, x.z);
    atomicAdd(to + 3, x.w);
#endif
    if (part == 0) atomicAdd(&counts[c], 1);
  }
}

void sum_points(const int* own, const float* points, int64_t n, int k, float* sums, int* counts) {
  const size_t bytes = (kDims + 1) * sizeof(float) * k;
  if (bytes <= 48 << 10) {
    sums_in_columns<<<multiprocessors() * 8, kDims, bytes>>>(own, points, n, k, sums, counts);
  } else {
    sums_in_memory<<<multiprocessors() * 8, 256>>>(own, reinterpret_cast<const float4*>(points), n, k, reinterpret_cast<float4*>(sums), counts);
  }
}

// A warp has a point; the first k points are the centres.
__global__ void nearest(const float* points, int64_t n, int k, int* own) {
  const int lane = threadIdx.x % kWarp;
  const int64_t warps = int64_t{gridDim.x} * blockDim.x / kWarp;
  for (int64_t i = (blockIdx.x * int64_t{blockDim.x} + threadIdx.x) / kWarp; i < n; i += warps) {
    float least = INFINITY;
    int best = 0;
    for (int c = 0; c < k; ++c) {
      float distance = 0;
      for (int j = lane; j < kDims; j += kWarp) {
        const float x = points[int64_t{c} * kDims + j] - points[i * kDims + j];
        distance += x * x;
      }
      for (int half = kWarp / 2; half > 0; half /= 2) distance += __shfl_xor_sync(~0u, distance, half);
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    if (lane == 0) own[i] = best;
  }
}

__global__ void divide(float* sums, const int* counts) {
  const int count = counts[blockIdx.x];
  sums[blockIdx.x * kDims + threadIdx.x] /= static_cast<float>(count > 1 ? count : 1);
}

// ---- a million bins that stay at 255

__global__ void count_up_to(const int* keys, int64_t n, int bins, int most, int* out) {
  EACH_POINT(i, n) {
    const int key = keys[i];
    if (static_cast<unsigned>(key) < static_cast<unsigned>(bins) && __ldcg(&out[key]) < most) atomicAdd(&out[key], 1);
  }
}
__global__ void clamp(int* out, int bins, int most) {
  EACH_POINT(b, bins) out[b] = out[b] < most ? out[b] : most;
}

// ---- angles: 22 bins, pairs of two sets, or of one

constexpr int kAngles = 22, kAngleThreads = 256;

__global__ void angles(const float* observed, const float* random, int n, int* own, int* both) {
  __shared__ float bounds[kAngles];
  __shared__ float other[kAngleThreads][3];
  __shared__ int counted[kAngleThreads / kWarp][kAngles];
  const int t = threadIdx.x, set = blockIdx.y;
  const bool is_own = blockIdx.z == 0;
  if (t < kAngles - 1) bounds[t] = cosf(3.14159265358979f / 10800 * powf(10, static_cast<float>(t) / 5 - 2));
  for (int b = t; b < kAngleThreads / kWarp * kAngles; b += kAngleThreads) counted[b / kAngles][b % kAngles] = 0;
  const float* const second = random + int64_t{set} * n * 3;
  const float* const first = is_own ? second : observed;
  const int i = blockIdx.x * kAngleThreads + t;
  float x = 0, y = 0, z = 0;
  if (i < n) x = first[3 * i], y = first[3 * i + 1], z = first[3 * i + 2];
  for (int begin = is_own ? static_cast<int>(blockIdx.x) * kAngleThreads : 0; begin < n; begin += kAngleThreads) {
    __syncthreads();
    if (begin + t < n)
      for (int k = 0; k < 3; ++k) other[t][k] = second[3 * (begin + t) + k];
    __syncthreads();
    if (i >= n) continue;
    for (int j = 0; j < kAngleThreads && begin + j < n; ++j) {
      if (is_own && begin + j <= i) continue;
      const float c = x * other[j][0] + y * other[j][1] + z * other[j][2];
      int low = 0, high = kAngles - 1;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (c >= bounds[middle])
          high = middle;
        else
          low = middle + 1;
      }
      atomicAdd(&counted[t / kWarp][low], 1);
    }
  }
  __syncthreads();
  if (t >= kAngles) return;
  int sum = 0;
  for (int w = 0; w < kAngleThreads / kWarp; ++w) sum += counted[w][t];
  atomicAdd(&(is_own ? own : both)[set * kAngles + t], sum);
}

// ---- bytes: bins of each warp

constexpr int kByteThreads = 512, kByteValues = 256;

__global__ void count_bytes(const uint4* words, int64_t n, const unsigned char* bytes, int shift, int* out) {
  __shared__ int counted[kByteThreads / kWarp][kByteValues];
  int* const own = counted[threadIdx.x / kWarp];
  for (int b = threadIdx.x % kWarp; b < kByteValues; b += kWarp) own[b] = 0;
  __syncthreads();
  EACH_POINT(i, n / 16) {
    const uint4 sixteen = words[i];
    for (const unsigned word : {sixteen.x, sixteen.y, sixteen.z, sixteen.w})
      for (int k = 0; k < 32; k += 8) atomicAdd(&own[(word >> k & 255) >> shift], 1);
  }
  EACH_POINT(i, n % 16) atomicAdd(&own[bytes[n - 1 - i] >> shift], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < kByteValues >> shift; b += kByteThreads) {
    int sum = 0;
    for (int w = 0; w < kByteThreads / kWarp; ++w) sum += counted[w][b];
    atomicAdd(&out[b], sum);
  }
}

// ---- registration: weights are whole numbers, which a group adds by an instruction

constexpr float kWeightUnit = 1 << 16;

__device__ float spline(float t) {
  const float a = fabsf(t);
  if (a < 1) return (4 - 6 * a * a + 3 * a * a * a) / 6;
  return a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
}

// Each group has so few points that their weights fit 32 bits.
__global__ void joint(int rows, int columns, const float* fixed, const float* moving, int64_t n, float* out) {
  extern __shared__ unsigned weights[];
  for (int b = threadIdx.x; b < rows * columns; b += blockDim.x) weights[b] = 0;
  __syncthreads();
  EACH_POINT(i, n) {
    const float x = moving[i] * static_cast<float>(columns - 1);
    const int row = min(rows - 1, static_cast<int>(fixed[i] * static_cast<float>(rows)));
    const int left = static_cast<int>(floorf(x)) - 1;
    for (int k = 0; k < 4; ++k) {
      const int column = max(0, min(columns - 1, left + k));
      const float weight = spline(x - static_cast<float>(left + k));
      atomicAdd(&weights[row * columns + column], static_cast<unsigned>(weight * kWeightUnit + 0.5f));
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < rows * columns; b += blockDim.x)
    if (weights[b] != 0) atomicAdd(&out[b], static_cast<float>(weights[b]) / kWeightUnit);
}

// ---- forces: a warp whose pairs have the same first atom adds up before it goes to memory

__device__ float sum_of_warp(float x) {
  for (int half = kWarp / 2; half > 0; half /= 2) x += __shfl_xor_sync(~0u, x, half);
  return x;
}

__global__ void forces_of_pairs(const float* at, const float* charge, const int* is, const int* js, int64_t m, float* fx, float* fy, float* fz) {
  const int lane = threadIdx.x % kWarp;
  const int64_t threads = int64_t{gridDim.x} * blockDim.x, thread = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  for (int64_t begin = thread - lane; begin < m; begin += threads) {
    const int64_t p = begin + lane;
    const bool exists = p < m;
    const int i = is[exists ? p : begin], j = js[exists ? p : begin];
    const float x = at[3 * i] - at[3 * j], y = at[3 * i + 1] - at[3 * j + 1], z = at[3 * i + 2] - at[3 * j + 2];
    const float inverse = 1 / sqrtf(x * x + y * y + z * z);
    const float size = exists ? charge[i] * charge[j] * inverse * inverse * inverse : 0;
    if (exists) {
      atomicAdd(&fx[j], -size * x);
      atomicAdd(&fy[j], -size * y);
      atomicAdd(&fz[j], -size * z);
    }
    const int first = __shfl_sync(~0u, i, 0);
    if (__all_sync(~0u, i == first)) {
      const float sx = sum_of_warp(exists ? size * x : 0), sy = sum_of_warp(exists ? size * y : 0), sz = sum_of_warp(exists ? size * z : 0);
      if (lane == 0) {
        atomicAdd(&fx[i], sx);
        atomicAdd(&fy[i], sy);
        atomicAdd(&fz[i], sz);
      }
    } else if (exists) {
      atomicAdd(&fx[i], size * x);
      atomicAdd(&fy[i], size * y);
      atomicAdd(&fz[i], size * z);
    }
  }
}

// ---- boosting: a group has some rows of one feature

__global__ void boost(int bins, const unsigned char* features, const int* node, const float* gradient, const float* second, int64_t n,
                      float* gradients, float* seconds) {
  extern __shared__ float sums[];
  for (int b = threadIdx.x; b < 2 * bins; b += blockDim.x) sums[b] = 0;
  __syncthreads();
  const int64_t feature = blockIdx.y;
  const unsigned char* const values = features + feature * n;
  EACH_POINT(i, n) {
    const int b = node[i] * 256 + values[i];
    if (static_cast<unsigned>(b) >= static_cast<unsigned>(bins)) continue;
    atomicAdd(&sums[b], gradient[i]);
    atomicAdd(&sums[bins + b], second[i]);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    atomicAdd(&gradients[feature * bins + b], sums[b]);
    atomicAdd(&seconds[feature * bins + b], sums[bins + b]);
  }
}

// ---- bincount

__global__ void count_keys(const int* keys, int64_t n, int bins, unsigned long long* out) {
  extern __shared__ unsigned counted[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) counted[b] = 0;
  __syncthreads();
  EACH_POINT(i, n) {
    const int key = keys[i];
    if (static_cast<unsigned>(key) < static_cast<unsigned>(bins)) atomicAdd(&counted[key], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (counted[b] != 0) atomicAdd(&out[b], static_cast<unsigned long long>(counted[b]));
}

__global__ void add_weights(const int* keys, const double* weights, int64_t n, int bins, int copies, double* out) {
  extern __shared__ double added[];
  for (int b = threadIdx.x; b < bins * copies; b += blockDim.x) added[b] = 0;
  __syncthreads();
  double* const own = added + bins * (threadIdx.x % copies);
  EACH_POINT(i, n) {
    const int key = keys[i];
    if (static_cast<unsigned>(key) < static_cast<unsigned>(bins)) atomicAdd(&own[key], weights[i]);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    double sum = 0;
    for (int c = 0; c < copies; ++c) sum += added[c * bins + b];
    if (sum != 0) atomicAdd(&out[b], sum);
  }
}

constexpr int kThreads = 512;

// Groups of kThreads that run at once.
int groups() { return multiprocessors() * 4; }

}  // namespace

extern "C" double kmeans_sums(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int k = static_cast<int>(app.size(0));
  return app.time(runs, [&] { sum_points(app.arg<int>(1), app.arg<float>(2), app.size(1), k, app.result<float>(0), app.result<int>(1)); });
}

extern "C" double kmeans_step(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int k = static_cast<int>(app.size(0));
  const int64_t n = app.size(1);
  int* const own = app.room<int>(n);
  int* const counts = app.room<int>(k);
  return app.time(runs, [&] {
    cudaMemsetAsync(counts, 0, sizeof(int) * k);
    nearest<<<multiprocessors() * 8, 256>>>(app.arg<float>(1), n, k, own);
    sum_points(own, app.arg<float>(1), n, k, app.result<float>(0), counts);
    divide<<<k, kDims>>>(app.result<float>(0), counts);
  });
}

extern "C" double histo(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int bins = static_cast<int>(out[0].size[0]);
  return app.time(runs, [&] {
    count_up_to<<<groups(), kThreads>>>(app.arg<int>(0), app.size(0), bins, 255, app.result<int>(0));
    clamp<<<groups(), kThreads>>>(app.result<int>(0), bins, 255);
  });
}

extern "C" double tpacf(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int n = static_cast<int>(app.size(0)), sets = static_cast<int>(app.size(1));
  const dim3 all((n + kAngleThreads - 1) / kAngleThreads, sets, 2);
  return app.time(runs, [&] { angles<<<all, kAngleThreads>>>(app.arg<float>(0), app.arg<float>(1), n, app.result<int>(0), app.result<int>(1)); });
}

static double bytes(const Array* in, int ins, const Array* out, int outs, int runs, int shift) {
  Application app(in, ins, out, outs);
  return app.time(runs, [&] {
    count_bytes<<<groups(), kByteThreads>>>(app.arg<uint4>(0), app.size(0), app.arg<unsigned char>(0), shift, app.result<int>(0));
  });
}
extern "C" double bytes_64(const Array* in, int ins, const Array* out, int outs, int runs) { return bytes(in, ins, out, outs, runs, 2); }
extern "C" double bytes_256(const Array* in, int ins, const Array* out, int outs, int runs) { return bytes(in, ins, out, outs, runs, 0); }

extern "C" double registration(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int rows = static_cast<int>(app.size(0)), columns = static_cast<int>(app.size(1));
  const int64_t n = app.size(2), most = 60'000;
  const int wanted = static_cast<int>(std::max<int64_t>(groups(), (n + most - 1) / most));
  return app.time(runs, [&] {
    joint<<<wanted, kThreads, sizeof(unsigned) * rows * columns>>>(rows, columns, app.arg<float>(2), app.arg<float>(3), n, app.result<float>(0));
  });
}

extern "C" double forces(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  return app.time(runs, [&] {
    forces_of_pairs<<<groups(), kThreads>>>(app.arg<float>(0), app.arg<float>(1), app.arg<int>(2), app.arg<int>(3), app.size(2),
                                            app.result<float>(0), app.result<float>(1), app.result<float>(2));
  });
}

extern "C" double boosting(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int bins = static_cast<int>(app.size(0)) * 256, features = static_cast<int>(app.size(1));
  const size_t room = 2 * sizeof(float) * bins;
  app.must(cudaFuncSetAttribute(boost, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  const dim3 all(groups() / features + 1, features);
  return app.time(runs, [&] {
    boost<<<all, kThreads, room>>>(bins, app.arg<unsigned char>(1), app.arg<int>(2), app.arg<float>(3), app.arg<float>(4), app.size(1, 1),
                                   app.result<float>(0), app.result<float>(1));
  });
}

extern "C" double bincount(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  const int bins = static_cast<int>(app.size(0));
  return app.time(runs, [&] {
    count_keys<<<groups(), kThreads, sizeof(int) * bins>>>(app.arg<int>(1), app.size(1), bins, app.result<unsigned long long>(0));
  });
}

extern "C" double bincount_weights(const Array* in, int ins, const Array* out, int outs, int runs) {
  Application app(in, ins, out, outs);
  constexpr int kCopies = 4;
  const int bins = static_cast<int>(app.size(0));
  return app.time(runs, [&] {
    add_weights<<<groups(), kThreads, sizeof(double) * kCopies * bins>>>(app.arg<int>(1), app.arg<double>(2), app.size(1), bins, kCopies,
                                                                         app.result<double>(0));
  });
}
