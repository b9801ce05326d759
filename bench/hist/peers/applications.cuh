// SPDX-License-Identifier: Apache-2.0
// Applications written by hand in CUDA, as run.py calls them:
//
//   double NAME(const Array* in, int ins, const Array* out, int outs, int runs)
//
// takes the arguments of our program as arrays on the host, writes what its results are, for run.py to compare, and gives the median
// microseconds of a call on the device; negative if it failed.
#pragma once

#include "timing.cuh"

// A number is its size[0], without data.
struct Array {
  void* data;
  int64_t bytes;
  int64_t size[3];
};

// Arguments and results on the device.
class Application {
 public:
  Application(const Array* in, int ins, const Array* out, int outs) : in_(in), out_(out), ins_(ins), outs_(outs) {
    for (int k = 0; k < ins; ++k) {
      fine_ = fine_ && copies_in_.emplace_back().get(in[k].bytes);
      if (in[k].data != nullptr) must(cudaMemcpy(copies_in_[k].at, in[k].data, in[k].bytes, cudaMemcpyHostToDevice));
    }
    for (int k = 0; k < outs; ++k) fine_ = fine_ && copies_out_.emplace_back().get(out[k].bytes);
  }

  int64_t size(int k, int dim = 0) const { return in_[k].size[dim]; }
  template <class T>
  const T* arg(int k) const { return static_cast<const T*>(copies_in_[k].at); }
  template <class T>
  T* result(int k) const { return static_cast<T*>(copies_out_[k].at); }
  // Memory beside them.
  template <class T>
  T* room(int64_t count) {
    fine_ = fine_ && more_.emplace_back().get(sizeof(T) * count);
    return static_cast<T*>(more_.back().at);
  }
  void must(cudaError_t error) { fine_ = fine_ && error == cudaSuccess; }

  // `call` begins with results that are zero.
  template <class Call>
  double time(int runs, const Call& call) {
    if (!fine_) return -1;
    const double us = median_us(runs, [&] {
      for (int k = 0; k < outs_; ++k) cudaMemsetAsync(copies_out_[k].at, 0, out_[k].bytes);
      call();
      return cudaGetLastError();
    });
    for (int k = 0; k < outs_; ++k) must(cudaMemcpy(out_[k].data, copies_out_[k].at, out_[k].bytes, cudaMemcpyDeviceToHost));
    return fine_ ? us : -1;
  }

 private:
  const Array *in_, *out_;
  int ins_, outs_;
  std::vector<Memory> copies_in_, copies_out_, more_;
  bool fine_ = true;
};

inline int multiprocessors() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// A loop of all threads of all groups, each with the points at, at + step …
#define EACH_POINT(i, n) \
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x, step_of_##i = int64_t{gridDim.x} * blockDim.x; i < (n); i += step_of_##i)
