// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

// Both halves of a merge at once, cut where the middle of the longer one belongs.
void merge(const int64_t* a, int64_t n, const int64_t* b, int64_t m, int64_t* out) {
  if (n + m < 16384) {
    std::merge(a, a + n, b, b + m, out);
    return;
  }
  int64_t i = n / 2, j = std::lower_bound(b, b + m, a[i]) - b;
  if (n < m) {
    j = m / 2;
    i = std::upper_bound(a, a + n, b[j]) - a;
  }
  tbb::parallel_invoke([=] { merge(a, i, b, j, out); },
                       [=] { merge(a + i, n - i, b + j, m - j, out + i + j); });
}

// Sorts xs, into `other` if asked for.
void mergesort(int64_t* xs, int64_t n, int64_t* other, bool to_other) {
  if (n <= 2048) {
    std::stable_sort(xs, xs + n);
    if (to_other) std::copy(xs, xs + n, other);
    return;
  }
  const int64_t half = n / 2;
  tbb::parallel_invoke([=] { mergesort(xs, half, other, !to_other); },
                       [=] { mergesort(xs + half, n - half, other + half, !to_other); });
  const int64_t* from = to_other ? xs : other;
  merge(from, half, from + half, n - half, to_other ? other : xs);
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> xs = peer.array<int64_t>();
  Array<int64_t> out(xs.shape()), room(xs.shape());
  peer.time([&] {
    std::memcpy(out.data(), xs.data(), static_cast<size_t>(xs.size()) * sizeof(int64_t));
    mergesort(out.data(), out.size(), room.data(), false);
  });
  peer.write(out);
}
