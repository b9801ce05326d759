// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "peer.h"

namespace {

using Complex = std::complex<double>;

// Every `step`-th element of `in`, transformed to `out`.
void fft(const Complex* in, Complex* out, int64_t n, int64_t step, const Complex* roots) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t half = n / 2;
  const auto even = [=] { fft(in, out, half, 2 * step, roots); };
  const auto odd = [=] { fft(in + step, out + half, half, 2 * step, roots); };
  if (n > 4096) {
    tbb::parallel_invoke(even, odd);
  } else {
    even();
    odd();
  }
  for (int64_t k = 0; k < half; ++k) {
    const Complex w = roots[k * step], y = out[half + k];
    const Complex turned(y.real() * w.real() - y.imag() * w.imag(),
                         y.real() * w.imag() + y.imag() * w.real());
    out[half + k] = out[k] - turned;
    out[k] += turned;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<double> re = peer.array<double>(), im = peer.array<double>();
  const int64_t n = re.size();
  Array<double> out_re({n}), out_im({n});
  peer.time([&] {
    std::vector<Complex> in(static_cast<size_t>(n)), out(static_cast<size_t>(n)),
        roots(static_cast<size_t>(n / 2));
    const double angle = -2 * std::acos(-1.0) / static_cast<double>(n);
    parallel(n / 2, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        roots[static_cast<size_t>(k)] = {std::cos(angle * static_cast<double>(k)),
                                         std::sin(angle * static_cast<double>(k))};
    });
    for (int64_t i = 0; i < n; ++i) in[static_cast<size_t>(i)] = {re[i], im[i]};
    fft(in.data(), out.data(), n, 1, roots.data());
    for (int64_t i = 0; i < n; ++i) {
      out_re[i] = out[static_cast<size_t>(i)].real();
      out_im[i] = out[static_cast<size_t>(i)].imag();
    }
  });
  peer.write(out_re);
  peer.write(out_im);
}
