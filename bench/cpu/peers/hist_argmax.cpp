// SPDX-License-Identifier: Apache-2.0
#include "hist.h"

namespace {

struct Best {
  int32_t value;
  int64_t index;
};

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t h = peer.scalar<int64_t>();
  const Array<int32_t> keys = peer.array<int32_t>(), values = peer.array<int32_t>();
  Array<Best> bins({h});
  Array<int32_t> best({h});
  Array<int64_t> where({h});
  const auto better = [](Best& a, Best b) {
    if (b.value > a.value || (b.value == a.value && b.index < a.index)) a = b;
  };
  peer.time([&] {
    histogram(
        keys, bins, Best{INT32_MIN, INT64_MAX}, peer.threads(),
        [&](Best& bin, int64_t i) { better(bin, {values[i], i}); }, better);
    parallel(h, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        best[b] = bins[b].value;
        where[b] = bins[b].index;
      }
    });
  });
  peer.write(best);
  peer.write(where);
}
